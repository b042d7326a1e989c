/* The watchdog of cycle mode: finds kernels whose warps all spin (exec/hang/spin.h), and those whose warps
 * the schedulers' policy does not let issue.
 *
 * As long as blocks come and go it only compares two numbers now and then. When none has for
 * watchdog_cycles, it stops the machine for a while at short distances, which have no rhythm of their own,
 * and compares the state of every warp with one that it had. When something has changed in between, it
 * begins anew, and after a few times gives up and waits twice as long. The verdict is no guess: nothing is
 * left that could happen but that all warps go round their loops, so it never falls on a kernel that would
 * end.
 *
 * A policy that waits for a time says for which, and is not asked before. One that has been asked again and
 * again for watchdog_cycles while nothing else was left, and has let nobody issue, never will. */
#ifndef API_WATCHDOG_H
#define API_WATCHDOG_H

#include "base/error.h"
#include "exec/hang/spin.h"
#include "sim/clock.h"

struct CycleMachine;
struct System;

/* Invariant: marks is null exactly while nobody is watched. */
typedef struct Watchdog {
    uint64_t moves;        /* of blocks, as last seen */
    Cycle quiet_from;      /* when that was */
    Cycle next;            /* when it looks again, wherever else the machine stops; not ahead: not known */
    uint64_t changes;      /* of all SMs, as last seen */
    uint64_t issued;       /* instructions, as last seen */
    Cycle still_from;      /* when that was */
    uint64_t refusals;     /* of all policies, by then */
    bool is_stuck;         /* the last look found that all warps spin; only other GPUs could help */
    uint32_t looks, strikes; /* since it watches; of these, those that found changes */
    uint32_t random;
    SpinMark *marks;       /* [sm][MAX_WARPS] */
    SpinPrograms programs; /* that are watched */
} Watchdog;

/* How far the machine may run before the watchdog looks, at most to `limit`; called before it runs. */
Cycle watchdog_slice(const WbGpu *gpu, Cycle limit);
/* All of the system look, if it is time. `alone`: the kernels that run cannot get anything from outside of
 * the machines before they end. Fails with the sentence. */
WbStatus watchdogs_look(struct System *system, bool alone, Error *error);
/* The host may have changed what kernels wait for. */
void watchdogs_forget(struct System *system);
/* Whether all kernels of the system are known to spin or wait: nothing happens before something comes from
 * outside. */
bool watchdogs_know_stuck(const struct System *system);
/* Its machine goes. */
void watchdog_free(Watchdog *watchdog);

#endif
