/* The host's part of the portfolio of swaptions.
 *
 * Table 2: 2 kernels, 256 blocks of 64 threads, 8 of them on an SM. GPGPU-Sim's program has a grid of 64
 * blocks, a path for each thread; here both kernels have 128, and 8,192 paths. Its model has 80 rates, 40
 * of which are fixed step by step before the swaptions begin: the full size. The small one has 20 and 10;
 * the work of a thread grows with the square of these. Its swaptions end after 4, 8, 20, 28 and 40
 * intervals of a quarter of a year, with strikes of 4.5%, 5% and 5.5% each; those of smaller models end
 * after the same parts of them. All rates begin with 5% and volatilities are 20%, as in the program. It
 * has the same draw of chance, 0.3, for all paths and steps and says that it should be random; here it is. */
#include "claso/claso.h"

#include <math.h>
#include <stdlib.h>

enum { THREADS = 64 };
enum { MOST_RATES = 80, MOST_STEPS = 40, SWAPTIONS = 15 }; /* as in lib.cu */

/* As in lib.cu. */
typedef struct Model {
    int32_t rates, steps;
    float interval, initial;
    int32_t maturities[SWAPTIONS];
    float strikes[SWAPTIONS], volatilities[MOST_RATES];
} Model;

static const uint32_t grids[INPUT_SIZES] = {[INPUT_TINY] = 2, [INPUT_SMALL] = 128, [INPUT_FULL] = 128};
static const int steps[INPUT_SIZES] = {[INPUT_TINY] = 5, [INPUT_SMALL] = 10, [INPUT_FULL] = 40};

static Model make_model(int step_count)
{
    static const int ends[] = {4, 8, 20, 28, 40};
    Model model = {.rates = 2 * step_count, .steps = step_count, .interval = 0.25f, .initial = 0.05f};
    for (int i = 0; i < SWAPTIONS; i++) {
        const int end = ends[i / 3] * step_count / MOST_STEPS;
        model.maturities[i] = end > 0 ? end : 1;
        model.strikes[i] = 0.045f + 0.005f * (float)(i % 3);
    }
    for (int i = 0; i < MOST_RATES; i++)
        model.volatilities[i] = 0.2f;
    return model;
}

/* Sums of twelve evenly distributed values are nearly normally distributed. */
static float *make_draws(Host *host, size_t count, uint32_t seed)
{
    float *draws = host_array(host, count, sizeof *draws);
    for (size_t i = 0; draws && i < count; i++) {
        draws[i] = -6;
        for (int k = 0; k < 12; k++)
            draws[i] += random_float(&seed);
    }
    return draws;
}

/* Rates on a path, and by how much they grow if all rates are shifted at the beginning. */
typedef struct Path {
    double rates[MOST_RATES], slopes[MOST_RATES];
} Path;

static void advance(const Model *model, Path *path, int step, double chance)
{
    const double interval = model->interval, shock = sqrt(interval) * chance;
    double drift = 0, drift_slope = 0;
    for (int i = step + 1; i < model->rates; i++) {
        const double volatility = model->volatilities[i - step - 1], weight = interval * volatility;
        const double rate = path->rates[i], grown = 1 + interval * rate;
        drift += weight * rate / grown;
        drift_slope += weight * path->slopes[i] / (grown * grown);
        const double factor = exp(weight * drift + volatility * (shock - 0.5 * weight));
        path->rates[i] = rate * factor;
        path->slopes[i] = factor * (path->slopes[i] + rate * weight * drift_slope);
    }
}

/* A product of discounts, and its derivative. */
typedef struct Discount {
    double factor, slope;
} Discount;

static void discount(Discount *by, double interval, double rate, double slope)
{
    const double grown = 1 + interval * rate;
    by->slope = (by->slope - by->factor * interval * slope / grown) / grown;
    by->factor /= grown;
}

/* The portfolio's value, and its derivative by the shift: NAN where a swaption is so near to worthless that
 * rounding decides whether it counts. */
static void value(const Model *model, const Path *path, float *worth, float *slope)
{
    const double interval = model->interval;
    Discount now = {1, 0}, bond = {1, 0}, annuity = {0, 0}, sum = {0, 0};
    bool is_open = false;
    for (int n = 0; n < model->steps; n++)
        discount(&now, interval, path->rates[n], path->slopes[n]);
    for (int n = model->steps; n < model->rates; n++) {
        discount(&bond, interval, path->rates[n], path->slopes[n]);
        annuity.factor += interval * bond.factor;
        annuity.slope += interval * bond.slope;
        for (int i = 0; i < SWAPTIONS; i++) {
            const double swap = bond.factor + model->strikes[i] * annuity.factor - 1;
            if (model->maturities[i] != n - model->steps + 1)
                continue;
            is_open |= fabs(swap) < 1e-5;
            if (swap >= 0)
                continue;
            sum.factor -= 100 * swap;
            sum.slope -= 100 * (bond.slope + model->strikes[i] * annuity.slope);
        }
    }
    *worth = (float)(sum.factor * now.factor);
    *slope = is_open ? NAN : (float)(sum.slope * now.factor + sum.factor * now.slope);
}

static void compute(const Model *model, const float *draws, size_t paths, float *worths, float *slopes)
{
    for (size_t p = 0; p < paths; p++) {
        Path path;
        for (int i = 0; i < model->rates; i++) {
            path.rates[i] = model->initial;
            path.slopes[i] = 1;
        }
        for (int n = 0; n < model->steps; n++)
            advance(model, &path, n, draws[(size_t)n * paths + p]);
        value(model, &path, &worths[p], &slopes[p]);
    }
}

static bool slopes_are_right(Host *host, uint64_t slopes, float *expected, size_t count)
{
    float *got = host_array(host, count, sizeof *got);
    if (got)
        host_read(host, got, slopes, count * sizeof *got);
    for (size_t i = 0; got && i < count; i++)
        expected[i] = isnan(expected[i]) ? got[i] : expected[i];
    free(got);
    return benchmark_near(host, slopes, expected, count, 1e-3f);
}

static bool simulate(Host *host, const Model *model, uint32_t grid, const float *draws, float *expected)
{
    const int paths = (int)grid * THREADS;
    const size_t count = (size_t)paths, bytes = count * sizeof(float);
    float *worths = expected, *slopes = expected + count;
    const uint64_t chances = host_buffer(host, draws, bytes * (size_t)model->steps);
    const uint64_t plain = host_buffer(host, NULL, bytes), values = host_buffer(host, NULL, bytes),
                   greeks = host_buffer(host, NULL, bytes);
    host_set(host, "model", model, sizeof *model);
    HOST_LAUNCH(host, "portfolio_values", dim(grid, 1, 1), dim(THREADS, 1, 1), WB_ARG(plain), WB_ARG(chances),
                WB_ARG(paths));
    HOST_LAUNCH(host, "portfolio_greeks", dim(grid, 1, 1), dim(THREADS, 1, 1), WB_ARG(values), WB_ARG(greeks),
                WB_ARG(chances), WB_ARG(paths));
    compute(model, draws, count, worths, slopes);
    const bool right = benchmark_near(host, plain, worths, count, 1e-3f) &&
                       benchmark_near(host, values, worths, count, 1e-3f) &&
                       slopes_are_right(host, greeks, slopes, count);
    host_free(host, chances), host_free(host, plain), host_free(host, values), host_free(host, greeks);
    return right;
}

bool claso_lib_run(Host *host, const BenchmarkRun *run)
{
    const uint32_t grid = run->blocks ? run->blocks : grids[run->size];
    const Model model = make_model(steps[run->size]);
    const size_t paths = (size_t)grid * THREADS;
    float *draws = make_draws(host, paths * (size_t)model.steps, benchmark_seed(run));
    float *expected = host_array(host, 2 * paths, sizeof *expected);
    const bool right = draws && expected && simulate(host, &model, grid, draws, expected);
    free(draws), free(expected);
    return right;
}
