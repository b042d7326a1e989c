/* Writeback of memory instructions: their registers become readable, and warps that wait for them go on.
 *
 * Results of arithmetic need no stage: their time is known when they issue, and is in the scoreboard. */
#include "sm/lsu.h"
#include "sm/stages.h"

/* The warp may have waited for something else as well, so it is looked at anew. */
static void look_again(Sm *sm, uint32_t warp)
{
    WarpSlot *slot = &sm->warps[warp];
    if (slot->wait == WAIT_DRAIN)
        residency_end_warp(sm, warp);
    else if ((slot->wait == WAIT_MEMORY || slot->wait == WAIT_SHARED) && slot->wake == CYCLE_NEVER)
        sm_consider(sm, warp, sm->now);
}

void writeback_memory(Sm *sm, uint32_t warp, const InsnTiming *insn, Cycle time)
{
    WarpSlot *slot = &sm->warps[warp];
    scoreboard_set(slot, insn, time);
    slot->pending_ops--;
    look_again(sm, warp);
}

void writeback_store(Sm *sm, uint32_t warp)
{
    WarpSlot *slot = &sm->warps[warp];
    if (--slot->pending_stores)
        return;
    if (slot->wait == WAIT_FENCE && slot->wake == CYCLE_NEVER)
        fence_passed(sm, warp);
    else if (slot->wait == WAIT_DRAIN)
        look_again(sm, warp);
}
