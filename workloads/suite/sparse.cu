// Sparse matrices times vectors; host code: sparse.c.

extern "C" __global__ void csr_scalar(const int *begins, const int *columns, const float *values,
                                      const float *x, float *y, int rows)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int e = begins[row]; e < begins[row + 1]; e++)
        sum += values[e] * x[columns[e]];
    y[row] = sum;
}

extern "C" __global__ void csr_vector(const int *begins, const int *columns, const float *values,
                                      const float *x, float *y, int rows)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0;
    for (int e = begins[row] + lane; e < begins[row + 1]; e += 32)
        sum += values[e] * x[columns[e]];
    for (int o = 16; o > 0; o >>= 1)
        sum += __shfl_down_sync(0xffffffffu, sum, o);
    if (lane == 0)
        y[row] = sum;
}

// Entry k of all rows stands together; a column below 0 is none.
extern "C" __global__ void ell_columns(const int *columns, const float *values, const float *x, float *y,
                                       int rows, int width)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int k = 0; k < width; k++) {
        const int column = columns[k * rows + row];
        if (column >= 0)
            sum += values[k * rows + row] * x[column];
    }
    y[row] = sum;
}

extern "C" __global__ void coo_atomic(const int *rows, const int *columns, const float *values,
                                      const float *x, float *y, int entries)
{
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < entries)
        atomicAdd(&y[rows[e]], values[e] * x[columns[e]]);
}
