/* The host's part of spmv [Parboil].
 *
 * Parboil's large matrix is Dubcova3: finite elements on a square of 383 x 383 nodes, 146,689 rows with 3.6
 * million entries, 49 in a row at most; blocks have 192 threads. The file is replaced by a matrix of the same
 * kind: a node at even coordinates is joined with the 7 x 7 nodes around it, one at odd coordinates with 3 x
 * 3, others with 7 x 3 or 3 x 7, which makes 25 entries a row. Full has the published nodes. Small has 280 x
 * 280, 409 blocks, four rounds on 13 SMs with 8 blocks each. Parboil multiplies 50 times for its timing; here
 * once. Products are fused and in one order, so that results are equal to the last bit. */
#include "saws/saws.h"

#include <math.h>
#include <stdlib.h>

enum { THREADS = 192, WARP = 32, MOST = 5000, LONGEST = 49 }; /* as in spmv.cu */

static const uint32_t sides[INPUT_SIZES] = {[INPUT_TINY] = 30, [INPUT_SMALL] = 280, [INPUT_FULL] = 383};

/* A matrix in jagged diagonals. Invariant: row i of `padded`, a multiple of WARP, is row place[i] of the
 * problem if i < rows; its entry k is value[start[k] + i] for k < length[i / WARP]. Lengths do not grow. */
typedef struct Jagged {
    uint32_t side, rows, padded, entries;
    int32_t start[LONGEST], length[MOST], *place, *column;
    float *value;
} Jagged;

/* The first node, and how many, that one is joined with in a direction of which this is its coordinate. */
static uint32_t first(uint32_t at)
{
    const uint32_t reach = at % 2 ? 1 : 3;
    return at < reach ? 0 : at - reach;
}
static uint32_t extent(uint32_t side, uint32_t at)
{
    const uint32_t end = at + (at % 2 ? 1 : 3) + 1;
    return (end < side ? end : side) - first(at);
}

/* Columns of a row, ascending; returns their number. */
static uint32_t list_columns(uint32_t side, uint32_t row, int32_t columns[LONGEST])
{
    const uint32_t x = first(row % side), y = first(row / side), wide = extent(side, row % side),
                   high = extent(side, row / side);
    for (uint32_t v = 0; v < high; v++)
        for (uint32_t u = 0; u < wide; u++)
            columns[v * wide + u] = (int32_t)((y + v) * side + x + u);
    return wide * high;
}

/* Sorts rows by length, longest first, and leaves them in their order else. */
static void sort_rows(Jagged *matrix)
{
    uint32_t at = 0;
    for (uint32_t length = LONGEST; length > 0; length--)
        for (uint32_t row = 0; row < matrix->rows; row++)
            if (extent(matrix->side, row % matrix->side) * extent(matrix->side, row / matrix->side) ==
                length) {
                if (at % WARP == 0)
                    matrix->length[at / WARP] = (int32_t)length;
                matrix->place[at++] = (int32_t)row;
            }
}

/* The diagonals' starts, of warps' lengths. */
static void lay_out(Jagged *matrix)
{
    for (int32_t k = 0; k < LONGEST; k++) {
        matrix->start[k] = (int32_t)matrix->entries;
        for (uint32_t warp = 0; warp < matrix->padded / WARP && matrix->length[warp] > k; warp++)
            matrix->entries += WARP;
    }
}

static void fill(Jagged *matrix, uint32_t seed)
{
    for (uint32_t i = 0; i < matrix->rows; i++) {
        int32_t columns[LONGEST];
        const uint32_t count = list_columns(matrix->side, (uint32_t)matrix->place[i], columns);
        for (uint32_t k = 0; k < count; k++) {
            matrix->column[(uint32_t)matrix->start[k] + i] = columns[k];
            matrix->value[(uint32_t)matrix->start[k] + i] = random_float(&seed);
        }
    }
}

static bool make_matrix(Host *host, const BenchmarkRun *run, Jagged *matrix)
{
    const double wished = run->blocks ? sqrt((double)run->blocks * THREADS) : sides[run->size];
    const double largest = sqrt(MOST * WARP);
    matrix->side = (uint32_t)fmin(wished, largest);
    matrix->rows = matrix->side * matrix->side;
    matrix->padded = (matrix->rows + WARP - 1) / WARP * WARP;
    matrix->place = host_array(host, matrix->padded, sizeof(int32_t));
    if (!matrix->place)
        return false;
    sort_rows(matrix);
    lay_out(matrix);
    matrix->column = host_array(host, matrix->entries, sizeof(int32_t));
    matrix->value = host_array(host, matrix->entries, sizeof(float));
    if (matrix->column && matrix->value)
        fill(matrix, benchmark_seed(run));
    return matrix->column && matrix->value;
}

static void multiply(const Jagged *matrix, const float *vector, float *product)
{
    for (uint32_t i = 0; i < matrix->rows; i++) {
        float sum = 0;
        for (int32_t k = 0; k < matrix->length[i / WARP]; k++) {
            const uint32_t at = (uint32_t)matrix->start[k] + i;
            sum = fmaf(matrix->value[at], vector[matrix->column[at]], sum);
        }
        product[matrix->place[i]] = sum;
    }
}

static bool launch(Host *host, const Jagged *matrix, const float *vector, const float *expected)
{
    const size_t bytes = matrix->rows * sizeof(float), entries = matrix->entries * sizeof(float);
    const uint64_t product = host_buffer(host, NULL, bytes),
                   value = host_buffer(host, matrix->value, entries),
                   column = host_buffer(host, matrix->column, entries),
                   place = host_buffer(host, matrix->place, matrix->padded * sizeof *matrix->place),
                   in = host_buffer(host, vector, bytes);
    host_write(host, host_symbol(host, "diagonal"), matrix->start, sizeof matrix->start);
    host_write(host, host_symbol(host, "warp_length"), matrix->length, sizeof matrix->length);
    HOST_LAUNCH(host, "spmv", dim((matrix->rows + THREADS - 1) / THREADS, 1, 1), dim(THREADS, 1, 1),
                WB_ARG(product), WB_ARG(value), WB_ARG(column), WB_ARG(place), WB_ARG(in),
                WB_ARG(matrix->rows));
    const bool right = host_equals(host, product, expected, bytes);
    host_free(host, product), host_free(host, value), host_free(host, column), host_free(host, place);
    host_free(host, in);
    return right;
}

bool saws_spmv_run(Host *host, const BenchmarkRun *run)
{
    Jagged matrix = {0};
    const bool made = make_matrix(host, run, &matrix);
    float *vector = host_floats(host, matrix.rows, benchmark_seed(run) + 1),
          *product = host_array(host, matrix.rows, sizeof *product);
    bool right = made && vector && product;
    if (right) {
        multiply(&matrix, vector, product);
        right = launch(host, &matrix, vector, product);
    }
    free(matrix.place), free(matrix.column), free(matrix.value), free(vector), free(product);
    return right;
}
