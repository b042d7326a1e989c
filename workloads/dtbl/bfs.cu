/* Breadth-first search, a level a launch, after Merrill, Garland and Grimshaw (PPoPP 2012): a block takes
 * 256 vertices of the frontier, a thread each. Lists of neighbours as long as the block are gone through by
 * the whole block, those as long as a warp by a warp, and the short ones are laid end to end by a prefix sum,
 * so that every thread has one neighbour at a time. Where kernels launch work, the first two ways give way to
 * a launch for the whole warps of a vertex's list [DTBL §5.1].
 *
 * One difference from the published kernels: a vertex is claimed by compare-and-swap, not by a race that may
 * queue it twice, so that the size of every frontier is that of its level. */
#include "launch.cuh"

constexpr unsigned BLOCK = 256, WARP = 32, WARPS = BLOCK / WARP;
constexpr unsigned ALL_LANES = 0xffffffffu, UNVISITED = 0xffffffffu;

/* A lane with a neighbour to look at passes its edge; the unvisited ones get their level and a place in the
 * next frontier. All lanes of a warp call together, so that a warp reserves its places at once. */
__device__ __forceinline__ void visit(bool has_edge, unsigned edge, const unsigned *columns, unsigned level,
                                      unsigned *levels, unsigned *next, unsigned *next_count)
{
    unsigned to = 0;
    bool found = false;
    if (has_edge) {
        to = columns[edge];
        found = levels[to] == UNVISITED && atomicCAS(&levels[to], UNVISITED, level) == UNVISITED;
    }
    const unsigned finders = __ballot_sync(ALL_LANES, found);
    if (!finders)
        return;
    const unsigned lane = threadIdx.x % WARP, leader = __ffs(finders) - 1;
    unsigned place = 0;
    if (lane == leader)
        place = atomicAdd(next_count, __popc(finders));
    place = __shfl_sync(ALL_LANES, place, leader);
    if (found)
        next[place + __popc(finders & ((1u << lane) - 1))] = to;
}

/* The neighbours of one vertex, a thread each. */
extern "C" __global__ void expand_child(const unsigned *columns, unsigned begin, unsigned end, unsigned level,
                                        unsigned *levels, unsigned *next, unsigned *next_count)
{
    const unsigned edge = begin + blockIdx.x * blockDim.x + threadIdx.x;
    visit(edge < end, edge, columns, level, levels, next, next_count);
}

/* While a thread of the block has a list of BLOCK or more, one such list is taken by all its threads. */
__device__ __forceinline__ void expand_by_block(unsigned &begin, unsigned end, const unsigned *columns,
                                                unsigned level, unsigned *levels, unsigned *next,
                                                unsigned *next_count)
{
    __shared__ unsigned owner, list_begin, list_end;
    while (__syncthreads_or(end - begin >= BLOCK)) {
        if (end - begin >= BLOCK)
            owner = threadIdx.x;
        __syncthreads();
        if (owner == threadIdx.x) {
            list_begin = begin, list_end = end;
            begin = end;
        }
        __syncthreads();
        for (unsigned first = list_begin; first < list_end; first += BLOCK)
            visit(first + threadIdx.x < list_end, first + threadIdx.x, columns, level, levels, next,
                  next_count);
    }
}

/* The same for lists of a warp's size and the lanes of a warp. */
__device__ __forceinline__ void expand_by_warp(unsigned &begin, unsigned end, const unsigned *columns,
                                               unsigned level, unsigned *levels, unsigned *next,
                                               unsigned *next_count)
{
    const unsigned lane = threadIdx.x % WARP;
    for (;;) {
        const unsigned owners = __ballot_sync(ALL_LANES, end - begin >= WARP);
        if (!owners)
            return;
        const unsigned owner = __ffs(owners) - 1;
        const unsigned list_begin = __shfl_sync(ALL_LANES, begin, owner);
        const unsigned list_end = __shfl_sync(ALL_LANES, end, owner);
        if (lane == owner)
            begin = end;
        for (unsigned first = list_begin; first < list_end; first += WARP)
            visit(first + lane < list_end, first + lane, columns, level, levels, next, next_count);
    }
}

/* The sum of `value` over the threads before this one; `total` is that over the block. */
__device__ __forceinline__ unsigned sum_before(unsigned value, unsigned &total)
{
    __shared__ unsigned warp_sums[WARPS];
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    unsigned sum = value;
    for (unsigned distance = 1; distance < WARP; distance *= 2) {
        const unsigned other = __shfl_up_sync(ALL_LANES, sum, distance);
        if (lane >= distance)
            sum += other;
    }
    if (lane == WARP - 1)
        warp_sums[warp] = sum;
    __syncthreads();
    total = 0;
    unsigned before = 0;
    for (unsigned w = 0; w < WARPS; w++) {
        before += w < warp ? warp_sums[w] : 0;
        total += warp_sums[w];
    }
    return before + sum - value;
}

/* All edges that are left in the block, BLOCK at a time, whoever they belong to. */
__device__ __forceinline__ void expand_by_scan(unsigned begin, unsigned end, const unsigned *columns,
                                               unsigned level, unsigned *levels, unsigned *next,
                                               unsigned *next_count)
{
    __shared__ unsigned edges[BLOCK];
    unsigned total, place = sum_before(end - begin, total);
    for (unsigned done = 0; done < total; done += BLOCK) {
        for (; begin < end && place < done + BLOCK; begin++, place++)
            edges[place - done] = begin;
        __syncthreads();
        visit(done + threadIdx.x < total, edges[threadIdx.x], columns, level, levels, next, next_count);
        __syncthreads();
    }
}

template <Mode mode>
__device__ __forceinline__ void expand(const unsigned *frontier, unsigned count, const unsigned *starts,
                                       const unsigned *columns, unsigned level, unsigned *levels,
                                       unsigned *next, unsigned *next_count, unsigned least)
{
    const unsigned index = blockIdx.x * BLOCK + threadIdx.x;
    unsigned begin = 0, end = 0;
    if (index < count) {
        const unsigned vertex = frontier[index];
        begin = starts[vertex], end = starts[vertex + 1];
    }
    if constexpr (mode == FLAT) {
        expand_by_block(begin, end, columns, level, levels, next, next_count);
        expand_by_warp(begin, end, columns, level, levels, next, next_count);
    } else if (const unsigned launched = launched_part(end - begin, least, WARP)) {
        launch<mode>(expand_child, (launched + WARP - 1) / WARP, WARP, columns, begin, begin + launched,
                     level, levels, next, next_count);
        begin += launched;
    }
    expand_by_scan(begin, end, columns, level, levels, next, next_count);
}

MODES(expand,
      (const unsigned *frontier, unsigned count, const unsigned *starts, const unsigned *columns,
       unsigned level, unsigned *levels, unsigned *next, unsigned *next_count, unsigned least),
      (frontier, count, starts, columns, level, levels, next, next_count, least))
