// Kernels that are over before the GPU is full; host code: launches.c.

extern "C" __global__ void many_tiny(const float *in, float *sum, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sum[i] += in[i];
}

// Multipliers of the rows below `column`.
extern "C" __global__ void gauss_columns_factors(const float *m, float *factors, int n, int column)
{
    const int row = column + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n)
        factors[row] = m[row * n + column] / m[column * n + column];
}

extern "C" __global__ void gauss_columns_rows(float *m, const float *factors, int n, int column)
{
    const int x = column + blockIdx.x * blockDim.x + threadIdx.x,
              y = column + 1 + blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n)
        m[y * n + x] -= factors[y] * m[column * n + x];
}

extern "C" __global__ void wave_steps(const float *before, const float *now, float *next, int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
              i = y * n + x;
    if (x == 0 || y == 0 || x >= n - 1 || y >= n - 1)
        return;
    const float around = now[i - 1] + now[i + 1] + now[i - n] + now[i + n];
    next[i] = 2 * now[i] - before[i] + 0.2f * (around - 4 * now[i]);
}

extern "C" __global__ void small_blocks(const int *in, int *out)
{
    const int i = blockIdx.x * 32 + threadIdx.x;
    int value = in[i];
    value = value * 3 + blockIdx.x;
    out[i] = value ^ value >> 3;
}
