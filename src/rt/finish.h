/* What happens when a CUDA program ends: what is left in streams runs, statistics are written, and the graph
 * of a profile. A program that crashes leaves the statistics of the kernels that had run. */
#ifndef RT_FINISH_H
#define RT_FINISH_H

#include <stdbool.h>

#include "warpbeam.h"

/* From now on the program's end is watched. `path`: of the statistics, or null; `profile`: of the graph of
 * what is being profiled, or null; `summary`: whether a summary goes to stderr. */
void finish_expect(WbGpu *gpu, const char *path, const char *profile, bool summary);

#endif
