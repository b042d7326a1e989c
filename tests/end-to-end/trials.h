/* Small workloads of every class for tests of cycle mode: what holds for one must hold for all of them, on
 * every GPU that can run them. */
#ifndef TESTS_TRIALS_H
#define TESTS_TRIALS_H

#include "base/vec.h"
#include "harness.h"

/* What a run leaves: all arrays of its kernels, one after the other, and what they print. */
typedef VEC(char) TrialTrace;

typedef struct Trial {
    const char *name;
    bool needs_warps;   /* of 32 lanes */
    bool needs_volta;   /* lanes of a warp that wait for each other */
    bool counts_vary;   /* how many instructions it takes depends on time: it waits, or has harmless races */
    bool results_vary;  /* so does what it leaves */

    const char *file;   /* of a kernel; null: one of the six programs */
    const char *arguments;
    uint32_t blocks, threads, limit;
    int32_t number;     /* of the program, its size */
    int program;
} Trial;

extern const Trial trials[];
extern const size_t trial_count;

/* The GPUs that they are run on. */
enum { TRIAL_GPUS = 5 };
extern const char *const trial_gpus[TRIAL_GPUS];

/* Whether that GPU can run it. */
bool trial_fits(const Trial *trial, const char *gpu);
/* Runs it; the test fails if a result is wrong. Appends to *trace unless it is null. */
void trial_run(const Trial *trial, WbGpu *gpu, TrialTrace *trace);
/* All that fit, on a new GPU; with `more`, the correlation kernels as well. */
WbGpu *trial_run_all(const char *gpu, const char *const *knobs, bool more, TrialTrace *trace);

#endif
