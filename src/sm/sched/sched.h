/* A warp scheduler's policy: which of the warps that could issue does.
 *
 * A policy is one file of this folder: it opens by naming its source and how it differs from it, and ends
 * with `const WarpScheduler sched_<file name>`. The build finds it; the knob warp_scheduler chooses it. */
#ifndef SM_SCHED_SCHED_H
#define SM_SCHED_SCHED_H

#include "sm/sm.h"

/* What a policy may look at: one scheduler's warps. `ready` is never empty. */
typedef struct SchedulerView {
    WarpSet ready;          /* warps whose next instruction can issue now */
    WarpSet last;           /* the warp that issued last, if it is still there */
    uint32_t last_slot;     /* its slot, or that of the one that issued last */
    bool paused;            /* a cycle has passed since in which nothing was issued or read */
    const WarpSlot *warps;  /* by slot: ages */
    void *counters;         /* the policy's own; null: it has none */
    Cycle now;
} SchedulerView;

struct WarpScheduler {
    const char *name;
    const char *description;
    const char *source;     /* paper or document */
    const StatTable *counters; /* of its own, kept for each scheduler; null: none (base/policy.h) */
    /* The slot of a warp of view->ready. */
    uint32_t (*pick)(const SchedulerView *view);
};

/* All of them, by name; null behind the last. */
const WarpScheduler *sched_at(size_t index);
const WarpScheduler *sched_find(const char *name);

#endif
