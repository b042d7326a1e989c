/* What happens when a CUDA program ends: what is left in streams runs, statistics and timeline are written,
 * and the graph of a profile. A program that crashes leaves the statistics of the kernels that had run. Where
 * a file cannot be written, the process says why, and ends with 1 instead of 0. */
#ifndef RT_FINISH_H
#define RT_FINISH_H

#include <stdbool.h>

#include "warpbeam.h"

/* What is written then. */
typedef struct FinishFiles {
    const char *statistics, *timeline; /* paths; null: not wanted */
    const char *profile;               /* the same, of the graph of what is being profiled */
    unsigned parts;                    /* of the statistics: WB_REPORT_... */
    bool summary;                      /* whether a summary goes to stderr */
} FinishFiles;

/* From now on the program's end is watched. */
void finish_expect(WbGpu *const *gpus, uint32_t count, const FinishFiles *files);
/* A signal has stopped what was simulated: writes what is known so far, and ends the process by that signal.
 * `is_told`: it has been said where that was. */
void finish_interrupted(bool is_told);

#endif
