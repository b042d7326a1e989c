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

/* Ways to place queens in the last `rows` rows, without recursion. The columns of those that are placed here
 * stand 16 bits each in two words, the last one lowest: seven at most, as the last row's is never placed.
 * The loop goes on or ends in one place, where all lanes meet, whether they place a queen or take one off. */
static int count(Board board, int rows, unsigned all)
{
    unsigned long placed = 0, before = 0;
    unsigned rest = all; /* columns of this row that have not been tried */
    int depth = 0, ways = 0;
    if (rows == 0)
        return 1;
    do {
        unsigned free = free_columns(board, all) & rest, bit = free & -free;
        if (free && depth + 1 < rows) {
            before = before << 16 | placed >> 48;
            placed = placed << 16 | bit;
            board = place(board, bit);
            rest = all;
            depth++;
        } else {
            ways += free != 0; /* in the last row one column is free at most */
            bit = (unsigned)(placed & 0xffff);
            placed = placed >> 16 | before << 48;
            before >>= 16;
            board.columns ^= bit;
            board.rising = board.rising >> 1 ^ bit;
            board.falling = board.falling << 1 ^ bit << MOST;
            rest = all & ~(bit * 2 - 1);
            depth--;
        }
    } while (depth >= 0);
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
