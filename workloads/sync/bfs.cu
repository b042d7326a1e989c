/* Breadth-first search: the level of a vertex is the round in whose frontier it is [sync-thesis §4.5.1.2].
 *
 * Persistent threads have no rounds: blocks take vertices from one queue, which a thread of the block locks to
 * take jobs from it or to post some [§4.5.1.2]. A level found too high is corrected later, when its vertex comes again. */
#include "search.cuh"

constexpr unsigned UNVISITED = 0xffffffffu;

struct Levels {
    unsigned *levels;

    __device__ bool begins(unsigned vertex, unsigned round) const { return __ldcg(&levels[vertex]) == round; }
    __device__ unsigned value(unsigned) const { return 0; }
    /* Several threads may find the same neighbour, and write the same. */
    __device__ bool relax(unsigned, const unsigned *, unsigned, unsigned to, unsigned round) const
    {
        if (__ldcg(&levels[to]) != UNVISITED)
            return false;
        levels[to] = round + 1;
        return true;
    }
};

SEARCH(bfs, Levels)
SEARCH_NESTED(bfs, Levels)
SEARCH_BARRIERS(bfs, mutex, MUTEX, Levels)
SEARCH_BARRIERS(bfs, flags, FLAGS, Levels)
SEARCH_BARRIERS(bfs, gsync, GSYNC, Levels)

/* A ring of vertices. Invariant: a vertex is in it once at most, since `queued` says whether it is; so
 * mask + 1 jobs, at least the number of vertices, always have room. As the host has it. */
struct Queue {
    unsigned *jobs, mask;
    unsigned *lock;
    unsigned *head, *tail; /* number of jobs taken, and of those posted */
    unsigned *open;        /* jobs posted and not done */
    unsigned *queued;
};

__device__ __forceinline__ void lock_queue(const Queue &queue)
{
    while (atomicCAS(queue.lock, 0, 1) != 0) {
    }
    __threadfence();
}

__device__ __forceinline__ void unlock_queue(const Queue &queue)
{
    __threadfence();
    *(volatile unsigned *)queue.lock = 0;
}

/* Jobs of a block on their way to the queue. Invariant: behind a barrier, `count` of them lie in `jobs`. */
constexpr unsigned FOUND = 4 * BLOCK;
struct Finds {
    unsigned jobs[FOUND], count;
};

/* Up to a job a thread; returns how many, and the thread's own in `job`. By all threads of the block, of
 * which the first locks the queue. */
__device__ __forceinline__ unsigned take_jobs(const Queue &queue, unsigned &job)
{
    __shared__ unsigned first, taken;
    if (threadIdx.x == 0) {
        taken = 0;
        if (poll(queue.head) != poll(queue.tail)) {
            lock_queue(queue);
            first = poll(queue.head);
            taken = min(poll(queue.tail) - first, BLOCK);
            *(volatile unsigned *)queue.head = first + taken;
            if (!taken)
                unlock_queue(queue);
        }
    }
    __syncthreads();
    const unsigned count = taken;
    if (threadIdx.x < count)
        job = __ldcg(&queue.jobs[(first + threadIdx.x) & queue.mask]);
    __syncthreads();
    if (threadIdx.x == 0 && count)
        unlock_queue(queue);
    return count;
}

/* By all threads of the block, as above. */
__device__ __forceinline__ void post_jobs(const Queue &queue, Finds &finds)
{
    __shared__ unsigned first;
    const unsigned count = finds.count;
    if (!count)
        return;
    if (threadIdx.x == 0) {
        atomicAdd(queue.open, count);
        lock_queue(queue);
        first = poll(queue.tail);
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < count; i += BLOCK)
        queue.jobs[(first + i) & queue.mask] = finds.jobs[i];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        finds.count = 0;
        *(volatile unsigned *)queue.tail = first + count;
        unlock_queue(queue);
    }
    __syncthreads();
}

/* The neighbour gets a level if that is lower than its own, and is found unless it is in the queue already. */
__device__ __forceinline__ bool lower(const Queue &queue, unsigned *levels, unsigned to, unsigned level)
{
    return __ldcg(&levels[to]) > level && atomicMin(&levels[to], level) > level &&
           atomicExch(&queue.queued[to], 1) == 0;
}

/* Whether all jobs are done; the same for all threads of the block. */
__device__ __forceinline__ bool is_over(const Queue &queue)
{
    return __syncthreads_or(threadIdx.x == 0 && poll(queue.open) == 0);
}

extern "C" __global__ void __launch_bounds__(BLOCK, 4)
    bfs_pt_queue(Neighbours graph, Levels cells, Queue queue)
{
    __shared__ Finds finds;
    if (threadIdx.x == 0)
        finds.count = 0;
    for (unsigned taken; !is_over(queue);) {
        unsigned job = 0, edge = 0, end = 0, level = 0;
        if (!(taken = take_jobs(queue, job)))
            continue;
        if (threadIdx.x < taken) {
            /* Whoever lowers the level from here on posts the vertex again. */
            atomicExch(&queue.queued[job], 0);
            __threadfence();
            level = __ldcg(&cells.levels[job]) + 1;
            edge = graph.starts[job], end = graph.starts[job + 1];
        }
        for (; __syncthreads_or(edge < end); edge++) {
            const unsigned to = edge < end ? graph.columns[edge] : 0;
            if (edge < end && lower(queue, cells.levels, to, level))
                finds.jobs[atomicAdd(&finds.count, 1)] = to;
            __syncthreads();
            if (finds.count > FOUND - BLOCK)
                post_jobs(queue, finds);
        }
        post_jobs(queue, finds);
        if (threadIdx.x == 0)
            atomicSub(queue.open, taken);
    }
}
