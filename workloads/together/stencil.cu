/* A five-point stencil: in a step a cell becomes three times itself plus its neighbours, modulo 2^32. Cells
 * lie in two grids with a frame of zeroes, that of even and that of odd steps. A tile of a step needs itself
 * and its neighbours of the step before; these have then read, too, what it writes over. */
#include "levels.cuh"

/* As the host has it. */
template <int TILE> struct Stencil {
    unsigned *grids[2];
    int across, down; /* in tiles */
    int steps;

    __device__ int levels() const { return steps; }
    __device__ int in_level(int) const { return across * down; }
    __device__ int task_at(int level, int index) const { return level * across * down + index; }
    __device__ int neighbours(int tile, int *to) const
    {
        int count = 0;
        to[count++] = tile;
        if (tile % across > 0)
            to[count++] = tile - 1;
        if (tile % across + 1 < across)
            to[count++] = tile + 1;
        if (tile / across > 0)
            to[count++] = tile - across;
        if (tile / across + 1 < down)
            to[count++] = tile + across;
        return count;
    }
    __device__ int parents(int task) const
    {
        int to[MOST_CHILDREN];
        return task < across * down ? 0 : neighbours(task % (across * down), to);
    }
    __device__ int children(int task, int *to) const
    {
        const int tiles = across * down, next = task / tiles + 1;
        if (next == steps)
            return 0;
        const int count = neighbours(task % tiles, to);
#pragma unroll
        for (int i = 0; i < MOST_CHILDREN; i++)
            if (i < count)
                to[i] += next * tiles;
        return count;
    }

    __device__ void cell(int step, int row, int column) const
    {
        const int pitch = across * TILE + 2;
        const size_t at = (size_t)(row + 1) * pitch + column + 1;
        const unsigned *from = grids[step % 2] + at;
        grids[(step + 1) % 2][at] = 3 * __ldcg(from) + __ldcg(from - 1) + __ldcg(from + 1) +
                                    __ldcg(from - pitch) + __ldcg(from + pitch);
    }
    __device__ void run(int task) const
    {
        const int tile = task % (across * down), row = tile / across * TILE, column = tile % across * TILE;
        cell(task / (across * down), row + threadIdx.x / TILE, column + threadIdx.x % TILE);
    }
    __device__ void run_alone(int task) const
    {
        const int tile = task % (across * down), row = tile / across * TILE, column = tile % across * TILE;
        for (int y = 0; y < TILE; y++)
#pragma unroll
            for (int x = 0; x < TILE; x++)
                cell(task / (across * down), row + y, column + x);
    }
};

DAG(stencil, Stencil<SIDE>, Stencil<4>)
