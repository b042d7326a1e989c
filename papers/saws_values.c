/* The quantities that the figures show, computed from the statistics of runs. */
#include "papers/saws.h"

#include <math.h>

static double wait_of(const uint64_t *counts) { return (double)counts[SS_P1] + (double)counts[SS_P2]; }

/* In percent of the cycles of all schedulers. */
static double share_of_cycles(const RunResult *result, SawsStatistic statistic)
{
    return quotient(100 * (double)result->statistics[statistic],
                    (double)result->statistics[SS_ACTIVE] * result->samples[SS_SCHEDULERS]);
}

double saws_metric(const Results *results, const RunResult *result, int metric)
{
    const uint64_t *counts = result->statistics;
    (void)results;
    switch ((SawsMetric)metric) {
    case SMT_CYCLES:
        return (double)result->cycles / 1000;
    case SMT_SPEED:
        return quotient(1e9, (double)result->cycles);
    case SMT_WAIT:
        return wait_of(counts);
    case SMT_P1:
        return (double)counts[SS_P1];
    case SMT_P2:
        return (double)counts[SS_P2];
    case SMT_P1_SHARE:
        return quotient(100 * (double)counts[SS_P1], wait_of(counts));
    case SMT_WAIT_EACH:
        return quotient(wait_of(counts), (double)counts[SS_CLEARED]);
    case SMT_SPREAD:
        return 100 * result->samples[SS_SPREAD];
    case SMT_MEMORY_SHARE:
        return share_of_cycles(result, SS_STALL_MEMORY);
    case SMT_BARRIER_SHARE:
        return share_of_cycles(result, SS_STALL_BARRIER);
    }
    return NAN;
}

double saws_mean(const Results *results, Quantity quantity, bool has_barriers)
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < results->benchmark_count; i++) {
        if (saws_benchmarks[i].has_barriers != has_barriers)
            continue;
        const bool alone = quantity.relation == ALONE;
        if (!results_at(results, i, quantity.mode) || (!alone && !results_at(results, i, quantity.other)))
            return NAN;
        const double value = quantity_value(results, quantity, i);
        if (!isnan(value))
            sum += value, count++;
    }
    return count > 0 ? sum / count : NAN;
}
