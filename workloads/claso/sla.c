/* The host's part of the scan of large arrays.
 *
 * Table 2: 6 kernels, 387 blocks of 256 threads, 6 of them on an SM. The paper does not say which arrays.
 * Three kernels scan a batch of arrays; an array of 64 blocks of 1,024 elements takes 64 + 1 + 64 blocks.
 * Scanned once alone and once as a batch of two that makes 6 kernels and 129 + 258 = 387 blocks, and so
 * are sizes small and full. */
#include "claso/claso.h"

#include <stdlib.h>

enum { THREADS = 256, BLOCK_ELEMENTS = 1024, MOST_ARRAYS = 2 };
/* Blocks of an array: a power of two up to 256. */
static const uint32_t lengths[INPUT_SIZES] = {[INPUT_TINY] = 2, [INPUT_SMALL] = 64, [INPUT_FULL] = 64};

/* Invariant: `values` and `expected` have MOST_ARRAYS arrays of `blocks` blocks. */
typedef struct Arrays {
    uint32_t blocks; /* of each */
    uint32_t *values, *expected;
} Arrays;

static void make(const Arrays *arrays, uint32_t seed)
{
    const size_t length = (size_t)arrays->blocks * BLOCK_ELEMENTS;
    uint32_t sum = 0;
    for (size_t i = 0; i < MOST_ARRAYS * length; i++) {
        sum = i % length == 0 ? 0 : sum;
        arrays->values[i] = random_next(&seed) >> 16;
        arrays->expected[i] = sum;
        sum += arrays->values[i];
    }
}

static bool scan(Host *host, const Arrays *arrays, uint32_t batch)
{
    const uint32_t blocks = arrays->blocks * batch;
    const size_t bytes = (size_t)blocks * BLOCK_ELEMENTS * sizeof *arrays->values;
    const uint64_t from = host_buffer(host, arrays->values, bytes), to = host_buffer(host, NULL, bytes);
    const uint64_t offsets = host_buffer(host, NULL, blocks * sizeof(uint32_t));
    HOST_LAUNCH(host, "scan_blocks", dim(blocks, 1, 1), dim(THREADS, 1, 1), WB_ARG(to), WB_ARG(from));
    HOST_LAUNCH(host, "scan_sums", dim(batch, 1, 1), dim(THREADS, 1, 1), WB_ARG(offsets), WB_ARG(to),
                WB_ARG(from), WB_ARG(arrays->blocks));
    HOST_LAUNCH(host, "add_offsets", dim(blocks, 1, 1), dim(THREADS, 1, 1), WB_ARG(to), WB_ARG(offsets));
    const bool right = host_equals(host, to, arrays->expected, bytes);
    host_free(host, from), host_free(host, to), host_free(host, offsets);
    return right;
}

/* The power of two below, within what a block can scan. */
static uint32_t power_of_two(uint32_t most)
{
    uint32_t power = 1;
    while (power < THREADS && power * 2 <= most)
        power *= 2;
    return power;
}

bool claso_sla_run(Host *host, const BenchmarkRun *run)
{
    Arrays arrays = {.blocks = power_of_two(run->blocks ? run->blocks : lengths[run->size])};
    const size_t count = (size_t)MOST_ARRAYS * arrays.blocks * BLOCK_ELEMENTS;
    arrays.values = host_array(host, count, sizeof *arrays.values);
    arrays.expected = host_array(host, count, sizeof *arrays.expected);
    bool right = arrays.values && arrays.expected;
    if (right)
        make(&arrays, benchmark_seed(run));
    for (uint32_t batch = 1; batch <= MOST_ARRAYS; batch++)
        right = right && scan(host, &arrays, batch);
    free(arrays.values), free(arrays.expected);
    return right;
}
