/* The quantities that the paper's figures show, computed from the statistics of runs. */
#include "papers/dtbl.h"

#include <math.h>

/* Null: it was not asked for, or is not right. */
static const RunResult *result_of(const DtblResults *results, size_t benchmark, DtblMode mode)
{
    const Run *run = results->runs[benchmark][mode];
    return run && run->result.right ? &run->result : NULL;
}

static double quotient(double over, double under) { return under > 0 ? over / under : NAN; }

static double metric_of(const DtblResults *results, const RunResult *result, DtblMetric metric)
{
    const GpuConfig *config = &results->config;
    const uint64_t *counts = result->statistics;
    const double launches = (double)(counts[DTBL_DEVICE_KERNELS] + counts[DTBL_DEVICE_GROUPS]);
    const double groups = (double)counts[DTBL_DEVICE_GROUPS];
    switch (metric) {
    case METRIC_CYCLES:
        return (double)result->cycles;
    case METRIC_ACTIVITY:
        return quotient(100.0 * (double)counts[DTBL_THREAD_INSTRUCTIONS],
                        (double)(counts[DTBL_WARP_INSTRUCTIONS] * config->warp_width));
    case METRIC_DRAM:
        return quotient((double)(counts[DTBL_DRAM_READS] + counts[DTBL_DRAM_WRITES]),
                        (double)counts[DTBL_DRAM_ACTIVE]);
    case METRIC_OCCUPANCY:
        return quotient(100.0 * (double)counts[DTBL_RESIDENT_WARPS],
                        (double)(result->cycles * config->sm_count) *
                            (double)(config->max_threads_per_sm / config->warp_width));
    case METRIC_WAIT:
        return quotient((double)counts[DTBL_LAUNCH_WAIT], (double)counts[DTBL_LAUNCHES_BEGUN]);
    case METRIC_FOOTPRINT:
        return launches > 0 ? (double)counts[DTBL_LAUNCH_BYTES] : NAN;
    case METRIC_LAUNCHES:
        return launches;
    case METRIC_THREADS:
        return quotient((double)counts[DTBL_DEVICE_THREADS], launches);
    case METRIC_JOINED:
        return quotient(100.0 * (double)counts[DTBL_GROUPS_JOINED], groups);
    case METRIC_OVERFLOWED:
        return quotient(100.0 * (double)counts[DTBL_GROUPS_OVERFLOWED], groups);
    }
    return NAN;
}

double dtbl_value(const DtblResults *results, DtblQuantity quantity, size_t benchmark)
{
    const RunResult *result = result_of(results, benchmark, quantity.mode);
    const double value = result ? metric_of(results, result, quantity.metric) : NAN;
    if (quantity.relation == ALONE)
        return value;
    const RunResult *compared = result_of(results, benchmark, quantity.other);
    const double other = compared ? metric_of(results, compared, quantity.metric) : NAN;
    switch (quantity.relation) {
    case OVER:
        return quotient(value, other);
    case POINTS:
        return value - other;
    case RISE:
        return 100 * (quotient(value, other) - 1);
    case REDUCTION:
        return 100 * (1 - quotient(value, other));
    default:
        return NAN;
    }
}

double dtbl_mean(const DtblResults *results, DtblQuantity quantity)
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < DTBL_BENCHMARKS; i++) {
        const double value = dtbl_value(results, quantity, i);
        if (!isnan(value))
            sum += value, count++;
    }
    return quotient(sum, count);
}

double dtbl_geometric_mean(const DtblResults *results, DtblQuantity quantity)
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < DTBL_BENCHMARKS; i++) {
        const double value = dtbl_value(results, quantity, i);
        if (!isnan(value))
            sum += log(value), count++;
    }
    return exp(quotient(sum, count));
}

bool dtbl_is_complete(const DtblResults *results, DtblQuantity quantity)
{
    for (size_t i = 0; i < DTBL_BENCHMARKS; i++) {
        const bool alone = quantity.relation == ALONE;
        if (!result_of(results, i, quantity.mode) || (!alone && !result_of(results, i, quantity.other)))
            return false;
    }
    return true;
}

uint64_t dtbl_sum(const DtblResults *results, DtblMode mode, DtblStatistic statistic)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < DTBL_BENCHMARKS; i++) {
        const RunResult *result = result_of(results, i, mode);
        sum += result ? result->statistics[statistic] : 0;
    }
    return sum;
}
