/* Heat that spreads over a plate of n by n, after the program of the MIT Cilk distribution: in each step every
 * inner point becomes the mean of itself and of its four neighbours, row by row, from one grid into the other.
 */
enum { MOST = 1024, ROWS = 1 };

static double grids[2][MOST][MOST];

static void fill(int row, int rows, int n)
{
    if (rows > ROWS) {
        cilk_spawn fill(row, rows / 2, n);
        cilk_spawn fill(row + rows / 2, rows - rows / 2, n);
        return;
    }
    for (int column = 0; column < n; column++) {
        double x = column * 1.0 / n, y = row * 1.0 / n;
        double heat = row == 0 || column == 0 ? 1.0 + x * y : x * (1.0 - y);
        grids[0][row][column] = grids[1][row][column] = heat;
    }
}

static void spread(int from, int row, int rows, int n)
{
    if (rows > ROWS) {
        cilk_spawn spread(from, row, rows / 2, n);
        cilk_spawn spread(from, row + rows / 2, rows - rows / 2, n);
        return;
    }
    double (*old)[MOST] = grids[from];
    for (int column = 1; column < n - 1; column++) {
        double around = old[row - 1][column] + old[row + 1][column] + old[row][column - 1] + old[row][column + 1];
        grids[1 - from][row][column] = old[row][column] * 0.5 + around * 0.125;
    }
}

static double total(int from, int row, int rows, int n)
{
    double sum = 0;
    if (rows > ROWS) {
        double up = cilk_spawn total(from, row, rows / 2, n);
        double down = cilk_spawn total(from, row + rows / 2, rows - rows / 2, n);
        cilk_sync;
        return up + down;
    }
    for (int column = 0; column < n; column++)
        sum += grids[from][row][column];
    return sum;
}

/* All heat after `steps` steps; n is from 3 to MOST. */
double heat(int n, int steps)
{
    cilk_spawn fill(0, n, n);
    cilk_sync;
    for (int step = 0; step < steps; step++) {
        cilk_spawn spread(step % 2, 1, n - 2, n);
        cilk_sync;
    }
    double sum = cilk_spawn total(steps % 2, 0, n, n);
    cilk_sync;
    return sum;
}
