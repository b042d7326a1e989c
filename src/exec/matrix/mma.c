/* mma and wmma.mma: d = a * b + c on fragments. Fragments are gathered into plain matrices, multiplied
 * by rows of d, and scattered again. Integer results are exact (modulo 2^32, or clamped); .f64 is a chain
 * of fused multiply-adds in ascending k; the narrow floating-point types go through matrix_dot().
 *
 * A d is a multiple of 8 columns wide; 8 are computed together, as a vector. */
#include <math.h>
#include <string.h>

#include "exec/handlers.h"
#include "exec/matrix/matrix.h"
#include "exec/matrix/dot.h"
#include "isa/float_bits.h"

enum { COLUMNS = DOT_COLUMNS, ELEMENTS_D = FRAGMENT_ELEMENTS / 4, ELEMENTS_F64 = 256 };

/* A number for each of neighbouring columns. */
typedef uint32_t Columns __attribute__((vector_size(COLUMNS * 4)));

/* All row by row. */
typedef struct Product {
    const Matrix *matrix;
    uint32_t a[FRAGMENT_ELEMENTS], b[FRAGMENT_ELEMENTS], c[ELEMENTS_D], d[ELEMENTS_D];
} Product;

static void multiply_float(Product *product)
{
    const Matrix *matrix = product->matrix;
    const unsigned k = matrix->a.cols, n = matrix->d.cols;
    DotFactors a, b;
    DotProducts dots = {.a = &a, .b = &b, .b_stride = matrix->b.cols, .length = k,
                        .c_type = matrix->c.type, .d_type = matrix->d.type};
    dot_factors_load(&a, matrix->a.type, product->a, matrix->a.rows * k);
    dot_factors_load(&b, matrix->b.type, product->b, matrix->b.cols * k);
    for (unsigned i = 0; i < matrix->d.rows; i++) {
        for (unsigned j = 0; j < n; j += COLUMNS) {
            dots.a_from = i * k;
            dots.b_from = matrix->quads ? i / 8 * 8 : j; /* quads: each 8 rows have columns of their own */
            matrix_dot(&dots, &product->c[i * n + j], &product->d[i * n + j]);
        }
    }
}

static void multiply_double(Step *step, const Matrix *matrix)
{
    const unsigned k = matrix->a.cols, n = matrix->d.cols;
    uint64_t a[ELEMENTS_F64], b[ELEMENTS_F64], d[ELEMENTS_F64];
    fragment_gather_wide(step, 1, &matrix->a, a);
    fragment_gather_wide(step, 2, &matrix->b, b);
    fragment_gather_wide(step, 3, &matrix->c, d);
    for (unsigned i = 0; i < matrix->d.rows; i++) {
        for (unsigned j = 0; j < n; j++) {
            f64 sum = float64(d[i * n + j]);
            for (unsigned l = 0; l < k; l++) {
                const f64 x = float64(a[i * k + l]), y = float64(b[l * n + j]);
                sum = propagate64(fma(x, y, sum), x, y, sum);
            }
            d[i * n + j] = bits64(sum);
        }
    }
    fragment_scatter_wide(step, 0, &matrix->d, d);
}

/* Elements of fewer than 32 bits, extended by their sign if they have one. */
static void to_integers(const Fragment *fragment, uint32_t *elements)
{
    const unsigned up = 32u - fragment->bits, count = fragment->rows * fragment->cols;
    if (!type_is_signed(fragment->type))
        return;
    for (unsigned i = 0; i < count; i++)
        elements[i] = (uint32_t)((int32_t)(elements[i] << up) >> up);
}

/* c plus the sums, modulo 2^32 or clamped. */
INLINE void accumulate(bool satfinite, const uint32_t *c, const Columns *sums, uint32_t *d)
{
    Columns before;
    memcpy(&before, c, sizeof before);
    const Columns after = before + *sums;
    const Columns over = -(((before ^ after) & (*sums ^ after)) >> 31) & -(uint32_t)satfinite;
    const Columns clamped = (before >> 31) + INT32_MAX, result = (over & clamped) | (~over & after);
    memcpy(d, &result, sizeof result);
}

static void multiply_integer(Product *product)
{
    const Matrix *matrix = product->matrix;
    const unsigned k = matrix->a.cols, n = matrix->d.cols;
    to_integers(&matrix->a, product->a);
    to_integers(&matrix->b, product->b);
    for (unsigned i = 0; i < matrix->d.rows; i++) {
        for (unsigned from = 0; from < n; from += COLUMNS) {
            Columns sums = {0}, b; /* at most 64 products of less than 2^16 each */
            for (unsigned l = 0; l < k; l++) {
                memcpy(&b, &product->b[l * n + from], sizeof b);
                sums += b * product->a[i * k + l];
            }
            accumulate(matrix->satfinite, &product->c[i * n + from], &sums, &product->d[i * n + from]);
        }
    }
}

static void multiply_bits(Product *product)
{
    const Matrix *matrix = product->matrix;
    const unsigned k = matrix->a.cols, n = matrix->d.cols;
    for (unsigned i = 0; i < matrix->d.rows; i++) {
        for (unsigned from = 0; from < n; from += COLUMNS) {
            Columns sums = {0};
            for (unsigned j = 0; j < COLUMNS; j++)
                for (unsigned l = 0; l < k; l++) {
                    const uint32_t a = product->a[i * k + l], b = product->b[l * n + from + j];
                    sums[j] += (uint32_t)__builtin_popcount(matrix->bitwise_and ? a & b : a ^ b);
                }
            accumulate(matrix->satfinite, &product->c[i * n + from], &sums, &product->d[i * n + from]);
        }
    }
}

StepResult exec_mma(Step *step)
{
    if (matrix_check(step) != STEP_NEXT)
        return STEP_ERROR;
    const Matrix *matrix = step->insn->detail;
    if (matrix->a.type == TYPE_f64) {
        multiply_double(step, matrix);
        return STEP_NEXT;
    }
    Product product;
    product.matrix = matrix;
    fragment_gather(step, 1, &matrix->a, product.a);
    fragment_gather(step, 2, &matrix->b, product.b);
    fragment_gather(step, 3, &matrix->c, product.c);
    if (matrix->a.type == TYPE_b1)
        multiply_bits(&product);
    else if (type_is_float(matrix->a.type))
        multiply_float(&product);
    else
        multiply_integer(&product);
    fragment_scatter(step, 0, &matrix->d, product.d);
    return STEP_NEXT;
}
