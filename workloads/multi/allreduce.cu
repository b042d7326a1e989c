/* All-reduce: every GPU has a vector, and gets the sum of all. Four ways:
 *
 *   ring      every GPU sums a part of what its left neighbour has with its own, part after part; behind one
 *             round each GPU has the sum of one part, which goes round once more;
 *   tree      sums go up a binary tree, whose root has all then, and down again, piece by piece;
 *   one shot  every GPU reads all vectors;
 *   two shots every GPU sums one part of all vectors, then reads the other parts' sums.
 *
 * Blocks of one number on all GPUs have the same elements, and only they wait for each other, by flags in
 * memory: in that of the GPU that sets them, or (PUSH) in that of the one that waits. In hardware all GPUs
 * meet instead, which a tree cannot do: its GPUs do not wait equally often. Numbers are small integers, so
 * that no sum is rounded. */
#include "group.cuh"

constexpr unsigned SECTOR = 8; /* words from one flag to the next; as the host has it */
constexpr int BATCH = 4;       /* loads of a thread that are under way at once */

/* Of one GPU, in its memory; as the host has it. */
struct Reduction {
    const float4 *data[GPUS]; /* of each GPU */
    float4 *sums[GPUS];
    unsigned *flags[GPUS];   /* of each GPU: [block] */
    unsigned *inboxes[GPUS]; /* in each GPU's memory: [sender][block] */
    unsigned gpus, self;
    unsigned count;  /* of the elements, four numbers each; GPUs divide it */
    unsigned pieces; /* that a tree passes on one after the other; they divide the elements */

    __device__ unsigned left() const { return (self + gpus - 1) % gpus; }
    __device__ unsigned part() const { return count / gpus; }
};

__device__ __forceinline__ float4 operator+(float4 a, float4 b)
{
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

/* The block has come so far: the GPUs of a set of bits may know. What it has written is there before, if it
 * has written what they read. */
template <Mode mode, bool has_written = true>
__device__ __forceinline__ void announce(const Reduction &reduction, unsigned turn, unsigned to)
{
    const unsigned thread = thread_rank();
    if (mode == HOST || mode == HARDWARE)
        return;
    if (has_written)
        __threadfence_system();
    __syncthreads();
    if (mode == PUSH && thread < GPUS && to >> thread & 1)
        put(reduction.inboxes[thread] + (reduction.self * block_count() + block_rank()) * SECTOR, turn);
    if (mode != PUSH && thread == 0)
        put(reduction.flags[reduction.self] + block_rank() * SECTOR, turn);
}

/* Until the blocks of that number on the GPUs of a set are as far. */
template <Mode mode>
__device__ __forceinline__ void await(const Reduction &reduction, unsigned turn, unsigned from)
{
    const unsigned thread = thread_rank();
    if (mode == HARDWARE)
        wb_system_sync_group((1u << reduction.gpus) - 1);
    if (mode == HOST || mode == HARDWARE)
        return;
    if (thread < 32) {
        const bool is_one = thread < GPUS && from >> thread & 1;
        const unsigned *own = reduction.inboxes[reduction.self] + thread % GPUS * block_count() * SECTOR;
        const unsigned *flags = is_pushed(mode) ? own : reduction.flags[thread % GPUS];
        bool is_there = !is_one;
        while (!__all_sync(0xffffffffu, is_there))
            if (!is_there)
                is_there = poll(flags + block_rank() * SECTOR) >= turn;
        __threadfence_system();
    }
    __syncthreads();
}

__device__ __forceinline__ unsigned others(const Reduction &reduction)
{
    return ((1u << reduction.gpus) - 1) & ~(1u << reduction.self);
}

/* to[i] = a[i] + b[i] of the block's elements below `count`; b is null: to[i] = a[i]. */
__device__ __forceinline__ void combine(float4 *to, const float4 *a, const float4 *b, unsigned count)
{
    const unsigned threads = block_count() * thread_count();
    for (unsigned first = block_rank() * thread_count() + thread_rank(); first < count;
         first += threads * BATCH) {
        float4 left[BATCH], right[BATCH];
#pragma unroll
        for (int i = 0; i < BATCH; i++)
            if (first + i * threads < count) {
                left[i] = __ldcg(&a[first + i * threads]);
                right[i] = b ? __ldcg(&b[first + i * threads]) : make_float4(0, 0, 0, 0);
            }
#pragma unroll
        for (int i = 0; i < BATCH; i++)
            if (first + i * threads < count)
                __stcg(&to[first + i * threads], left[i] + right[i]);
    }
}

/* A step of the ring: the first gpus - 1 make sums, the others pass them on. Behind the step before, or at
 * the beginning, the left neighbour announces. */
template <Mode mode> __device__ __forceinline__ void ring_step(const Reduction &reduction, unsigned step)
{
    const unsigned gpus = reduction.gpus, left = reduction.left(), part = reduction.part();
    const bool makes_sums = step < gpus - 1;
    const unsigned which = (reduction.self + 2 * gpus - (makes_sums ? step + 1 : step - (gpus - 1))) % gpus;
    const size_t at = (size_t)which * part;
    await<mode>(reduction, step + 1, 1u << left);
    const float4 *theirs = (step ? reduction.sums[left] : reduction.data[left]) + at;
    combine(reduction.sums[reduction.self] + at, theirs,
            makes_sums ? reduction.data[reduction.self] + at : nullptr, part);
    announce<mode>(reduction, step + 2, 1u << (reduction.self + 1) % gpus);
}

template <Mode mode> __device__ __forceinline__ void ring(const Reduction &reduction)
{
    announce<mode>(reduction, 1, 1u << (reduction.self + 1) % reduction.gpus);
    for (unsigned step = 0; step < 2 * (reduction.gpus - 1); step++)
        ring_step<mode>(reduction, step);
}

/* A piece goes up: the GPU adds to its own data what its children have. Leaves have only data. */
template <Mode mode> __device__ __forceinline__ void tree_up(const Reduction &reduction, unsigned piece)
{
    const unsigned size = reduction.count / reduction.pieces, self = reduction.self, gpus = reduction.gpus;
    const size_t at = (size_t)piece * size;
    float4 *sums = reduction.sums[self] + at;
    const float4 *mine = reduction.data[self] + at;
    for (unsigned child = 2 * self + 1; child <= 2 * self + 2 && child < gpus; child++) {
        await<mode>(reduction, piece + 1, 1u << child);
        combine(sums, mine, (2 * child + 1 < gpus ? reduction.sums : reduction.data)[child] + at, size);
        mine = sums;
    }
    if (self)
        announce<mode>(reduction, piece + 1, 1u << (self - 1) / 2);
}

__device__ __forceinline__ unsigned children(const Reduction &reduction)
{
    return (3u << (2 * reduction.self + 1)) & ((1u << reduction.gpus) - 1);
}

template <Mode mode> __device__ __forceinline__ void tree_down(const Reduction &reduction, unsigned piece)
{
    const unsigned size = reduction.count / reduction.pieces, parent = (reduction.self - 1) / 2;
    const size_t at = (size_t)piece * size;
    const unsigned turn = reduction.pieces + piece + 1;
    if (reduction.self) {
        await<mode>(reduction, turn, 1u << parent);
        combine(reduction.sums[reduction.self] + at, reduction.sums[parent] + at, nullptr, size);
    }
    announce<mode>(reduction, turn, children(reduction));
}

template <Mode mode> __device__ __forceinline__ void tree(const Reduction &reduction)
{
    for (unsigned piece = 0; piece < reduction.pieces; piece++)
        tree_up<mode>(reduction, piece);
    for (unsigned piece = 0; piece < reduction.pieces; piece++)
        tree_down<mode>(reduction, piece);
}

/* The sum of `count` elements of all vectors from `at` on. GPUs begin with different ones. */
__device__ __forceinline__ void sum_all(const Reduction &reduction, size_t at, unsigned count)
{
    const unsigned threads = block_count() * thread_count();
    const float4 *data[GPUS];
#pragma unroll
    for (unsigned i = 0; i < GPUS; i++)
        data[i] = reduction.data[(reduction.self + i) % reduction.gpus] + at;
    float4 *to = reduction.sums[reduction.self] + at;
    for (unsigned i = block_rank() * thread_count() + thread_rank(); i < count; i += threads) {
        float4 values[GPUS];
#pragma unroll
        for (unsigned gpu = 0; gpu < GPUS; gpu++)
            if (gpu < reduction.gpus)
                values[gpu] = __ldcg(&data[gpu][i]);
#pragma unroll
        for (unsigned gpu = 1; gpu < GPUS; gpu++)
            if (gpu < reduction.gpus)
                values[0] = values[0] + values[gpu];
        __stcg(&to[i], values[0]);
    }
}

/* The second shot: the other parts' sums, an element of each at a time. */
__device__ __forceinline__ void gather(const Reduction &reduction)
{
    const unsigned part = reduction.part(), gpus = reduction.gpus, threads = block_count() * thread_count();
    const float4 *from[GPUS];
    size_t at[GPUS];
#pragma unroll
    for (unsigned i = 1; i < GPUS; i++) {
        const unsigned which = (reduction.self + i) % gpus;
        from[i] = reduction.sums[which];
        at[i] = (size_t)which * part;
    }
    float4 *to = reduction.sums[reduction.self];
    for (unsigned k = block_rank() * thread_count() + thread_rank(); k < part; k += threads) {
        float4 values[GPUS];
#pragma unroll
        for (unsigned i = 1; i < GPUS; i++)
            if (i < gpus)
                values[i] = __ldcg(&from[i][at[i] + k]);
#pragma unroll
        for (unsigned i = 1; i < GPUS; i++)
            if (i < gpus)
                __stcg(&to[at[i] + k], values[i]);
    }
}

/* Data is there before the first shot, and nobody reads it any more behind the last one. Only sums of two
 * shots are read by others: nothing else has a fence, as in vLLM's kernels. */
template <Mode mode, bool has_two> __device__ __forceinline__ void shots(const Reduction &reduction)
{
    const unsigned part = reduction.part(), all = others(reduction);
    announce<mode, false>(reduction, 1, all);
    await<mode>(reduction, 1, all);
    sum_all(reduction, has_two ? (size_t)reduction.self * part : 0, has_two ? part : reduction.count);
    announce<mode, has_two>(reduction, 2, all);
    await<mode>(reduction, 2, all);
    if (has_two)
        gather(reduction);
}

/* Steps that the host launches one by one, on all GPUs or on those of a level of the tree. */
extern "C" __global__ void ring_host(const Reduction *reduction, unsigned step)
{
    ring_step<HOST>(*reduction, step);
}
extern "C" __global__ void tree_host(const Reduction *reduction, unsigned goes_down)
{
    for (unsigned piece = 0; piece < reduction->pieces; piece++)
        if (goes_down)
            tree_down<HOST>(*reduction, piece);
        else
            tree_up<HOST>(*reduction, piece);
}
extern "C" __global__ void oneshot_host(const Reduction *reduction, unsigned)
{
    sum_all(*reduction, 0, reduction->count);
}
extern "C" __global__ void twoshot_host(const Reduction *reduction, unsigned step)
{
    if (step)
        gather(*reduction);
    else
        sum_all(*reduction, (size_t)reduction->self * reduction->part(), reduction->part());
}

extern "C" __global__ void ring_flags(const Reduction *reduction) { ring<FLAGS>(*reduction); }
extern "C" __global__ void ring_push(const Reduction *reduction) { ring<PUSH>(*reduction); }
extern "C" __global__ void tree_flags(const Reduction *reduction) { tree<FLAGS>(*reduction); }
extern "C" __global__ void tree_push(const Reduction *reduction) { tree<PUSH>(*reduction); }
extern "C" __global__ void oneshot_flags(const Reduction *reduction) { shots<FLAGS, false>(*reduction); }
extern "C" __global__ void oneshot_push(const Reduction *reduction) { shots<PUSH, false>(*reduction); }
extern "C" __global__ void twoshot_flags(const Reduction *reduction) { shots<FLAGS, true>(*reduction); }
extern "C" __global__ void twoshot_push(const Reduction *reduction) { shots<PUSH, true>(*reduction); }
extern "C" __global__ void ring_hardware(const Reduction *reduction) { ring<HARDWARE>(*reduction); }
extern "C" __global__ void oneshot_hardware(const Reduction *reduction)
{
    shots<HARDWARE, false>(*reduction);
}
extern "C" __global__ void twoshot_hardware(const Reduction *reduction) { shots<HARDWARE, true>(*reduction); }

#include "allreduce_network.cuh"
