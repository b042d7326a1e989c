/* A product of matrices without channels, in tiles, in the way of matrix multiplication in AMD's SDK
 * [channels §8]: a thread has 4 by 4 items of the result in registers, a block 32 by 32. The block's part of the
 * left matrix lies in shared memory, that of the right one is read four items at a time. */
enum { EACH = 4, SIDE = 8, TILE = EACH * SIDE };

__device__ __forceinline__ void add_scaled(float4 *to, float factor, float4 row)
{
    to->x += factor * row.x;
    to->y += factor * row.y;
    to->z += factor * row.z;
    to->w += factor * row.w;
}

/* The matrices are n by n, a multiple of TILE. */
extern "C" __global__ void strassen_flat(const float4 *left, const float4 *right, float4 *to, unsigned n)
{
    __shared__ float4 tile[TILE][SIDE];
    const unsigned x = threadIdx.x, y = threadIdx.y, quads = n / EACH;
    const unsigned column = blockIdx.x * SIDE + x, row = blockIdx.y * TILE + y * EACH;
    float4 sums[EACH] = {};
    for (unsigned first = 0; first < quads; first += SIDE) {
        for (int i = 0; i < EACH; i++)
            tile[y * EACH + i][x] = left[(row + i) * quads + first + x];
        __syncthreads();
        for (unsigned k = 0; k < SIDE; k++) {
            float4 rows[EACH];
            for (int i = 0; i < EACH; i++)
                rows[i] = right[((first + k) * EACH + i) * quads + column];
            for (int i = 0; i < EACH; i++) {
                const float4 factors = tile[y * EACH + i][k];
                add_scaled(&sums[i], factors.x, rows[0]);
                add_scaled(&sums[i], factors.y, rows[1]);
                add_scaled(&sums[i], factors.z, rows[2]);
                add_scaled(&sums[i], factors.w, rows[3]);
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < EACH; i++)
        to[(row + i) * quads + column] = sums[i];
}
