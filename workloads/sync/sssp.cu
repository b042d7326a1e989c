/* Best paths from one source in a graph with weights, as sync-thesis §6.4.2 has them: the path whose smallest
 * weight is largest (widest), and the usual one, whose sum of weights is least (shortest). A vertex is in the
 * frontier of the round behind that in which its value was improved.
 *
 * If its value is improved again before its own thread has looked whether it is in the frontier, it is in the
 * next one only, with the better value. Nothing is lost by that. */
#include "search.cuh"

template <bool WIDEST> struct Paths {
    unsigned *values;
    unsigned *rounds; /* in whose frontier the vertex is, or was last */

    __device__ bool begins(unsigned vertex, unsigned round) const { return __ldcg(&rounds[vertex]) == round; }
    __device__ unsigned value(unsigned vertex) const { return __ldcg(&values[vertex]); }
    static __device__ bool better(unsigned a, unsigned b) { return WIDEST ? a > b : a < b; }
    __device__ bool relax(unsigned value, const unsigned *weights, unsigned edge, unsigned to,
                          unsigned round) const
    {
        const unsigned path = WIDEST ? min(value, weights[edge]) : value + weights[edge];
        if (!better(path, __ldcg(&values[to])))
            return false;
        const unsigned before = WIDEST ? atomicMax(&values[to], path) : atomicMin(&values[to], path);
        if (!better(path, before))
            return false;
        rounds[to] = round + 1;
        return true;
    }
};

SEARCH(widest, Paths<true>)
SEARCH(shortest, Paths<false>)
