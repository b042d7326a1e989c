/* A wavefront: a cell is the largest of its upper and left neighbours and of its corner neighbour plus what
 * the cell costs. Row and column 0 of the matrix are zero. */
#include "levels.cuh"

/* As the host has it. */
template <int TILE> struct Wave {
    const unsigned *costs;
    unsigned *cells;
    int tiles; /* on a side */

    __device__ int levels() const { return 2 * tiles - 1; }
    __device__ int top(int level) const { return max(0, level - (tiles - 1)); }
    __device__ int in_level(int level) const { return min(level, tiles - 1) - top(level) + 1; }
    __device__ int task_at(int level, int index) const
    {
        const int y = top(level) + index;
        return y * tiles + level - y;
    }
    __device__ int parents(int task) const { return (task % tiles > 0) + (task / tiles > 0); }
    __device__ int children(int task, int *to) const
    {
        int count = 0;
        if (task % tiles + 1 < tiles)
            to[count++] = task + 1;
        if (task / tiles + 1 < tiles)
            to[count++] = task + tiles;
        return count;
    }
    /* Of the cell in row 0 and column 0 of the matrix without its frame. */
    __device__ size_t place(int row, int column) const
    {
        return (size_t)(row + 1) * (tiles * TILE + 1) + column + 1;
    }

    /* One warp computes the tile along its antidiagonals, a lane for a row. */
    __device__ void run(int task) const
    {
        __shared__ unsigned cost[TILE][TILE + 1], cell[TILE + 1][TILE + 2];
        const int row = task / tiles * TILE, column = task % tiles * TILE;
        const int y = threadIdx.x / TILE, x = threadIdx.x % TILE, lane = threadIdx.x;
        __syncthreads(); /* the tile before this one has been written */
        cost[y][x] = costs[place(row + y, column + x)];
        if (lane < TILE)
            cell[0][lane + 1] = __ldcg(&cells[place(row - 1, column + lane)]);
        else if (lane < 2 * TILE)
            cell[lane - TILE + 1][0] = __ldcg(&cells[place(row + lane - TILE, column - 1)]);
        else if (lane == 2 * TILE)
            cell[0][0] = __ldcg(&cells[place(row - 1, column - 1)]);
        __syncthreads();
        if (lane < 32) {
            for (int step = 0; step < 2 * TILE - 1; step++) {
                const int at = step - lane;
                if (lane < TILE && at >= 0 && at < TILE)
                    cell[lane + 1][at + 1] = max(max(cell[lane][at + 1], cell[lane + 1][at]),
                                                 cell[lane][at] + cost[lane][at]);
                __syncwarp();
            }
        }
        __syncthreads();
        cells[place(row + y, column + x)] = cell[y + 1][x + 1];
    }

    __device__ void run_alone(int task) const
    {
        const int row = task / tiles * TILE, column = task % tiles * TILE;
        unsigned up[TILE], first_corner = __ldcg(&cells[place(row - 1, column - 1)]);
#pragma unroll
        for (int x = 0; x < TILE; x++)
            up[x] = __ldcg(&cells[place(row - 1, column + x)]);
        for (int y = 0; y < TILE; y++) {
            unsigned corner = first_corner, left = __ldcg(&cells[place(row + y, column - 1)]);
            first_corner = left;
#pragma unroll
            for (int x = 0; x < TILE; x++) {
                left = max(max(up[x], left), corner + costs[place(row + y, column + x)]);
                corner = up[x];
                up[x] = left;
                cells[place(row + y, column + x)] = left;
            }
        }
    }
};

DAG(wave, Wave<SIDE>, Wave<4>)
