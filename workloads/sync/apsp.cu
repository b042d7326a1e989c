/* Shortest paths between all pairs of vertices: Floyd and Warshall's algorithm in tiles (Venkataraman, Sahni
 * and Mukhopadhyaya, 2003), an iteration for each tile of the diagonal, in three steps [sync-thesis fig.
 * 37(a)]: the pivot tile; the tiles of its row and column, which need it; all others, each of which needs one
 * of either.
 *
 * A block of 512 threads has a tile of 32 x 32 cells, a thread has two. Where one launch does all iterations,
 * a block keeps its tile in shared memory, and waits for the step in which it takes part. Events of an
 * iteration are used again two iterations later [§6.1.1]: a block that waits for one of iteration k + 2 has
 * seen, by those of k + 1, that all who waited for it in iteration k are gone. */
#include "barriers.cuh"

constexpr int SIDE = 32, ROWS = 16; /* as the host has it */

/* Cells of tiles x tiles tiles, in rows. */
struct Matrix {
    unsigned *cells;
    int tiles;

    __device__ unsigned *at(int down, int across, int y) const
    {
        return &cells[((size_t)down * SIDE + y) * tiles * SIDE + across * SIDE + threadIdx.x];
    }
};

struct Tile {
    unsigned cells[SIDE][SIDE + 1];

    __device__ void load(const Matrix &matrix, int down, int across)
    {
        for (int y = threadIdx.y; y < SIDE; y += ROWS)
            cells[y][threadIdx.x] = __ldcg(matrix.at(down, across, y));
    }
    __device__ void store(const Matrix &matrix, int down, int across) const
    {
        for (int y = threadIdx.y; y < SIDE; y += ROWS)
            *matrix.at(down, across, y) = cells[y][threadIdx.x];
    }
};

/* Paths of `own` by way of the vertices of one tile, one after the other. `up` has paths to these vertices,
 * `down` paths from them; either may be `own` itself: what a step reads of it, that step leaves as it is. */
__device__ __forceinline__ void relax_in_turn(Tile &own, const Tile &up, const Tile &down)
{
#pragma unroll 1
    for (int by = 0; by < SIDE; by++) {
        __syncthreads();
        for (int y = threadIdx.y; y < SIDE; y += ROWS)
            own.cells[y][threadIdx.x] =
                min(own.cells[y][threadIdx.x], up.cells[y][by] + down.cells[by][threadIdx.x]);
    }
    __syncthreads();
}

/* The same where all three are different tiles. */
__device__ __forceinline__ void relax_at_once(Tile &own, const Tile &up, const Tile &down)
{
    __syncthreads();
    for (int y = threadIdx.y; y < SIDE; y += ROWS) {
        unsigned best = own.cells[y][threadIdx.x];
#pragma unroll 8
        for (int by = 0; by < SIDE; by++)
            best = min(best, up.cells[y][by] + down.cells[by][threadIdx.x]);
        own.cells[y][threadIdx.x] = best;
    }
    __syncthreads();
}

/* ---- a launch for each step ---- */

extern "C" __global__ void __launch_bounds__(SIDE *ROWS, 4) apsp_pivot(Matrix matrix, int k)
{
    __shared__ Tile own;
    own.load(matrix, k, k);
    relax_in_turn(own, own, own);
    own.store(matrix, k, k);
}

/* blockIdx.y is 0 for the row's tiles and 1 for the column's; blockIdx.x leaves the pivot out. */
extern "C" __global__ void __launch_bounds__(SIDE *ROWS, 4) apsp_cross(Matrix matrix, int k)
{
    __shared__ Tile own, pivot;
    const int other = blockIdx.x + (blockIdx.x >= k);
    const bool row = blockIdx.y == 0;
    const int down = row ? k : other, across = row ? other : k;
    own.load(matrix, down, across);
    pivot.load(matrix, k, k);
    relax_in_turn(own, row ? pivot : own, row ? own : pivot);
    own.store(matrix, down, across);
}

extern "C" __global__ void __launch_bounds__(SIDE *ROWS, 4) apsp_rest(Matrix matrix, int k)
{
    __shared__ Tile own, column, row;
    const int across = blockIdx.x + (blockIdx.x >= k), down = blockIdx.y + (blockIdx.y >= k);
    own.load(matrix, down, across);
    column.load(matrix, down, k);
    row.load(matrix, k, across);
    relax_at_once(own, column, row);
    own.store(matrix, down, across);
}

/* A kernel that launches all steps, which wait for each other because they are in one stream. */
__device__ __forceinline__ void launch_step(void (*kernel)(Matrix, int), dim3 blocks, Matrix matrix, int k)
{
    char *buffer = (char *)wb_get_parameter_buffer(8, parameter_end<Matrix, int>(0));
    if (!buffer)
        __trap();
    put_parameters(buffer, 0, matrix, k);
    const void *const entry = (const void *)kernel;
    if (wb_launch_device(entry, buffer, blocks, dim3(SIDE, ROWS), 0, WB_STREAM_BLOCK) != 0)
        __trap();
}

extern "C" __global__ void apsp_dp_levels(Matrix matrix)
{
    const unsigned others = matrix.tiles - 1;
#pragma unroll 1
    for (int k = 0; k < matrix.tiles; k++) {
        launch_step(apsp_pivot, dim3(1), matrix, k);
        launch_step(apsp_cross, dim3(others, 2), matrix, k);
        launch_step(apsp_rest, dim3(others, others), matrix, k);
    }
}

/* ---- one launch, in which blocks wait for the steps that they need ---- */

enum Step { PIVOT, CROSS, REST, STEPS };

/* How many blocks signal that a step is done, and how many wait for it: the next step's, or the next pivot. */
struct Ends {
    unsigned signals, waits;
};

__device__ __forceinline__ Ends ends_of(Step step, unsigned tiles)
{
    const unsigned cross = 2 * (tiles - 1), rest = (tiles - 1) * (tiles - 1);
    return step == PIVOT ? Ends{1, cross} : step == CROSS ? Ends{cross, rest} : Ends{rest, 1};
}

/* `counts` is memory for FLAGS_WS: a word for each step of each iteration, zeroed before. */
template <Mode mode>
__device__ __forceinline__ void signal_step(unsigned *counts, int k, Step step, unsigned tiles)
{
    const Ends ends = ends_of(step, tiles);
    if (mode == WS) {
        wb_signal(k % 2 * STEPS + step, ends.signals + ends.waits);
    } else {
        __threadfence();
        __syncthreads();
        if (thread_rank() == 0)
            atomicAdd(&counts[k * STEPS + step], 1);
    }
}

template <Mode mode>
__device__ __forceinline__ void wait_for_step(unsigned *counts, int k, Step step, unsigned tiles)
{
    const Ends ends = ends_of(step, tiles);
    if (mode == WS) {
        wb_wait(k % 2 * STEPS + step, ends.signals + ends.waits);
    } else {
        if (thread_rank() == 0) {
            while (poll(&counts[k * STEPS + step]) < ends.signals) {
            }
            __threadfence();
        }
        __syncthreads();
    }
}

template <Mode mode> __device__ __forceinline__ void apsp(Matrix matrix, unsigned *counts)
{
    __shared__ Tile own, first, second;
    const int across = blockIdx.x, down = blockIdx.y;
    own.load(matrix, down, across);
#pragma unroll 1
    for (int k = 0; k < matrix.tiles; k++) {
        if (across == k && down == k) {
            if (k > 0)
                wait_for_step<mode>(counts, k - 1, REST, matrix.tiles);
            relax_in_turn(own, own, own);
            own.store(matrix, k, k);
            signal_step<mode>(counts, k, PIVOT, matrix.tiles);
        } else if (across == k || down == k) {
            wait_for_step<mode>(counts, k, PIVOT, matrix.tiles);
            first.load(matrix, k, k);
            relax_in_turn(own, down == k ? first : own, down == k ? own : first);
            own.store(matrix, down, across);
            signal_step<mode>(counts, k, CROSS, matrix.tiles);
        } else {
            wait_for_step<mode>(counts, k, CROSS, matrix.tiles);
            first.load(matrix, down, k);
            second.load(matrix, k, across);
            relax_at_once(own, first, second);
            if (k + 1 < matrix.tiles)
                signal_step<mode>(counts, k, REST, matrix.tiles);
        }
    }
    own.store(matrix, down, across);
}

extern "C" __global__ void __launch_bounds__(SIDE *ROWS, 4) apsp_flags_ws(Matrix matrix, unsigned *counts)
{
    apsp<FLAGS_WS>(matrix, counts);
}

extern "C" __global__ void __launch_bounds__(SIDE *ROWS, 4) apsp_ws(Matrix matrix, unsigned *counts)
{
    apsp<WS>(matrix, counts);
}
