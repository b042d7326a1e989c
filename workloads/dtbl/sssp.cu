/* Single-source shortest paths in the manner of LonestarGPU's data-driven variant: Bellman-Ford with a
 * worklist. A thread takes one vertex whose distance has shrunk and relaxes its edges one after the other;
 * vertices that get nearer make the next worklist, each once. Where kernels launch work, the loop over whole
 * warps of edges gives way to a launch with a thread an edge.
 *
 * Distances and weights are at most 2^31 - 1, so that their sum fits; that bound stands for "not reached". A
 * vertex may be relaxed with a distance that shrinks in the same round: then it is in the next worklist. */
#include "launch.cuh"

constexpr unsigned BLOCK = 256, WARP = 32, CHILD = 32;

/* The lanes that come here together take their places at once. */
__device__ __forceinline__ void append(unsigned vertex, unsigned *next, unsigned *next_count)
{
    const unsigned lanes = __activemask(), lane = threadIdx.x % WARP, leader = __ffs(lanes) - 1;
    unsigned place = 0;
    if (lane == leader)
        place = atomicAdd(next_count, __popc(lanes));
    place = __shfl_sync(lanes, place, leader);
    next[place + __popc(lanes & ((1u << lane) - 1))] = vertex;
}

/* queued[v] is the last round in which v was appended. */
__device__ __forceinline__ void relax_edge(unsigned edge, unsigned distance, const unsigned *columns,
                                           const unsigned *weights, unsigned *distances, unsigned round,
                                           unsigned *queued, unsigned *next, unsigned *next_count)
{
    const unsigned to = columns[edge], through = distance + weights[edge];
    if (through < distances[to] && through < atomicMin(&distances[to], through) &&
        atomicExch(&queued[to], round) != round)
        append(to, next, next_count);
}

/* The edges of one vertex, a thread each. */
extern "C" __global__ void relax_child(unsigned vertex, unsigned begin, unsigned end, const unsigned *columns,
                                       const unsigned *weights, unsigned *distances, unsigned round,
                                       unsigned *queued, unsigned *next, unsigned *next_count)
{
    const unsigned edge = begin + blockIdx.x * CHILD + threadIdx.x;
    if (edge < end)
        relax_edge(edge, distances[vertex], columns, weights, distances, round, queued, next, next_count);
}

template <Mode mode>
__device__ __forceinline__ void relax(const unsigned *worklist, unsigned count, const unsigned *starts,
                                      const unsigned *columns, const unsigned *weights, unsigned *distances,
                                      unsigned round, unsigned *queued, unsigned *next, unsigned *next_count,
                                      unsigned least)
{
    const unsigned index = blockIdx.x * BLOCK + threadIdx.x;
    if (index >= count)
        return;
    const unsigned vertex = worklist[index], end = starts[vertex + 1];
    unsigned begin = starts[vertex];
    if constexpr (mode != FLAT)
        if (const unsigned launched = launched_part(end - begin, least, CHILD)) {
            launch<mode>(relax_child, (launched + CHILD - 1) / CHILD, CHILD, vertex, begin, begin + launched,
                         columns, weights, distances, round, queued, next, next_count);
            begin += launched;
        }
    const unsigned distance = distances[vertex];
    /* Unrolled, lanes with lists of different lengths would part between the loop and its remainder. */
#pragma unroll 1
    for (unsigned edge = begin; edge < end; edge++)
        relax_edge(edge, distance, columns, weights, distances, round, queued, next, next_count);
}

MODES(relax,
      (const unsigned *worklist, unsigned count, const unsigned *starts, const unsigned *columns,
       const unsigned *weights, unsigned *distances, unsigned round, unsigned *queued, unsigned *next,
       unsigned *next_count, unsigned least),
      (worklist, count, starts, columns, weights, distances, round, queued, next, next_count, least))
