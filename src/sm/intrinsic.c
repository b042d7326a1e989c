/* Intrinsics that units outside the SM answer: the device heap, printf, assertions.
 *
 * They change or read what all SMs share, so they are put off to the end of the window, where they run one
 * after the other in the order of the cycles in which they were called (sim/shard.h). The warp waits for
 * the way there and back. */
#include "exec/engine.h"
#include "sm/stages.h"

static void answer(void *context, Cycle time)
{
    WarpSlot *slot = context;
    Sm *sm = slot->warp->block->launch->machine->owner;
    const uint32_t warp = (uint32_t)(slot - sm->warps);
    Mask executed;
    sm->machine.clock = time;
    if (engine_step(slot->warp, &executed) == STEP_ERROR) {
        sm_fail(sm, time);
        return;
    }
    count_executed(sm, slot, executed);
    /* The warp is considered then and not now: this may be any cycle after the call. */
    slot->at_folded = true;
    sm_wait(sm, warp, WAIT_UNIT, time + 2 * sm->config->unit_latency);
    const Cycle turn = sm_next_turn(sm);
    if (turn < sm->shard.wake)
        sm->shard.wake = turn;
}

bool intrinsic_deferred(Sm *sm, uint32_t warp, const Insn *insn)
{
    if (insn->action != ACTION_CALL || !insn->call->intrinsic)
        return false;
    sm->warps[warp].pc++;
    sm_wait(sm, warp, WAIT_UNIT, CYCLE_NEVER);
    shard_defer(&sm->shard, sm->now, answer, &sm->warps[warp]);
    return true;
}
