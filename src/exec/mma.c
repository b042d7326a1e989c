/* mma and wmma.mma: d = a * b + c on fragments. Fragments are gathered into plain matrices, multiplied
 * element by element of d, and scattered again. Integer results are exact (modulo 2^32, or clamped);
 * .f64 is a chain of fused multiply-adds in ascending k; the narrow floating-point types go through
 * matrix_dot(). */
#include <math.h>

#include "exec/handlers.h"
#include "exec/matrix.h"
#include "exec/matrix_dot.h"
#include "isa/float_bits.h"

/* a row by row, b column by column, c and d row by row. */
typedef struct Product {
    const Matrix *matrix;
    uint64_t a[FRAGMENT_ELEMENTS], b[FRAGMENT_ELEMENTS], c[FRAGMENT_ELEMENTS / 4], d[FRAGMENT_ELEMENTS / 4];
} Product;

/* The column of B that belongs to an element of D. */
static unsigned column_of(const Matrix *matrix, unsigned row, unsigned col)
{
    return matrix->quads ? row / 8 * 8 + col : col;
}

static void multiply_float(Product *product)
{
    const Matrix *matrix = product->matrix;
    const unsigned k = matrix->a.cols;
    DotVector rows[LANES], columns[LANES];
    for (unsigned i = 0; i < matrix->a.rows; i++)
        dot_vector_load(&rows[i], matrix->a.type, &product->a[i * k], k);
    for (unsigned j = 0; j < matrix->b.cols; j++)
        dot_vector_load(&columns[j], matrix->b.type, &product->b[j * k], k);
    for (unsigned i = 0; i < matrix->d.rows; i++) {
        for (unsigned j = 0; j < matrix->d.cols; j++) {
            unsigned at = i * matrix->d.cols + j;
            product->d[at] = matrix_dot(&rows[i], &columns[column_of(matrix, i, j)], k, matrix->c.type,
                                        (uint32_t)product->c[at], matrix->d.type);
        }
    }
}

static void multiply_double(Product *product)
{
    const Matrix *matrix = product->matrix;
    const unsigned k = matrix->a.cols;
    for (unsigned i = 0; i < matrix->d.rows; i++) {
        for (unsigned j = 0; j < matrix->d.cols; j++) {
            unsigned at = i * matrix->d.cols + j;
            f64 sum = float64(product->c[at]);
            for (unsigned l = 0; l < k; l++) {
                const f64 a = float64(product->a[i * k + l]), b = float64(product->b[j * k + l]);
                sum = propagate64(fma(a, b, sum), a, b, sum);
            }
            product->d[at] = bits64(sum);
        }
    }
}

static int32_t to_integer(Type type, unsigned bits, uint64_t value)
{
    if (!type_is_signed(type))
        return (int32_t)value;
    return (int32_t)((uint32_t)value << (32 - bits)) >> (32 - bits);
}

static uint32_t accumulate(const Matrix *matrix, uint32_t c, int64_t sum)
{
    sum += (int32_t)c;
    if (matrix->satfinite)
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (uint32_t)sum;
}

static void multiply_integer(Product *product)
{
    const Matrix *matrix = product->matrix;
    const unsigned k = matrix->a.cols;
    int32_t a[FRAGMENT_ELEMENTS], b[FRAGMENT_ELEMENTS];
    for (unsigned i = 0; i < matrix->a.rows * k; i++)
        a[i] = to_integer(matrix->a.type, matrix->a.bits, product->a[i]);
    for (unsigned i = 0; i < matrix->b.cols * k; i++)
        b[i] = to_integer(matrix->b.type, matrix->b.bits, product->b[i]);
    for (unsigned i = 0; i < matrix->d.rows; i++) {
        for (unsigned j = 0; j < matrix->d.cols; j++) {
            unsigned at = i * matrix->d.cols + j;
            int32_t sum = 0; /* at most 64 products of less than 2^16 each */
            for (unsigned l = 0; l < k; l++)
                sum += a[i * k + l] * b[j * k + l];
            product->d[at] = accumulate(matrix, (uint32_t)product->c[at], sum);
        }
    }
}

static void multiply_bits(Product *product)
{
    const Matrix *matrix = product->matrix;
    const unsigned k = matrix->a.cols;
    for (unsigned i = 0; i < matrix->d.rows; i++) {
        for (unsigned j = 0; j < matrix->d.cols; j++) {
            unsigned at = i * matrix->d.cols + j;
            int32_t sum = 0;
            for (unsigned l = 0; l < k; l++) {
                uint64_t a = product->a[i * k + l], b = product->b[j * k + l];
                sum += __builtin_popcountll(matrix->bitwise_and ? a & b : a ^ b);
            }
            product->d[at] = accumulate(matrix, (uint32_t)product->c[at], sum);
        }
    }
}

StepResult exec_mma(Step *step)
{
    if (matrix_check(step) != STEP_NEXT)
        return STEP_ERROR;
    const Matrix *matrix = step->insn->detail;
    Product product;
    product.matrix = matrix;
    fragment_gather(step, 1, &matrix->a, false, product.a);
    fragment_gather(step, 2, &matrix->b, true, product.b);
    fragment_gather(step, 3, &matrix->c, false, product.c);
    if (matrix->a.type == TYPE_f64)
        multiply_double(&product);
    else if (matrix->a.type == TYPE_b1)
        multiply_bits(&product);
    else if (type_is_float(matrix->a.type))
        multiply_float(&product);
    else
        multiply_integer(&product);
    fragment_scatter(step, 0, &matrix->d, product.d);
    return STEP_NEXT;
}
