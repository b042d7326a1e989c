/* The host's part of options by Monte Carlo.
 *
 * Table 2: 2 kernels, 384 blocks, 192 threads on average, 8 and 5 of them on an SM. That is the SDK's
 * program with its 256 options: 128 blocks of 128 threads make the samples, 256 blocks of 256 threads have
 * an option each. The SDK has 2^18 paths: the full size. The small one has 2^15, so that a thread of the
 * second kernel follows 128 paths instead of 1,024. Spot prices are from 5 to 50, strikes from 10 to 25,
 * years from 1 to 5, the riskless rate is 0.06, the volatility 0.1, as in the SDK. */
#include "claso/claso.h"

#include <math.h>
#include <stdlib.h>

enum { SAMPLE_BLOCKS = 128, SAMPLE_THREADS = 128, THREADS = 256, MOST_OPTIONS = 512 /* as in mc.cu */ };
static const uint32_t counts[INPUT_SIZES] = {[INPUT_TINY] = 3, [INPUT_SMALL] = 256, [INPUT_FULL] = 256};
static const int paths[INPUT_SIZES] = {[INPUT_TINY] = 2000, [INPUT_SMALL] = 1 << 15, [INPUT_FULL] = 1 << 18};
static const double riskless = 0.06, deviation = 0.1;

/* As in mc.cu. */
typedef struct Option {
    float spot, strike, drift, volatility;
} Option;

static Option make_option(uint32_t *seed)
{
    const float spot = 5 + 45 * random_float(seed), strike = 10 + 15 * random_float(seed);
    const double years = 1 + 4 * (double)random_float(seed);
    return (Option){spot, strike, (float)((riskless - 0.5 * deviation * deviation) * years),
                    (float)(deviation * sqrt(years))};
}

/* By bisection of the distribution function. The samples lie symmetrically around 0. */
static void make_samples(double *samples, int count)
{
    double from = -8;
    for (int i = 0; i < count; i++) {
        const double p = (i + 1.0) / (count + 1.0);
        double low = from, high = low + 8;
        while (high - low > 1e-9) {
            const double middle = 0.5 * (low + high);
            *(0.5 * erfc(-middle * sqrt(0.5)) < p ? &low : &high) = middle;
        }
        samples[i] = from = low;
    }
}

static void value(const Option *option, const double *samples, int count, float expected[2])
{
    double sum = 0, squares = 0;
    for (int i = 0; i < count; i++) {
        const double end = option->spot * exp(option->drift + option->volatility * samples[i]);
        const double payoff = end > option->strike ? end - option->strike : 0;
        sum += payoff;
        squares += payoff * payoff;
    }
    expected[0] = (float)(sum / count);
    expected[1] = (float)(squares / count);
}

/* Blocks of samples are fewer only where the input is tiny. */
static void launch(Host *host, uint64_t samples, uint64_t values, int count, uint32_t options)
{
    const uint32_t needed = ((uint32_t)count + SAMPLE_THREADS - 1) / SAMPLE_THREADS;
    HOST_LAUNCH(host, "inverse_normals", dim(needed < SAMPLE_BLOCKS ? needed : SAMPLE_BLOCKS, 1, 1),
                dim(SAMPLE_THREADS, 1, 1), WB_ARG(samples), WB_ARG(count));
    HOST_LAUNCH(host, "option_values", dim(options, 1, 1), dim(THREADS, 1, 1), WB_ARG(values),
                WB_ARG(samples), WB_ARG(count));
}

/* The reference looks at every so-manyth option where there are many paths. */
static bool check(Host *host, uint64_t values, const Option *options, uint32_t count, int path_count)
{
    double *samples = host_array(host, (size_t)path_count, sizeof *samples);
    bool right = samples != NULL;
    if (right)
        make_samples(samples, path_count);
    for (uint32_t i = 0; right && i < count; i += (uint32_t)path_count / 4096 + 1) {
        float expected[2];
        value(&options[i], samples, path_count, expected);
        right = benchmark_near(host, values + i * sizeof expected, expected, 2, 2e-3f);
    }
    free(samples);
    return right;
}

bool claso_mc_run(Host *host, const BenchmarkRun *run)
{
    const uint32_t wanted = run->blocks ? run->blocks : counts[run->size];
    const uint32_t count = wanted < MOST_OPTIONS ? wanted : MOST_OPTIONS;
    const int path_count = paths[run->size];
    uint32_t seed = benchmark_seed(run);
    Option options[MOST_OPTIONS];
    for (uint32_t i = 0; i < count; i++)
        options[i] = make_option(&seed);
    const uint64_t samples = host_buffer(host, NULL, (size_t)path_count * sizeof(float));
    const uint64_t values = host_buffer(host, NULL, count * 2 * sizeof(float));
    host_set(host, "options", options, count * sizeof *options);
    launch(host, samples, values, path_count, count);
    const bool right = check(host, values, options, count, path_count);
    host_free(host, samples), host_free(host, values);
    return right;
}
