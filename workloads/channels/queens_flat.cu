/* How many ways there are to place n queens, without channels: the host has placed the first queens in all ways
 * that there are, and a thread goes on from each, in the way of the program that comes with GPGPU-Sim
 * [channels §8]. The recursion is flattened: each thread has stacks in shared memory. */
enum { THREADS = 64, ROWS = 10 };

/* `rest` is how many rows are left, ROWS at most; the block's sum goes to `ways`. */
extern "C" __global__ void queens_flat(const unsigned *columns, const unsigned *rising, const unsigned *falling,
                                       unsigned count, int n, int rest, int *ways)
{
    __shared__ unsigned column_stack[THREADS][ROWS], rising_stack[THREADS][ROWS];
    __shared__ unsigned falling_stack[THREADS][ROWS], taken[THREADS][ROWS];
    __shared__ int sums[THREADS];
    const unsigned thread = threadIdx.x, start = blockIdx.x * THREADS + thread, all = (1u << n) - 1;
    int solutions = 0, row = 0;
    if (start < count) {
        column_stack[thread][0] = columns[start];
        rising_stack[thread][0] = rising[start];
        falling_stack[thread][0] = falling[start];
        taken[thread][0] = columns[start] | rising[start] | falling[start];
        while (row >= 0) {
            if ((taken[thread][row] & all) == all) {
                row--;
                continue;
            }
            const unsigned bit = (taken[thread][row] + 1) & ~taken[thread][row];
            taken[thread][row] |= bit;
            if (row + 1 == rest) {
                solutions++;
                row--;
                continue;
            }
            column_stack[thread][row + 1] = column_stack[thread][row] | bit;
            rising_stack[thread][row + 1] = (rising_stack[thread][row] | bit) << 1;
            falling_stack[thread][row + 1] = (falling_stack[thread][row] | bit) >> 1;
            taken[thread][row + 1] = column_stack[thread][row + 1] | rising_stack[thread][row + 1] |
                                     falling_stack[thread][row + 1];
            row++;
        }
    }
    sums[thread] = solutions;
    __syncthreads();
    for (int half = THREADS / 2; half; half /= 2) {
        if (thread < half)
            sums[thread] += sums[thread + half];
        __syncthreads();
    }
    if (!thread)
        ways[blockIdx.x] = sums[0];
}
