/* The kernels' common part: a matrix of cells in which a cell needs its upper and left neighbours, cut into
 * tiles, a block each [Wireframe §2, fig. 1]. Which tile a block has is told by a wave (a kernel per wave,
 * Code Block 1) or, where the machine itself keeps the order of tiles, by blockIdx (Code Block 4).
 *
 * A kernel gets a parent that launches it for every wave (Code Block 3) by
 *
 *     NESTED(dtw, (const float *across, ..., Tiling tiling, int threads), across, ...)
 *
 * which makes dtw_nested. Compiled by: ../build_ptx.sh wireframe
 *
 * A block goes through its tile in chunks of 32 rows, a warp each, and 16 columns. A warp stages a chunk with
 * its border in shared memory, computes it along antidiagonals, a lane for a row, and writes it back, so that
 * memory is read and written by rows. A warp is a chunk behind the warp above it.
 *
 * What other blocks may have written is read past the L1 cache, which does not see their writes. */
#ifndef WIREFRAME_WAVEFRONT_CUH
#define WIREFRAME_WAVEFRONT_CUH

#include "../common/parameters.cuh"

constexpr int LANES = 32, CHUNK = 16;
constexpr int PITCH = CHUNK + 2; /* even: an antidiagonal has no two cells in one bank */
/* Of a chunk with its border, in shared memory; a block has one for each warp. As the host has it. */
constexpr int CHUNK_BYTES = (LANES + 2) * PITCH * 4;

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

__device__ __forceinline__ Tile tile_of_block(const Tiling &tiling)
{
    int x = blockIdx.x, y = blockIdx.y;
    if (tiling.wave >= 0) {
        y = top_of_wave(tiling) + blockIdx.x, x = tiling.wave - y;
    }
    return {part(y, tiling.down, tiling.height), part(x, tiling.across, tiling.width)};
}

/* A cell's own value and those around it. `up`, `left` and `corner`, which lies between these two, are
 * computed already; `own`, `right` and `down` are not. */
template <class Value> struct Around {
    Value up, left, corner, own, right, down;
};

/* One warp's chunk with its border: row 0 and column 0 lie above and to the left of it. */
template <class Value> using Chunk = Value[LANES + 2][PITCH];

/* `Cells` is a class with
 *   Value                              the type of a cell
 *   USES_OWN                           whether next() uses `own`
 *   LOOKS_AHEAD                        whether it uses `right` and `down` too
 *   Value before(int row, int column)  of a cell computed already, or outside: then an index is -1
 *   Value own(int row, int column)     of a cell before it is computed, or outside if it looks ahead
 *   Value next(Around, int row, int column)
 *   void store(int row, int column, Value) */

/* Own values, two rows at a time, of which several are on their way at once. */
template <class Cells>
__device__ __forceinline__ void stage_own(const Cells &cells, Chunk<typename Cells::Value> &chunk, Range rows,
                                          Range columns)
{
    constexpr int AT_ONCE = 4, ROWS = LANES / CHUNK;
    const int x = threadIdx.x % CHUNK, first = threadIdx.x % LANES / CHUNK;
    const int height = rows.end - rows.begin + (Cells::LOOKS_AHEAD ? 1 : 0);
    if (x >= columns.end - columns.begin)
        return;
    for (int top = first; top < height; top += ROWS * AT_ONCE) {
        typename Cells::Value values[AT_ONCE];
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++)
            if (top + i * ROWS < height)
                values[i] = cells.own(rows.begin + top + i * ROWS, columns.begin + x);
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++)
            if (top + i * ROWS < height)
                chunk[top + i * ROWS + 1][x + 1] = values[i];
    }
}

template <class Cells>
__device__ __forceinline__ void stage(const Cells &cells, Chunk<typename Cells::Value> &chunk, Range rows,
                                      Range columns)
{
    const int height = rows.end - rows.begin, width = columns.end - columns.begin;
    const int lane = threadIdx.x % LANES;
    if (lane <= width)
        chunk[0][lane] = cells.before(rows.begin - 1, columns.begin + lane - 1);
    if (lane < height)
        chunk[lane + 1][0] = cells.before(rows.begin + lane, columns.begin - 1);
    if (Cells::LOOKS_AHEAD && lane < height)
        chunk[lane + 1][width + 1] = cells.own(rows.begin + lane, columns.begin + width);
    if (Cells::USES_OWN)
        stage_own(cells, chunk, rows, columns);
}

template <class Cells>
__device__ __forceinline__ void process(const Cells &cells, Chunk<typename Cells::Value> &chunk, Range rows,
                                        Range columns)
{
    const int height = rows.end - rows.begin, width = columns.end - columns.begin;
    const int lane = threadIdx.x % LANES;
    stage(cells, chunk, rows, columns);
    __syncwarp();
    for (int diagonal = 0; diagonal < height + width - 1; diagonal++) {
        const int x = diagonal - lane, y = lane;
        if (y < height && x >= 0 && x < width)
            chunk[y + 1][x + 1] =
                cells.next({chunk[y][x + 1], chunk[y + 1][x], chunk[y][x], chunk[y + 1][x + 1],
                            chunk[y + 1][x + 2], chunk[y + 2][x + 1]},
                           rows.begin + y, columns.begin + x);
        __syncwarp();
    }
    for (int i = lane; i < height * CHUNK; i += LANES)
        if (i % CHUNK < width)
            cells.store(rows.begin + i / CHUNK, columns.begin + i % CHUNK,
                        chunk[i / CHUNK + 1][i % CHUNK + 1]);
}

/* Computes the cells of a tile; ends with a barrier, so that the next sweep sees them. */
template <class Cells> __device__ __forceinline__ void sweep(const Cells &cells, Tile tile)
{
    extern __shared__ char memory[];
    auto *chunks = (Chunk<typename Cells::Value> *)memory;
    static_assert(sizeof *chunks == CHUNK_BYTES, "the block has other memory");
    const int warp = threadIdx.x / LANES, warps = blockDim.x / LANES;
    const int width = tile.columns.end - tile.columns.begin, steps = (width + CHUNK - 1) / CHUNK;
    for (int top = tile.rows.begin; top < tile.rows.end; top += warps * LANES)
        for (int step = 0; step < steps + warps - 1; step++) {
            const int first = top + warp * LANES, at = step - warp;
            const int left = tile.columns.begin + at * CHUNK;
            if (first < tile.rows.end && at >= 0 && at < steps)
                process(cells, chunks[warp], {first, min(first + LANES, tile.rows.end)},
                        {left, min(left + CHUNK, tile.columns.end)});
            __syncthreads();
        }
}

/* The kernel's type follows from that of its arguments, not the other way round. */
template <typename... Parameters> struct KernelOf {
    typedef void (*Type)(Parameters..., Tiling);
};

/* Launches the kernel for every wave and waits for it, in blocks of so many threads. Of the block that does
 * this in the paper all threads but the first do nothing; here it has no others. Nothing is lost silently: a
 * launch that is refused ends the run. */
template <typename... Parameters>
__device__ __forceinline__ void launch_waves(typename KernelOf<Parameters...>::Type kernel,
                                             Tiling tiling, int threads, Parameters... parameters)
{
#pragma unroll 1
    for (tiling.wave = 0; tiling.wave < tiling.across + tiling.down - 1; tiling.wave++) {
        const int tiles = min(tiling.wave, tiling.down - 1) - top_of_wave(tiling) + 1;
        char *buffer = (char *)wb_get_parameter_buffer(8, parameter_end<Parameters..., Tiling>(0));
        if (!buffer)
            __trap();
        put_parameters(buffer, 0, parameters..., tiling);
        const void *const entry = (const void *)kernel;
        const unsigned bytes = threads / LANES * CHUNK_BYTES;
        if (wb_launch_device(entry, buffer, dim3(tiles), dim3(threads), bytes, WB_STREAM_BLOCK) != 0 ||
            wb_device_sync() != 0)
            __trap();
    }
}

#define NESTED(name, parameters, ...)                                                                        \
    extern "C" __global__ void name##_nested parameters { launch_waves(name, tiling, threads, __VA_ARGS__); }

#endif
