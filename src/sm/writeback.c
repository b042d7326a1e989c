/* Writeback: when results become readable.
 *
 * Results of arithmetic need no stage: their time is known when they issue, and is in the scoreboard.
 * Those of memory instructions are entered there without a time, which comes later and wakes warps that wait
 * for it. */
#include "sm/lsu/lsu.h"
#include "sm/stages.h"

void writeback_expect(Sm *sm, WarpSlot *slot, const Issue *issue, Cycle ready)
{
    const InsnTiming *insn = issue->insn;
    const bool pending = issue->is_pending;
    slot->pending_ops += pending;
    for (uint32_t i = 0; i < insn->write_count; i++)
        scoreboard_add(slot, insn->registers[i], (Pipe)insn->pipe, pending ? (Wait)issue->wait : WAIT_RESULT,
                       pending ? CYCLE_NEVER : ready, sm->now);
}

/* The warp may have waited for something else as well, so it is looked at anew. */
static void look_again(Sm *sm, uint32_t warp)
{
    WarpSlot *slot = &sm->warps[warp];
    if (slot->wait == WAIT_DRAIN)
        residency_end_warp(sm, warp);
    else if ((slot->wait == WAIT_MEMORY || slot->wait == WAIT_SHARED || slot->wait == WAIT_SUSPEND) &&
             slot->wake == CYCLE_NEVER)
        sm_consider(sm, warp, sm->now);
}

void writeback_memory(Sm *sm, uint32_t warp, const InsnTiming *insn, Cycle time)
{
    WarpSlot *slot = &sm->warps[warp];
    scoreboard_set(slot, insn, time);
    if (!--slot->pending_ops && !slot->pending_stores && sm->fencing >> warp & 1)
        fence_stored(sm, warp);
    look_again(sm, warp);
}

uint32_t writeback_ticket(Sm *sm, uint32_t warp)
{
    WarpSlot *slot = &sm->warps[warp];
    slot->sent_stores++;
    const uint32_t ticket = slot->life << 8 | warp;
    if (slot->wait == WAIT_DRAIN)
        residency_end_warp(sm, warp);
    return ticket;
}

void writeback_confirmed(Sm *sm, uint32_t ticket)
{
    const uint32_t warp = ticket & 0xFF;
    if (sm->warps[warp].life != ticket >> 8) {
        residency_late_store(sm);
        return;
    }
    sm->warps[warp].sent_stores--;
    writeback_store(sm, warp);
}

void writeback_store(Sm *sm, uint32_t warp)
{
    WarpSlot *slot = &sm->warps[warp];
    if (--slot->pending_stores)
        return;
    fence_stored(sm, warp);
    if (slot->wait == WAIT_DRAIN || slot->wait == WAIT_SUSPEND)
        look_again(sm, warp);
}
