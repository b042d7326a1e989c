/* Numbers that figures and claims are made of. */
#include <math.h>

#include "papers/wait_signal.h"

static double kept(const RunResult *result, WaitSignalStatistic statistic)
{
    return (double)result->statistics[statistic];
}

double wait_signal_metric(const Results *results, const RunResult *result, int metric)
{
    switch ((WaitSignalMetric)metric) {
    case WS_TIME:
        return result->nanoseconds / 1000;
    case WS_KERNELS:
        return (double)result->cycles / ((double)results->config.clock_khz / 1000);
    case WS_LAUNCHES:
        return kept(result, KEPT_LAUNCHES);
    case WS_SWAPS:
        return kept(result, KEPT_SWAPS);
    case WS_MISSES:
        return 100 * quotient(kept(result, KEPT_MISSES),
                              kept(result, KEPT_WAITS) + kept(result, KEPT_SIGNALS));
    default:
        return NAN;
    }
}

static double time_of(const Results *results, size_t benchmark, int mode)
{
    return quantity_value(results, (Quantity){WS_TIME, mode, ALONE, 0}, benchmark);
}

int wait_signal_peerwave(const Results *results, size_t benchmark)
{
#define INTERVAL(steps) RUN_PEERWAVE_##steps,
    static const int modes[] = {WAIT_SIGNAL_INTERVALS};
#undef INTERVAL
    int best = modes[0];
    for (size_t i = 1; i < sizeof modes / sizeof *modes; i++)
        if (time_of(results, benchmark, modes[i]) < time_of(results, benchmark, best))
            best = modes[i];
    return best;
}

double wait_signal_speedup(const Results *results, size_t benchmark, int mode, int metric)
{
    return quantity_value(results, (Quantity){metric, RUN_REKL, OVER, mode}, benchmark);
}

bool wait_signal_deadlocked(const Results *results, size_t benchmark, int mode)
{
    const Run *run = results->runs[benchmark * results->mode_count + (size_t)mode];
    return run && run->result.deadlocked;
}
