/* The host's part of the product of matrices.
 *
 * Parboil's medium input is A of 1,024 x 992 and B of 992 x 1,056, so 8 x 66 blocks of 128 threads, each
 * with 124 steps of two barriers: the full size. The small size has 8 x 52 blocks, where 156 fit on gtx970
 * at once, 12 on an SM, and 8 steps. */
#include <math.h>
#include <stdlib.h>

#include "saws/saws.h"

enum { WIDTH = 16, STEP = 8, THREADS = WIDTH * STEP }; /* as in sgemm.cu */

/* Blocks across and down, and the depth of the product. */
typedef struct Shape {
    uint32_t x, y, depth;
} Shape;
static const Shape shapes[INPUT_SIZES] = {
    [INPUT_TINY] = {1, 3, 24}, [INPUT_SMALL] = {8, 52, 64}, [INPUT_FULL] = {8, 66, 992}};
static const float alpha = 1.25f, beta = 0.5f;

typedef struct Product {
    size_t rows, columns, depth;
    float *a, *b, *c;
} Product;

/* In place; elements see the same operations in the same order as in sgemm.cu. */
static bool multiply(Host *host, const Product *product)
{
    float *sums = host_array(host, product->rows, sizeof *sums);
    for (size_t column = 0; sums && column < product->columns; column++) {
        for (size_t row = 0; row < product->rows; row++)
            sums[row] = 0;
        for (size_t k = 0; k < product->depth; k++)
            for (size_t row = 0; row < product->rows; row++)
                sums[row] = fmaf(product->a[k * product->rows + row],
                                 product->b[k * product->columns + column], sums[row]);
        float *c = &product->c[column * product->rows];
        for (size_t row = 0; row < product->rows; row++)
            c[row] = fmaf(alpha, sums[row], beta * c[row]);
    }
    free(sums);
    return sums != NULL;
}

static bool launch(Host *host, const Product *product)
{
    const size_t c_bytes = product->rows * product->columns * sizeof(float);
    const uint64_t a = host_buffer(host, product->a, product->rows * product->depth * sizeof(float));
    const uint64_t b = host_buffer(host, product->b, product->columns * product->depth * sizeof(float));
    const uint64_t c = host_buffer(host, product->c, c_bytes);
    const int rows = (int)product->rows, columns = (int)product->columns, depth = (int)product->depth;
    HOST_LAUNCH(host, "sgemm", dim((uint32_t)rows / THREADS, (uint32_t)columns / WIDTH, 1),
                dim(WIDTH, STEP, 1), WB_ARG(a), WB_ARG(b), WB_ARG(c), WB_ARG(rows), WB_ARG(columns),
                WB_ARG(depth), WB_ARG(alpha), WB_ARG(beta));
    const bool right = multiply(host, product) && host_equals(host, c, product->c, c_bytes);
    host_free(host, a), host_free(host, b), host_free(host, c);
    return right;
}

bool saws_sgemm_run(Host *host, const BenchmarkRun *run)
{
    const Shape shape = shapes[run->size];
    const size_t rows = (size_t)shape.x * THREADS, depth = shape.depth;
    const size_t columns = (size_t)benchmark_rows(run, shape.x, shape.y) * WIDTH;
    float *values = host_floats(host, rows * depth + columns * depth + rows * columns, benchmark_seed(run));
    if (!values)
        return false;
    float *b = values + rows * depth;
    const bool right = launch(host, &(Product){rows, columns, depth, values, b, b + columns * depth});
    free(values);
    return right;
}
