/* C = alpha A B + beta C as Parboil's sgemm computes it: a thread has a row of 16 elements of C in
 * registers, a block 128 rows of them. What it needs of B comes through shared memory, eight rows at a
 * time; elements of A are read once, by one thread, straight into a register. A and C lie by columns, B by
 * rows. */

constexpr int WIDTH = 16 /* of a block's part of C */, STEP = 8, THREADS = WIDTH * STEP;
constexpr int AT_ONCE = 12; /* blocks on an SM: a thread has 16 sums and little more in registers */

extern "C" __global__ void __launch_bounds__(THREADS, AT_ONCE)
    sgemm(const float *a, const float *b, float *c, int rows, int columns, int depth, float alpha, float beta)
{
    __shared__ float tile[STEP][WIDTH];
    const int row = blockIdx.x * THREADS + threadIdx.y * WIDTH + threadIdx.x;
    const int first = blockIdx.y * WIDTH;
    float sums[WIDTH] = {};
    for (int k = 0; k < depth; k += STEP) {
        tile[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * columns + first + threadIdx.x];
        __syncthreads();
#pragma unroll
        for (int j = 0; j < STEP; j++) {
            const float factor = a[(k + j) * rows + row];
#pragma unroll
            for (int i = 0; i < WIDTH; i++)
                sums[i] = fmaf(factor, tile[j][i], sums[i]);
        }
        __syncthreads(); /* the tile has been read */
    }
#pragma unroll
    for (int i = 0; i < WIDTH; i++) {
        float *to = &c[(first + i) * rows + row];
        *to = fmaf(alpha, sums[i], beta * *to);
    }
}
