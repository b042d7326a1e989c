/* Warp schedulers: in every cycle each chooses one of its warps that could issue, and issues its
 * instruction.
 *
 * Issuing does the instruction's work (exec/engine.h), takes the pipe for the initiation interval, enters
 * its results into the scoreboard and decides where the warp goes next. A cycle in which a scheduler issues
 * nothing is charged to one reason, the nearest to issuing that any of its warps has (wait.def); cycles that
 * were skipped because nothing could happen are charged in the same way, all at once. */
#include <stddef.h>

#include "exec/engine.h"
#include "sm/lsu/lsu.h"
#include "sm/sched/sched.h"
#include "sm/stages.h"

/* The counter that each Wait is charged to; waits in place have one for each reason. */
static const size_t reasons[WAIT_COUNT] = {
    [WAIT_NONE] = offsetof(SchedulerStatistics, stall_pipe),
    [WAIT_RESULT] = offsetof(SchedulerStatistics, stall_result),
    [WAIT_SHARED] = offsetof(SchedulerStatistics, stall_shared),
    [WAIT_MEMORY] = offsetof(SchedulerStatistics, stall_memory),
    [WAIT_FETCH] = offsetof(SchedulerStatistics, stall_fetch),
    [WAIT_BRANCH] = offsetof(SchedulerStatistics, stall_branch),
    [WAIT_FENCE] = offsetof(SchedulerStatistics, stall_fence),
    [WAIT_BARRIER] = offsetof(SchedulerStatistics, stall_barrier),
    [WAIT_UNIT] = offsetof(SchedulerStatistics, stall_unit),
    [WAIT_PAUSE] = offsetof(SchedulerStatistics, stall_pause),
    [WAIT_SUSPEND] = offsetof(SchedulerStatistics, stall_suspend),
    [WAIT_DRAIN] = offsetof(SchedulerStatistics, stall_drain),
};

#define BLOCK_WAIT(identifier, name, singular, plural)                                                       \
    [WAITS_FOR_##identifier] = offsetof(SchedulerStatistics, stall_##name),
static const size_t in_place[WAIT_REASONS] = {
#include "exec/block_wait.def"
};
#undef BLOCK_WAIT

/* What warps of the scheduler wait for in place; of several reasons, the first of block_wait.def. A warp that
 * does not wait itself is held with its block. */
static size_t reason_in_place(const Sm *sm, const Scheduler *scheduler)
{
    uint32_t first = WAIT_REASONS - 1;
    for (WarpSet rest = scheduler->view.mine; rest; rest &= rest - 1) {
        const WarpSlot *slot = &sm->warps[__builtin_ctzll(rest)];
        if (!slot->warp || slot->wait != WAIT_BLOCK)
            continue;
        const WarpWait *wait = &slot->warp->wait;
        const uint32_t reason =
            warp_wait_is_over(wait, sm->accounted) ? sm->blocks[slot->block].reason : wait->reason;
        first = reason < first ? reason : first;
    }
    return in_place[first];
}

/* Charges `cycles` in which the scheduler issued nothing. */
static inline void charge(Sm *sm, Scheduler *scheduler, uint64_t cycles)
{
    SchedulerStatistics *statistics = &scheduler->statistics;
    const WarpSet ready = sm->ready & scheduler->view.mine;
    if (ready) {
        const bool only_memory = !(ready & ~sm->by_pipe[PIPE_LSU]);
        *(only_memory && sm->lsu_full ? &statistics->stall_lsu
          : scheduler->refused        ? &statistics->stall_policy
                                      : &statistics->stall_pipe) += cycles;
        return;
    }
    for (uint32_t wait = WAIT_NONE; wait < WAIT_COUNT; wait++)
        if (scheduler->waiting[wait]) {
            const size_t counter = wait == WAIT_BLOCK ? reason_in_place(sm, scheduler) : reasons[wait];
            *(uint64_t *)((char *)statistics + counter) += cycles;
            return;
        }
    statistics->stall_empty += cycles;
}

/* How many of `cycles` from `start` on lie before `end`. */
static uint64_t cycles_until(Cycle end, Cycle start, uint64_t cycles)
{
    const uint64_t before = end > start ? end - start : 0;
    return before < cycles ? before : cycles;
}

void issue_account(Sm *sm, Cycle until)
{
    const uint64_t cycles = until - sm->accounted;
    if (!sm->resident_blocks) {
        sm->statistics.idle_cycles += cycles;
        sm->accounted = until;
        return;
    }
    sm->statistics.active_cycles += cycles;
    sm->statistics.resident_warp_cycles += cycles * sm->resident_warps;
    sm->statistics.resident_block_cycles += cycles * sm->resident_blocks;
    for (uint32_t i = 0; i < sm->scheduler_count; i++) {
        Scheduler *scheduler = &sm->schedulers[i];
        const uint64_t busy = cycles_until(scheduler->busy_until, sm->accounted, cycles);
        const uint64_t reading = cycles_until(scheduler->reading_until, sm->accounted, cycles);
        scheduler->statistics.issued += busy;
        if (reading > busy)
            scheduler->statistics.stall_operands += reading - busy;
        const uint64_t rest = cycles - (reading > busy ? reading : busy);
        if (rest)
            charge(sm, scheduler, rest);
    }
    sm->accounted = until;
}

/* Whether the warp does not go on behind its instruction. */
static bool goes_elsewhere(const WarpSlot *slot)
{
    const Warp *warp = slot->warp;
    return warp->current == NO_INDEX || warp->groups[warp->current].pc != slot->pc;
}

/* Where the warp goes after its instruction. */
static void go_on(Sm *sm, uint32_t warp, const InsnTiming *timing, const Insn *insn, StepResult result,
                  Cycle from)
{
    WarpSlot *slot = &sm->warps[warp];
    const uint32_t block = slot->block;
    switch ((InsnClass)timing->kind) {
    case CLASS_BARRIER:
        if (!barrier_arrived(sm, warp, result == STEP_WAIT))
            sm_consider(sm, warp, from);
        break;
    case CLASS_FENCE:
        fence_issued(sm, warp, insn);
        break;
    case CLASS_EXCHANGE: /* what it gives is not in registers that a scoreboard knows */
        sm_consider(sm, warp, clock_later(from, sm->now + timing->latency));
        break;
    case CLASS_BRANCH:
    case CLASS_CALL:
    case CLASS_EXIT:
        if (goes_elsewhere(slot))
            slot->branch_until = sm->now + timing->latency;
        else if (sm->config->branch_fall_latency > 1)
            slot->branch_until = clock_later(from, sm->now + sm->config->branch_fall_latency);
        if (slot->warp->live)
            sm_consider(sm, warp, from);
        else
            residency_end_warp(sm, warp); /* its last thread has ended; with its last warp the block has */
        barrier_after_exit(sm, block, slot->scheduler);
        break;
    default:
        sm_consider(sm, warp, from);
        break;
    }
}

/* The address unit takes one instruction after the other, of all warps. A block's constants are asked for at
 * its beginning, so that nobody may have to wait for them when they are needed. Returns the cycles that a
 * result has to wait for what is read for it. */
static Cycle address_wait(Sm *sm, WarpSlot *slot, const InsnTiming *timing)
{
    const uint64_t interval = sm->config->const_interval;
    Cycle free = clock_later(sm->address_free, sm->now), ready = sm->now;
    if (timing->bank_reads) {
        slot->bank_read = free;
        free += timing->bank_reads * interval;
    }
    if (timing->special_reads) {
        ready = free;
        free += timing->special_reads * interval;
    }
    if (timing->bank_reads || timing->special_reads)
        sm->address_free = free;
    if (timing->awaits_bank)
        ready = clock_later(ready, slot->bank_read + timing->bank_place * interval +
                                       sm->config->const_latency);
    return ready - sm->now;
}

/* When there is a result. An exchange between lanes waits for those of other warps: the SM has one network
 * for them. */
static Cycle result_cycle(Sm *sm, const InsnTiming *timing, Cycle wait)
{
    const uint64_t lanes = sm->config->exchange_lanes;
    Cycle start = sm->now + wait;
    if (timing->pipe == PIPE_LSU && timing->kind == CLASS_COMPUTE && timing->slots && lanes) {
        start = clock_later(start, sm->exchange_free);
        sm->exchange_free = start + (sm->config->warp_width + lanes - 1) / lanes;
    }
    return start + timing->latency + timing->lead;
}

/* The load/store unit is asked, and fences and the schedulers' turns are to know it. */
static void note_access(Sm *sm, WarpSlot *slot, const Insn *insn)
{
    sm->lsu_touched = true;
    if (sm->config->scheduler_turns)
        sm->next_scheduler = (slot->scheduler + 1u) % sm->scheduler_count;
    slot->has_stored |=
        (insn->action == ACTION_STORE && insn->space != SPACE_SHARED) || insn->action == ACTION_SURFACE_STORE;
    slot->has_done_atomics |= insn->action == ACTION_ATOMIC && insn->space != SPACE_SHARED;
}

/* Issues a step that is not the instruction's last. */
static void issue_step(Sm *sm, Scheduler *scheduler, uint32_t warp, const InsnStep *step)
{
    WarpSlot *slot = &sm->warps[warp];
    scheduler->on_until = scheduler->reading_until = sm->now + 1;
    scheduler->last_insn = NULL;
    SlotMix one = {0};
    mix_put(&one, (SlotKind)step->kind, 1);
    slots_count(&sm->slots, &one, &sm->statistics);
    units_occupy(sm, slot->scheduler, (Pipe)step->pipe, step->interval);
    slot->step++;
    sm_consider(sm, warp, sm->now + step->latency);
}

/* Operands are read, and the pipe is the instruction's for the time that it takes it. */
static void occupy_units(Sm *sm, Scheduler *scheduler, WarpSlot *slot, const InsnTiming *timing,
                         bool same_warp)
{
    const Cycle reading = operands_read(sm, scheduler, timing, same_warp);
    scheduler->reading_until = sm->now + reading;
    scheduler->reads_for_memory = timing->pipe == PIPE_LSU;
    units_occupy(sm, slot->scheduler, (Pipe)timing->pipe, clock_later(timing->interval, reading));
    if (timing->pipe == PIPE_LSU && timing->interval > 1)
        slot->port_until = sm->now + timing->interval;
}

static void issue_warp(Sm *sm, Scheduler *scheduler, uint32_t warp, Cycle from)
{
    WarpSlot *slot = &sm->warps[warp];
    const InsnTiming *timing = &slot->timing[slot->pc];
    const Insn *insn = &slot->code[slot->pc];
    const WarpSet bit = (WarpSet)1 << warp;
    sm->ready &= ~bit;
    sm->by_pipe[slot->pipe] &= ~bit;
    const bool same_warp = scheduler->view.last == bit;
    scheduler->view.last = bit;
    scheduler->view.last_slot = warp;
    if (slot->step < timing->step_count) {
        issue_step(sm, scheduler, warp, &timing->steps[slot->step]);
        return;
    }
    const Cycle slots = timing->slots - timing->step_count;
    slot->step = 0;
    scheduler->on_until = sm->now + (slots > 1 ? slots : 1);
    count_issued(sm, slot, timing->slots);
    slots_count(&sm->slots, &timing->mix, &sm->statistics);
    slot->has_conflicted = slot->has_released = false;
    fetch_consume(sm, warp);
    if (intrinsic_deferred(sm, warp, insn))
        return;
    occupy_units(sm, scheduler, slot, timing, same_warp);
    Issue issue = {.warp = warp, .insn = timing};
    if (timing->kind == CLASS_MEMORY)
        note_access(sm, slot, insn);
    Mask executed;
    const StepResult result = engine_step(slot->warp, &issue, &executed);
    count_executed(sm, slot, executed);
    if (result == STEP_ERROR) {
        sm_fail(sm, warp);
        return;
    }
    slot->pc++;
    const bool asks = timing->bank_reads || timing->special_reads || timing->awaits_bank;
    const Cycle wait = asks ? address_wait(sm, slot, timing) : 0;
    if (executed || issue.is_pending)
        scoreboard_expect(sm, slot, &issue, result_cycle(sm, timing, wait));
    if (slots > 1) {
        scheduler->busy_until = sm->now + slots;
        from = scheduler->busy_until;
    }
    from += timing->lead;
    if (__builtin_expect(issue.is_held, 0))
        intrinsic_hold(sm, warp);
    else
        go_on(sm, warp, timing, insn, result, from);
}

/* The warps whose pipe can take an instruction now; *next is lowered to when another one's can. */
static WarpSet issuable(Sm *sm, uint32_t number, WarpSet ready, Cycle *next)
{
    WarpSet free = 0;
    while (ready) {
        const Pipe pipe = (Pipe)sm->warps[__builtin_ctzll(ready)].pipe;
        const WarpSet of_pipe = ready & sm->by_pipe[pipe];
        const Cycle when = units_when(sm, number, pipe);
        ready &= ~of_pipe;
        if (when <= sm->now)
            free |= of_pipe;
        else if (when < *next)
            *next = when;
    }
    return free;
}

/* Whether the policy's answer stands, to issue none of its ready warps. */
static bool still_refuses(const Sm *sm, const Scheduler *scheduler, WarpSet free, Cycle *next)
{
    if (scheduler->refused != free || scheduler->ask_at <= sm->now)
        return false;
    *next = scheduler->ask_at < *next ? scheduler->ask_at : *next;
    return true;
}

/* Issues an instruction of one of the warps, which could all issue but for a busy pipe. */
static bool issue_one(Sm *sm, Scheduler *scheduler, uint32_t number, WarpSet ready, Cycle from, Cycle *next)
{
    const WarpSet free = issuable(sm, number, ready, next);
    if (scheduler->refused) {
        if (free && still_refuses(sm, scheduler, free, next))
            return false;
        scheduler->refused = 0;
    }
    if (!free)
        return false;
    SchedulerView *view = &scheduler->view;
    view->ready = free;
    view->paused = scheduler->on_until < sm->now && scheduler->reading_until < sm->now;
    const uint32_t warp = sm->policy->pick(view);
    if (warp >= MAX_WARPS || !(free >> warp & 1)) {
        policy_refused(sm, scheduler, free, warp, next);
        return false;
    }
    issue_warp(sm, scheduler, warp, from);
    return true;
}

/* What schedulers share, the load/store unit's queue above all, goes to each in turn: the one behind that
 * which got it last goes first. Turns by time would not do: a unit that has room every fourth cycle would
 * meet the same one of four schedulers every time, whose warps would end long before the others'. Without
 * scheduler_turns that is how it is, as in GPGPU-Sim before version 4. */
Cycle issue_cycle(Sm *sm)
{
    Cycle next = CYCLE_NEVER;
    const uint64_t width = sm->config->issue_width;
    uint32_t number = sm->next_scheduler;
    for (uint32_t i = 0; i < sm->scheduler_count; i++, number++) {
        number = number < sm->scheduler_count ? number : 0;
        Scheduler *scheduler = &sm->schedulers[number];
        if (scheduler->busy_until > sm->now) {
            next = scheduler->busy_until < next ? scheduler->busy_until : next;
            scheduler->statistics.issued++;
            continue;
        }
        const bool reads = scheduler->reading_until > sm->now, waits = reads && scheduler->reads_for_memory;
        const WarpSet ready = waits ? 0 : sm_candidates(sm) & scheduler->view.mine;
        if (waits)
            next = clock_earlier(next, scheduler->reading_until);
        if (!ready || !issue_one(sm, scheduler, number, ready, sm->now + (width == 1), &next)) {
            if (reads)
                scheduler->statistics.stall_operands++;
            else
                charge(sm, scheduler, 1);
            continue;
        }
        scheduler->statistics.issued++;
        const WarpSet again = sm_candidates(sm) & scheduler->view.last;
        if (width > 1 && again && scheduler->busy_until <= sm->now &&
            scheduler->reading_until <= sm->now + 1) {
            issue_one(sm, scheduler, number, again, sm->now + 1, &next);
            scheduler->refused = 0; /* that was for this cycle */
        }
        if (sm_candidates(sm) & scheduler->view.mine)
            next = sm->now + 1;
    }
    return next;
}
