/* The kernels' common part: a matrix of cells in which a cell needs its upper and left neighbours, cut into
 * tiles, a block each [Wireframe §2, fig. 1]. Which tile a block has is told by a wave (a kernel per wave,
 * Code Block 1) or, where the machine itself keeps the order of tiles, by blockIdx (Code Block 4).
 *
 * A kernel gets a parent that launches it for every wave (Code Block 3) by
 *
 *     NESTED(dtw, (const float *across, ..., Tiling tiling, int bytes), across, ...)
 *
 * which makes dtw_nested. Compiled by: ../build_ptx.sh wireframe
 *
 * A block has 16 x 8 threads, for tiles of any size. A thread has four adjacent columns of the tile and goes
 * down its rows, each a row behind the thread to its left: all threads are on an antidiagonal, and the block
 * meets at a barrier after every row. The cells of the row above stay in registers; a row is read four rows
 * ahead and written at once, 16 bytes each; what a thread hands to its neighbours goes through shared memory.
 * A tile has at most 508 columns. Tiles without a wavefront of their own: scan.cuh.
 *
 * The code is small, so that it fits into an instruction cache of 2 KB.
 *
 * What other blocks may have written is read past the L1 cache, which does not see their writes. */
#ifndef WIREFRAME_WAVEFRONT_CUH
#define WIREFRAME_WAVEFRONT_CUH

#include "../common/parameters.cuh"

constexpr int ACROSS = 16, DOWN = 8, THREADS = ACROSS * DOWN; /* of a block. As the host has it */
constexpr int LANES = 32;
constexpr int REGISTERS = 32; /* of a thread: eight blocks then fit on an SM */
constexpr int COLUMNS = 4;    /* of a thread; the matrix's width is a multiple. As the host has it */
constexpr int AHEAD = 4;      /* rows that are on their way from memory */

/* As the host has it. */
struct Tiling {
    int width, height; /* of the matrix, in cells */
    int across, down;  /* in tiles */
    int wave;          /* negative: blockIdx is the tile */
};

/* The first tile of a wave is as high up as the matrix allows. */
__device__ __forceinline__ int top_of_wave(const Tiling &tiling)
{
    return max(0, tiling.wave - (tiling.across - 1));
}

struct Range {
    int begin, end;
};

struct Tile {
    Range rows, columns;
};

/* One of the parts into which 0 .. size - 1 is cut; their sizes differ by one at most. */
__device__ __forceinline__ Range part(int index, int parts, int size)
{
    return {index * size / parts, (index + 1) * size / parts};
}

/* Found again wherever it is used: nothing that follows from it is kept in registers over a loop. */
__device__ __forceinline__ Tile tile_of_block(const Tiling &tiling)
{
    int x, y;
    asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(x));
    asm volatile("mov.u32 %0, %%ctaid.y;" : "=r"(y));
    if (tiling.wave >= 0) {
        y = top_of_wave(tiling) + x, x = tiling.wave - y;
    }
    const Range fours = part(x, tiling.across, tiling.width / COLUMNS);
    return {part(y, tiling.down, tiling.height), {fours.begin * COLUMNS, fours.end * COLUMNS}};
}

/* The cells of a row that a thread has. */
template <class Value> struct Row {
    Value cells[COLUMNS];
};

/* What a thread's cells of a row need but for those of the row above. `right` and `below` are not computed
 * yet. */
template <class Cells> struct Around {
    typename Cells::Value left, corner, right; /* corner: above `left` */
    typename Cells::Input own, below;
};

__device__ __forceinline__ int thread_in_block() { return threadIdx.y * ACROSS + threadIdx.x; }

/* -- four cells in memory -- */

__device__ __forceinline__ Row<float> read_row(const float *from)
{
    const float4 row = __ldcg((const float4 *)from);
    return {row.x, row.y, row.z, row.w};
}
template <class Whole> __device__ __forceinline__ Row<Whole> read_row(const Whole *from)
{
    const uint4 row = __ldcg((const uint4 *)from);
    return {(Whole)row.x, (Whole)row.y, (Whole)row.z, (Whole)row.w};
}

__device__ __forceinline__ void write_row(float *to, const Row<float> &row)
{
    __stcg((float4 *)to, make_float4(row.cells[0], row.cells[1], row.cells[2], row.cells[3]));
}
template <class Whole> __device__ __forceinline__ void write_row(Whole *to, const Row<Whole> &row)
{
    __stcg((uint4 *)to, make_uint4(row.cells[0], row.cells[1], row.cells[2], row.cells[3]));
}

/* -- what threads hand to their neighbours: four bytes each, in shared memory --
 *
 * A thread reads what another has written a step before. So there are two places for each, which take turns:
 * side by side, as pairs. What lies to the left of the tile is in pairs of its own, two rows each, through
 * which the first thread goes. What lies to the right is handed on by a thread that has the columns there,
 * and does not compute them. */

constexpr int PLACE = 4, PAIR = 2 * PLACE;
constexpr int RING = (THREADS + 1) * PAIR; /* bytes; one for each direction. As the host has it */

__device__ __forceinline__ unsigned shared_begin()
{
    extern __shared__ char memory[];
    return (unsigned)__cvta_generic_to_shared(memory);
}

__device__ __forceinline__ void get(unsigned at, unsigned &value)
{
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(at) : "memory");
}
__device__ __forceinline__ void get(unsigned at, int &value)
{
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(at) : "memory");
}
__device__ __forceinline__ void get(unsigned at, float &value)
{
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(value) : "r"(at) : "memory");
}

__device__ __forceinline__ void put(unsigned at, unsigned value)
{
    asm volatile("st.shared.u32 [%0], %1;" : : "r"(at), "r"(value) : "memory");
}
__device__ __forceinline__ void put(unsigned at, int value) { put(at, (unsigned)value); }
__device__ __forceinline__ void put(unsigned at, float value)
{
    asm volatile("st.shared.f32 [%0], %1;" : : "r"(at), "f"(value) : "memory");
}

/* Where in the pairs lies what is read in that step: what is written there is put beside it, for the next. */
__device__ __forceinline__ unsigned read_in(int step) { return step / 2 * PAIR + (step + 1) % 2 * PLACE; }

/* `Cells` is a class with
 *   Value                              the type of a cell, four bytes
 *   Input                              what a thread reads of a row before it computes it
 *   LOOKS_AHEAD                        whether compute() uses `right` and `below`. Then first() is the
 *                                      leftmost cell of an Input, 0 lies to the right of the matrix, and a
 *                                      row of memory below it is what lies there
 *   Value *cells                       the matrix, row by row; after begin() from there on
 *   int width, height                  of the matrix
 *   Value outside()                    to the left of the matrix
 *   Value above(int column)            above the matrix; -1 is the corner
 *   void begin(int row, int column)    of the thread's cells, the tile's first row
 *   Input fetch(int row)               of the tile
 *   void compute(Row &row, Around)     makes cells of the ones above */

/* Puts what lies to the left of a tile behind the rings. */
template <class Cells>
__device__ __forceinline__ void fetch_border(const Cells &cells, Tile tile, int threads, unsigned to)
{
    const Range rows = tile.rows;
#pragma unroll 1
    for (int row = thread_in_block(); row < rows.end - rows.begin; row += threads) {
        const auto *beside = cells.cells + (rows.begin + row) * cells.width + tile.columns.begin - 1;
        put(to + read_in(row), tile.columns.begin > 0 ? __ldcg(beside) : cells.outside());
    }
}

/* Computes the cells of a tile. A warp without work ends at once: no barrier waits for it. */
template <class Cells> __device__ __forceinline__ void sweep(Cells cells, Tile tile)
{
    typedef typename Cells::Value Value;
    const int thread = thread_in_block(), threads = (tile.columns.end - tile.columns.begin) / COLUMNS;
    const bool is_more = Cells::LOOKS_AHEAD && tile.columns.end < cells.width;
    const int all = (threads + Cells::LOOKS_AHEAD + LANES - 1) / LANES * LANES;
    if (thread >= all)
        return;
    const int height = tile.rows.end - tile.rows.begin, fetched = thread < threads + is_more ? height : 0;
    const unsigned border = shared_begin() + 2 * RING, own = shared_begin() + thread * PAIR;
    fetch_border(cells, tile, all, border);
    Row<Value> row;
    typename Cells::Input coming[AHEAD] = {};
    Value corner = cells.outside();
    if (fetched) {
        const int column = tile.columns.begin + thread * COLUMNS;
        cells.begin(tile.rows.begin, column);
        if (tile.rows.begin == 0) {
            for (int i = 0; i < COLUMNS; i++)
                row.cells[i] = cells.above(column + i);
            corner = cells.above(column - 1);
        } else if (thread < threads) {
            row = read_row(cells.cells - cells.width);
            if (column > 0)
                corner = __ldcg(cells.cells - cells.width - 1);
        }
        /* The row that is computed in step s is in coming[s % AHEAD]. */
        for (int i = 0; i < AHEAD; i++)
            coming[i] = cells.fetch(min((i - thread) & (AHEAD - 1), height - !Cells::LOOKS_AHEAD));
    }
    const bool is_first = thread == 0;
    unsigned left = is_first ? border : own;
    if constexpr (Cells::LOOKS_AHEAD) /* as in the step before the first */
        put(own + RING + PLACE, cells.first(coming[1]));
    __syncthreads();
    int at = -thread;
#pragma unroll 1
    do {
#pragma unroll
        for (int i = 0; i < AHEAD; i++, at++) {
            const unsigned reads = (i + 1) % 2 * PLACE, writes = i % 2 * PLACE;
            if ((unsigned)at < (unsigned)fetched) {
                if (!Cells::LOOKS_AHEAD || thread < threads) {
                    Around<Cells> around;
                    get(left + reads, around.left);
                    if constexpr (Cells::LOOKS_AHEAD)
                        get(own + RING + PAIR + reads, around.right);
                    around.corner = corner, around.own = coming[i], around.below = coming[(i + 1) % AHEAD];
                    cells.compute(row, around);
                    corner = around.left;
                    put(own + PAIR + writes, row.cells[COLUMNS - 1]);
                    write_row(cells.cells + at * cells.width, row);
                }
                coming[i] = cells.fetch(min(at + AHEAD, fetched - !Cells::LOOKS_AHEAD));
            }
            if constexpr (Cells::LOOKS_AHEAD)
                put(own + RING + writes, cells.first(coming[(i + 2) % AHEAD]));
            if (i % 2 && is_first)
                left += PAIR;
            if (i + 1 < AHEAD)
                __syncthreads();
        }
    } while (__syncthreads_or(at < fetched));
}

/* The kernel's type follows from that of its arguments, not the other way round. */
template <typename... Parameters> struct KernelOf {
    typedef void (*Type)(Parameters..., Tiling);
};

/* Launches the kernel for every wave and waits for it, with so many bytes of shared memory. Of the block that
 * does this in the paper all threads but the first do nothing; here it has no others. Nothing is lost
 * silently: a launch that is refused ends the run. */
template <typename... Parameters>
__device__ __forceinline__ void launch_waves(typename KernelOf<Parameters...>::Type kernel,
                                             Tiling tiling, int bytes, Parameters... parameters)
{
#pragma unroll 1
    for (tiling.wave = 0; tiling.wave < tiling.across + tiling.down - 1; tiling.wave++) {
        const int tiles = min(tiling.wave, tiling.down - 1) - top_of_wave(tiling) + 1;
        char *buffer = (char *)wb_get_parameter_buffer(8, parameter_end<Parameters..., Tiling>(0));
        if (!buffer)
            __trap();
        put_parameters(buffer, 0, parameters..., tiling);
        const void *const entry = (const void *)kernel;
        if (wb_launch_device(entry, buffer, dim3(tiles), dim3(ACROSS, DOWN), bytes, WB_STREAM_BLOCK) != 0 ||
            wb_device_sync() != 0)
            __trap();
    }
}

#define NESTED(name, parameters, ...)                                                                        \
    extern "C" __global__ void name##_nested parameters { launch_waves(name, tiling, bytes, __VA_ARGS__); }

#endif
