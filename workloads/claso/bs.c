/* The host's part of the prices of options.
 *
 * Table 2: 2 kernels, 480 blocks of 128 threads, 8 of them on an SM: the SDK's program launches the same
 * kernel over and over. 240 blocks a launch. The SDK has 4,000,000 options, so a thread has 130 or 131: the
 * full size. A thread of the small size has 16. Prices are from 5 to 30, strikes from 1 to 100, years from
 * 0.25 to 10, as in the SDK. */
#include "claso/claso.h"

#include <math.h>
#include <stdlib.h>

enum { LAUNCHES = 2, THREADS = 128 };
static const uint32_t blocks[INPUT_SIZES] = {[INPUT_TINY] = 3, [INPUT_SMALL] = 240, [INPUT_FULL] = 240};
static const uint32_t counts[INPUT_SIZES] = {
    [INPUT_TINY] = 500, [INPUT_SMALL] = 240 * THREADS * 16, [INPUT_FULL] = 4000000};
static const float riskless = 0.02f, volatility = 0.3f;

/* Invariant: every array has `count` items. */
typedef struct Options {
    size_t count;
    float *price, *strike, *years, *call, *put;
} Options;

static double normal(double d) { return 0.5 * erfc(-d * sqrt(0.5)); }

static void compute(const Options *options)
{
    for (size_t i = 0; i < options->count; i++) {
        const double s = options->price[i], x = options->strike[i], t = options->years[i];
        const double r = riskless, v = volatility, d1 = (log(s / x) + (r + 0.5 * v * v) * t) / (v * sqrt(t));
        const double in1 = normal(d1), in2 = normal(d1 - v * sqrt(t)), discounted = x * exp(-r * t);
        options->call[i] = (float)(s * in1 - discounted * in2);
        options->put[i] = (float)(discounted * (1 - in2) - s * (1 - in1));
    }
}

static bool price(Host *host, const Options *options, uint32_t grid)
{
    const size_t bytes = options->count * sizeof(float);
    const int count = (int)options->count;
    const uint64_t call = host_buffer(host, NULL, bytes), put = host_buffer(host, NULL, bytes);
    const uint64_t in[] = {host_buffer(host, options->price, bytes),
                           host_buffer(host, options->strike, bytes),
                           host_buffer(host, options->years, bytes)};
    for (int i = 0; i < LAUNCHES; i++)
        HOST_LAUNCH(host, "bs_price", dim(grid, 1, 1), dim(THREADS, 1, 1), WB_ARG(call), WB_ARG(put),
                    WB_ARG(in[0]), WB_ARG(in[1]), WB_ARG(in[2]), WB_ARG(riskless), WB_ARG(volatility),
                    WB_ARG(count));
    compute(options);
    const bool right = benchmark_near(host, call, options->call, options->count, 5e-5f) &&
                       benchmark_near(host, put, options->put, options->count, 5e-5f);
    host_free(host, call), host_free(host, put);
    for (int i = 0; i < 3; i++)
        host_free(host, in[i]);
    return right;
}

bool claso_bs_run(Host *host, const BenchmarkRun *run)
{
    const uint32_t grid = run->blocks ? run->blocks : blocks[run->size];
    const size_t count = (size_t)counts[run->size] * grid / blocks[run->size];
    float *values = host_floats(host, 5 * count, benchmark_seed(run));
    if (!values)
        return false;
    const Options options = {
        count, values, values + count, values + 2 * count, values + 3 * count, values + 4 * count};
    for (size_t i = 0; i < count; i++) {
        options.price[i] = 5 + 25 * options.price[i];
        options.strike[i] = 1 + 99 * options.strike[i];
        options.years[i] = 0.25f + 9.75f * options.years[i];
    }
    const bool right = price(host, &options, grid);
    free(values);
    return right;
}
