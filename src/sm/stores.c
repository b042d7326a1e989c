/* Stores under way: a warp knows how many of its stores are not yet visible to other SMs.
 *
 * A store is under way from its issue until the slice of its line has confirmed it. The warp may end before
 * that: its slot may even have another warp by then, so a reply brings back the life of the slot that it
 * belongs to. With the last one a fence passes, and a warp that has ended or leaves goes on. */
#include "sm/lsu/lsu.h"
#include "sm/stages.h"

uint32_t stores_sent(Sm *sm, uint32_t warp)
{
    WarpSlot *slot = &sm->warps[warp];
    slot->sent_stores++;
    const uint32_t ticket = slot->life << 8 | warp;
    if (slot->wait == WAIT_DRAIN)
        residency_end_warp(sm, warp);
    return ticket;
}

void stores_confirmed(Sm *sm, uint32_t ticket)
{
    const uint32_t warp = ticket & 0xFF;
    if (sm->warps[warp].life != ticket >> 8) {
        residency_late_store(sm);
        return;
    }
    sm->warps[warp].sent_stores--;
    stores_visible(sm, warp);
}

void stores_visible(Sm *sm, uint32_t warp)
{
    WarpSlot *slot = &sm->warps[warp];
    if (--slot->pending_stores)
        return;
    fence_stored(sm, warp);
    if (slot->wait == WAIT_DRAIN || slot->wait == WAIT_SUSPEND)
        sm_look_again(sm, warp);
}
