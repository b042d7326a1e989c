/* The host's part of quasirandom [CUDA SDK, quasirandomGenerator].
 *
 * The SDK makes 1,048,576 numbers in each of three dimensions: 128 blocks of 128 x 3 threads, 64 numbers
 * each, then 128 blocks of 128 threads that invert as many evenly spaced ones. Full is that. A thread of the
 * small size has 8 numbers; both have two rounds of the first kernel on 13 SMs with 5 blocks each. The rows
 * of the table are Sobol's, where the SDK has Niederreiter's: the kernel does not know. A seed other than 1
 * is where to begin. */
#include "saws/saws.h"

#include <math.h>
#include <stdlib.h>

enum { THREADS = 128, DIMENSIONS = 3, BITS = 31 }; /* as in quasirandom.cu */

static const struct {
    uint32_t blocks, each; /* numbers of a thread */
} sizes[INPUT_SIZES] = {[INPUT_TINY] = {2, 2}, [INPUT_SMALL] = {128, 8}, [INPUT_FULL] = {128, 64}};

/* Bits of a position reversed, then the recurrences of x + 1 and x^2 + x + 1. */
static void make_table(uint32_t table[DIMENSIONS][BITS])
{
    for (int bit = 0; bit < BITS; bit++) {
        const uint32_t *one = &table[1][bit], *two = &table[2][bit];
        table[0][bit] = 1u << (BITS - 1 - bit);
        table[1][bit] = bit ? one[-1] ^ one[-1] >> 1 : 1u << (BITS - 1);
        table[2][bit] =
            bit > 1 ? two[-1] ^ two[-2] ^ two[-2] >> 2 : (bit ? 3u << (BITS - 2) : 1u << (BITS - 1));
    }
}

static void generate(uint32_t table[DIMENSIONS][BITS], float *numbers, uint32_t seed, uint32_t count)
{
    for (uint32_t i = 0; i < DIMENSIONS * count; i++) {
        uint32_t number = 0;
        for (uint32_t bit = 0; bit < BITS; bit++)
            if ((seed + i % count) >> bit & 1)
                number ^= table[i / count][bit];
        numbers[i] = (float)(number + 1) * (1.0f / 2147483648.0f);
    }
}

static double normal(double x) { return 0.5 * erfc(-x * sqrt(0.5)); }

/* Whether the normal distribution reaches evenly spaced numbers at these places. The device computes
 * logarithms of what is small, so that places far out are less exact. */
static bool are_inverted(const float *places, uint32_t count)
{
    const uint32_t distance = UINT32_MAX / (count + 1);
    bool right = true;
    for (uint32_t i = 0; i < count; i++)
        right &= fabs(normal(places[i]) - (double)((i + 1) * distance >> 1) / 2147483648.0) < 1e-6;
    return right;
}

static bool launch(Host *host, uint32_t table[DIMENSIONS][BITS], float *numbers, uint32_t grid,
                   uint32_t count, uint32_t seed)
{
    const uint32_t all = DIMENSIONS * count;
    const size_t bytes = all * sizeof(float);
    const uint64_t output = host_buffer(host, NULL, bytes);
    host_write(host, host_symbol(host, "table"), table, sizeof(uint32_t[DIMENSIONS][BITS]));
    HOST_LAUNCH(host, "generate", dim(grid, 1, 1), dim(THREADS, DIMENSIONS, 1), WB_ARG(output), WB_ARG(seed),
                WB_ARG(count));
    generate(table, numbers, seed, count);
    bool right = host_equals(host, output, numbers, bytes);
    HOST_LAUNCH(host, "invert_all", dim(grid, 1, 1), dim(THREADS, 1, 1), WB_ARG(output), WB_ARG(all));
    host_read(host, numbers, output, bytes);
    right &= are_inverted(numbers, all);
    host_free(host, output);
    return right;
}

bool saws_quasirandom_run(Host *host, const BenchmarkRun *run)
{
    const uint32_t grid = run->blocks ? run->blocks : sizes[run->size].blocks,
                   count = grid * THREADS * sizes[run->size].each;
    uint32_t table[DIMENSIONS][BITS];
    float *numbers = host_array(host, (size_t)DIMENSIONS * count, sizeof *numbers);
    make_table(table);
    const bool right = numbers && launch(host, table, numbers, grid, count, benchmark_seed(run) - 1);
    free(numbers);
    return right;
}
