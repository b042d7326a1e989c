/* A five-point stencil in the plane, from one matrix into the other and back (Jacobi), until cells change no
 * more [sync-thesis §4.5.1.1]: a thread for each cell, blocks of 16 x 16. The plane is cold around.
 *
 * Where the kernel goes on behind a barrier, a block's own cells stay in its shared memory, and it reads only
 * those of its neighbours again. Persistent threads have any number of cells, and read all from memory. */
#include "barriers.cuh"

constexpr int SIDE = 16;           /* of a block; as the host has it */
constexpr float TOLERANCE = 1e-4f; /* as the host has it */

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
    __device__ void load_border(const float *from, int side)
    {
        const int left = blockIdx.x * SIDE, top = blockIdx.y * SIDE, i = threadIdx.x;
        if (threadIdx.y == 0)
            cells[0][i + 1] = cell(from, side, left + i, top - 1);
        else if (threadIdx.y == 1)
            cells[SIDE + 1][i + 1] = cell(from, side, left + i, top + SIDE);
        else if (threadIdx.y == 2)
            cells[i + 1][0] = cell(from, side, left - 1, top + i);
        else if (threadIdx.y == 3)
            cells[i + 1][SIDE + 1] = cell(from, side, left + SIDE, top + i);
    }
    __device__ float next() const
    {
        const int x = threadIdx.x + 1, y = threadIdx.y + 1;
        return relax(cells[y][x], cells[y - 1][x], cells[y][x - 1], cells[y][x + 1], cells[y + 1][x]);
    }
};

/* One iteration; `changed` is null where nobody asks. */
extern "C" __global__ void stencil2d_rekl(const float *from, float *to, int side, unsigned *changed)
{
    __shared__ Tile tile;
    const int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
    tile.own() = cell(from, side, x, y);
    tile.load_border(from, side);
    __syncthreads();
    const float next = tile.next();
    to[(size_t)y * side + x] = next;
    if (changed && fabsf(next - tile.own()) > TOLERANCE)
        *changed = 1;
}
