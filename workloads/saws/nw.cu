/* Alignment of two sequences by Needleman and Wunsch, as Rodinia's nw makes it: tiles of 16 x 16 cells, a
 * launch for each diagonal of tiles, a block of 16 threads for each tile. Inside of a tile the threads go
 * along diagonals again, in shared memory, with a barrier behind each. One kernel goes as far as the
 * longest diagonal of tiles, the other one from there to the end. */

constexpr int SIDE = 16;

/* The tile (x, y) of a matrix with a row above and a column to the left of all tiles. */
__device__ __forceinline__ void align(const int *scores, int *matrix, int columns, int penalty, int x, int y)
{
    __shared__ int cells[SIDE + 1][SIDE + 1], score[SIDE][SIDE];
    const int tx = threadIdx.x, corner = y * SIDE * columns + x * SIDE;
    const int first = corner + columns + 1 + tx;
    if (tx == 0)
        cells[0][0] = matrix[corner];
    for (int ty = 0; ty < SIDE; ty++)
        score[ty][tx] = scores[first + ty * columns];
    __syncthreads();
    cells[tx + 1][0] = matrix[corner + (tx + 1) * columns];
    __syncthreads();
    cells[0][tx + 1] = matrix[corner + tx + 1];
    __syncthreads();
#pragma unroll 1
    for (int step = 0; step < 2 * SIDE - 1; step++) {
        const int row = step - tx + 1, column = tx + 1;
        if (row >= 1 && row <= SIDE)
            cells[row][column] = max(cells[row - 1][column - 1] + score[row - 1][column - 1],
                                     max(cells[row][column - 1], cells[row - 1][column]) - penalty);
        __syncthreads();
    }
    for (int ty = 0; ty < SIDE; ty++)
        matrix[first + ty * columns] = cells[ty + 1][tx + 1];
}

extern "C" __global__ void __launch_bounds__(SIDE)
    nw_widening(const int *scores, int *matrix, int columns, int penalty, int diagonal)
{
    align(scores, matrix, columns, penalty, blockIdx.x, diagonal - blockIdx.x);
}

/* `tiles` of the matrix on each side. */
extern "C" __global__ void __launch_bounds__(SIDE)
    nw_narrowing(const int *scores, int *matrix, int columns, int penalty, int diagonal, int tiles)
{
    const int x = diagonal - (tiles - 1) + blockIdx.x;
    align(scores, matrix, columns, penalty, x, diagonal - x);
}
