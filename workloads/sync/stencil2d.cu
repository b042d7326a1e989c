/* A five-point stencil in the plane, from one matrix into the other and back (Jacobi), until cells change no
 * more [sync-thesis §4.5.1.1]: a thread for each cell, blocks of 16 x 16. The plane is cold around.
 *
 * Where the kernel goes on behind a barrier, a block's own cells stay in its shared memory, and it reads only
 * those of its neighbours again. Persistent threads have any number of cells, and read all from memory. */
#define KERNEL_BOUNDS __launch_bounds__(256, 8) /* as many threads as an SM has */
#include "barriers.cuh"

constexpr int SIDE = 16;           /* of a block; as the host has it */
constexpr float TOLERANCE = 1e-4f; /* as the host has it, as the next two */
constexpr int ITERATIONS = 20, CHECKED = 5;

/* Both products are exact, so that it does not matter whether they are rounded before they are added. */
__device__ __forceinline__ float relax(float own, float up, float left, float right, float down)
{
    return 0.5f * own + 0.125f * ((up + left) + (right + down));
}

__device__ __forceinline__ float cell(const float *from, int side, int x, int y)
{
    return x >= 0 && y >= 0 && x < side && y < side ? __ldcg(&from[(size_t)y * side + x]) : 0.0f;
}

/* A block's cells and those around them. */
struct Tile {
    float cells[SIDE + 2][SIDE + 2];

    __device__ float &own() { return cells[threadIdx.y + 1][threadIdx.x + 1]; }
    __device__ float next() const
    {
        const int x = threadIdx.x + 1, y = threadIdx.y + 1;
        return relax(cells[y][x], cells[y - 1][x], cells[y][x - 1], cells[y][x + 1], cells[y + 1][x]);
    }
};

/* The cell around its block's tile that a thread of the first four rows loads: above, below, left, right. */
struct Border {
    int from; /* in the plane; negative: the thread has none, or it lies outside */
    int to;   /* in the tile */

    __device__ Border(int side)
    {
        const int edge = threadIdx.y, i = threadIdx.x, far = edge % 2 ? SIDE : -1;
        const int x = edge < 2 ? i : far, y = edge < 2 ? far : i;
        const int column = blockIdx.x * SIDE + x, row = blockIdx.y * SIDE + y;
        const bool is_inside = column >= 0 && row >= 0 && column < side && row < side;
        from = edge < 4 && is_inside ? row * side + column : -1;
        to = (y + 1) * (SIDE + 2) + x + 1;
    }
    __device__ void load(const float *plane, Tile &tile) const
    {
        if (from >= 0)
            (&tile.cells[0][0])[to] = __ldcg(&plane[from]);
    }
    /* Once: the plane is cold around. */
    __device__ void clear(Tile &tile) const
    {
        if (from < 0 && threadIdx.y < 4)
            (&tile.cells[0][0])[to] = 0;
    }
};

/* One iteration; `changed` is null where nobody asks. */
extern "C" __global__ void stencil2d_rekl(const float *from, float *to, int side, unsigned *changed)
{
    __shared__ Tile tile;
    const int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
    const Border border(side);
    tile.own() = cell(from, side, x, y);
    border.clear(tile);
    border.load(from, tile);
    __syncthreads();
    const float next = tile.next();
    to[(size_t)y * side + x] = next;
    if (changed && fabsf(next - tile.own()) > TOLERANCE)
        *changed = 1;
}

/* Launches the kernel above for every iteration, and looks by itself whether cells still change. */
extern "C" __global__ void stencil2d_dp(float *first, float *second, int side, unsigned *changed)
{
    const dim3 blocks(side / SIDE, side / SIDE), threads(SIDE, SIDE);
    for (int i = 0; i < ITERATIONS; i++) {
        const bool looks = (i + 1) % CHECKED == 0;
        unsigned *const flag = looks ? &changed[i / CHECKED] : nullptr;
        launch_and_wait<const float *, float *, int, unsigned *>(
            stencil2d_rekl, blocks, threads, i % 2 ? second : first, i % 2 ? first : second, side, flag);
        if (looks && poll(flag) == 0)
            return;
    }
}

/* Behind each barrier but the last iteration's; whether to go on. */
template <Mode mode>
__device__ __forceinline__ bool meet(int i, const unsigned *changed, Barrier barrier)
{
    if (i + 1 == ITERATIONS)
        return false;
    grid_barrier<mode>(barrier, i + 1);
    return (i + 1) % CHECKED != 0 || __ldcg(&changed[i / CHECKED]) != 0;
}

/* What lives across barriers is part of a block's context. So planes are accessed in one way only: PTX has
 * other registers for a pointer that is known to be global. */
template <Mode mode>
__device__ __forceinline__ void stencil2d(float *from, float *to, int side, unsigned *changed, Barrier barrier)
{
    __shared__ Tile tile;
    const int at = (blockIdx.y * SIDE + threadIdx.y) * side + blockIdx.x * SIDE + threadIdx.x;
    const Border border(side);
    tile.own() = __ldcg(&from[at]);
    border.clear(tile);
#pragma unroll 1
    for (int i = 0;; i++) {
        border.load(from, tile);
        __syncthreads();
        const float next = tile.next(), own = tile.own();
        __stcg(&to[at], next);
        if ((i + 1) % CHECKED == 0 && fabsf(next - own) > TOLERANCE)
            __stcg(&changed[i / CHECKED], 1u);
        __syncthreads();
        tile.own() = next;
        if (!meet<mode>(i, changed, barrier))
            return;
        float *const last = from;
        from = to, to = last;
    }
}

/* Persistent threads: the cells of a thread are `step` apart. */
__device__ __forceinline__ bool relax_cells(const float *from, float *to, int side, int begin, int end,
                                            int step)
{
    bool is_changed = false;
    for (int i = begin; i < end; i += step) {
        const int x = i % side, y = i / side;
        const float own = cell(from, side, x, y);
        const float next = relax(own, cell(from, side, x, y - 1), cell(from, side, x - 1, y),
                                 cell(from, side, x + 1, y), cell(from, side, x, y + 1));
        to[i] = next;
        is_changed |= fabsf(next - own) > TOLERANCE;
    }
    return is_changed;
}

template <Mode mode>
__device__ __forceinline__ void stencil2d_pt(float *first, float *second, int side, unsigned *changed,
                                             Barrier barrier)
{
    const int cells = side * side, threads = block_count() * thread_count();
    const int thread = block_rank() * thread_count() + thread_rank(), each = (cells + threads - 1) / threads;
    const int begin = mode == PT_NEIGHBOUR ? min(thread * each, cells) : thread;
    const int end = mode == PT_NEIGHBOUR ? min(begin + each, cells) : cells;
    for (int i = 0;; i++) {
        const bool is_changed = relax_cells(i % 2 ? second : first, i % 2 ? first : second, side, begin, end,
                                            mode == PT_NEIGHBOUR ? 1 : threads);
        if ((i + 1) % CHECKED == 0 && is_changed)
            changed[i / CHECKED] = 1;
        if (!meet<mode>(i, changed, barrier))
            return;
    }
}

#define STENCIL(name, suffix, mode)                                                                          \
    KERNEL(name, suffix, mode,                                                                               \
           (float *first, float *second, int side, unsigned *changed, Barrier barrier),                      \
           (first, second, side, changed, barrier))
STENCIL(stencil2d, mutex, MUTEX)
STENCIL(stencil2d, flags, FLAGS)
STENCIL(stencil2d, gsync, GSYNC)
STENCIL(stencil2d_pt, neighbour, PT_NEIGHBOUR)
STENCIL(stencil2d_pt, interleaved, PT_INTERLEAVED)
