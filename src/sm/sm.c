/* The SM as a shard: its cycles, its warps' waits, and the wheel that ends them.
 *
 * The wheel has a slot for each of the next WHEEL_SLOTS - 1 cycles; a longer wait is entered into the last of
 * them and looked at again there. No used slot is ever passed over, because the next cycle to be simulated
 * is never later than the first of them. */
#include "sm/sm.h"

#include <stddef.h>
#include <string.h>

#include "exec/divergence.h"
#include "exec/engine.h"
#include "sm/lsu/lsu.h"
#include "sm/sample.h"
#include "sm/sched/sched.h"
#include "sm/stages.h"

/* The counter of each Wait. */
static const size_t waits[WAIT_COUNT] = {
    [WAIT_NONE] = offsetof(SmStatistics, ready_wait_cycles),
    [WAIT_RESULT] = offsetof(SmStatistics, result_wait_cycles),
    [WAIT_SHARED] = offsetof(SmStatistics, shared_wait_cycles),
    [WAIT_MEMORY] = offsetof(SmStatistics, memory_wait_cycles),
    [WAIT_FETCH] = offsetof(SmStatistics, fetch_wait_cycles),
    [WAIT_BRANCH] = offsetof(SmStatistics, branch_wait_cycles),
    [WAIT_FENCE] = offsetof(SmStatistics, fence_wait_cycles),
    [WAIT_BARRIER] = offsetof(SmStatistics, barrier_wait_cycles),
    [WAIT_UNIT] = offsetof(SmStatistics, unit_wait_cycles),
    [WAIT_PAUSE] = offsetof(SmStatistics, pause_wait_cycles),
    [WAIT_BLOCK] = offsetof(SmStatistics, event_wait_cycles),
    [WAIT_SUSPEND] = offsetof(SmStatistics, suspend_wait_cycles),
    [WAIT_DRAIN] = offsetof(SmStatistics, drain_wait_cycles),
};

void sm_leave_wait(Sm *sm, WarpSlot *slot)
{
    profile_charge(sm, slot);
    sm->schedulers[slot->scheduler].waiting[slot->wait]--;
    *(uint64_t *)((char *)&sm->statistics + waits[slot->wait]) += sm->now - slot->since;
}

/* The warp's wait ends in that cycle, or nobody knows when. */
static inline void enter_wheel(Sm *sm, uint32_t warp, Cycle until)
{
    sm->warps[warp].wake = until;
    if (until == CYCLE_NEVER)
        return;
    const Cycle distance = until - sm->now < WHEEL_SLOTS ? until - sm->now : WHEEL_SLOTS - 1;
    const uint32_t entry = (uint32_t)((sm->now + distance) % WHEEL_SLOTS);
    sm->wheel[entry] |= (WarpSet)1 << warp;
    sm->wheel_used |= (uint64_t)1 << entry;
}

/* The policy is told last, so that it sees all of it, and the call costs those nothing who need no word. */
void sm_wait(Sm *sm, uint32_t warp, Wait wait, Cycle until)
{
    WarpSlot *slot = &sm->warps[warp];
    const Wait before = (Wait)slot->wait;
    if (before == wait) {
        enter_wheel(sm, warp, until);
        return;
    }
    sm_leave_wait(sm, slot);
    slot->wait = (uint8_t)wait;
    slot->since = sm->now;
    sm->schedulers[slot->scheduler].waiting[wait]++;
    enter_wheel(sm, warp, until);
    policy_note_wait(sm, warp, before, wait);
}

static inline void make_ready(Sm *sm, uint32_t warp)
{
    const WarpSet bit = (WarpSet)1 << warp;
    WarpSlot *slot = &sm->warps[warp];
    const Wait before = (Wait)slot->wait;
    sm->ready |= bit;
    sm->by_pipe[slot->pipe] |= bit;
    if (before != WAIT_NONE) {
        sm_leave_wait(sm, slot);
        slot->wait = WAIT_NONE;
        slot->since = sm->now;
        sm->schedulers[slot->scheduler].waiting[WAIT_NONE]++;
        policy_note_wait(sm, warp, before, WAIT_NONE);
    }
}

Cycle sm_next_turn(const Sm *sm)
{
    if (!sm->wheel_used)
        return CYCLE_NEVER;
    const unsigned start = (unsigned)((sm->now + 1) % WHEEL_SLOTS);
    const uint64_t turned =
        start ? sm->wheel_used >> start | sm->wheel_used << (WHEEL_SLOTS - start) : sm->wheel_used;
    return sm->now + 1 + (Cycle)__builtin_ctzll(turned);
}

void sm_turn_wheel(Sm *sm)
{
    const uint32_t entry = (uint32_t)(sm->now % WHEEL_SLOTS);
    WarpSet due = sm->wheel[entry];
    sm->wheel[entry] = 0;
    sm->wheel_used &= ~((uint64_t)1 << entry);
    for (; due; due &= due - 1) {
        const uint32_t warp = (uint32_t)__builtin_ctzll(due);
        WarpSlot *slot = &sm->warps[warp];
        if (!slot->warp || slot->wait == WAIT_NONE || slot->wake == CYCLE_NEVER)
            continue;
        if (slot->wake > sm->now)
            sm_wait(sm, warp, (Wait)slot->wait, slot->wake);
        else if (slot->at_folded)
            sm_consider(sm, warp, sm->now);
        else
            make_ready(sm, warp);
    }
}

/* Does an instruction that has no issue slot of its own; its results are there when its sources are. */
static bool do_folded(Sm *sm, uint32_t warp, const InsnTiming *insn, Cycle ready)
{
    WarpSlot *slot = &sm->warps[warp];
    Issue issue = {.warp = warp, .insn = insn};
    Mask executed;
    count_issued(sm, slot, 0);
    if (engine_step(slot->warp, &issue, &executed) == STEP_ERROR) {
        sm_fail(sm, warp);
        return false;
    }
    count_executed(sm, slot, executed);
    slot->pc++;
    if (issue.is_pending || ready > sm->now)
        scoreboard_expect(sm, slot, &issue, ready);
    sm->lsu_touched |= issue.is_pending;
    return true;
}

/* Chooses the lanes that run next. False: all wait. */
static bool choose_group(Warp *warp)
{
    if (warp->current == NO_INDEX)
        divergence_choose(warp);
    if (warp->current == NO_INDEX && divergence_release(warp))
        divergence_choose(warp);
    return warp->current != NO_INDEX;
}

/* When the instruction at slot->pc can issue, and what it waits for until then. */
static Cycle when_issuable(Sm *sm, uint32_t warp, const InsnTiming *insn, Cycle from, Wait *wait)
{
    WarpSlot *slot = &sm->warps[warp];
    Cycle when = from > slot->not_before ? from : slot->not_before;
    if (slot->branch_until > when) {
        when = slot->branch_until;
        *wait = WAIT_BRANCH;
    }
    const Cycle fetched = fetch_when(sm, warp);
    if (fetched > when) {
        when = fetched;
        *wait = WAIT_FETCH;
    }
    if (when == CYCLE_NEVER)
        return when;
    if (insn->reads_parameters) {
        const BlockSlot *block = &sm->blocks[slot->block];
        const Cycle come = lsu_parameters_come(sm->lsu, block->kernel, &block->launch);
        if (come > when) {
            when = come;
            *wait = WAIT_SHARED;
        }
    }
    if (insn->pipe == PIPE_LSU && insn->interval > 1 && slot->port_until > when) {
        when = slot->port_until;
        *wait = WAIT_RESULT;
    }
    /* A frame must not go before what is loaded into it has come, so calls, returns and exits drain too. */
    const bool drains = insn->kind == CLASS_CALL || insn->kind == CLASS_EXIT || insn->drains ||
                        !scoreboard_has_room(&slot->board, insn);
    const Cycle operands =
        drains ? scoreboard_when_all(slot, when, wait) : scoreboard_when(slot, insn, when, wait);
    if (operands > when && !slot->has_conflicted) {
        slot->has_conflicted = true;
        sm->statistics.scoreboard_conflicts++;
    }
    return operands;
}

/* Whether the next instruction is a .release, or asks a unit that reads memory (printf), and the fence
 * that it begins with has not been. */
static bool must_release(const WarpSlot *slot)
{
    const Insn *insn = &slot->code[slot->pc];
    const bool releases =
        insn->action == ACTION_CALL ? insn->call->intrinsic != NULL : (insn->aux & AUX_RELEASE) != 0;
    return releases && !slot->has_released;
}

/* Something is to be done before the warp goes on; whether it is not to, whatever its next instruction is. */
static bool is_held_back(Sm *sm, uint32_t warp, Cycle from)
{
    const WarpSet bit = (WarpSet)1 << warp;
    if (sm->answered & bit) {
        sm->answered &= ~bit;
        if (!intrinsic_stores(sm, warp))
            return true;
    }
    if (sm->outdated & bit) {
        sm->outdated &= ~bit;
        lsu_invalidate(sm->lsu);
    }
    if (sm->moving & bit && hold_consider(sm, warp, from))
        return true;
    if ((sm->lsu_held | sm->acquiring) & bit)
        sm_wait(sm, warp, WAIT_MEMORY, CYCLE_NEVER);
    else if (sm->paused & bit)
        sm_wait(sm, warp, WAIT_PAUSE, CYCLE_NEVER);
    else
        return false;
    return true;
}

void sm_consider(Sm *sm, uint32_t warp, Cycle from)
{
    WarpSlot *slot = &sm->warps[warp];
    slot->at_folded = false;
    if (from > slot->not_before)
        slot->not_before = from;
    const InsnTiming *insn;
    Wait wait = slot->wait == WAIT_NONE ? WAIT_RESULT : (Wait)slot->wait;
    Cycle when;
    for (;;) {
        if (!slot->warp->live) {
            residency_end_warp(sm, warp);
            return;
        }
        if ((sm->lsu_held | sm->acquiring | sm->moving | sm->paused | sm->outdated | sm->answered) >> warp &
                1 &&
            is_held_back(sm, warp, from))
            return;
        if (!choose_group(slot->warp)) {
            sm_wait(sm, warp, WAIT_BARRIER, CYCLE_NEVER);
            if (sm->error.status != WB_OK) /* lanes do not come together to a call */
                sm_fail(sm, warp);
            return;
        }
        const uint32_t pc = slot->warp->groups[slot->warp->current].pc;
        if (pc != slot->pc)
            fetch_redirect(sm, warp, pc);
        insn = &slot->timing[pc];
        if (insn->slots)
            break;
        const bool has_room = scoreboard_has_room(&slot->board, insn);
        when = has_room ? scoreboard_when(slot, insn, from, &wait) : scoreboard_when_all(slot, from, &wait);
        if (when == CYCLE_NEVER || (!has_room && when > sm->now)) {
            slot->at_folded = true;
            sm_wait(sm, warp, wait, when);
            return;
        }
        if (!do_folded(sm, warp, insn, when))
            return;
    }
    if ((insn->kind == CLASS_MEMORY || insn->kind == CLASS_CALL) && must_release(slot)) {
        slot->has_released = true;
        fence_begin(sm, warp);
        return;
    }
    when = when_issuable(sm, warp, insn, from, &wait);
    slot->pipe = slot->step < insn->step_count ? insn->steps[slot->step].pipe : insn->pipe;
    if (when > sm->now)
        sm_wait(sm, warp, wait, when);
    else
        make_ready(sm, warp);
}

void sm_look_again(Sm *sm, uint32_t warp)
{
    const WarpSlot *slot = &sm->warps[warp];
    if (slot->wait == WAIT_DRAIN)
        residency_end_warp(sm, warp);
    else if ((slot->wait == WAIT_MEMORY || slot->wait == WAIT_SHARED || slot->wait == WAIT_SUSPEND) &&
             slot->wake == CYCLE_NEVER)
        sm_consider(sm, warp, sm->now);
}

void sm_fail(Sm *sm, uint32_t warp)
{
    if (!sm->failed)
        sm->failed_kernel = sm->blocks[sm->warps[warp].block].kernel;
    sm->failed = true;
    shard_stop(&sm->shard, sm->now);
}

void sm_fail_late(Sm *sm, uint32_t warp, const Error *error, Cycle time)
{
    sm_fail_kernel_late(sm, sm->blocks[sm->warps[warp].block].kernel, error, time);
}

void sm_fail_kernel_late(Sm *sm, const SmKernel *kernel, const Error *error, Cycle time)
{
    if (sm->late.error.status == WB_OK)
        sm->late = (SmFailure){*error, kernel, time};
    shard_stop(&sm->shard, time);
}

const Error *sm_failure(const Sm *sm, Cycle time, const SmKernel **kernel)
{
    const bool is_late = sm->late.error.status != WB_OK && sm->late.time == time;
    *kernel = is_late ? sm->late.kernel : sm->failed_kernel;
    return is_late ? &sm->late.error : &sm->error;
}

static void take_messages(Sm *sm)
{
    for (const Message *message; (message = shard_take(&sm->shard, sm->now));) {
        if (message->kind == MESSAGE_REPLY)
            lsu_take(sm->lsu, message->body, sm->now);
        else
            residency_take(sm, message);
    }
}

/* One cycle; returns the next one in which something can happen, messages apart. */
static Cycle simulate_cycle(Sm *sm)
{
    if (sm->accounted < sm->now)
        issue_account(sm, sm->now);
    sm->machine.clock = sm->now;
    take_messages(sm);
    if (sm->lsu_reply <= sm->now)
        lsu_deliver(sm->lsu, sm->now);
    if (sm->wheel_used >> sm->now % WHEEL_SLOTS & 1)
        sm_turn_wheel(sm);
    if (sm->fetch_wanted)
        fetch_cycle(sm);
    Cycle next = CYCLE_NEVER;
    if (sm->resident_blocks) {
        sm->statistics.active_cycles++;
        sm->statistics.resident_warp_cycles += sm->resident_warps;
        sm->statistics.resident_block_cycles += sm->resident_blocks;
        next = issue_cycle(sm);
    } else {
        sm->statistics.idle_cycles++;
    }
    sm->accounted = sm->now + 1;
    if (sm->lsu_touched || sm->lsu_wake <= sm->now) {
        sm->lsu_touched = false;
        sm->lsu_wake = lsu_advance(sm->lsu, sm->now);
        if (sm_candidates(sm))
            next = sm->now + 1; /* it may have woken some, or have room again */
    }
    if (sm->fetch_wanted || sm->is_stirred) {
        sm->is_stirred = false;
        next = sm->now + 1;
    }
    next = clock_earlier(next, sm_next_turn(sm));
    next = clock_earlier(next, sm->lsu_reply);
    return clock_earlier(next, sm->lsu_wake);
}

static void simulate_until(Sm *sm, Cycle end)
{
    Shard *shard = &sm->shard;
    Cycle now = clock_earlier(shard->wake, shard_next_arrival(shard));
    while (now < end && !sm->failed) {
        sm->now = shard->latest = now;
        shard->wake = simulate_cycle(sm);
        now = clock_earlier(shard->wake, shard_next_arrival(shard));
    }
}

/* As far as samples are to be taken before `end`: up to each of them. A block that leaves may call them
 * off. */
static void simulate_samples(Sm *sm, Cycle end)
{
    sample_expect(sm, clock_earlier(sm->shard.wake, shard_next_arrival(&sm->shard)), end);
    for (Cycle at; (at = sm->shard.visit) && at < end && !sm->failed;) {
        simulate_until(sm, at);
        if (sm->shard.visit == at && !sm->failed)
            sample_take(sm);
    }
}

static void advance(Shard *shard, Cycle end)
{
    Sm *sm = (Sm *)shard;
    if (lsu_asks(sm->lsu))
        sm->lsu_touched = true;
    if (sm->sampler)
        simulate_samples(sm, end);
    simulate_until(sm, end);
    if (lsu_asks(sm->lsu))
        shard->wake = clock_earlier(shard->wake, end);
    if (sm->failed) {
        shard->wake = CYCLE_NEVER;
        shard->visit = 0;
    }
}

void sm_account(Sm *sm, Cycle now)
{
    if (now > sm->accounted)
        issue_account(sm, now);
    slots_settle(&sm->slots, &sm->statistics);
    context_engine_account(sm->context, now);
}

void sm_empty_l1(Sm *sm, Cycle now)
{
    lsu_invalidate(sm->lsu);
    if (sm->lsu_touched)
        sm->shard.wake = clock_earlier(sm->shard.wake, now);
}

void sm_forget_caches(Sm *sm)
{
    lsu_forget(sm->lsu);
    fetch_invalidate(sm->fetch);
}

void sm_learn_pages(Sm *sm, Translation *translation, Cycle now)
{
    lsu_learn_pages(sm->lsu, translation, now);
}

void sm_begin_kernel(Sm *sm)
{
    lsu_invalidate(sm->lsu);
    fetch_begin_kernel(sm->fetch);
    sm->next_scheduler = 0; /* a kernel's time does not depend on what ran before it */
    sm->stored_sectors = false;
    policy_begin_kernel(sm);
}

void sm_end_kernel(Sm *sm, uint32_t number)
{
    context_pool_give_back(context_engine_pool(sm->context), number);
}

void sm_surround(Sm *sm, const Machine *gpu, const BlockWaker *waker, struct OuterUnits *units)
{
    Machine *seen = &sm->machine;
    seen->clock_khz = gpu->clock_khz;
    seen->sm_count = gpu->sm_count;
    seen->warps_per_sm = gpu->warps_per_sm;
    seen->heap = gpu->heap;
    seen->waker = waker;
    seen->runtime = gpu->runtime;
    seen->units = units;
    seen->textures = gpu->textures;
    seen->output = gpu->output;
    seen->output_context = gpu->output_context;
    seen->assertion_output = gpu->assertion_output;
    seen->assertion_context = gpu->assertion_context;
}

/* DeferHook of instructions that change what all SMs share. */
static void defer(Machine *machine, Deferred *action, void *context)
{
    Sm *sm = machine->owner;
    shard_defer(&sm->shard, sm->now, action, context);
}

Sm *sm_create(const GpuConfig *config, Crossbar *crossbar, uint32_t number, uint32_t front_end)
{
    Sm *sm = xaligned(64, (sizeof *sm + 63) / 64 * 64);
    memset(sm, 0, sizeof *sm);
    sm->shard.advance = advance;
    sm->shard.wake = CYCLE_NEVER;
    sm->number = number;
    sm->config = config;
    sm->crossbar = crossbar;
    sm->front_end = front_end;
    sm->machine.owner = sm;
    sm->machine.memory = lsu_carry_out;
    sm->machine.defer = defer;
    sm->machine.hold = intrinsic_note_hold;
    sm->machine.barrier = barrier_note;
    sm->scheduler_count = (uint32_t)config->schedulers;
    policy_attach(sm, sched_find(config->warp_scheduler));
    const uint64_t slots = config->max_threads_per_sm / config->warp_width;
    sm->free_slots = slots < MAX_WARPS ? ((WarpSet)1 << slots) - 1 : ~(WarpSet)0;
    sm->block_capacity = sm_block_places(config);
    sm->blocks = xcalloc(sm->block_capacity, sizeof *sm->blocks);
    units_init(sm);
    sm->fetch = fetch_create(config);
    sm->lsu = lsu_create(sm);
    sm->context = context_engine_create(sm);
    sm->lsu_wake = sm->lsu_reply = CYCLE_NEVER;
    return sm;
}

Shard *sm_shard(Sm *sm) { return &sm->shard; }

void sm_free(Sm *sm)
{
    if (!sm)
        return;
    for (uint32_t i = 0; i < sm->block_capacity; i++) {
        block_free(sm->blocks[i].block);
        block_free(sm->blocks[i].spare);
        block_free(sm->blocks[i].report.suspended);
        VEC_FREE(&sm->blocks[i].barriers.phases);
    }
    for (uint32_t i = 0; i < MAX_WARPS; i++)
        VEC_FREE(&sm->answers[i].pieces);
    policy_detach(sm);
    fetch_free(sm->fetch);
    lsu_free(sm->lsu);
    context_engine_free(sm->context);
    sample_free(sm);
    strays_free(&sm->machine.strays);
    xfree(sm->blocks);
    xfree(sm);
}
