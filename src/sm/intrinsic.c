/* Intrinsics that units outside the SM answer: the device heap, printf, assertions, launches.
 *
 * They change or read what all SMs share, so they are put off to the end of the window, where they run one
 * after the other in the order of the cycles in which they were called (sim/shard.h). The warp waits for
 * the way there and back, or for the device runtime if that takes longer. An answer may be that the warp's
 * block has to wait for its children: the block begins to leave when that word has come (suspend.c). Or that
 * it need not: then the warp must not find in the L1 what is older than what they wrote. What a call writes
 * where its threads' pointers say is stored by the warp when the answer has come, before it goes on: so it
 * goes the way of all stores, through the SM's own L1. */
#include "sm/intrinsic.h"

#include "exec/engine.h"
#include "exec/grid_sync.h"
#include "exec/meet.h"
#include "sm/stages.h"

static const void *knob_at(const GpuConfig *config, KnobPlace place) { return (const char *)config + place; }

static Cycle cycles_at(const GpuConfig *config, KnobPlace place)
{
    return place ? *(const uint64_t *)knob_at(config, place) : 0;
}

Cycle intrinsic_cycles(const GpuConfig *config, const Intrinsic *intrinsic, unsigned lanes)
{
    const Cycle cycles = intrinsic->way ? cycles_at(config, intrinsic->way) : config->unit_latency;
    const Cycle way = 2 * (cycles ? cycles : config->crossbar_latency);
    if (!lanes || (intrinsic->condition && !*(const bool *)knob_at(config, intrinsic->condition)))
        return way;
    const Cycle time =
        cycles_at(config, intrinsic->warp_cycles) + lanes * cycles_at(config, intrinsic->thread_cycles);
    return time > way ? time : way;
}

/* The warp is considered then and not now: this may be any cycle after the call. */
static void go_on_at(Sm *sm, uint32_t warp, Cycle time)
{
    sm->warps[warp].at_folded = true;
    sm_wait(sm, warp, WAIT_UNIT, time);
    const Cycle turn = sm_next_turn(sm);
    if (turn < sm->shard.wake)
        sm->shard.wake = turn;
}

static void answer(void *context, Cycle time)
{
    WarpSlot *slot = context;
    Sm *sm = slot->warp->block->launch->machine->owner;
    const uint32_t warp = (uint32_t)(slot - sm->warps);
    const Intrinsic *intrinsic = slot->code[slot->pc - 1].call->intrinsic;
    Issue issue = {.warp = warp, .insn = &slot->timing[slot->pc - 1]};
    Mask executed;
    sm->machine.clock = time;
    const Error earlier = sm->error; /* of an instruction, by the window's clock behind the call */
    error_clear(&sm->error);
    sm->machine.answers = &sm->answers[warp];
    const bool has_failed = engine_step(slot->warp, &issue, &executed) == STEP_ERROR;
    if (has_failed)
        sm_fail_late(sm, warp, &sm->error, time);
    sm->error = earlier;
    if (has_failed)
        return;
    count_executed(sm, slot, executed);
    if (sm->answers[warp].pieces.count)
        sm->answered |= (WarpSet)1 << warp;
    if (!warp_wait_is_over(&slot->warp->wait, time))
        sm->moving |= (WarpSet)1 << warp;
    else if (intrinsic->acquires)
        sm->outdated |= (WarpSet)1 << warp;
    const unsigned lanes = (unsigned)__builtin_popcountll(executed);
    go_on_at(sm, warp, time + intrinsic_cycles(sm->config, intrinsic, lanes));
}

void intrinsic_note_hold(Step *step) { step->issue->is_held = true; }

/* Between windows: the wait that the warp's instruction has asked for. */
static void begin_wait(void *context, Cycle time)
{
    WarpSlot *slot = context;
    Sm *sm = slot->warp->block->launch->machine->owner;
    const uint32_t warp = (uint32_t)(slot - sm->warps);
    sm->machine.clock = time;
    grid_sync_wait(slot->warp, time);
    sm->moving |= (WarpSet)1 << warp;
    go_on_at(sm, warp, time + intrinsic_cycles(sm->config, intrinsic_find("wb_global_sync"), 1));
}

void intrinsic_hold(Sm *sm, uint32_t warp)
{
    sm_wait(sm, warp, WAIT_UNIT, CYCLE_NEVER);
    shard_defer(&sm->shard, sm->now, begin_wait, &sm->warps[warp]);
}

bool intrinsic_stores(Sm *sm, uint32_t warp)
{
    WarpSlot *slot = &sm->warps[warp];
    Warp *threads = slot->warp;
    const uint32_t call = slot->pc - 1;
    Issue issue = {.warp = warp, .insn = &slot->timing[call]};
    Step step;
    step.warp = threads;
    step.group = &threads->groups[threads->current == NO_INDEX ? 0 : threads->current];
    step.frame = &threads->frames.items[step.group->frame];
    step.insn = &slot->code[call];
    step.issue = &issue;
    slot->has_stored = true;
    if (answer_store(&step, &sm->answers[warp]) == STEP_NEXT)
        return true;
    sm_fail(sm, warp);
    return false;
}

bool intrinsic_deferred(Sm *sm, uint32_t warp, const Insn *insn)
{
    if (insn->action != ACTION_CALL || !insn->call->intrinsic ||
        intrinsic_is_at_once(insn->call->intrinsic))
        return false;
    const Warp *threads = sm->warps[warp].warp;
    if (insn->call->intrinsic->together && !meet_is_whole(threads, engine_lanes(threads)))
        return false; /* nobody is asked: lanes wait for the others */
    sm->warps[warp].pc++;
    sm_wait(sm, warp, WAIT_UNIT, CYCLE_NEVER);
    shard_defer(&sm->shard, sm->now, answer, &sm->warps[warp]);
    return true;
}
