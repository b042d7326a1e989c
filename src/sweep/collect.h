/* What a run's report says, as one flat list of statistics: counters over all kernels, times, bytes of
 * structures, ratios, and what the host spent. */
#ifndef SWEEP_COLLECT_H
#define SWEEP_COLLECT_H

#include <jansson.h>

/* Null: the text is no report. The caller owns it. */
json_t *collect_statistics(const char *report, size_t length);

#endif
