/* The quantities that the figures show, computed from the statistics of runs. */
#include "papers/gsync.h"

#include <math.h>

static double sum_of(const RunResult *result, GsyncStatistic first, GsyncStatistic last)
{
    double sum = 0;
    for (int i = (int)first; i <= (int)last; i++)
        sum += (double)result->statistics[i];
    return sum;
}

/* In percent of the whole contexts of all blocks when they began to wait. */
static double share_of_context(const RunResult *result, double bytes)
{
    return quotient(100 * bytes, (double)result->statistics[GS_WHOLE]);
}

/* Registers of blocks that left: of their contexts all but shared memory and stacks. */
static double registers_of_left(const Results *results, const RunResult *result)
{
    const double others = result->samples[GS_SHARED_BYTES] +
                          result->samples[GS_WARPS] * (double)results->config.context_stack_bytes;
    return (double)result->statistics[GS_LEFT] - sum_of(result, GS_YIELDS_STAYED, GS_YIELDS_SAVED) * others;
}

double gsync_metric(const Results *results, const RunResult *result, int metric)
{
    const uint64_t *counts = result->statistics;
    switch ((GsyncMetric)metric) {
    case GSM_TIME:
        return result->nanoseconds / 1000;
    case GSM_LOADS:
        return sum_of(result, GS_LOAD_HITS, GS_LOAD_MISSES);
    case GSM_LAST:
        return share_of_context(result, (double)counts[GS_LAST]);
    case GSM_LOCAL:
        return share_of_context(result, sum_of(result, GS_STAYED, GS_MOVED));
    case GSM_DEAD:
        return share_of_context(result, (double)counts[GS_DEAD]);
    case GSM_READ_ONLY:
        return share_of_context(result, (double)counts[GS_READ_ONLY]);
    case GSM_REDUCTION:
        return 100 - share_of_context(result, sum_of(result, GS_SAVED_REGISTERS, GS_SAVED_STACKS));
    case GSM_SWAPPED:
        return quotient(sum_of(result, GS_SAVED_REGISTERS, GS_RESTORED_STACKS) / 1e6,
                        (double)counts[GS_SYNCS]);
    case GSM_DEAD_SHARE:
        return quotient(100.0 * (double)counts[GS_DEAD], registers_of_left(results, result));
    }
    return NAN;
}

double gsync_over(const Results *results, GsyncInput input, GsyncMode mode, GsyncMode other)
{
    return quantity_value(results, (Quantity){GSM_TIME, mode, OVER, other}, input);
}

bool gsync_deadlocked(const Results *results, GsyncInput input, GsyncMode mode)
{
    const Run *run = results->runs[(size_t)input * results->mode_count + (size_t)mode];
    return run && run->result.deadlocked;
}
