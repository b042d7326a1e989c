/* One Jacobi step of Laplace's equation in three dimensions: a block walks through all planes of its
 * column of 32 x 4 cells. Three planes of it, with a rim of one cell, are in shared memory. In every step
 * they move down by one, and the next comes in. */

constexpr int WIDTH = 32, HEIGHT = 4, THREADS = WIDTH * HEIGHT, PITCH = WIDTH + 2,
              PLANE = PITCH * (HEIGHT + 2);
constexpr int RIM = 2 * (PITCH + HEIGHT); /* cells; at most one a thread */

struct Size {
    int x, y, z;
};

/* A cell that a thread brings in: where it is in shared memory, in a plane of the grid, and whether it is
 * there at all. */
struct Cell {
    int at, from;
    bool is_there;

    __device__ Cell(int column, int row, Size size)
    {
        const int x = blockIdx.x * WIDTH + column, y = blockIdx.y * HEIGHT + row;
        at = PLANE + (row + 1) * PITCH + column + 1;
        from = y * size.x + x;
        is_there = x >= 0 && x < size.x && y >= 0 && y < size.y;
    }
    __device__ void move(float *planes, const float *next) const
    {
        if (!is_there)
            return;
        planes[at - PLANE] = planes[at];
        planes[at] = planes[at + PLANE];
        if (next)
            planes[at + PLANE] = next[from];
    }
};

/* The rows above and below of 34 cells each, then the columns on both sides. */
__device__ Cell cell_of_rim(int thread, Size size)
{
    if (thread < 2 * PITCH)
        return Cell(thread % PITCH - 1, thread < PITCH ? -1 : HEIGHT, size);
    const int left = thread - 2 * PITCH;
    return Cell(left % 2 ? WIDTH : -1, left / 2, size);
}

extern "C" __global__ void __launch_bounds__(THREADS) lps(const float *from, float *to, Size size)
{
    __shared__ float planes[3 * PLANE];
    const int thread = threadIdx.y * WIDTH + threadIdx.x, area = size.x * size.y;
    const Cell own(threadIdx.x, threadIdx.y, size), rim = cell_of_rim(thread, size);
    const int x = blockIdx.x * WIDTH + threadIdx.x, y = blockIdx.y * HEIGHT + threadIdx.y;
    const bool is_border = x == 0 || x == size.x - 1 || y == 0 || y == size.y - 1;
    if (own.is_there)
        planes[own.at + PLANE] = from[own.from];
    if (thread < RIM && rim.is_there)
        planes[rim.at + PLANE] = from[rim.from];
    for (int z = 0; z < size.z; z++) {
        const float *next = z + 1 < size.z ? from + (z + 1) * area : nullptr;
        own.move(planes, next);
        if (thread < RIM)
            rim.move(planes, next);
        __syncthreads();
        if (own.is_there) {
            const float *cell = &planes[own.at];
            float value = *cell;
            if (!is_border && z > 0 && z < size.z - 1)
                value = (cell[-1] + cell[1] + cell[-PITCH] + cell[PITCH] + cell[-PLANE] + cell[PLANE]) *
                        (1.0f / 6.0f);
            to[z * area + own.from] = value;
        }
        __syncthreads();
    }
}
