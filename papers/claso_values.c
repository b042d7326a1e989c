/* The quantities that the figures show, computed from the statistics of runs. */
#include "papers/claso.h"

#include <math.h>

double claso_metric(const Results *results, const RunResult *result, int metric)
{
    const uint64_t *counts = result->statistics;
    (void)results;
    switch ((ClasoMetric)metric) {
    case CLM_IPC:
        return quotient((double)counts[CL_INSTRUCTIONS], (double)result->cycles);
    case CLM_IDLE:
        return (double)counts[CL_IDLE];
    case CLM_SCOREBOARD:
        return (double)(counts[CL_RESULT] + counts[CL_SHARED] + counts[CL_MEMORY]);
    case CLM_IDLE_SHARE:
        return quotient(100 * (double)counts[CL_IDLE], (double)(counts[CL_IDLE] + counts[CL_BUSY]));
    case CLM_DIFFERENCE:
        return result->samples[CL_INTERVALS] > 0 ? result->samples[CL_DIFFERENCE] : NAN;
    case CLM_SAME_CORE:
        return quotient(100 * (double)counts[CL_SAME_CORE],
                        (double)(counts[CL_ROW_HITS] + counts[CL_ROW_MISSES] + counts[CL_ROW_CONFLICTS]));
    }
    return NAN;
}
