/* A warp scheduler's policy: which of the warps that could issue does.
 *
 * A policy is one file of this folder: it opens by naming its source and how it differs from it, and ends
 * with `const WarpScheduler sched_<file name>`. The build finds it; the knob warp_scheduler chooses it.
 * docs/POLICIES.md shows how to write one. sm/sched/view.h has the fields of SchedulerView and the functions
 * of sets of warps; the functions at the end of this file tell the rest.
 *
 * Every scheduler of every SM has a state of the policy, and every SM one more that its schedulers share.
 * Nobody else sees them: SMs run on different threads, so a policy keeps nothing in static variables. Within
 * an SM everything happens in one order, the same for any number of threads. In a cycle, warps first wake up
 * and blocks come; then the schedulers have their turns, in an order that changes from cycle to cycle; what
 * one does in its turn the next sees. Last come results of memory. */
#ifndef SM_SCHED_SCHED_H
#define SM_SCHED_SCHED_H

#include "base/policy.h"
#include "sm/sm.h"

/* What pick answers if no warp is to issue. */
enum { SCHED_NOBODY = MAX_WARPS };

/* All functions but pick may be null. Warps and blocks are slots of the SM; a slot that has become free is
 * given to another. */
struct WarpScheduler {
    Policy about; /* its counters are kept for each scheduler: view->counters */

    /* Fails with the sentence if knobs contradict each other; asked before a machine is made. */
    WbStatus (*check)(const GpuConfig *config, Error *error);
    /* The state that the schedulers of an SM share. It is made first and freed last. States are allocated
     * with xcalloc() and freed with xfree() (base/alloc.h). */
    void *(*init_sm)(const GpuConfig *config, uint32_t sm);
    void (*free_sm)(void *shared);
    /* The state of scheduler view->number; view->shared is there. */
    void *(*init)(const SchedulerView *view, const GpuConfig *config, uint32_t sm);
    void (*free)(void *state);
    /* A kernel begins on a GPU that runs no other: its time must not depend on those before it. */
    void (*begin)(SchedulerView *view);

    /* The slot of a warp of view->ready, which is not empty; that warp issues. Asked once a cycle while the
     * scheduler has a warp that can issue; where issue_width is 2, again with the warp that has issued as the
     * only one. All dependences, pipes and queues have been looked at: the choice is one of order alone.
     *
     * SCHED_NOBODY: nothing issues, and the cycle is charged to stall_policy. The answer stands until
     * view->ready is another set, a function below has been called for this SM, or the cycle that
     * sched_nobody_before() gave has come; until then pick is not called. A policy whose answer depends on
     * anything else gives the next cycle there. A policy that never lets a ready warp issue is reported as
     * the cause of a hang. */
    uint32_t (*pick)(SchedulerView *view);

    /* A warp of this scheduler has come, or is about to go. A warp goes when all its threads have ended and
     * nothing of it is under way, or when its block has been saved; view->mine is without it then. */
    void (*warp_came)(SchedulerView *view, uint32_t warp);
    void (*warp_went)(SchedulerView *view, uint32_t warp);
    /* A warp of this scheduler has begun to wait, or waits no longer; only for the Waits (sm/wait.def) whose
     * bits are in `waits`. sched_wait() is the new one already. The first wait_begun of a warp comes after
     * its warp_came. A warp that waits when it goes gets no wait_ended, only warp_went. */
    uint32_t waits; /* 1u << WAIT_MEMORY and so on */
    void (*wait_begun)(SchedulerView *view, uint32_t warp, Wait wait);
    void (*wait_ended)(SchedulerView *view, uint32_t warp, Wait wait);

    /* These are told to every scheduler of the SM, in the order of their numbers. */

    /* A block has come, before its warps do; or has gone, after them. `is_moved`: it was suspended
     * before, or is now. */
    void (*block_came)(SchedulerView *view, uint32_t block, bool is_moved);
    void (*block_went)(SchedulerView *view, uint32_t block, bool is_moved);
    /* A warp has come to a barrier of its block, and does not wait yet. `is_first`: it is the first warp to
     * come since the block's last barrier was cleared. */
    void (*barrier_reached)(SchedulerView *view, uint32_t warp, bool is_first);
    /* The last warp has come to the barrier: the block's warps that waited can issue barrier_latency cycles
     * later. */
    void (*barrier_cleared)(SchedulerView *view, uint32_t block);
};

/* All of them, by name; null behind the last. */
const WarpScheduler *sched_at(size_t index);
const WarpScheduler *sched_find(const char *name);
/* One that was loaded, at most MOST_LOADED_POLICIES times. */
void sched_add(const WarpScheduler *policy);

/* -- for policies -- */

/* The answer of a pick that wants to be asked again in that cycle, even if nothing has changed by then. */
static inline uint32_t sched_nobody_before(SchedulerView *view, Cycle cycle)
{
    view->ask_at = cycle;
    return SCHED_NOBODY;
}

static inline Cycle sched_now(const SchedulerView *view) { return view->sm->now; }

/* Smaller: came earlier. Warps of a block came in the order of their numbers in it. */
static inline uint64_t sched_age(const SchedulerView *view, uint32_t warp)
{
    return view->sm->warps[warp].age;
}

/* The ready warp that came first. */
static inline uint32_t sched_oldest(const SchedulerView *view)
{
    uint32_t oldest = warps_first(view->ready);
    for (WarpSet rest = view->ready & (view->ready - 1); rest; rest &= rest - 1) {
        const uint32_t slot = warps_first(rest);
        if (sched_age(view, slot) < sched_age(view, oldest))
            oldest = slot;
    }
    return oldest;
}

/* The slot of the warp's block, and the warps of a block, of all schedulers of the SM. */
static inline uint32_t sched_block(const SchedulerView *view, uint32_t warp)
{
    return view->sm->warps[warp].block;
}

static inline WarpSet sched_block_warps(const SchedulerView *view, uint32_t block)
{
    WarpSet resident = 0;
    for (uint32_t i = 0; i < view->sm->scheduler_count; i++)
        resident |= view->sm->schedulers[i].view.mine;
    return view->sm->blocks[block].warp_slots & resident;
}

/* Warps that the block began with, on all schedulers of the SM. */
static inline uint32_t sched_block_size(const SchedulerView *view, uint32_t block)
{
    return view->sm->blocks[block].block->warp_count;
}

/* What the warp waits for, since when, and the cycle in which that ends if it is known, else CYCLE_NEVER.
 * WAIT_NONE: it is ready, but for a busy pipe. */
static inline Wait sched_wait(const SchedulerView *view, uint32_t warp)
{
    return (Wait)view->sm->warps[warp].wait;
}

static inline Cycle sched_waits_since(const SchedulerView *view, uint32_t warp)
{
    return view->sm->warps[warp].since;
}

static inline Cycle sched_waits_until(const SchedulerView *view, uint32_t warp)
{
    return view->sm->warps[warp].wait == WAIT_NONE ? view->sm->now : view->sm->warps[warp].wake;
}

/* The next instruction of a warp of view->ready: its kind (memory, barrier, branch and so on), its pipe and
 * registers (native/timing.h). */
static inline const InsnTiming *sched_insn(const SchedulerView *view, uint32_t warp)
{
    return &view->sm->warps[warp].timing[view->sm->warps[warp].pc];
}

#endif
