/* The host's part of gaussian [Rodinia].
 *
 * Rodinia's usual input is a matrix of 208 rows, solved by 207 pairs of launches: 1 block of 512 threads, and
 * 52 x 52 of 4 x 4, six rounds on 13 SMs with 32 blocks each. Full is that. Small has the first 16 columns of
 * it: a launch is like the one before, if a little smaller. The matrix is Rodinia's own, symmetric with
 * 10 exp(-0.01 d) at a distance d from the diagonal. Results are equal to the last bit; the system is not
 * solved further, which Rodinia does on the host. */
#include "saws/saws.h"

#include <math.h>
#include <stdlib.h>

enum { FACTOR_THREADS = 512, SIDE = 4 }; /* of blocks, as in gaussian.cu */

static const struct {
    uint32_t rows, columns; /* of the matrix, and eliminated */
} sizes[INPUT_SIZES] = {[INPUT_TINY] = {10, 4}, [INPUT_SMALL] = {208, 16}, [INPUT_FULL] = {208, 207}};

static void eliminate(float *matrix, float *right, uint32_t size, uint32_t column)
{
    const float *pivot = &matrix[column * size];
    for (uint32_t y = column + 1; y < size; y++) {
        float *row = &matrix[y * size];
        const float by = row[column] / pivot[column];
        for (uint32_t x = column; x < size; x++)
            row[x] = fmaf(-by, pivot[x], row[x]);
        right[y] = fmaf(-by, right[column], right[y]);
    }
}

static bool launch(Host *host, float *matrix, float *right, uint32_t size, uint32_t columns)
{
    const size_t bytes = (size_t)size * size * sizeof(float), row = size * sizeof(float);
    const uint64_t factors = host_buffer(host, NULL, bytes), left = host_buffer(host, matrix, bytes),
                   sides = host_buffer(host, right, row);
    const uint32_t grid = (size + SIDE - 1) / SIDE;
    for (uint32_t column = 0; column < columns; column++) {
        HOST_LAUNCH(host, "fan1", dim((size + FACTOR_THREADS - 1) / FACTOR_THREADS, 1, 1),
                    dim(FACTOR_THREADS, 1, 1), WB_ARG(factors), WB_ARG(left), WB_ARG(size), WB_ARG(column));
        HOST_LAUNCH(host, "fan2", dim(grid, grid, 1), dim(SIDE, SIDE, 1), WB_ARG(factors), WB_ARG(left),
                    WB_ARG(sides), WB_ARG(size), WB_ARG(column));
        eliminate(matrix, right, size, column);
    }
    const bool is_right = host_equals(host, left, matrix, bytes) && host_equals(host, sides, right, row);
    host_free(host, factors), host_free(host, left), host_free(host, sides);
    return is_right;
}

bool saws_gaussian_run(Host *host, const BenchmarkRun *run)
{
    const uint32_t size = run->blocks ? (uint32_t)sqrt(run->blocks) * SIDE : sizes[run->size].rows;
    const uint32_t most = sizes[run->size].columns, columns = size - 1 < most ? size - 1 : most;
    float *matrix = host_array(host, (size_t)size * size, sizeof *matrix),
          *right = host_floats(host, size, benchmark_seed(run));
    const bool made = matrix && right;
    for (uint32_t i = 0; made && i < size * size; i++) {
        const int distance = (int)(i / size) - (int)(i % size);
        matrix[i] = 10 * expf(-0.01f * (float)abs(distance));
    }
    const bool is_right = made && launch(host, matrix, right, size, columns);
    free(matrix), free(right);
    return is_right;
}
