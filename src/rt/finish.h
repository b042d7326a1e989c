/* What happens when a CUDA program ends: what is left in streams runs, statistics are written. A program that
 * crashes leaves those of the kernels that had run. */
#ifndef RT_FINISH_H
#define RT_FINISH_H

#include <stdbool.h>

#include "warpbeam.h"

/* From now on the program's end is watched. `path`: of the statistics, or null; `summary`: whether a
 * summary goes to stderr. */
void finish_expect(WbGpu *gpu, const char *path, bool summary);

#endif
