/* Functions that are cut in all ways that there are: results in variables, arrays and structs, frames that are
 * reserved before loops and not used, syncs in loops and in branches, calls that are the rest, returns with
 * spawned functions under way. Each line of all() is a case; its result is that of the serial program. */
#include <math.h>
#include <stdbool.h>

typedef struct Board {
    int cells[8];
    int n;
} Board;

typedef struct Point {
    double x, y;
} Point;

static int table[4] = {1, -2, 3, 4};
static int data[64];
static double grid[64];

static int take(int *from, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += from[i];
        from[i] = 0;
    }
    return sum;
}

/* Nobody looks at what it returns for most n. */
static int note(int n)
{
    data[63] += n;
    if (n > 5)
        return n;
}

/* Results in an array, of tasks and of a function that spawns nothing. */
static int sum(int *from, int n)
{
    int part[2];
    if (n <= 2)
        return take(from, n);
    part[0] = cilk_spawn sum(from, n / 2);
    part[1] = cilk_spawn take(from + n / 2, n - n / 2);
    cilk_sync;
    return part[0] + part[1];
}

/* Calls and syncs in a loop, and a way around the sync. */
static int rounds(int n)
{
    int total = 0, last = 0;
    for (int i = 0; i < n; i++)
        data[i] = i * i + table[i & 3];
    for (int round = 0; round < 3; round++) {
        int found = sum(data, n - round);
        total += found;
        if (found > 100) {
            last = cilk_spawn take(data, 2);
        } else {
            for (int i = 0; i < n; i++)
                data[i] = i;
            continue;
        }
        cilk_sync;
        total = total * 3 + last;
        for (int i = 0; i < n; i++)
            data[i] = i + round;
    }
    return total;
}

/* A struct by value, a frame before a loop, results into an array by index. */
static int queens(Board board, int row, int n)
{
    int counts[8], total = 0;
    if (row == n)
        return 1;
    for (int column = 0; column < n; column++) {
        bool is_free = true;
        counts[column] = 0;
        for (int other = 0; other < row; other++) {
            int apart = board.cells[other] - column;
            if (apart == 0 || apart == row - other || apart == other - row)
                is_free = false;
        }
        if (!is_free)
            continue;
        Board next = board;
        next.cells[row] = column;
        counts[column] = cilk_spawn queens(next, row + 1, n);
    }
    cilk_sync;
    for (int column = 0; column < n; column++)
        total += counts[column];
    return total;
}

/* A variable that keeps its value where nothing is spawned. */
static double halves(double a, int n)
{
    double x = 0.25, y;
    if (n == 0)
        return sqrt(a);
    if (n & 1)
        x = cilk_spawn halves(a + 1, n - 1);
    y = cilk_spawn halves(a * 0.5, n - 1);
    cilk_sync;
    return x - y;
}

/* No result, and a call that is the rest. */
static void raise(double *at, int n)
{
    if (n == 1) {
        *at = *at + 1.5;
        return;
    }
    cilk_spawn raise(at, n / 2);
    raise(at + n / 2, n - n / 2);
}

/* A return with spawned functions that still use the frame. */
static int early(int n)
{
    int own[3] = {n, 1, 2};
    for (int i = 0; i < n; i++) {
        cilk_spawn take(&own[i % 3], 0);
        if (i == 3)
            return 77;
    }
    cilk_sync;
    return own[0] * 10 + own[1];
}

/* Structs as results; a call between a spawn and its sync. */
static Point middle(Point a, int n)
{
    Point left, right;
    if (n == 0) {
        a.x += 1;
        return a;
    }
    left = cilk_spawn middle(a, n - 1);
    right = middle(a, n - 1);
    cilk_sync;
    left.x += right.x;
    left.y -= right.y;
    return left;
}

/* A call that takes over where the result goes, while the frame is still used. */
static int rest(int n)
{
    int own[2] = {n, 3};
    if (n < 2)
        return n;
    cilk_spawn take(own, 1);
    return rest(n - 1);
}

/* Syncs that a spawn may come to by turns, in a loop. */
static int turns(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        int t = 5;
        if (i % 3 == 0)
            t = cilk_spawn rest(i);
        if (i % 2) {
            cilk_sync;
            s += t;
        } else {
            int u = rest(i);
            s += u * t;
        }
    }
    return s;
}

/* Spawns in the cases of a switch; one falls through. */
static int cases(int n)
{
    int a = 1, b = 2, c = 3;
    if (n < 2)
        return n;
    switch (n % 3) {
    case 0:
        a = cilk_spawn cases(n - 1);
        cilk_sync;
        b = a;
        break;
    case 1:
        b = cilk_spawn cases(n - 2);
    default:
        c = cilk_spawn cases(n / 2);
    }
    cilk_sync;
    return a + 2 * b + 3 * c;
}

/* Returns with two frames: that of the loop, which it was started with, and that of its last call. */
static int last(int n, int *at)
{
    int part[2] = {0, 0};
    if (n <= 0)
        return at ? *at : 1;
    cilk_spawn last(0, at);
    for (int i = 0; i < 2; i++)
        cilk_sync;
    part[1] = cilk_spawn last(n - 2, &part[0]);
    if (n != 3)
        return last(n - 1, at);
    cilk_sync;
    return part[1] * 2 + n;
}

/* n is 1 to 20. */
double all(int n)
{
    double total = 0;
    Board board = {{0}, n};
    Point point = {1, 2};
    int part = rounds(n);
    total += part;
    part = queens(board, 0, 4);
    total = total * 3 + part;
    double half = halves(n, 3);
    total = total * 3 + half;
    raise(grid, n);
    raise(grid, n);
    for (int i = 0; i < n; i++)
        total += grid[i] * i;
    part = early(n);
    total = total * 3 + part;
    part = early(2);
    total = total * 3 + part;
    point = middle(point, 2);
    total += point.x * 100 + point.y;
    part = turns(n % 10);
    total = total * 3 + part;
    part = last(5, 0);
    total = total * 3 + part;
    note(n % 5);
    cilk_spawn note(n % 3);
    part = cases(n);
    return total * 3 + part + data[63];
}
