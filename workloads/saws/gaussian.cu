/* Gaussian elimination without pivoting, as Rodinia's gaussian: for each column one kernel computes the
 * factors of the rows below the diagonal, and another subtracts. Its blocks have 4 x 4 threads, half of a
 * warp, and x counts rows: so threads side by side are a row of the matrix apart. Threads beyond the rest
 * that is left do nothing. */
extern "C" __global__ void __launch_bounds__(512)
    fan1(float *factor, const float *matrix, int size, int column)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x + column + 1;
    if (row < size)
        factor[row * size + column] = matrix[row * size + column] / matrix[column * size + column];
}

extern "C" __global__ void __launch_bounds__(16)
    fan2(const float *factor, float *matrix, float *right, int size, int column)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x + column + 1;
    const int x = blockIdx.y * blockDim.y + threadIdx.y + column;
    if (row >= size || x >= size)
        return;
    const float by = factor[row * size + column];
    matrix[row * size + x] = fmaf(-by, matrix[column * size + x], matrix[row * size + x]);
    if (x == column)
        right[row] = fmaf(-by, right[column], right[row]);
}
