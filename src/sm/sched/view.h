/* What the policy of warp schedulers sees of one of them, and sets of warps. */
#ifndef SM_SCHED_VIEW_H
#define SM_SCHED_VIEW_H

#include "sim/clock.h"

enum { MAX_WARPS = 64, MAX_SCHEDULERS = 4 };

typedef uint64_t WarpSet; /* one bit a warp slot */

static inline WarpSet warp_bit(uint32_t slot) { return (WarpSet)1 << slot; }

/* The first of a set that is not empty. */
static inline uint32_t warps_first(WarpSet set) { return (uint32_t)__builtin_ctzll(set); }

/* Round robin: of a set that is not empty, the first behind the slot, or if there is none the first. */
static inline uint32_t warps_next(WarpSet set, uint32_t slot)
{
    const WarpSet behind = slot == MAX_WARPS - 1 ? 0 : set & ~(WarpSet)0 << (slot + 1);
    return warps_first(behind ? behind : set);
}

/* One scheduler. Functions of sched.h tell what else there is to know of its warps. Fields are in the order
 * in which a cycle needs them.
 * Invariant: `last` is empty or holds last_slot alone, and is a part of `mine`. */
typedef struct SchedulerView {
    WarpSet mine;       /* its resident warps */
    WarpSet ready;      /* in pick: those whose next instruction can issue now */
    WarpSet last;       /* the warp that issued last, if it is still there */
    uint32_t last_slot; /* of the warp that issued last, also when that has gone; 0 where a kernel begins */
    bool paused;        /* in pick: a cycle has passed since in which it neither issued nor read operands */
    uint32_t number;    /* of the scheduler in its SM */
    void *state;        /* what the policy's init gave */
    void *counters;     /* the policy's own; null: it has none */
    void *shared;       /* what its init_sm gave: the same for all schedulers of the SM */
    Cycle ask_at;       /* set by sched_nobody_before() */
    const struct Sm *sm;
} SchedulerView;

#endif
