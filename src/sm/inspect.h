/* What may be asked of an SM by those who report on it: what it has counted, and which blocks and warps are
 * there.
 *
 * An SM is a shard: nobody but its own thread may touch it within a window, so all of this is for between
 * windows. Nothing here changes what the SM does next: a run that is looked at goes as one that is not. */
#ifndef SM_INSPECT_H
#define SM_INSPECT_H

#include "sm/lsu/lsu.h"

/* -- counters, brought up to the cycles before `now` where they need that -- */

const ExecStatistics *sm_exec_counters(const Sm *sm);
const SmStatistics *sm_counters(Sm *sm, Cycle now);
const SchedulerStatistics *sm_scheduler_counters(Sm *sm, uint32_t scheduler, Cycle now);
const LsuStatistics *sm_lsu_counters(const Sm *sm, Cycle now);
const L1Statistics *sm_l1_counters(const Sm *sm);
/* The cycles before it have been counted, whether something happened in them or not. */
Cycle sm_counted_until(const Sm *sm);
/* Accesses outside of allocations that nobody has taken yet. */
Strays *sm_strays(Sm *sm);

/* -- blocks -- */

/* A block on an SM, or one that has left while word of it is on its way to the front end. */
typedef struct SeenBlock {
    const SmKernel *kernel;
    const Block *block;        /* null: it has left */
    const BlockReport *report; /* as far as it is */
    BlockPhase phase;
    BarrierPhase hold;         /* of one that waits in place: that wait */
    bool is_paused;            /* by the front end */
} SeenBlock;

/* The blocks on the SM, one after the other: *at is 0 at first. False: there are no more. */
bool sm_next_block(const Sm *sm, uint32_t *at, SeenBlock *seen);
/* The same with those that have left, of which the front end does not know yet. */
bool sm_next_open_block(const Sm *sm, uint32_t *at, SeenBlock *seen);
bool sm_has_block_of(const Sm *sm, const SmKernel *kernel);
uint32_t sm_block_count(const Sm *sm);

/* -- warps -- */

typedef struct SeenWarp {
    Warp *warp;
    uint32_t slot;             /* 0 to MAX_WARPS - 1 */
    Wait wait;                 /* why it does not issue; WAIT_NONE: it could */
    bool is_refused;           /* it could, but the policy lets none of its scheduler's warps issue */
    bool is_stuck;             /* until others do something: nobody knows when that wait ends */
    uint32_t pending_ops;      /* memory instructions that still write registers */
    BlockPhase phase;          /* of its block */
} SeenWarp;

/* The warps on the SM, one after the other, as sm_next_block() goes. */
bool sm_next_warp(const Sm *sm, uint32_t *at, SeenWarp *seen);
/* That warp, if it is there. */
bool sm_find_warp(const Sm *sm, const Warp *warp, SeenWarp *seen);
/* That of the warp schedulers. */
const char *sm_policy_name(const Sm *sm);
/* Adds to each wait the warps that are in it. */
void sm_count_waits(const Sm *sm, uint64_t waits[WAIT_COUNT]);

/* -- watching for warps that spin (exec/hang/spin.h) -- */

/* From now on accesses are looked at for changes, or not any more. */
void sm_watch(Sm *sm, bool is_watched);
uint64_t sm_changes(const Sm *sm);

#endif
