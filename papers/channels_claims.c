/* What each claim is compared with. */
#include "papers/channels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double value(const Results *results, int metric, int mode, size_t benchmark)
{
    return quantity_value(results, (Quantity){metric, mode, ALONE, 0}, benchmark);
}

static double times(const Results *results, int metric, int mode, int other, size_t benchmark)
{
    return quantity_value(results, (Quantity){metric, mode, OVER, other}, benchmark);
}

/* A number of each program in the order of the claim: Fibonacci, Queens, Sort, Strassen. */
static void fill_all(const Results *results, int metric, int mode, double *values)
{
    for (size_t i = 0; i < CHANNELS_BENCHMARKS; i++)
        values[i] = value(results, metric, mode, i);
}

/* The most of all programs; NAN while one has none. */
static double most(const Results *results, Quantity quantity)
{
    double found = -INFINITY;
    for (size_t i = 0; i < CHANNELS_BENCHMARKS; i++) {
        const double number = quantity_value(results, quantity, i);
        found = isnan(found) || isnan(number) ? NAN : fmax(found, number);
    }
    return found;
}

static void fill_scaling(const Results *results, const Claim *claim, double *values)
{
    (void)claim;
    values[0] = times(results, CHM_SPEED, CH_BASE, CH_CU1, CHANNELS_SORT);
    values[1] = times(results, CHM_SPEED, CH_BASE, CH_CU1, CHANNELS_STRASSEN);
}

static void fill_alone(const Results *results, const Claim *claim, double *values)
{
    (void)claim;
    fill_all(results, CHM_WAVE_CYCLES, CH_ALONE, values);
}

static void fill_waves(const Results *results, const Claim *claim, double *values)
{
    (void)claim;
    fill_all(results, CHM_WAVES, CH_WAVES, values);
}

static void fill_simple(const Results *results, const Claim *claim, double *values)
{
    (void)claim;
    fill_all(results, CHM_STALLED, CH_SIMPLE, values);
}

static void fill_two_way(const Results *results, const Claim *claim, double *values)
{
    (void)claim;
    fill_all(results, CHM_STALLED, CH_BASE, values);
}

static void fill_others(const Results *results, const Claim *claim, double *values)
{
    (void)claim;
    fill_all(results, CHM_STALLED, CH_LIGHT, values);
    fill_all(results, CHM_STALLED, CH_FOUR_WAY, values + CHANNELS_BENCHMARKS);
}

static void fill_swaps(const Results *results, const Claim *claim, double *values)
{
    (void)claim;
    values[0] = most(results, (Quantity){CHM_SWAPS, CH_PER_LANE, OVER, CH_BASE});
}

static void fill_deallocation(const Results *results, const Claim *claim, double *values)
{
    (void)claim;
    values[0] = quantity_mean_of_all(results, (Quantity){CHM_DEALLOCATION, CH_BASE, ALONE, 0});
}

static void fill_yield(const Results *results, const Claim *claim, double *values)
{
    (void)claim;
    values[0] = most(results, (Quantity){CHM_YIELD_BYTES, CH_WIDTH_256, ALONE, 0});
}

static void fill_flat(const Results *results, const Claim *claim, double *values)
{
    (void)claim;
    values[0] = times(results, CHM_SPEED, CH_BASE, CH_FLAT, CHANNELS_STRASSEN);
    values[1] = times(results, CHM_SPEED, CH_BASE, CH_FLAT, CHANNELS_QUEENS);
}

static void fill_lines(const Results *results, const Claim *claim, double *values)
{
    const Quantity saved = {CHM_LINES, CH_BASE, REDUCTION, CH_FLAT};
    (void)claim;
    values[0] = quantity_value(results, saved, CHANNELS_STRASSEN);
    values[1] = quantity_value(results, saved, CHANNELS_QUEENS);
    values[2] = times(results, CHM_WAVES, CH_BASE, CH_FLAT, CHANNELS_STRASSEN);
    values[3] = times(results, CHM_WAVES, CH_BASE, CH_FLAT, CHANNELS_QUEENS);
}

static const Measure measures[] = {
    {.id = "H1", .fill = fill_scaling},
    {.id = "H3", .fill = fill_alone, .note = "cycles over wavefronts"},
    {.id = "H4", .fill = fill_waves, .note = "of the paper's inputs in functional mode"},
    {.id = "H5", .fill = fill_simple},
    {.id = "H6", .fill = fill_two_way},
    {.id = "H7", .fill = fill_swaps, .note = "of wavefronts; the best of the four"},
    {.id = "H9", .fill = fill_deallocation, .note = "mean of the four"},
    {.id = "H10", .fill = fill_yield, .note = "the largest of the four"},
    {.id = "H11", .fill = fill_flat},
    {.id = "H12", .fill = fill_others},
    {.id = "H13", .fill = fill_lines, .note = "of our own sources; wavefronts"},
};

/* A statement: true, false or, where a number is missing, neither. */
static Judgement judge_statement(double true_ones, size_t wanted, const char *note)
{
    Judgement judgement = judgement_none();
    judgement.note = note;
    if (isnan(true_ones))
        return judgement;
    const bool holds = true_ones >= (double)wanted;
    snprintf(judgement.measured, sizeof judgement.measured, "%s",
             holds           ? "yes"
             : true_ones > 0 ? "not of all"
                             : "no");
    judgement.verdict = holds ? VERDICT_AGREES : VERDICT_DIFFERS;
    return judgement;
}

/* More CUs up to 4 may help; 8 must not help more than 4 do. */
static Judgement judge_fibonacci(const Results *results)
{
    const double gain = times(results, CHM_SPEED, CH_BASE, CH_CU4, CHANNELS_FIB);
    return judge_statement(isnan(gain) ? NAN : gain <= 1, 1, "8 CUs are not faster than 4");
}

static Judgement judge_padding(const Results *results)
{
    double slower = 0;
    for (size_t i = 0; i < CHANNELS_BENCHMARKS; i++) {
        const double ratio = times(results, CHM_TIME, CH_PADDED, CH_BASE, i);
        slower = isnan(ratio) ? NAN : slower + (ratio > 1);
    }
    return judge_statement(slower, CHANNELS_BENCHMARKS, NULL);
}

Judgement channels_judge(const Results *results, const Claim *claim)
{
    if (strcmp(claim->id, "H2") == 0)
        return judge_fibonacci(results);
    if (strcmp(claim->id, "H8") == 0)
        return judge_padding(results);
    return measure_judge(measures, sizeof measures / sizeof *measures, results, claim);
}
