/* How many ways there are to place n queens, as a flow graph of two kernels: before and after the sync of
 *
 *     int queens(int row, Board board)
 *     { if (row == spawned) return count(row, board);
 *       for (column = 0; column < n; column++)
 *           if (is free) ways[column] = spawn queens(row + 1, board with a queen there);
 *       sync; return sum of ways; }
 *
 * Columns and diagonals that are taken are bits. A diagonal's bits are never shifted out of their word, so that
 * a queen can be taken off the board again without a stack. */
#include "warpbeam_device.h"

enum { MOST = 13, UP = 16 }; /* rows; what diagonals that fall are shifted up by, to have room below */

/* What a row sees of the queens before it. */
struct Board {
    unsigned columns, rising, falling;
};

struct Call {
    int *result;
    Board board;
    unsigned unused;
};

struct Sum {
    int *result;
    int ways[MOST + 1];
};

__device__ __forceinline__ unsigned free_columns(const Board &board, unsigned all)
{
    return all & ~(board.columns | board.rising | board.falling >> UP);
}

__device__ __forceinline__ Board place(const Board &board, unsigned bit)
{
    return {board.columns | bit, (board.rising | bit) << 1, (board.falling | bit << UP) >> 1};
}

__device__ __forceinline__ Board take_off(const Board &board, unsigned bit)
{
    return {board.columns ^ bit, board.rising >> 1 ^ bit, board.falling << 1 ^ bit << UP};
}

/* Ways to place the other queens, eight at most: the base case. Each turn of the loop places a queen in the
 * first column that is free, or else takes the last one off; lanes that do the one and lanes that do the other
 * go the same way. When all queens are placed, all columns are taken. */
__device__ int count(Board board, unsigned all)
{
    unsigned placed = 0; /* columns of the queens placed here, the last in the lowest four bits */
    unsigned free = free_columns(board, all);
    int depth = 0, ways = 0;
    while (depth >= 0) {
        const bool places = free != 0;
        const unsigned bit = places ? free & -free : 1u << (placed & 15);
        const Board above = place(board, bit), below = take_off(board, bit);
        board = places ? above : below;
        placed = places ? placed << 4 | (__ffs(bit) - 1) : placed >> 4;
        depth += places ? 1 : -1;
        free = free_columns(board, all) & (places ? ~0u : ~(2 * bit - 1));
        ways += places && board.columns == all;
    }
    return ways;
}

/* Before the sync. */
extern "C" __global__ void queens_call(unsigned calls, unsigned sums, int n, int spawned)
{
    const unsigned channel = wb_source(), offset = wb_source_offset(), row = channel - calls;
    const Call *call = deq(channel, offset);
    const Board board = call->board;
    const unsigned all = (1u << n) - 1;
    if (row == spawned) {
        *call->result = count(board, all);
    } else {
        Sum *sum = talloc(sums + row, 1);
        const unsigned free = free_columns(board, all);
        sum->result = call->result;
#pragma unroll 1 /* one talloc() in the code: it is long */
        for (int column = 0; column < n; column++) {
            if (!(free >> column & 1)) {
                sum->ways[column] = 0;
                continue;
            }
            Call *next = talloc(channel + 1, 1);
            next->board = place(board, 1u << column);
            next->result = &sum->ways[column];
            enq_n(channel + 1, next, 1);
        }
        enq_n(sums + row, sum, 1);
    }
    tfree(channel, offset);
}

/* After it. */
extern "C" __global__ void queens_sum(int n)
{
    const unsigned channel = wb_source(), offset = wb_source_offset();
    const Sum *sum = deq(channel, offset);
    int ways = 0;
    for (int column = 0; column < n; column++)
        ways += sum->ways[column];
    *sum->result = ways;
    tfree(channel, offset);
}
