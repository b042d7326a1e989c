/* A sparse matrix times a vector, again and again, modulo 2^32: an item is a row, its parts are its elements.
 * The vector of a level is the one before the product; all are zero but the first. */
#include "frontier.cuh"

/* As the host has it. */
struct Problem {
    typedef unsigned Item;
    enum { LEAST = 32, RECURSIVE = false };
    const unsigned *starts, *columns, *weights;
    unsigned *vectors;
    unsigned rows;

    __device__ unsigned fixed() const { return rows; }
    __device__ unsigned width(unsigned row) const { return starts[row + 1] - starts[row]; }
    template <class Made>
    __device__ __forceinline__ void work(unsigned row, unsigned begin, unsigned end, unsigned step, int level,
                                         Made) const
    {
        const unsigned *from = vectors + (size_t)level * rows;
        unsigned sum = 0;
        for (unsigned i = starts[row] + begin; i < starts[row] + end; i += step)
            sum += weights[i] * __ldcg(&from[columns[i]]);
        atomicAdd(&vectors[(size_t)(level + 1) * rows + row], sum);
    }
};

FRONTIER(rows)

/* A block of a product: products follow each other in the grid, with barriers between them in its graph. */
extern "C" __global__ void __launch_bounds__(THREADS) rows_phase(Problem p, LEVELS levels, unsigned blocks)
{
    do_shared(p, levels, blockIdx.x / blocks, blockIdx.x % blocks * THREADS + threadIdx.x, p.rows);
}
