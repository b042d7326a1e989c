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
 * A block has 16 x 16 threads, for tiles of any size. A thread has a column of the tile and goes down its
 * rows, each a row behind the thread to its left: all threads are on an antidiagonal, and the block meets at
 * a barrier after every row. A tile of more than 256 columns is done in parts of its width.
 *
 * Memory is read and written by rows, in sectors of 32 bytes: 8 threads are a strip, which fetches the rows
 * of its 8 columns, four at a time, into a ring of rows in shared memory, and writes them back from there
 * once the last of them has passed. The columns beside the tile are fetched first of all.
 *
 * The code is small, so that it fits into an instruction cache of 2 KB.
 *
 * What other blocks may have written is read past the L1 cache, which does not see their writes. */
#ifndef WIREFRAME_WAVEFRONT_CUH
#define WIREFRAME_WAVEFRONT_CUH

#include "../common/parameters.cuh"

constexpr int SIDE = 16, THREADS = SIDE * SIDE, LANES = 32;
/* Of a thread: four blocks then fit on an SM with 32,768. ptxas spills 0 to 32 bytes of what lives over the
 * loops, which costs next to nothing there, and nothing here. */
constexpr int REGISTERS = 32;
constexpr int STRIP = 8, AHEAD = 4; /* rows fetched at once */
/* A row is fetched before its strip's first thread gets to it, and leaves when the next strip's first thread
 * has seen its last column: 8 + 1 rows later. As the host has it. */
constexpr int RING = STRIP + 1 + AHEAD;

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

/* Columns that are done at once, of a tile of that width. As the host has it. */
__device__ __forceinline__ int columns_at_once(int width)
{
    const int parts = (width + THREADS - 1) / THREADS;
    return (width + parts - 1) / parts;
}

/* Read again wherever it is used: nothing that follows from it is kept in registers over a loop. */
__device__ __forceinline__ int thread_in_block()
{
    unsigned x, y;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(x));
    asm volatile("mov.u32 %0, %%tid.y;" : "=r"(y));
    return y * SIDE + x;
}

/* The same value, from which the compiler computes nothing ahead of a loop either. */
__device__ __forceinline__ int late(int value)
{
    asm volatile("" : "+r"(value));
    return value;
}

/* Whether the thread's warp has work; if not, it may end at once, and no barrier waits for it. */
__device__ __forceinline__ bool is_warp_needed(Tile tile)
{
    return thread_in_block() / LANES * LANES < columns_at_once(tile.columns.end - tile.columns.begin);
}

/* -- the ring: four bytes a cell, at addresses of shared memory, which take no arithmetic of their own -- */

__device__ __forceinline__ unsigned ring_begin()
{
    extern __shared__ char memory[];
    return (unsigned)__cvta_generic_to_shared(memory);
}

/* Reads what lies so many bytes behind `at`; of the types that cells have. */
template <int BYTES> __device__ __forceinline__ void ring_get(unsigned at, unsigned &value)
{
    asm volatile("ld.shared.u32 %0, [%1+%2];" : "=r"(value) : "r"(at), "n"(BYTES) : "memory");
}
template <int BYTES> __device__ __forceinline__ void ring_get(unsigned at, int &value)
{
    asm volatile("ld.shared.u32 %0, [%1+%2];" : "=r"(value) : "r"(at), "n"(BYTES) : "memory");
}
template <int BYTES> __device__ __forceinline__ void ring_get(unsigned at, float &value)
{
    asm volatile("ld.shared.f32 %0, [%1+%2];" : "=f"(value) : "r"(at), "n"(BYTES) : "memory");
}

__device__ __forceinline__ void ring_put(unsigned at, unsigned value)
{
    asm volatile("st.shared.u32 [%0], %1;" : : "r"(at), "r"(value) : "memory");
}
__device__ __forceinline__ void ring_put(unsigned at, int value) { ring_put(at, (unsigned)value); }
__device__ __forceinline__ void ring_put(unsigned at, float value)
{
    asm volatile("st.shared.f32 [%0], %1;" : : "r"(at), "f"(value) : "memory");
}

/* A thread's column of the ring, as addresses of its rows. */
struct Ring {
    unsigned begin, pitch, bytes, end; /* end: begin + bytes */

    __device__ unsigned at(int row) const { return begin + (row + RING * THREADS) % RING * pitch; }
    __device__ unsigned after(unsigned at) const
    {
        unsigned next;
        asm("{ .reg .pred p; add.u32 %0, %1, %2; setp.ge.u32 p, %0, %3; @p sub.u32 %0, %0, %4; }"
            : "=&r"(next) : "r"(at), "r"(pitch), "r"(end), "r"(bytes));
        return next;
    }
};

/* `Cells` is a class with
 *   Value                              the type of a cell, four bytes
 *   LOOKS_AHEAD                        whether next() uses `right` and `down`
 *   width, height                      of the matrix
 *   Value outside()                    to the left of the matrix; if it looks ahead, also around it
 *   Value above(int column)            above the matrix; -1 is the corner
 *   Value computed(int index)          of a cell computed already; cells are counted row by row
 *   Value own(int row, int column, int index)   of one before it is
 *   Value next(Around)
 *   void store(int index, Value) */

/* Meets the others as often as they do in so many groups of rows. */
__device__ __forceinline__ void wait_groups(int groups)
{
#pragma unroll 1
    for (; groups > 0; groups--) {
#pragma unroll
        for (int i = 0; i <= AHEAD; i++)
            __syncthreads();
    }
}

/* What lies to the left and right of some columns, row by row, behind the ring in shared memory. */
template <class Cells>
__device__ __forceinline__ void fetch_borders(const Cells &cells, Range rows, Range columns, unsigned to,
                                              int threads)
{
    typedef typename Cells::Value Value;
#pragma unroll 1
    for (int row = rows.begin + thread_in_block(); row < rows.end; row += threads) {
        const int index = row * late(cells.width) + columns.begin, at = to + (row - rows.begin) * 4;
        Value left = cells.outside(), right = left;
        if (columns.begin > 0)
            left = cells.computed(index - 1);
        if (Cells::LOOKS_AHEAD && columns.end < cells.width)
            right = cells.computed(index + columns.end - columns.begin);
        ring_put(at, left);
        if (Cells::LOOKS_AHEAD)
            ring_put(at + (rows.end - rows.begin) * 4, right);
    }
}

/* Puts the next rows of its border into the ring beside the first or the last thread's column. */
template <class Value>
__device__ __forceinline__ void take_borders(Ring ring, unsigned at, int row, int height)
{
    const int thread = thread_in_block();
    const unsigned borders = late(ring.end) - (thread + 1) * 4, beside = thread == 0 ? -4 : 4;
    unsigned from = borders + (row + (thread == 0 ? 0 : height)) * 4;
#pragma unroll
    for (int i = 0; i < AHEAD; i++, from += 4, at = ring.after(at)) {
        Value value;
        if ((unsigned)(row + i) < (unsigned)height) {
            ring_get<0>(from, value);
            ring_put(at + beside, value);
        }
    }
}

/* Computes all rows of some columns of a tile, of at most `most` columns. Rows are counted from the tile's:
 * `first` is where the first thread of the strip is. */
template <class Cells>
__device__ __forceinline__ void sweep_columns(const Cells &cells, Range rows, Range columns, int most)
{
    typedef typename Cells::Value Value;
    const int thread = thread_in_block(), column = columns.begin + thread;
    const int width = columns.end - columns.begin, height = late(rows.end - rows.begin);
    const unsigned pitch = (width + 3) / 2 * 8; /* even: no two cells of an antidiagonal are in one bank */
    const unsigned begin = ring_begin() + (thread + 1) * 4;
    const Ring ring = {begin, pitch, RING * pitch, begin + RING * pitch};
    fetch_borders(cells, rows, columns, ring_begin() + RING * pitch,
                  (late(most) + LANES - 1) / LANES * LANES);
    const bool is_in = thread < width, is_edge = thread == 0 || (Cells::LOOKS_AHEAD && thread == width - 1);
    const unsigned computed = is_in ? height : 0;
    const unsigned fetched = computed + (Cells::LOOKS_AHEAD && computed && rows.end < cells.height);
    Value up = cells.outside(), corner = up;
    if (is_in) {
        const int above = (rows.begin - 1) * cells.width + column;
        up = rows.begin ? cells.computed(above) : cells.above(column);
        if (rows.begin == 0)
            corner = cells.above(column - 1);
        else if (column > 0)
            corner = cells.computed(above - 1);
    }
    __syncthreads();
    /* A warp begins when its first strip does, and meets the others at their barriers before and after. */
    constexpr int GROUPS = LANES / AHEAD; /* of AHEAD rows: that far a warp is behind the one before */
    wait_groups(thread / LANES * GROUPS);
    int first = -2 * AHEAD - (thread & (LANES - STRIP));
    int done = (rows.begin + first - STRIP) * cells.width + column;
    unsigned at = ring.at(-2 * AHEAD - (thread & (LANES - 1))), exchange = ring.at(first + RING - STRIP);
#pragma unroll 1
    for (int groups = (2 * AHEAD + height + LANES + AHEAD - 1) / AHEAD; groups > 0;
         groups--, first += AHEAD) {
        Value values[AHEAD];
        int coming = done + RING * late(cells.width);
#pragma unroll
        for (int i = 0; i < AHEAD; i++, coming += cells.width) {
            const int next = first + RING - STRIP + i;
            values[i] = cells.outside();
            if ((unsigned)next < fetched)
                values[i] = cells.own(rows.begin + next, column, coming);
        }
#pragma unroll 1
        for (int i = 0; i < AHEAD; i++) {
            const unsigned after = ring.after(at);
            if ((unsigned)(first + i - (thread & (STRIP - 1))) < computed) {
                Around<Value> around = {up, 0, corner};
                ring_get<-4>(at, around.left);
                ring_get<0>(at, around.own);
                if (Cells::LOOKS_AHEAD) {
                    ring_get<4>(at, around.right);
                    ring_get<0>(after, around.down);
                }
                ring_put(at, up = cells.next(around));
                corner = around.left;
            }
            at = after;
            __syncthreads();
        }
        if (is_edge)
            take_borders<Value>(ring, exchange, late(first) + RING - STRIP, late(computed));
        if (is_in)
#pragma unroll
            for (int i = 0; i < AHEAD; i++, done += cells.width, exchange = ring.after(exchange)) {
                Value value;
                ring_get<0>(exchange, value);
                ring_put(exchange, values[i]);
                if ((unsigned)(first - STRIP + i) < computed)
                    cells.store(done, value);
            }
        __syncthreads();
    }
    wait_groups(((late(most) + LANES - 1) / LANES - 1 - thread_in_block() / LANES) * GROUPS);
}

/* Computes the cells of a tile; ends with a barrier, so that the next sweep sees them. */
template <class Cells> __device__ __forceinline__ void sweep(const Cells &cells, Tile tile)
{
    const int step = columns_at_once(tile.columns.end - tile.columns.begin);
#pragma unroll 1
    for (int left = tile.columns.begin; left < tile.columns.end; left += step)
        sweep_columns(cells, {late(tile.rows.begin), tile.rows.end},
                      {left, min(left + step, tile.columns.end)}, step);
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
        if (wb_launch_device(entry, buffer, dim3(tiles), dim3(SIDE, SIDE), bytes, WB_STREAM_BLOCK) != 0 ||
            wb_device_sync() != 0)
            __trap();
    }
}

#define NESTED(name, parameters, ...)                                                                        \
    extern "C" __global__ void name##_nested parameters { launch_waves(name, tiling, bytes, __VA_ARGS__); }

#endif
