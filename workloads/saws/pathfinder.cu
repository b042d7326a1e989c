/* Cheapest ways through a grid from its first row to each cell of its last, as Rodinia's pathfinder finds
 * them: a step goes down, straight or one column aside. A block has a piece of a row in shared memory and
 * goes on for several rows without asking its neighbours; so at each row it loses a column on either side,
 * and begins with as many more. Two barriers a row. */

constexpr int THREADS = 256;

/* Goes from row `row` on for `steps` rows, at most `most_steps`, for which the blocks overlap. */
extern "C" __global__ void __launch_bounds__(THREADS)
    pathfinder(const int *costs, const int *from, int *to, int columns, int row, int steps, int most_steps)
{
    __shared__ int before[THREADS], behind[THREADS];
    const int tx = threadIdx.x, begin = (int)blockIdx.x * (THREADS - 2 * most_steps) - most_steps;
    const int x = begin + tx;
    const bool is_inside = x >= 0 && x < columns;
    const int left = x > 0 ? tx - 1 : tx, right = x < columns - 1 ? tx + 1 : tx;
    if (is_inside)
        before[tx] = from[x];
    __syncthreads();
    bool is_known = false;
#pragma unroll 1
    for (int i = 0; i < steps; i++) {
        is_known = is_inside && tx > i && tx < THREADS - 1 - i;
        if (is_known)
            behind[tx] = costs[(row + i) * columns + x] + min(before[tx], min(before[left], before[right]));
        __syncthreads();
        if (i == steps - 1)
            break;
        if (is_known)
            before[tx] = behind[tx];
        __syncthreads();
    }
    if (is_known)
        to[x] = behind[tx];
}
