/* Blocks that the front end has paused: they keep all that they hold, and issue nothing.
 *
 * The warps of such a block are in sm->paused. A ready one stops at once. One that waits goes on waiting, and
 * what it has under way ends; when it is considered after that, it stops too (sm.c). So every warp that could
 * go on is in WAIT_PAUSE, and considered again when the block may.
 *
 * Pausing is apart from a block's own waits. One that has to leave its SM does so all the same, and is not
 * paused when it comes back; one that is paused while it is restored stays so when that is done. An order for
 * a block that has gone meanwhile is void: word of that is on its way to whoever gave it. */
#include "sm/stages.h"

void pause_begin(Sm *sm, const SmKernel *kernel, uint64_t linear)
{
    BlockSlot *block = residency_find_block(sm, kernel, linear);
    if (block && !block->paused_since)
        block->paused_since = sm->now;
    for (WarpSet rest = block ? block->warp_slots : 0; rest; rest &= rest - 1) {
        const uint32_t warp = (uint32_t)__builtin_ctzll(rest);
        WarpSlot *slot = &sm->warps[warp];
        if (!slot->warp)
            continue;
        sm->paused |= rest & -rest;
        if (slot->wait == WAIT_NONE) {
            sm->ready &= ~(rest & -rest);
            sm->by_pipe[slot->pipe] &= ~(rest & -rest);
            sm_wait(sm, warp, WAIT_PAUSE, CYCLE_NEVER);
        } else {
            slot->at_folded = true; /* when the wait ends it is considered, not ready */
        }
    }
}

/* An instruction that tells where the block is: the last one of its first warp, or before where it jumped. */
static uint32_t place_of(const Sm *sm, const BlockSlot *block)
{
    const uint32_t pc = sm->warps[__builtin_ctzll(block->warp_slots)].pc;
    return pc ? pc - 1 : 0;
}

void pause_log(const Sm *sm, BlockSlot *block)
{
    if (sm->config->timeline && block->paused_since)
        barrier_log(sm, &block->barriers,
                    (BarrierPhase){.arrived = block->paused_since,
                                   .since = block->paused_since,
                                   .released = sm->now,
                                   .pc = place_of(sm, block),
                                   .warps = (uint16_t)block->warps_left,
                                   .name = PHASE_PAUSE_NAME});
    block->paused_since = 0;
}

void pause_end(Sm *sm, const SmKernel *kernel, uint64_t linear)
{
    BlockSlot *block = residency_find_block(sm, kernel, linear);
    if (!block)
        return;
    pause_log(sm, block);
    sm->paused &= ~block->warp_slots;
    for (WarpSet rest = block->warp_slots; rest; rest &= rest - 1) {
        const uint32_t warp = (uint32_t)__builtin_ctzll(rest);
        if (sm->warps[warp].warp && sm->warps[warp].wait == WAIT_PAUSE)
            sm_consider(sm, warp, sm->now);
    }
}
