// Dense linear algebra: products, a convolution layer and a step of LU; host code: dense.c.

extern "C" __global__ void gemm_naive(const float *a, const float *b, float *c, int n, int k)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int i = 0; i < k; i++)
        sum += a[y * k + i] * b[i * n + x];
    c[y * n + x] = sum;
}

extern "C" __global__ void gemm_tiled(const float *a, const float *b, float *c, int n, int k)
{
    __shared__ float s[32][32], t[32][32];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = blockIdx.x * 32 + tx, y = blockIdx.y * 32 + ty;
    float sum = 0;
    for (int from = 0; from < k; from += 32) {
        s[ty][tx] = a[y * k + from + tx];
        t[ty][tx] = b[(from + ty) * n + x];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 32; i++)
            sum += s[ty][i] * t[i][tx];
        __syncthreads();
    }
    c[y * n + x] = sum;
}

// A block of 16 x 16 threads makes a tile of 64 x 64.
extern "C" __global__ void gemm_blocked(const float *a, const float *b, float *c, int n, int k)
{
    __shared__ float s[16][64 + 4], t[16][64];
    const int id = threadIdx.x, tx = id % 16, ty = id / 16;
    const int x = blockIdx.x * 64, y = blockIdx.y * 64;
    float sum[4][4] = {};
    for (int from = 0; from < k; from += 16) {
        const float4 left = *(const float4 *)&a[(y + id / 4) * k + from + id % 4 * 4];
        s[id % 4 * 4 + 0][id / 4] = left.x;
        s[id % 4 * 4 + 1][id / 4] = left.y;
        s[id % 4 * 4 + 2][id / 4] = left.z;
        s[id % 4 * 4 + 3][id / 4] = left.w;
        *(float4 *)&t[ty][tx * 4] = *(const float4 *)&b[(from + ty) * n + x + tx * 4];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; i++) {
            const float4 u = *(const float4 *)&s[i][ty * 4], v = *(const float4 *)&t[i][tx * 4];
            const float rows[4] = {u.x, u.y, u.z, u.w}, columns[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
            for (int r = 0; r < 4; r++)
#pragma unroll
                for (int q = 0; q < 4; q++)
                    sum[r][q] += rows[r] * columns[q];
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < 4; r++)
        *(float4 *)&c[(y + ty * 4 + r) * n + x + tx * 4] =
            make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
}

extern "C" __global__ void gemv_rows(const float4 *a, const float4 *x, float *y, int columns)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    const float4 *from = a + (size_t)row * (columns / 4);
    float sum = 0;
    for (int i = lane; i < columns / 4; i += 32) {
        const float4 u = from[i], v = x[i];
        sum += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
    }
    for (int o = 16; o > 0; o >>= 1)
        sum += __shfl_down_sync(0xffffffffu, sum, o);
    if (lane == 0)
        y[row] = sum;
}

// Sixteen channels with a rim of one pixel; a thread makes one pixel of four of the sixteen outputs.
extern "C" __global__ void conv_layer(const float *in, const float *weights, float *out, int width,
                                      int height)
{
    __shared__ float w[4 * 16 * 9];
    const int id = threadIdx.y * blockDim.x + threadIdx.x;
    for (int i = id; i < 4 * 16 * 9; i += blockDim.x * blockDim.y)
        w[i] = weights[blockIdx.z * 4 * 16 * 9 + i];
    __syncthreads();
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int pitch = width + 2;
    float sum[4] = {};
    for (int channel = 0; channel < 16; channel++) {
        const float *from = in + channel * pitch * (height + 2) + y * pitch + x;
#pragma unroll
        for (int i = 0; i < 9; i++) {
            const float value = from[i / 3 * pitch + i % 3];
#pragma unroll
            for (int o = 0; o < 4; o++)
                sum[o] += value * w[(o * 16 + channel) * 9 + i];
        }
    }
    for (int o = 0; o < 4; o++) {
        const float value = sum[o] > 0 ? sum[o] : 0;
        out[((blockIdx.z * 4 + o) * height + y) * width + x] = value;
    }
}

// All tiles below and right of the first row and column of tiles lose the product of theirs.
extern "C" __global__ void lud_internal(float *m, int n)
{
    __shared__ float row[16][16], column[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = (blockIdx.x + 1) * 16 + tx, y = (blockIdx.y + 1) * 16 + ty;
    row[ty][tx] = m[ty * n + x];
    column[ty][tx] = m[y * n + tx];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 16; i++)
        sum += column[ty][i] * row[i][tx];
    m[y * n + x] -= sum;
}
