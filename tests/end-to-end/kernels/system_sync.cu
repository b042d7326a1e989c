/* Kernels of several GPUs that meet: at the units, by flags in memory, and by events of GPUs. */
#include "warpbeam_device.h"

constexpr unsigned GPUS = 4; /* as the test has it */

/* Of one GPU, in its memory. */
struct Meeting {
    unsigned *words[GPUS]; /* of each GPU: one a block, [2] for even and odd rounds */
    const WbSystemFlags *flags;
    unsigned gpus, self, rounds, set;
};

static __device__ unsigned next_gpu(const Meeting *meeting) { return (meeting->self + 1) % meeting->gpus; }
static __device__ unsigned *word(const Meeting *meeting, unsigned gpu, unsigned round)
{
    return meeting->words[gpu] + round % 2 * gridDim.x + blockIdx.x;
}

/* Each block adds the number of the same block of the next GPU to its own, again and again. One sync a round is
 * enough, as numbers of the next round lie elsewhere. */
template <typename Sync> static __device__ void add_next(const Meeting *meeting, Sync sync)
{
    unsigned own = meeting->self * gridDim.x + blockIdx.x;
    for (unsigned round = 0; round < meeting->rounds; round++) {
        if (threadIdx.x == 0)
            *word(meeting, meeting->self, round) = own;
        sync(round);
        own += *word(meeting, next_gpu(meeting), round);
    }
    sync(meeting->rounds);
    if (threadIdx.x == 0)
        *word(meeting, meeting->self, 0) = own;
}

extern "C" __global__ void by_units(const Meeting *meeting)
{
    add_next(meeting, [](unsigned) { wb_system_sync(); });
}
extern "C" __global__ void by_set(const Meeting *meeting)
{
    add_next(meeting, [=](unsigned) { wb_system_sync_group(meeting->set); });
}
extern "C" __global__ void by_flags(const Meeting *meeting)
{
    add_next(meeting, [=](unsigned round) { wb_system_sync_flags(meeting->flags, round + 1); });
}
/* All blocks of all GPUs call one event of the last GPU. */
extern "C" __global__ void by_event(const Meeting *meeting)
{
    add_next(meeting, [=](unsigned) { wb_wait_gpu(meeting->gpus - 1, 5, meeting->gpus * gridDim.x); });
}
/* The neighbour's number is fetched as soon as all of that GPU's blocks have come. */
extern "C" __global__ void prefetches(const Meeting *meeting)
{
    unsigned own = meeting->self * gridDim.x + blockIdx.x;
    for (unsigned round = 0; round < meeting->rounds; round++) {
        if (threadIdx.x == 0)
            *word(meeting, meeting->self, round) = own;
        const bool last = wb_system_arrive_flags(meeting->flags, round + 1);
        wb_system_await_flag(meeting->flags, next_gpu(meeting), round + 1);
        own += __ldcg(word(meeting, next_gpu(meeting), round));
        wb_system_wait_flags(meeting->flags, round + 1, last);
    }
    if (threadIdx.x == 0)
        *word(meeting, meeting->self, meeting->rounds) = own;
}

/* A number goes round all GPUs: each adds 1 and gives it to the next one. The first GPU begins. */
extern "C" __global__ void relay(const Meeting *meeting)
{
    for (unsigned round = 0; round < meeting->rounds; round++) {
        if (round || meeting->self)
            wb_wait_gpu(meeting->self, 2, 2);
        if (threadIdx.x == 0)
            meeting->words[next_gpu(meeting)][0] = meeting->words[meeting->self][0] + 1;
        if (round + 1 < meeting->rounds || meeting->self + 1 < meeting->gpus)
            wb_signal_gpu(next_gpu(meeting), 2, 2);
    }
}

extern "C" __global__ void numbers(unsigned *out)
{
    out[2 * blockIdx.x] = wb_this_gpu();
    out[2 * blockIdx.x + 1] = wb_gpu_count();
}
extern "C" __global__ void once(const Meeting *) { wb_system_sync(); }
extern "C" __global__ void signals(const Meeting *meeting) { wb_signal_gpu(meeting->set, 3, 2); }
extern "C" __global__ void waits(const Meeting *meeting) { wb_wait_gpu(meeting->set, 3, gridDim.x + 1); }
extern "C" __global__ void only_first(const Meeting *)
{
    if (blockIdx.x == 0)
        wb_system_sync();
    else
        wb_wait(1, 9);
}

extern "C" __global__ void polls(const Meeting *meeting)
{
    while (*(volatile unsigned *)meeting->words[0] == 0) {
    }
    wb_system_sync();
}

/* -- what is wrong -- */

extern "C" __global__ void set_without_itself(const Meeting *) { wb_system_sync_group(1u << (1 - wb_this_gpu())); }
extern "C" __global__ void set_too_large(const Meeting *) { wb_system_sync_group(0x103); }
extern "C" __global__ void no_such_gpu(const Meeting *) { wb_signal_gpu(7, 1, 1); }
extern "C" __global__ void no_such_event(const Meeting *) { wb_wait_gpu(1, 1u << 20, 2); }
extern "C" __global__ void other_sync(const Meeting *)
{
    if (blockIdx.x == 1)
        wb_global_sync();
    else
        wb_system_sync();
}
extern "C" __global__ void other_set(const Meeting *)
{
    wb_system_sync_group(threadIdx.x < 32 ? 3 : 1);
}
extern "C" __global__ void other_target(const Meeting *meeting) { wb_signal_gpu(1, 4, 5 + meeting->self); }
extern "C" __global__ void ends(const Meeting *)
{
    if (blockIdx.x == 0)
        return;
    wb_system_sync();
}
