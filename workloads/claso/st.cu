/* A step of a seven-point stencil in three dimensions, as Parboil's stencil does it: a block has a tile of
 * 32 x 4 columns and walks along z. A thread keeps what lies below and above in registers; the plane between
 * them is in shared memory, and neighbours outside of the tile are read from global memory. */

constexpr int WIDTH = 32, HEIGHT = 4;

extern "C" __global__ void __launch_bounds__(WIDTH *HEIGHT)
    stencil(const float *from, float *to, int nx, int ny, int nz, float centre, float around)
{
    __shared__ float plane[HEIGHT][WIDTH];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = blockIdx.x * WIDTH + tx, y = blockIdx.y * HEIGHT + ty;
    const bool inside = x > 0 && x < nx - 1 && y > 0 && y < ny - 1;
    int at = y * nx + x;
    float below = from[at], current = from[at += nx * ny];
#pragma unroll 1
    for (int z = 1; z < nz - 1; z++) {
        plane[ty][tx] = current;
        __syncthreads();
        const float above = from[at + nx * ny];
        if (inside) {
            const float left = tx > 0 ? plane[ty][tx - 1] : from[at - 1];
            const float right = tx < WIDTH - 1 ? plane[ty][tx + 1] : from[at + 1];
            const float front = ty > 0 ? plane[ty - 1][tx] : from[at - nx];
            const float back = ty < HEIGHT - 1 ? plane[ty + 1][tx] : from[at + nx];
            to[at] = (below + above + left + right + front + back) * around - current * centre;
        }
        __syncthreads();
        below = current;
        current = above;
        at += nx * ny;
    }
}
