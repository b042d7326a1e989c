/* What each claim is compared with. The paper gives one average where it shows CLASO10 and CLASO20, and does
 * not say of which: a claim is compared with the better of the two; the figures show both. */
#include "papers/claso.h"

#include <math.h>
#include <string.h>

/* A scheduler alone and the two variants of CLASO upon it. */
typedef struct Upon {
    int base, variants[2];
} Upon;

static const Upon lrr = {CL_LRR, {CL_LRR_C10, CL_LRR_C20}};
static const Upon others[] = {{CL_TL, {CL_TL_C10, CL_TL_C20}},
                              {CL_OWL, {CL_OWL_C10, CL_OWL_C20}},
                              {CL_DYNCTA, {CL_DYNCTA_C10, CL_DYNCTA_C20}}};
enum { OTHERS = sizeof others / sizeof *others };

/* NAN if either is. */
static double larger(double a, double b) { return isnan(a) || a > b ? a : b; }

static Quantity compare(int metric, Relation relation, const Upon *upon, int variant)
{
    return (Quantity){metric, upon->variants[variant], relation, upon->base};
}

/* The better of the two averages over all benchmarks. */
static double best_mean(const Results *results, int metric, Relation relation, const Upon *upon)
{
    return larger(quantity_mean_of_all(results, compare(metric, relation, upon, 0)),
                  quantity_mean_of_all(results, compare(metric, relation, upon, 1)));
}

/* The better of the two of one benchmark. */
static double best_at(const Results *results, int metric, Relation relation, const Upon *upon,
                      size_t benchmark)
{
    return larger(quantity_value(results, compare(metric, relation, upon, 0), benchmark),
                  quantity_value(results, compare(metric, relation, upon, 1), benchmark));
}

static double best_of(const Results *results, int metric, Relation relation, const char *benchmark)
{
    for (size_t b = 0; b < results->benchmark_count; b++)
        if (strcmp(results->benchmark(b), benchmark) == 0)
            return best_at(results, metric, relation, &lrr, b);
    return NAN;
}

/* The best speedup of all benchmarks; NAN while one is missing. */
static double best_speedup(const Results *results, const Upon *upon)
{
    double best = -INFINITY;
    for (size_t b = 0; b < results->benchmark_count; b++) {
        const double value = best_at(results, CLM_IPC, RISE, upon, b);
        best = isnan(best) ? best : larger(value, best);
    }
    return best;
}

static void fill_lrr(const Results *results, const Claim *claim, double *values)
{
    (void)claim;
    values[0] = best_mean(results, CLM_IPC, RISE, &lrr);
}

static void fill_best(const Results *results, const Claim *claim, double *values)
{
    (void)claim;
    values[0] = best_speedup(results, &lrr);
}

static void fill_sp(const Results *results, const Claim *claim, double *values)
{
    (void)claim;
    values[0] = best_of(results, CLM_IPC, RISE, "sp");
}

static void fill_idle(const Results *results, const Claim *claim, double *values)
{
    (void)claim;
    values[0] = best_mean(results, CLM_IDLE, REDUCTION, &lrr);
}

static void fill_idle_cp(const Results *results, const Claim *claim, double *values)
{
    (void)claim;
    values[0] = best_of(results, CLM_IDLE, REDUCTION, "cp");
}

/* C6, C7 and C8, in the order of the schedulers. */
static void fill_other(const Results *results, const Claim *claim, double *values)
{
    values[0] = best_mean(results, CLM_IPC, RISE, &others[claim->id[1] - '6']);
}

static void fill_best_other(const Results *results, const Claim *claim, double *values)
{
    (void)claim;
    values[0] = best_speedup(results, &others[0]);
    for (size_t i = 1; i < OTHERS; i++)
        values[0] = isnan(values[0]) ? NAN : larger(best_speedup(results, &others[i]), values[0]);
}

static void fill_together(const Results *results, const Claim *claim, double *values)
{
    double sum = 0;
    (void)claim;
    for (size_t i = 0; i < OTHERS; i++)
        sum += best_mean(results, CLM_IPC, RISE, &others[i]);
    values[0] = sum / OTHERS;
}

/* What more than half of the benchmarks exceed: the ratio in the middle, those without one being the least. */
static void fill_difference(const Results *results, const Claim *claim, double *values)
{
    double sorted[CLASO_BENCHMARKS];
    (void)claim;
    for (size_t b = 0; b < CLASO_BENCHMARKS; b++) {
        if (!results_at(results, b, CL_LRR))
            return;
        double value = quantity_value(results, (Quantity){CLM_DIFFERENCE, CL_LRR, ALONE, 0}, b);
        value = isnan(value) ? 0 : value;
        size_t at = b;
        for (; at && sorted[at - 1] < value; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = value;
    }
    values[0] = sorted[CLASO_BENCHMARKS / 2];
}

/* The speedup that is furthest from none. */
static void fill_degenerate(const Results *results, const Claim *claim, double *values)
{
    static const char *const names[] = {"aes", "lib", "mc", "sla", "st"};
    double furthest = 0;
    (void)claim;
    size_t found = 0;
    for (size_t b = 0; b < results->benchmark_count; b++)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            if (strcmp(results->benchmark(b), names[i]) != 0)
                continue;
            const double value =
                quantity_value(results, (Quantity){CLM_IPC, CL_LRR_C42, RISE, CL_LRR}, b);
            if (isnan(value))
                return;
            furthest = fabs(value) > fabs(furthest) ? value : furthest;
            found++;
        }
    if (found == sizeof names / sizeof *names)
        values[0] = furthest;
}

static void fill_four(const Results *results, const Claim *claim, double *values)
{
    static const char *const names[] = {"aes", "mc", "sla", "bs"};
    (void)claim;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        values[i] = best_of(results, CLM_IPC, RISE, names[i]);
}

#define BETTER "the better of CLASO10 and CLASO20"
static const Measure measures[] = {
    {.id = "C1", .fill = fill_lrr, .note = BETTER},
    {.id = "C2", .fill = fill_best, .note = "of all benchmarks and both variants"},
    {.id = "C3", .fill = fill_sp, .note = BETTER},
    {.id = "C4", .fill = fill_idle, .note = BETTER},
    {.id = "C5", .fill = fill_idle_cp, .note = BETTER},
    {.id = "C6", .fill = fill_other, .note = BETTER},
    {.id = "C7", .fill = fill_other, .note = BETTER},
    {.id = "C8", .fill = fill_other, .note = BETTER},
    {.id = "C9", .fill = fill_best_other, .note = "of all benchmarks and both variants"},
    {.id = "C10", .parts = {{.quantity = {CLM_SAME_CORE, CL_LRR, ALONE, 0}}}, .note = "mean"},
    {.id = "C11", .fill = fill_difference, .note = "what seven of thirteen reach"},
    {.id = "C12", .fill = fill_degenerate, .note = "the one furthest from 0"},
    {.id = "C13", .fill = fill_four, .note = BETTER},
    {.id = "C14", .fill = fill_together, .note = "mean of C6 to C8"},
    {.id = "C15",
     .parts = {{.quantity = {CLM_IDLE, CL_LRR_C10, RISE, CL_LRR}, .benchmark = "sp"},
               {.quantity = {CLM_SCOREBOARD, CL_LRR_C10, RISE, CL_LRR}, .benchmark = "sp"}}},
};

Judgement claso_judge(const Results *results, const Claim *claim)
{
    return measure_judge(measures, sizeof measures / sizeof *measures, results, claim);
}
