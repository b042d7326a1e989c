/* Breadth-first search: an item is a vertex of the level, its parts are its neighbours. */
#include "frontier.cuh"

/* As the host has it. */
struct Problem {
    typedef unsigned Item;
    enum { LEAST = 32, RECURSIVE = false };
    static constexpr unsigned UNVISITED = 0xffffffffu;
    const unsigned *starts, *columns;
    unsigned *levels;

    __device__ unsigned fixed() const { return 0; }
    __device__ unsigned width(unsigned vertex) const { return starts[vertex + 1] - starts[vertex]; }
    template <class Made>
    __device__ __forceinline__ void work(unsigned vertex, unsigned begin, unsigned end, unsigned step,
                                         int level, Made made) const
    {
        for (unsigned edge = starts[vertex] + begin; edge < starts[vertex] + end; edge += step) {
            const unsigned to = columns[edge];
            if (__ldcg(&levels[to]) == UNVISITED &&
                atomicCAS(&levels[to], UNVISITED, (unsigned)level + 1) == UNVISITED)
                made(to);
        }
    }
};

FRONTIER(graph)

/* Up to PIECE neighbours of a vertex, from `begin` on, and the level at which it was reached: an element of
 * that level's channel. Wavefronts may come in another order than levels: a vertex that is reached again on a
 * shorter way is expanded again. */
struct Reached {
    unsigned vertex, begin, level, unused;
};
constexpr unsigned PIECE = 32;

extern "C" __global__ void graph_flow(Problem p, unsigned channels)
{
    const unsigned channel = wb_source(), offset = wb_source_offset();
    const Reached *element = deq(channel, offset);
    const Reached reached = *element;
    const unsigned level = reached.level + 1, to_channel = min(level, channels - 1);
    unsigned edge = p.starts[reached.vertex] + reached.begin;
    const bool is_outdated = __ldcg(&p.levels[reached.vertex]) < reached.level;
    const unsigned end = is_outdated ? edge : min(edge + PIECE, p.starts[reached.vertex + 1]);
    unsigned to = 0, begin = 0, width = 0; /* of the vertex whose pieces are being put */
#pragma unroll 1 /* one talloc() in the code: it is long */
    while (edge < end || begin < width) {
        if (begin < width) {
            Reached *next = talloc(to_channel, 1);
            *next = {to, begin, level, 0};
            enq_n(to_channel, next, 1);
            begin += PIECE;
            continue;
        }
        to = p.columns[edge++];
        begin = width = 0;
        if (__ldcg(&p.levels[to]) > level && atomicMin(&p.levels[to], level) > level)
            width = p.width(to);
    }
    tfree(channel, offset);
}
