/* The product of two matrices of n by n, by recursive division: each quarter of the result is the sum of two
 * products of quarters, one behind the other, so that no two tasks add to the same numbers. */
enum { MOST = 512, BASE = 16 };

static float a[MOST * MOST], b[MOST * MOST], c[MOST * MOST];

/* Small whole numbers, so that every sum is exact. */
static float number(unsigned at) { return (float)((int)((at * 2654435761u) >> 30) - 1) * (float)(at % 3 != 0); }

static void fill(int row, int rows, int n)
{
    if (rows > 1) {
        cilk_spawn fill(row, rows / 2, n);
        cilk_spawn fill(row + rows / 2, rows - rows / 2, n);
        return;
    }
    for (int column = 0; column < n; column++) {
        int at = row * n + column;
        a[at] = number((unsigned)at);
        b[at] = number((unsigned)at * 7 + 3);
        c[at] = 0;
    }
}

static void multiply_here(const float *left, const float *right, float *to, int n)
{
    for (int row = 0; row < BASE; row++)
        for (int column = 0; column < BASE; column++) {
            float sum = to[row * n + column];
            for (int i = 0; i < BASE; i++)
                sum += left[row * n + i] * right[i * n + column];
            to[row * n + column] = sum;
        }
}

static void multiply(const float *left, const float *right, float *to, int side, int n)
{
    if (side == BASE) {
        multiply_here(left, right, to, n);
        return;
    }
    int half = side / 2, down = half * n;
    for (int inner = 0; inner < 2; inner++) {
        const float *l = left + inner * half, *r = right + inner * down;
        cilk_spawn multiply(l, r, to, half, n);
        cilk_spawn multiply(l, r + half, to + half, half, n);
        cilk_spawn multiply(l + down, r, to + down, half, n);
        cilk_spawn multiply(l + down, r + half, to + down + half, half, n);
        cilk_sync;
    }
}

static unsigned check(int row, int rows, int n)
{
    unsigned sum = 0;
    if (rows > 1) {
        unsigned up = cilk_spawn check(row, rows / 2, n);
        unsigned down = cilk_spawn check(row + rows / 2, rows - rows / 2, n);
        cilk_sync;
        return up + down;
    }
    for (int at = row * n; at < row * n + n; at++)
        sum += (unsigned)(int)c[at] * ((unsigned)at * 40503u + 1);
    return sum;
}

/* n is 16, 32, 64 and so on, MOST at most. */
unsigned matmul(int n)
{
    fill(0, n, n);
    multiply(a, b, c, n, n);
    unsigned sum = cilk_spawn check(0, n, n);
    cilk_sync;
    return sum;
}
