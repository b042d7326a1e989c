/* How blocks of different SMs tell each other: values that show whether they have been written, flags in
 * arrays, or counters; and the watchdog, by which none of them waits for ever. Events: events.cuh. */
#ifndef WBRNN_SYNC_CUH
#define WBRNN_SYNC_CUH

#include "job.h"

/* WbRnnSync, as far as kernels know it. */
enum { SYNC_ARRAYS = 1, SYNC_ENTRY, SYNC_COUNTER, SYNC_DATA, SYNC_HARDWARE };
/* What is waited for, as RnnStuck.waited_for. */
enum { WAITED_OWN = 1, WAITED_BELOW, WAITED_ALL };

static __device__ __forceinline__ uint64_t nanoseconds()
{
    uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

static __device__ __forceinline__ uint32_t flag_read(const uint32_t *flag)
{
    return *(const volatile uint32_t *)flag;
}

static __device__ __forceinline__ uint32_t flag_acquire(const uint32_t *flag)
{
    uint32_t value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
    return value;
}

/* Adds 1 behind all that the block has written before its last barrier. */
static __device__ __forceinline__ void flag_add(uint32_t *flag)
{
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" : : "l"(flag) : "memory");
}

/* Whether who waits is to give up: it has waited for too long, or another one has given up. `since` is 0 at
 * first. Not inlined: spins stay short. */
static __device__ __noinline__ bool watchdog_looks(const RnnJob &job, uint32_t layer, uint32_t step,
                                                   uint32_t what, uint64_t &since)
{
    RnnStuck *stuck = (RnnStuck *)job.stuck;
    if (*(volatile uint32_t *)&stuck->given_up)
        return true;
    const uint64_t now = nanoseconds();
    if (!since)
        since = now;
    if (now - since < job.watchdog)
        return false;
    if (!atomicCAS(&stuck->given_up, 0u, 1u)) {
        stuck->layer = job.first_layer + layer;
        stuck->step = job.first_step + step;
        stuck->block = blockIdx.x;
        stuck->waited_for = what;
        RnnStuck *told = (RnnStuck *)job.told; /* the host may look at any time */
        told->layer = stuck->layer;
        told->step = stuck->step;
        told->block = stuck->block;
        told->waited_for = what;
        __threadfence_system();
        *(volatile uint32_t *)&told->given_up = 1;
    }
    return true;
}

/* A wait for `what`. Who spins asks from time to time whether to give up. */
struct Watch {
    uint32_t layer, step, what;
    uint32_t tries = 0;
    uint64_t since = 0;

    __device__ __forceinline__ bool is_over(const RnnJob &job)
    {
        if ((++tries & 255u) != 0)
            return false;
        uint64_t began = since; /* a copy: the wait itself stays in registers */
        const bool over = watchdog_looks(job, layer, step, what, began);
        since = began;
        return over;
    }
};

/* -- values that carry their own flag -- */

static __device__ __forceinline__ float4 quad_read(const float4 *at)
{
    float4 v;
    asm volatile("ld.relaxed.gpu.global.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "l"(at));
    return v;
}

/* The same to shared memory, without waiting: quads_arrived() waits for all of a thread's. */
static __device__ __forceinline__ void quad_copy(float4 *to, const float4 *from)
{
    const uint32_t at = (uint32_t)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(at), "l"(from) : "memory");
}

static __device__ __forceinline__ void quads_arrived() { asm volatile("cp.async.wait_all;" : : : "memory"); }

static __device__ __forceinline__ float word_read(const float *at)
{
    float v;
    asm volatile("ld.relaxed.gpu.global.f32 %0, [%1];" : "=f"(v) : "l"(at));
    return v;
}

static __device__ __forceinline__ bool is_written(float v) { return __float_as_uint(v) != JOB_UNWRITTEN; }
static __device__ __forceinline__ bool is_written(float4 v)
{
    return is_written(v.x) && is_written(v.y) && is_written(v.z) && is_written(v.w);
}

/* A NaN with the bits of JOB_UNWRITTEN becomes the usual one. */
static __device__ __forceinline__ void word_write(float *at, float v)
{
    const uint32_t bits = is_written(v) ? __float_as_uint(v) : 0x7fffffffu;
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" : : "l"(at), "r"(bits) : "memory");
}

/* -- flags: thread 0 of the block waits, the others at a barrier -- */

/* Where a layer's flags lie. */
struct LayerFlags {
    uint32_t *written, *read_own, *read_next; /* an entry a block */
    uint32_t *counter;                        /* finished cells; of SYNC_ENTRY the one entry that is read */
    uint32_t *handed;                         /* split: steps that an O U block has handed to its S W block */

    __device__ LayerFlags(const RnnJob &job, uint32_t layer)
    {
        const uint32_t array = JOB_FLAG_ARRAY(job.blocks);
        written = (uint32_t *)job.flags + (size_t)layer * job.tiles * JOB_FLAG_WORDS(job.blocks);
        read_own = written + array;
        read_next = read_own + array;
        handed = read_next + array;
        counter = handed + array;
    }

    /* Those of one batch tile. Each has its own: a block that is a tile ahead must not overwrite a signal
     * that was not seen yet. */
    __device__ LayerFlags of_tile(const RnnJob &job, uint32_t tile) const
    {
        LayerFlags flags = *this;
        const uint32_t offset = tile * JOB_FLAG_WORDS(job.blocks);
        flags.written += offset;
        flags.read_own += offset;
        flags.read_next += offset;
        flags.handed += offset;
        flags.counter += offset;
        return flags;
    }
};

/* Waits until cell `cell` (counted from 0) of the layer with these flags is finished. `own`: the caller
 * belongs to the layer, else to the next. False: the watchdog. Only thread 0 calls it. */
static __device__ bool flags_wait(const RnnJob &job, const LayerFlags &of_layer, bool own, uint32_t block,
                                  uint32_t cell, Watch watch)
{
    const LayerFlags flags = of_layer.of_tile(job, cell % job.tiles);
    const uint32_t step = cell / job.tiles;
    uint32_t *entry = (own ? flags.read_own : flags.read_next) + block;
    switch (job.sync) {
    case SYNC_ARRAYS: /* Fig 29 (a): the entry is the caller's, who resets it */
        while (!flag_read(entry))
            if (watch.is_over(job))
                return false;
        *(volatile uint32_t *)entry = 0;
        break;
    case SYNC_ENTRY: /* Fig 29 (b) */
        while (flag_read(flags.counter) < step + 1)
            if (watch.is_over(job))
                return false;
        break;
    default:
        while (flag_acquire(flags.counter) < (step + 1) * job.blocks)
            if (watch.is_over(job))
                return false;
    }
    __threadfence();
    return true;
}

/* Says that the block has finished its part of cell `cell`. Thread 0, behind a barrier of its block. */
static __device__ void flags_signal(const RnnJob &job, const LayerFlags &of_layer, uint32_t block,
                                    uint32_t cell)
{
    const LayerFlags flags = of_layer.of_tile(job, cell % job.tiles);
    if (job.sync == SYNC_COUNTER) {
        flag_add(flags.counter);
        return;
    }
    __threadfence();
    *(volatile uint32_t *)(flags.written + block) = job.sync == SYNC_ENTRY ? cell / job.tiles + 1 : 1;
}

/* A barrier at which the threads say whether they give up; if one does, all do. */
static __device__ __forceinline__ bool all_go_on(bool go_on) { return __syncthreads_and(go_on); }

/* The block that collects a layer's flags: when all of `written` are set, those who read are told. With an
 * array of entries they are set again only when their readers have reset them: the thesis leaves open what
 * happens to a reader that is a step behind, and its signal would be lost. */
static __device__ void flags_collect(const RnnJob &job, uint32_t layer, uint32_t cells)
{
    const LayerFlags of_layer(job, layer);
    const bool arrays = job.sync == SYNC_ARRAYS, next = layer + 1 < job.layers;
    for (uint32_t cell = 0; cell < cells; cell++) {
        const LayerFlags flags = of_layer.of_tile(job, cell % job.tiles);
        const uint32_t step = cell / job.tiles;
        bool go_on = true;
        Watch watch{layer, step, WAITED_OWN};
        for (uint32_t i = threadIdx.x; i < job.blocks && go_on; i += JOB_THREADS) {
            const uint32_t wanted = arrays ? 1 : step + 1;
            while (go_on && flag_read(flags.written + i) < wanted)
                go_on = !watch.is_over(job);
            if (arrays)
                *(volatile uint32_t *)(flags.written + i) = 0;
        }
        __threadfence();
        if (!all_go_on(go_on))
            return;
        if (!arrays) {
            if (threadIdx.x == 0)
                *(volatile uint32_t *)flags.counter = step + 1;
            continue;
        }
        for (uint32_t i = threadIdx.x; i < 2 * job.blocks && go_on; i += JOB_THREADS) {
            const bool own = i < job.blocks;
            uint32_t *entry = own ? flags.read_own + i : flags.read_next + (i - job.blocks);
            if (own ? step + 1 >= job.steps : !next)
                continue; /* nobody reads it */
            while (go_on && flag_read(entry))
                go_on = !watch.is_over(job);
            *(volatile uint32_t *)entry = 1;
        }
    }
}

#endif
