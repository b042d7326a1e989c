/* The quantities that figures and tables show, computed from the statistics of runs. */
#include "papers/channels.h"

#include <math.h>

static double stalled(const uint64_t *counts)
{
    return (double)(counts[CHS_IDLE_SCHEDULING] + counts[CHS_IDLE_YIELDS] + counts[CHS_IDLE_DEALLOCATION]);
}

static double percent(double over, double under) { return 100 * quotient(over, under); }

/* Of wavefronts: whether lanes of theirs have elements or work. */
static double of_lanes(const RunResult *result, ChannelsMetric metric)
{
    const uint64_t *counts = result->statistics;
    const double width = result->samples[CHS_WIDTH];
    if (metric == CHM_FILLED)
        return percent((double)counts[CHS_LANES], (double)counts[CHS_TASKS] * width);
    return percent((double)counts[CHS_THREAD_INSTRUCTIONS], (double)counts[CHS_WARP_INSTRUCTIONS] * width);
}

/* Where an access of a CU found its bytes. What goes past L1 are loads that miss, and stores and atomics for
 * which a unit has to be owned first; a read of DRAM is one unit. */
static double of_accesses(const uint64_t *counts, ChannelsMetric metric)
{
    const double all = (double)(counts[CHS_L1_LOADS] + counts[CHS_L1_STORE_HITS] +
                                counts[CHS_L1_STORE_MISSES] + counts[CHS_L1_ATOMICS]);
    const double missed = (double)(counts[CHS_L1_MISSES] + counts[CHS_OWNERSHIP_MISSES]);
    const double transfers = fmin((double)counts[CHS_TRANSFERS], missed);
    const double memory = fmin((double)counts[CHS_DRAM_READS], missed - transfers);
    switch (metric) {
    case CHM_L1:
        return percent(all - missed, all);
    case CHM_TRANSFERS:
        return percent(transfers, all);
    case CHM_MEMORY:
        return percent(memory, all);
    default:
        return percent(missed - transfers - memory, all);
    }
}

static double of_time(const RunResult *result, ChannelsMetric metric)
{
    const uint64_t *counts = result->statistics;
    const double cycles = (double)counts[CHS_CYCLES], idle = stalled(counts);
    switch (metric) {
    case CHM_STALLED:
        return percent(idle, cycles);
    case CHM_STALLED_TIME:
        return idle / 1000;
    case CHM_ACTIVE_TIME:
        return (cycles - idle) / 1000;
    case CHM_DEALLOCATION:
        return idle > 0 ? percent((double)counts[CHS_IDLE_DEALLOCATION], idle) : 0;
    case CHM_YIELD_STALL:
        return percent((double)counts[CHS_IDLE_YIELDS], cycles);
    default:
        return NAN;
    }
}

double channels_metric(const Results *results, const RunResult *result, int metric)
{
    const uint64_t *counts = result->statistics;
    (void)results;
    switch ((ChannelsMetric)metric) {
    case CHM_TIME:
        return (double)result->cycles / 1000;
    case CHM_SPEED:
        return quotient(1e9, (double)result->cycles);
    case CHM_WAVES:
        return (double)(counts[CHS_TASKS] ? counts[CHS_TASKS] : counts[CHS_WARPS]);
    case CHM_WAVE_CYCLES:
        return quotient((double)counts[CHS_CYCLES], (double)counts[CHS_TASKS]);
    case CHM_FILLED:
    case CHM_ACTIVE_LANES:
        return of_lanes(result, (ChannelsMetric)metric);
    case CHM_SWAPS:
        return (double)counts[CHS_SWAPS];
    case CHM_YIELDS:
        return (double)counts[CHS_YIELDS];
    case CHM_YIELD_BYTES:
        return quotient((double)(counts[CHS_SAVED_REGISTERS] + counts[CHS_SAVED_STACKS]),
                        (double)counts[CHS_YIELDS]);
    case CHM_BUSY:
        return percent((double)counts[CHS_CORE_BUSY], (double)counts[CHS_CORE_TICKS]);
    case CHM_L1:
    case CHM_TRANSFERS:
    case CHM_L2:
    case CHM_MEMORY:
        return of_accesses(counts, (ChannelsMetric)metric);
    case CHM_LINES:
        return result->samples[CHS_LINES];
    default:
        return of_time(result, (ChannelsMetric)metric);
    }
}
