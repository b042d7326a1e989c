/* The product of two matrices of n by n, as Strassen found: seven products of quarters instead of eight, and
 * eighteen sums of them. Products end at 16 by 16; sums are cut into squares of that size as well.
 *
 * A product of side s keeps its operands and results in the working space: ten sums and seven products of
 * (s/2) by (s/2), and behind them what its seven products need for themselves. */
enum { MOST = 512, BASE = 16, WORK = 22895872 /* space_of(MOST) */ };

static float a[MOST * MOST], b[MOST * MOST], c[MOST * MOST], work[WORK];

/* A square inside of a larger one, whose rows are `width` apart. */
typedef struct Square {
    float *at;
    int width;
} Square;

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
    }
}

/* Numbers that a product of that side works with. */
static int space_of(int side)
{
    int space = 0, times = 1;
    for (; side > BASE; side /= 2, times *= 7)
        space += times * 17 * (side / 2) * (side / 2);
    return space;
}

static Square part(Square of, int row, int column, int half)
{
    Square inside = {of.at + row * half * of.width + column * half, of.width};
    return inside;
}

static void add_here(Square to, Square x, Square y, float sign)
{
    for (int row = 0; row < BASE; row++)
        for (int column = 0; column < BASE; column++)
            to.at[row * to.width + column] = x.at[row * x.width + column] + sign * y.at[row * y.width + column];
}

/* to = x + sign * y */
static void add(Square to, Square x, Square y, float sign, int side)
{
    if (side == BASE) {
        add_here(to, x, y, sign);
        return;
    }
    int half = side / 2;
    for (int i = 0; i < 4; i++)
        cilk_spawn add(part(to, i / 2, i % 2, half), part(x, i / 2, i % 2, half), part(y, i / 2, i % 2, half), sign,
                       half);
}

/* to = x + sign * y + z - w, where z and w may be left out */
static void combine(Square to, Square x, Square y, Square z, Square w, float sign, int side)
{
    int half = side / 2;
    if (side > BASE) {
        for (int i = 0; i < 4; i++) {
            int row = i / 2, column = i % 2;
            cilk_spawn combine(part(to, row, column, half), part(x, row, column, half), part(y, row, column, half),
                               z.at ? part(z, row, column, half) : z, w.at ? part(w, row, column, half) : w, sign,
                               half);
        }
        return;
    }
    for (int row = 0; row < BASE; row++)
        for (int column = 0; column < BASE; column++) {
            float sum = x.at[row * x.width + column] + sign * y.at[row * y.width + column];
            if (z.at)
                sum += z.at[row * z.width + column];
            if (w.at)
                sum -= w.at[row * w.width + column];
            to.at[row * to.width + column] = sum;
        }
}

static void multiply_here(Square to, Square x, Square y)
{
    for (int row = 0; row < BASE; row++)
        for (int column = 0; column < BASE; column++) {
            float sum = 0;
            for (int i = 0; i < BASE; i++)
                sum += x.at[row * x.width + i] * y.at[i * y.width + column];
            to.at[row * to.width + column] = sum;
        }
}

/* The square `number` of the working space. */
static Square temporary(float *space, int number, int half)
{
    Square square = {space + number * half * half, half};
    return square;
}

static void multiply(Square to, Square x, Square y, float *space, int side)
{
    if (side == BASE) {
        multiply_here(to, x, y);
        return;
    }
    int half = side / 2, below = space_of(half);
    Square x11 = part(x, 0, 0, half), x12 = part(x, 0, 1, half), x21 = part(x, 1, 0, half);
    Square x22 = part(x, 1, 1, half), y11 = part(y, 0, 0, half), y12 = part(y, 0, 1, half);
    Square y21 = part(y, 1, 0, half), y22 = part(y, 1, 1, half);
    cilk_spawn add(temporary(space, 0, half), x11, x22, 1, half);
    cilk_spawn add(temporary(space, 1, half), y11, y22, 1, half);
    cilk_spawn add(temporary(space, 2, half), x21, x22, 1, half);
    cilk_spawn add(temporary(space, 3, half), y12, y22, -1, half);
    cilk_spawn add(temporary(space, 4, half), y21, y11, -1, half);
    cilk_spawn add(temporary(space, 5, half), x11, x12, 1, half);
    cilk_spawn add(temporary(space, 6, half), x21, x11, -1, half);
    cilk_spawn add(temporary(space, 7, half), y11, y12, 1, half);
    cilk_spawn add(temporary(space, 8, half), x12, x22, -1, half);
    cilk_spawn add(temporary(space, 9, half), y21, y22, 1, half);
    cilk_sync;
    for (int i = 0; i < 7; i++) {
        Square left, right;
        left = i == 0 ? temporary(space, 0, half) : i == 1 ? temporary(space, 2, half)
               : i == 2 ? part(x, 0, 0, half) : i == 3 ? part(x, 1, 1, half)
               : i == 4 ? temporary(space, 5, half) : i == 5 ? temporary(space, 6, half)
                                                             : temporary(space, 8, half);
        right = i == 0 ? temporary(space, 1, half) : i == 1 ? part(y, 0, 0, half)
                : i == 2 ? temporary(space, 3, half) : i == 3 ? temporary(space, 4, half)
                : i == 4 ? part(y, 1, 1, half) : i == 5 ? temporary(space, 7, half)
                                                        : temporary(space, 9, half);
        cilk_spawn multiply(temporary(space, 10 + i, half), left, right, space + 17 * half * half + i * below,
                            half);
    }
    cilk_sync;
    Square none = {0, 0};
    Square m1 = temporary(space, 10, half), m2 = temporary(space, 11, half), m3 = temporary(space, 12, half);
    Square m4 = temporary(space, 13, half), m5 = temporary(space, 14, half);
    cilk_spawn combine(part(to, 0, 0, half), m1, m4, temporary(space, 16, half), m5, 1, half);
    cilk_spawn combine(part(to, 0, 1, half), m3, m5, none, none, 1, half);
    cilk_spawn combine(part(to, 1, 0, half), m2, m4, none, none, 1, half);
    cilk_spawn combine(part(to, 1, 1, half), m1, m2, m3, none, -1, half);
    cilk_sync;
    add(part(to, 1, 1, half), part(to, 1, 1, half), temporary(space, 15, half), 1, half);
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
unsigned strassen(int n)
{
    Square left = {a, n}, right = {b, n}, to = {c, n};
    fill(0, n, n);
    multiply(to, left, right, work, n);
    unsigned sum = cilk_spawn check(0, n, n);
    cilk_sync;
    return sum;
}
