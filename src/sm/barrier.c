/* When warps that met at a barrier go on.
 *
 * Who waits for whom is exec/barrier.c's business. The SM's barrier unit takes one warp's arrival in
 * `barrier_interval` cycles, and `barrier_latency` cycles after the last one the warps can issue again: on
 * an H200 __syncthreads of w warps takes 12.7 + 2 w cycles. */
#include "sm/stages.h"

/* Warps of the block that waited and no longer do. */
static void release(Sm *sm, uint32_t block, Cycle from)
{
    for (WarpSet rest = sm->blocks[block].warp_slots; rest; rest &= rest - 1) {
        const uint32_t warp = (uint32_t)__builtin_ctzll(rest);
        const WarpSlot *slot = &sm->warps[warp];
        if (slot->warp && slot->wait == WAIT_BARRIER && slot->wake == CYCLE_NEVER)
            sm_consider(sm, warp, from);
    }
}

bool barrier_arrived(Sm *sm, uint32_t warp, bool waits)
{
    const uint32_t block = sm->warps[warp].block;
    BlockSlot *slot = &sm->blocks[block];
    const Cycle start = sm->barrier_free > sm->now ? sm->barrier_free : sm->now;
    sm->barrier_free = start + sm->config->barrier_interval;
    if (slot->releases == slot->block->releases)
        return false;
    slot->releases = slot->block->releases;
    if (waits)
        sm_wait(sm, warp, WAIT_BARRIER, CYCLE_NEVER);
    release(sm, block, sm->barrier_free + sm->config->barrier_latency);
    return waits;
}

void barrier_after_exit(Sm *sm, uint32_t block)
{
    BlockSlot *slot = &sm->blocks[block];
    if (!slot->block || slot->releases == slot->block->releases)
        return;
    slot->releases = slot->block->releases;
    release(sm, block, sm->now + sm->config->barrier_latency);
}
