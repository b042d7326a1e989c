/* The host's part of scalar products.
 *
 * Table 2: 1 kernel, 128 blocks of 256 threads, 6 of them on an SM. That is the SDK's grid; its 256 pairs of
 * vectors of 4,096 elements are taken as they are for sizes small and full: a block has two pairs. */
#include "claso/claso.h"

#include <stdlib.h>

enum { THREADS = 256, PAIRS_EACH = 2 };
static const uint32_t grids[INPUT_SIZES] = {[INPUT_TINY] = 3, [INPUT_SMALL] = 128, [INPUT_FULL] = 128};
static const int lengths[INPUT_SIZES] = {[INPUT_TINY] = 1500, [INPUT_SMALL] = 4096, [INPUT_FULL] = 4096};

static bool multiply(Host *host, uint32_t grid, int length, const float *a, const float *b, float *expected)
{
    const int vectors = (int)grid * PAIRS_EACH;
    const size_t bytes = (size_t)vectors * (size_t)length * sizeof *a;
    const uint64_t left = host_buffer(host, a, bytes), right = host_buffer(host, b, bytes);
    const uint64_t products = host_buffer(host, NULL, (size_t)vectors * sizeof(float));
    HOST_LAUNCH(host, "scalar_products", dim(grid, 1, 1), dim(THREADS, 1, 1), WB_ARG(left), WB_ARG(right),
                WB_ARG(products), WB_ARG(vectors), WB_ARG(length));
    for (int v = 0; v < vectors; v++) {
        double sum = 0;
        for (int i = 0; i < length; i++)
            sum += (double)a[v * length + i] * b[v * length + i];
        expected[v] = (float)sum;
    }
    const bool is_right = benchmark_near(host, products, expected, (size_t)vectors, 1e-5f);
    host_free(host, left), host_free(host, right), host_free(host, products);
    return is_right;
}

bool claso_sp_run(Host *host, const BenchmarkRun *run)
{
    const uint32_t grid = run->blocks ? run->blocks : grids[run->size], seed = benchmark_seed(run);
    const size_t count = (size_t)grid * PAIRS_EACH * (size_t)lengths[run->size];
    float *a = host_floats(host, count, seed), *b = host_floats(host, count, seed + 1);
    float *expected = host_array(host, (size_t)grid * PAIRS_EACH, sizeof *expected);
    const bool right = a && b && expected && multiply(host, grid, lengths[run->size], a, b, expected);
    free(a), free(b), free(expected);
    return right;
}
