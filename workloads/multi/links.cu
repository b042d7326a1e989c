/* What links cost by themselves: a flag that goes from one GPU to another and back, GPUs that meet and do
 * nothing else, loads of a peer's memory that need each other, and words that are copied between GPUs by
 * kernels. */
#include "group.cuh"

/* One thread on each of two GPUs: each in its turn puts a number where the other looks for it. Where that
 * lies the host decides: with the one who puts, with the one who looks, or in the host's memory. */
extern "C" __global__ void pingpong(unsigned *mine, const unsigned *theirs, unsigned rounds,
                                    unsigned is_first)
{
    for (unsigned round = 1; round <= rounds; round++) {
        if (is_first)
            put(mine, round);
        while (poll(theirs) < round) {}
        if (!is_first)
            put(mine, round);
    }
}

/* By the network, whose messages go to the memory of the one who looks. */
extern "C" __global__ void pingpong_network(unsigned *mine, const unsigned *theirs, unsigned rounds,
                                            unsigned is_first)
{
    for (unsigned round = 1; round <= rounds; round++) {
        if (is_first)
            wb_signal_remote(mine, round);
        while (poll(theirs) < round) {}
        if (!is_first)
            wb_signal_remote(mine, round);
    }
}

/* The same by the host, which launches this for every way of the flag. */
extern "C" __global__ void pingpong_host(unsigned *mine, const unsigned *theirs, unsigned is_first)
{
    *mine = poll(theirs) + is_first;
}

/* In hardware: signals to an event of the other's GPU. Events have numbers of their own, where both are one. */
extern "C" __global__ void pingpong_hardware(unsigned *mine, unsigned other, unsigned rounds,
                                             unsigned is_first)
{
    for (unsigned round = 1; round <= rounds; round++) {
        if (is_first)
            wb_signal_gpu(other, 1, 2);
        wb_wait_gpu(wb_this_gpu(), !is_first, 2);
        if (!is_first)
            wb_signal_gpu(other, 0, 2);
        put(mine, round);
    }
}

/* GPUs meet so many times; a word counts that. */
extern "C" __global__ void meet_host(unsigned *count)
{
    if (block_rank() == 0 && thread_rank() == 0)
        ++*count;
}

template <Mode mode> __device__ __forceinline__ void meet(unsigned *count, unsigned turns, const Group &group)
{
    for (unsigned turn = 1; turn <= turns; turn++) {
        group_sync<mode, false>(group, turn, false, [] {});
        if (block_rank() == 0 && thread_rank() == 0)
            ++*count;
    }
}

extern "C" __global__ void meet_flags(unsigned *count, unsigned turns, const Group *group)
{
    meet<FLAGS>(count, turns, *group);
}
extern "C" __global__ void meet_push(unsigned *count, unsigned turns, const Group *group)
{
    meet<PUSH>(count, turns, *group);
}

extern "C" __global__ void meet_hardware(unsigned *count, unsigned turns, const Group *group)
{
    meet<HARDWARE>(count, turns, *group);
}

extern "C" __global__ void meet_network(unsigned *count, unsigned turns, const Group *group)
{
    meet<NETWORK>(count, turns, *group);
}

/* One thread follows pointers. */
extern "C" __global__ void chase(const unsigned long long *at, unsigned hops, unsigned long long *end)
{
    for (unsigned i = 0; i < hops; i++)
        at = (const unsigned long long *)__ldcg(at);
    *end = (unsigned long long)at;
}

/* A copy by the GPU that reads, or by the one that writes. */
extern "C" __global__ void copy_words(uint4 *to, const uint4 *from, unsigned count)
{
    constexpr int BATCH = 4;
    const unsigned threads = block_count() * thread_count();
    for (unsigned first = block_rank() * thread_count() + thread_rank(); first < count;
         first += threads * BATCH) {
        uint4 words[BATCH];
#pragma unroll
        for (int i = 0; i < BATCH; i++)
            if (first + i * threads < count)
                words[i] = __ldcg(&from[first + i * threads]);
#pragma unroll
        for (int i = 0; i < BATCH; i++)
            if (first + i * threads < count)
                __stcg(&to[first + i * threads], words[i]);
    }
}
