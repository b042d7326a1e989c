/* How many ways there are to place n queens on a board of n by n, after the program of the MIT Cilk
 * distribution: a task places a queen in each free column of its row, and the last eight rows are one task's.
 *
 * Columns and diagonals that are taken are bits. Those of a diagonal that falls are kept 16 bits higher, so
 * that no bit is lost when a queen is taken off again. */
enum { MOST = 16, LEFT = 8 };

typedef struct Board {
    unsigned columns, rising, falling;
} Board;

static unsigned free_columns(Board board, unsigned all)
{
    return all & ~(board.columns | board.rising | board.falling >> MOST);
}

static Board place(Board board, unsigned bit)
{
    Board next = {board.columns | bit, (board.rising | bit) << 1, (board.falling | bit << MOST) >> 1};
    return next;
}

/* Ways to place queens in the last `rows` rows, without recursion: `placed` has the bits of those rows. */
static int count(Board board, int rows, unsigned all)
{
    unsigned placed[MOST], rest = all;
    int depth = 0, ways = 0;
    if (rows == 0)
        return 1;
    while (depth >= 0) {
        unsigned free = free_columns(board, all) & rest, bit = free & -free;
        if (free && depth + 1 < rows) {
            placed[depth++] = bit;
            board = place(board, bit);
            rest = all;
            continue;
        }
        ways += free != 0; /* in the last row one column is free at most */
        if (--depth >= 0) {
            bit = placed[depth];
            board.columns ^= bit;
            board.rising = board.rising >> 1 ^ bit;
            board.falling = board.falling << 1 ^ bit << MOST;
            rest = all & ~(bit * 2 - 1);
        }
    }
    return ways;
}

static int place_rows(Board board, int rows, int n)
{
    unsigned all = (1u << n) - 1;
    if (rows <= LEFT)
        return count(board, rows, all);
    int ways[MOST], sum = 0;
    unsigned free = free_columns(board, all);
    for (int column = 0; column < n; column++) {
        ways[column] = 0;
        if (free >> column & 1)
            ways[column] = cilk_spawn place_rows(place(board, 1u << column), rows - 1, n);
    }
    cilk_sync;
    for (int column = 0; column < n; column++)
        sum += ways[column];
    return sum;
}

/* n is 16 at most. */
int queens(int n)
{
    Board empty = {0, 0, 0};
    int ways = cilk_spawn place_rows(empty, n, n);
    cilk_sync;
    return ways;
}
