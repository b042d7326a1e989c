/* The quantities that the paper's figures show, computed from the statistics of runs. */
#include "papers/dtbl.h"

#include <math.h>

double dtbl_metric(const Results *results, const RunResult *result, int metric)
{
    const GpuConfig *config = &results->config;
    const uint64_t *counts = result->statistics;
    const double launches = (double)(counts[DTBL_DEVICE_KERNELS] + counts[DTBL_DEVICE_GROUPS]);
    const double groups = (double)counts[DTBL_DEVICE_GROUPS];
    switch ((DtblMetric)metric) {
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
    case METRIC_STALL:
        return quotient(100.0 * (double)counts[DTBL_FETCH_CYCLES], (double)result->cycles);
    }
    return NAN;
}

uint64_t dtbl_sum(const Results *results, DtblMode mode, DtblStatistic statistic)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < results->benchmark_count; i++) {
        const RunResult *result = results_at(results, i, mode);
        sum += result ? result->statistics[statistic] : 0;
    }
    return sum;
}
