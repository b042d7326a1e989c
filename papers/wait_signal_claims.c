/* What each claim of chapter 6 is compared with. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "papers/wait_signal.h"

/* The least and the most of a mode's speedups in figures 45 to 47. NAN unless all benchmarks have one: a
 * range over some of them is none of the thesis's. */
static void fill_range(const Results *results, int mode, double *values)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t b = 0; b < results->benchmark_count; b++) {
        if (wait_signal_benchmarks[b].kind != KIND_WAVES)
            continue;
        const double speedup = wait_signal_speedup(results, b, mode, WS_TIME);
        if (isnan(speedup))
            return;
        least = fmin(least, speedup);
        most = fmax(most, speedup);
    }
    values[0] = least;
    values[1] = most;
}

static void fill_wait_signal(const Results *results, const Claim *claim, double *values)
{
    (void)claim;
    fill_range(results, RUN_WAIT_SIGNAL, values);
}

static void fill_tb_order(const Results *results, const Claim *claim, double *values)
{
    (void)claim;
    fill_range(results, RUN_TB_ORDER, values);
}

/* The scheme at its best: in an order where dependencies are known before. */
static int proposed(size_t benchmark)
{
    return wait_signal_benchmarks[benchmark].kind == KIND_WAVES ? RUN_TB_ORDER : RUN_WAIT_SIGNAL;
}

/* The speedup of the best of flags and PeerWave over ReKL. NAN: all deadlock. */
static double flags_speedup(const Results *results, size_t benchmark)
{
    const int peerwave = wait_signal_peerwave(results, benchmark);
    return fmax(wait_signal_speedup(results, benchmark, RUN_FLAGS, WS_TIME),
                wait_signal_speedup(results, benchmark, peerwave, WS_TIME));
}

static void fill_average(const Results *results, const Claim *claim, double *values)
{
    double over_rekl = 0, over_flags = 0, count = 0, with_flags = 0;
    (void)claim;
    for (size_t b = 0; b < results->benchmark_count; b++) {
        if (wait_signal_benchmarks[b].kind == KIND_EVENTS)
            continue;
        const double speedup = wait_signal_speedup(results, b, proposed(b), WS_TIME);
        const double flags = flags_speedup(results, b);
        if (isnan(speedup))
            return;
        over_rekl += speedup, count++;
        if (!isnan(flags))
            over_flags += speedup / flags, with_flags++;
    }
    values[0] = quotient(over_rekl, count);
    values[1] = 100 * (quotient(over_flags, with_flags) - 1);
}

static const Measure measures[] = {
    {.id = "S1", .fill = wait_signal_fill_rekl, .note = "mean of BFS, SSSP and APSP on samples of four graphs"},
    {.id = "S2", .fill = wait_signal_fill_dp, .note = "the same"},
    {.id = "S3", .fill = wait_signal_fill_flags, .note = "the same"},
    {.id = "S4",
     .fill = wait_signal_fill_graphs,
     .note = "mean over ReKL and DP, of BFS and SSSP; in size small samples that do not fit on the GPU"},
    {.id = "S5", .fill = fill_wait_signal, .note = "least and most of figures 45 to 47"},
    {.id = "S6", .fill = fill_tb_order, .note = "least and most of figures 45 to 47"},
    {.id = "S7",
     .fill = fill_average,
     .note = "mean over all benchmarks, in TB order where dependencies are known before; flags are the best of "
             "flags of tiles and PeerWave, where one ends"},
};

/* Whether events with counters in memory are faster than fewer events, with every number of counters that
 * makes events share. */
static Judgement judge_events(const Results *results)
{
    Judgement judgement = judgement_none();
    size_t compared = 0, faster = 0, missing = 0;
    for (size_t b = 0; b < results->benchmark_count; b++)
        for (size_t i = 1; i < WAIT_SIGNAL_SWEEP && wait_signal_benchmarks[b].kind == KIND_EVENTS; i++) {
            const Quantity grouped = {WS_TIME, wait_signal_sweep[i].grouped, OVER,
                                      wait_signal_sweep[i].virtual};
            const double times = quantity_value(results, grouped, b);
            missing += isnan(times);
            faster += times > 1;
            compared++;
        }
    judgement.note = "with every number of counters below that of events";
    if (!compared || missing)
        return judgement;
    snprintf(judgement.measured, sizeof judgement.measured, "%s",
             faster == compared ? "yes" : faster ? "not at all of them" : "no");
    judgement.verdict = faster == compared ? VERDICT_AGREES : VERDICT_DIFFERS;
    return judgement;
}

Judgement wait_signal_judge(const Results *results, const Claim *claim)
{
    if (strcmp(claim->id, "S8") == 0)
        return judge_events(results);
    return measure_judge(measures, sizeof measures / sizeof *measures, results, claim);
}
