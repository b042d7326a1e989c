/* What the stages of the pipeline say to each other. */
#ifndef SM_STAGES_H
#define SM_STAGES_H

#include "sm/context_engine.h"
#include "sm/line_profile.h"

/* -- sm.c: the wheel and the warps' waits -- */

/* The warps whose known waits end now are considered again. */
void sm_turn_wheel(Sm *sm);
/* The next cycle for which the wheel holds something, or CYCLE_NEVER. */
Cycle sm_next_turn(const Sm *sm);
/* Counts the wait that the warp is in, which ends now. */
void sm_leave_wait(Sm *sm, WarpSlot *slot);
/* The ready warps that a free pipe would let issue. While the load/store unit's queue is full its own wake-up
 * comes first, so that no cycle need be simulated for those who want it. */
static inline WarpSet sm_candidates(const Sm *sm)
{
    return sm->lsu_full ? sm->ready & ~sm->by_pipe[PIPE_LSU] : sm->ready;
}

/* -- scoreboard.c -- */

/* The first cycle from `from` on in which all registers of the instruction are there, and what is waited for
 * until then; CYCLE_NEVER: not known yet. */
Cycle scoreboard_search(WarpSlot *slot, const InsnTiming *insn, Cycle from, Wait *wait);
static inline Cycle scoreboard_when(WarpSlot *slot, const InsnTiming *insn, Cycle from, Wait *wait)
{
    return slot->board.filter & insn->filter ? scoreboard_search(slot, insn, from, wait) : from;
}
/* The same for everything that is pending. */
Cycle scoreboard_when_all(WarpSlot *slot, Cycle from, Wait *wait);
/* There is room once what has passed by `now` is dropped. */
void scoreboard_add(WarpSlot *slot, uint16_t reg, Pipe pipe, Wait wait, Cycle time, Cycle now);
/* The registers that the instruction writes are there from `time` on. */
void scoreboard_set(WarpSlot *slot, const InsnTiming *insn, Cycle time);
/* Whether there is room for an instruction's results. */
static inline bool scoreboard_has_room(const Scoreboard *board, const InsnTiming *insn)
{
    return board->count + insn->write_count <= SCOREBOARD_ENTRIES;
}

/* Enters the results of the instruction that has just been done: ready at that time, or, if they are
 * pending, when the load/store unit says. */
void scoreboard_expect(Sm *sm, WarpSlot *slot, const Issue *issue, Cycle ready);

/* -- operands.c -- */

/* Cycles in which the sources are read through the register banks; `same_warp`: the scheduler's last
 * instruction was of the same warp. */
Cycle operands_read(Sm *sm, Scheduler *scheduler, const InsnTiming *insn, bool same_warp);

/* -- units.c -- */

void units_init(Sm *sm);
/* The pipe of the scheduler's that is free first. */
static inline uint32_t units_first_free(const Sm *sm, uint32_t scheduler, Pipe pipe)
{
    const uint32_t begin = scheduler * sm->pipe_stride[pipe];
    uint32_t best = begin;
    for (uint32_t i = begin + 1; i < begin + sm->pipe_count[pipe]; i++)
        if (sm->pipe_free[pipe][i] < sm->pipe_free[pipe][best])
            best = i;
    return best;
}

/* When a pipe of that kind is free for the scheduler: now or later. */
static inline Cycle units_when(const Sm *sm, uint32_t scheduler, Pipe pipe)
{
    return pipe == PIPE_LSU ? sm->now : sm->pipe_free[pipe][units_first_free(sm, scheduler, pipe)];
}

static inline void units_occupy(Sm *sm, uint32_t scheduler, Pipe pipe, Cycle cycles)
{
    if (pipe != PIPE_LSU)
        sm->pipe_free[pipe][units_first_free(sm, scheduler, pipe)] = sm->now + cycles;
}

/* -- fetch.c -- */

Fetch *fetch_create(const GpuConfig *config);
void fetch_free(Fetch *fetch);
/* A kernel begins, and no other is there. */
void fetch_begin_kernel(Fetch *fetch);
/* No code is in the caches any more. */
void fetch_invalidate(Fetch *fetch);
/* The warp goes on at another place than behind its last instruction. */
void fetch_redirect(Sm *sm, uint32_t warp, uint32_t pc);
/* The warp has used one buffered instruction. */
void fetch_consume(Sm *sm, uint32_t warp);
/* When the warp's next instruction is buffered; CYCLE_NEVER: not before fetch_cycle() has got to it. */
Cycle fetch_when(Sm *sm, uint32_t warp);
/* Fetches for the warps whose turn it is. */
void fetch_cycle(Sm *sm);
/* The slot has a new warp, or none. */
void fetch_reset(Sm *sm, uint32_t warp);

/* -- issue.c -- */

/* One cycle of all schedulers; the next cycle in which a warp that is ready now could issue. */
Cycle issue_cycle(Sm *sm);
/* Charges the cycles from sm->accounted up to `until`, which is later and before which nothing happened. */
void issue_account(Sm *sm, Cycle until);

/* -- policy.c -- */

/* Gives the schedulers their policy, with new states; they have no warps. */
void policy_attach(Sm *sm, const WarpScheduler *policy);
void policy_detach(Sm *sm);
void policy_begin_kernel(Sm *sm);
/* The policy has let none of these warps issue; lowers *next to when it is asked again at the latest.
 * `picked`: its answer, which may be none that it may give. */
__attribute__((cold)) void policy_refused(Sm *sm, Scheduler *scheduler, WarpSet warps, uint32_t picked,
                                          Cycle *next);
/* What has happened: struct WarpScheduler says when. */
void policy_warp_came(Sm *sm, uint32_t warp);
void policy_warp_went(Sm *sm, uint32_t warp);
void policy_block_came(Sm *sm, uint32_t block, bool is_moved);
void policy_block_went(Sm *sm, uint32_t block, bool is_moved);
void policy_barrier_reached(Sm *sm, uint32_t warp, bool is_first);
void policy_barrier_cleared(Sm *sm, uint32_t block);
__attribute__((cold)) void policy_wait_changed(Sm *sm, uint32_t warp, Wait before);
/* The warp is in another Wait than before. */
static inline void policy_note_wait(Sm *sm, uint32_t warp, Wait before, Wait now)
{
    if (__builtin_expect(sm->told_waits != 0, 0) && (sm->told_waits >> before | sm->told_waits >> now) & 1)
        policy_wait_changed(sm, warp, before);
}

/* -- barrier.c -- */

/* The warp's barrier instruction has been done; releases those that it let go. True: the warp itself waited
 * and is one of them, so that nothing more is to be done for it. */
bool barrier_arrived(Sm *sm, uint32_t warp, bool waits);
/* Adds to what timelines show of a block. */
void barrier_log(const Sm *sm, BarrierLog *log, BarrierPhase phase);
/* Notes what timelines show of a barrier (BarrierHook). */
void barrier_note(Block *block, uint32_t name);
/* Threads have ended: warps that waited only for them go on. */
void barrier_after_exit(Sm *sm, uint32_t block, uint32_t scheduler);

/* -- fence.c -- */

/* A fence has been done; the warp goes on when it has passed. */
void fence_issued(Sm *sm, uint32_t warp, const Insn *insn);
/* The warp waits as for a fence beyond the block, and is then considered again. */
void fence_begin(Sm *sm, uint32_t warp);
/* The last store that the warp had under way is visible, or in a fence its last load has come. */
void fence_stored(Sm *sm, uint32_t warp);

/* -- intrinsic.c -- */

/* Whether the instruction is answered by a unit outside the SM, and if so asks it. */
bool intrinsic_deferred(Sm *sm, uint32_t warp, const Insn *insn);
/* The warp's instruction makes it wait at the global sync unit (HoldHook). */
void intrinsic_note_hold(Step *step);
/* It has been issued. */
void intrinsic_hold(Sm *sm, uint32_t warp);
/* The warp's call is over: stores what it was answered through pointers. False: it may not any more. */
bool intrinsic_stores(Sm *sm, uint32_t warp);

/* -- watch.c -- */

/* The access issues, and its launch is watched. */
void watch_issue(Sm *sm, const Step *step, const Access *access);

/* -- sm.c -- */

/* Something has come that the warp may have waited for, perhaps not for it alone: it is looked at anew. */
void sm_look_again(Sm *sm, uint32_t warp);
/* An instruction of the warp failed: sm->error has the sentence. */
void sm_fail(Sm *sm, uint32_t warp);
/* An intrinsic did, called in a cycle that the SM may be past: it goes on, as far as all others do, so that
 * its state does not depend on where the window ended. */
void sm_fail_late(Sm *sm, uint32_t warp, const Error *error, Cycle time);
/* The same of a kernel. */
void sm_fail_kernel_late(Sm *sm, const SmKernel *kernel, const Error *error, Cycle time);

/* -- residency.c -- */

/* Counts an instruction that a warp issues in so many cycles, and the threads that it runs for once that is
 * known. */
static inline void count_issued(Sm *sm, WarpSlot *slot, Cycle cycles)
{
    profile_issue(sm, slot, cycles);
    sm->statistics.warp_instructions++;
    sm->blocks[slot->block].report.warp_instructions++;
}

static inline void count_executed(Sm *sm, const WarpSlot *slot, Mask executed)
{
    const uint64_t threads = (uint64_t)__builtin_popcountll(executed);
    sm->statistics.thread_instructions += threads;
    sm->blocks[slot->block].report.thread_instructions += threads;
    profile_threads(sm, slot, threads);
}

/* The front end's word about a block: one comes, or something becomes of one that is here. */
void residency_take(Sm *sm, const Message *message);
/* The slot of that block; null: it is not here any more. */
BlockSlot *residency_find_block(Sm *sm, const SmKernel *kernel, uint64_t linear);
/* A free block slot for a block that comes; its `block` is still null. */
uint32_t residency_take_slot(Sm *sm, const SmKernel *kernel, uint64_t linear, Cycle dispatched);
/* The block is in the slot; none of its warps is yet. `returns`: it has been away. */
void residency_settle_in(Sm *sm, uint32_t index, Block *block, bool returns);
/* A free warp slot for a warp of that block, which waits from now on. */
uint32_t residency_take_warp_slot(Sm *sm, uint32_t index, Warp *warp, Wait wait);
/* The warp is gone; its slot stays its block's. */
void residency_clear_warp_slot(Sm *sm, uint32_t warp);
/* The block is gone, and its slot's report goes to the front end. */
void residency_leave_slot(Sm *sm, uint32_t index, uint32_t message);
/* All threads of the warp have ended. */
void residency_end_warp(Sm *sm, uint32_t warp);
/* A store of a block that has ended is confirmed. */
void residency_late_store(Sm *sm);

/* -- hold.c -- */

/* A warp of sm->moving would be considered, and issue nothing before `from`. Whether it is held: it waits, or
 * its block does, leaves or comes. */
bool hold_consider(Sm *sm, uint32_t warp, Cycle from);
/* What timelines show of the wait in place that the block is in; `released` is 0 while it lasts. */
BarrierPhase hold_phase(const BlockSlot *slot, Cycle released);
/* The block does not wait in place any longer. */
void hold_end(Sm *sm, uint32_t index);
/* Of these warps, whose block goes on, those that do not wait by themselves are held no longer. */
void hold_release(Sm *sm, WarpSet warps);

/* -- suspend.c -- */

/* The block begins to leave; `warp` is that whose wait makes it, and whose call is over. NO_INDEX: there is
 * none. */
void suspend_begin(Sm *sm, uint32_t index, uint32_t warp);
/* The front end wants the block to leave, its context to that place; nothing, if it is not here any more. */
void suspend_order(Sm *sm, const SmKernel *kernel, uint64_t linear, ContextPlace place);
/* A warp of a block that is about to leave or comes would be considered, and issue nothing before `from`. */
void suspend_consider(Sm *sm, uint32_t warp, Cycle from);
/* A warp of a block that settles is gone. */
void suspend_settle(Sm *sm, uint32_t index);
void suspend_resume(Sm *sm, Resumption *resumption);
/* The context of the block has been saved or restored by the context switch engine. */
void suspend_moved(Sm *sm, uint32_t index);

/* -- pause.c -- */

/* The block issues nothing until pause_end(); nothing, if it is not here any more. */
void pause_begin(Sm *sm, const SmKernel *kernel, uint64_t linear);
void pause_end(Sm *sm, const SmKernel *kernel, uint64_t linear);
/* The block is not paused any more: notes what timelines show of it. */
void pause_log(const Sm *sm, BlockSlot *block);

#endif
