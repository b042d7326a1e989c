/* What a GPU is used for, as whoever runs it says, so that reports can say what they are of. */
#ifndef API_RUN_INFO_H
#define API_RUN_INFO_H

#include "base/vec.h"
#include "sim/clock.h"
#include "warpbeam.h"

/* Copies of what wb_set_run() was given: null where it said nothing. */
typedef struct RunInfo {
    char *kind, *what, *mode, *size;
    VEC(char *) arguments;
} RunInfo;

void run_info_free(RunInfo *info);

/* Launches of cycle mode that the knob timed_kernels left out, since statistics were reset. */
typedef struct Untimed {
    uint64_t launches;
    Cycle cycles;        /* that went by for them, which is no time of the machine */
    VEC(char *) names;   /* of kernels, each once, in the order of their first launches; the first few */
    bool has_more;       /* kernels than names */
} Untimed;

void untimed_add(Untimed *untimed, const char *name);
void untimed_reset(Untimed *untimed);

#endif
