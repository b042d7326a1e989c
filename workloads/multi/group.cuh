/* The kernels' common part: all blocks of all GPUs meet, by flags in memory [sync-thesis §8.1, fig. 56].
 *
 * The last block of a GPU that comes sets its GPU's flag. Then it reads the flags of all others, again and
 * again, and copies each that is set into its own GPU's memory, where other blocks see it; when all are there
 * it lets the blocks of its GPU go on. Flags lie in the memory of the GPU that sets them, or in the host's.
 * Where flags are pushed, the setter writes them into the memory of all who wait, and everybody polls its
 * own. In hardware, the GPUs' units tell each other, and nobody polls. By the network flags are pushed, too,
 * those to GPUs of other nodes as messages, behind the data that these cannot read and are sent therefore.
 *
 * All blocks of all launches have to be on their GPUs at once. What others have written is read past the L1
 * cache, which does not see their writes: __ldcg(). Compiled by: ../build_ptx.sh multi */
#ifndef MULTI_GROUP_CUH
#define MULTI_GROUP_CUH

#include "warpbeam_device.h"

constexpr unsigned GPUS = 8;  /* at most; as multi.h has it, as the next one */
constexpr unsigned LINE = 32; /* words from one flag to the next, so that no two share a line */

/* How GPUs meet; as the enum MultiMode. */
enum Mode { HOST, FLAGS, PREFETCH, PUSH, HARDWARE, NETWORK };

__host__ __device__ constexpr bool is_pushed(Mode mode) { return mode == PUSH || mode == NETWORK; }

/* Of one GPU, for one launch, in its memory; as the host has it. All words are 0 before. Flags have two
 * places, for turns that are even and odd: a GPU may set that of the next turn while another still looks for
 * this one. The value is the turn, doubled, and 1 more where a block of the GPU has wished something. */
struct Group {
    unsigned *own;           /* in its memory: blocks that came, their wishes, the word to go on */
    unsigned *seen;          /* in its memory: [GPU][2], the flags that were seen, or pushed here */
    unsigned *flags[GPUS];   /* of each GPU: [2] */
    unsigned *inboxes[GPUS]; /* its entry of each GPU's `seen` */
    unsigned gpus, self;
    unsigned node_gpus;      /* of a node */

    __device__ bool is_near(unsigned gpu) const { return gpu / node_gpus == self / node_gpus; }
    __device__ unsigned *arrived() const { return own; }
    __device__ unsigned *go() const { return own + LINE; }
    __device__ unsigned *wish(unsigned turn) const { return own + (2 + turn % 2) * LINE; }
    __device__ unsigned *seen_of(unsigned gpu, unsigned turn) const
    {
        return seen + (gpu * 2 + turn % 2) * LINE;
    }
};

__device__ __forceinline__ unsigned block_rank()
{
    return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}
__device__ __forceinline__ unsigned block_count() { return gridDim.x * gridDim.y * gridDim.z; }
__device__ __forceinline__ unsigned thread_rank()
{
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
__device__ __forceinline__ unsigned thread_count() { return blockDim.x * blockDim.y * blockDim.z; }

__device__ __forceinline__ unsigned poll(const unsigned *at) { return *(const volatile unsigned *)at; }
__device__ __forceinline__ void put(unsigned *at, unsigned value) { *(volatile unsigned *)at = value; }

/* Until the GPU has set its flag of that turn, as this GPU knows; for those who do not wait for all. */
__device__ __forceinline__ void await(const Group &group, unsigned gpu, unsigned turn)
{
    while (poll(group.seen_of(gpu, turn)) / 2 < turn) {}
}

/* By the first warp of the block that came last: a lane has a GPU. Lanes poll together until all have seen
 * what they look for, so that none goes ahead and keeps the warp busy while another has its flag to set.
 * Messages of a block take effect in the order of its calls: what `send` puts is there before the flag. */
template <Mode mode, typename Send>
__device__ __forceinline__ void meet_others(const Group &group, unsigned turn, Send send)
{
    const unsigned lane = thread_rank();
    const unsigned mine = turn * 2 + (poll(group.wish(turn)) == turn);
    const bool is_other = lane < group.gpus && lane != group.self;
    const unsigned *from =
        is_pushed(mode) ? group.seen_of(lane, turn) : group.flags[lane % GPUS] + turn % 2 * LINE;
    unsigned theirs = mine;
    bool is_told = !is_other;
    if (mode == NETWORK) {
        send(lane);
        if (is_other && !group.is_near(lane))
            wb_signal_remote(group.inboxes[lane] + turn % 2 * LINE, mine);
    }
    if (is_pushed(mode) && is_other && (mode == PUSH || group.is_near(lane)))
        put(group.inboxes[lane] + turn % 2 * LINE, mine);
    if (!is_pushed(mode) && lane == 0)
        put(group.flags[group.self] + turn % 2 * LINE, mine);
    __syncwarp();
    while (!__all_sync(0xffffffffu, is_told)) {
        if (!is_told)
            theirs = poll(from);
        is_told = theirs / 2 >= turn;
        if (!is_pushed(mode) && is_other && is_told)
            put(group.seen_of(lane, turn), theirs);
    }
    const bool is_wished = __any_sync(0xffffffffu, theirs & 1);
    __threadfence_system();
    if (lane == 0)
        put(group.go(), turn * 2 + is_wished);
    __syncwarp();
}

/* The GPUs of the group, as bits. */
__device__ __forceinline__ unsigned members(const Group &group) { return (1u << group.gpus) - 1; }

/* In hardware. A wish is written where every GPU looks for it, and seen by those who wake. */
template <bool HAS_WISH>
__device__ __forceinline__ bool sync_by_units(const Group &group, unsigned turn, bool wish)
{
    const unsigned thread = thread_rank();
    if (HAS_WISH && __syncthreads_or(wish) && thread < group.gpus)
        put(group.inboxes[thread] + turn % 2 * LINE, turn);
    wb_system_sync_group(members(group));
    return HAS_WISH && __syncthreads_or(thread < group.gpus && poll(group.seen_of(thread, turn)) == turn);
}

/* Waits for all blocks of all GPUs. The turns of a launch are 1, 2, 3 and so on. Whether a block of any GPU
 * has wished something. Every thread calls `fetch` once its block has come: it may await() single GPUs there,
 * and read what they have written. The first warp of the block that came last calls `send` with its lanes'
 * numbers, in NETWORK: there it puts what GPUs of other nodes need. */
template <Mode mode, bool HAS_WISH, typename Fetch, typename Send>
__device__ __forceinline__ bool group_sync(const Group &group, unsigned turn, bool wish, Fetch fetch,
                                           Send send)
{
    if (mode == HARDWARE)
        return sync_by_units<HAS_WISH>(group, turn, wish);
    __shared__ unsigned is_last, answer;
    if (HAS_WISH && __syncthreads_or(wish) && thread_rank() == 0)
        put(group.wish(turn), turn);
    __threadfence_system();
    __syncthreads();
    if (thread_rank() == 0)
        is_last = atomicAdd(group.arrived(), 1u) == turn * block_count() - 1;
    __syncthreads();
    if (is_last && thread_rank() < 32)
        meet_others<mode>(group, turn, send);
    fetch();
    if (thread_rank() < 32) {
        unsigned word;
        while ((word = poll(group.go())) / 2 < turn) {}
        __threadfence_system();
        answer = word;
    }
    __syncthreads();
    return answer & 1;
}

template <Mode mode, bool HAS_WISH, typename Fetch>
__device__ __forceinline__ bool group_sync(const Group &group, unsigned turn, bool wish, Fetch fetch)
{
    return group_sync<mode, HAS_WISH>(group, turn, wish, fetch, [](unsigned) {});
}

#endif
