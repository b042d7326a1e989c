/* Warps and blocks that wait in place for an event of the machine (exec/block_wait.h).
 *
 * A wait is known here when the call that began it is over. Then its warp stands in WAIT_BLOCK, and if the
 * wait is one of the block, so do all others of the block as soon as they have come to the end of a fence or
 * a call; what they have under way goes on. They keep their slots, registers and shared memory. Each warp
 * whose wait is known is woken by itself, in the cycle in which that is over. Several may hold their block:
 * it goes on with the last of them. What others wrote meanwhile may be in the L1 as it was before, so that is
 * dropped.
 *
 * A block that has to wait away begins to leave here (suspend.c), also from a wait in place. */
#include "sm/lsu/lsu.h"
#include "sm/stages.h"

/* The warp issues nothing from now on, until it is woken or that cycle has come. */
static void stand_still(Sm *sm, uint32_t warp, Cycle until)
{
    WarpSlot *slot = &sm->warps[warp];
    const WarpSet bit = (WarpSet)1 << warp;
    sm->ready &= ~bit;
    sm->by_pipe[slot->pipe] &= ~bit;
    sm->moving |= bit;
    slot->at_folded = true;
    sm_wait(sm, warp, WAIT_BLOCK, until);
}

/* The block of the warp, whose call is over, waits in place from now on. */
static void hold_block(Sm *sm, uint32_t caller)
{
    BlockSlot *slot = &sm->blocks[sm->warps[caller].block];
    slot->phase = PHASE_WAITS;
    slot->reason = sm->warps[caller].warp->wait.reason;
    slot->waits_pc = sm->warps[caller].pc - 1;
    slot->waits_since = sm->now;
    slot->holders = 0;
    sm->statistics.blocks_held++;
    for (WarpSet rest = slot->warp_slots; rest; rest &= rest - 1) {
        const uint32_t warp = (uint32_t)__builtin_ctzll(rest);
        WarpSlot *other = &sm->warps[warp];
        if (!other->warp)
            continue;
        sm->moving |= rest & -rest;
        if (other->wait == WAIT_FENCE || other->wait == WAIT_UNIT)
            other->at_folded = true; /* it is considered when that is over */
        else if (other->wait != WAIT_DRAIN)
            stand_still(sm, warp, CYCLE_NEVER);
    }
}

void hold_release(Sm *sm, WarpSet warps)
{
    for (WarpSet rest = warps; rest; rest &= rest - 1) {
        const WarpSlot *slot = &sm->warps[__builtin_ctzll(rest)];
        /* The answer of a call may have made it wait: it is looked at when the call is over. */
        if (slot->warp && slot->wait != WAIT_UNIT && warp_wait_is_over(&slot->warp->wait, sm->now))
            sm->moving &= ~(rest & -rest);
    }
}

BarrierPhase hold_phase(const BlockSlot *slot, Cycle released)
{
    return (BarrierPhase){.arrived = slot->waits_since,
                          .since = slot->waits_since,
                          .released = released,
                          .pc = slot->waits_pc,
                          .warps = (uint16_t)slot->warps_left,
                          .name = (uint8_t)(PHASE_WAIT_NAMES + slot->reason)};
}

void hold_end(Sm *sm, uint32_t index)
{
    BlockSlot *slot = &sm->blocks[index];
    slot->phase = PHASE_RUNS;
    sm->statistics.block_hold_cycles += sm->now - slot->waits_since;
    if (sm->config->timeline)
        barrier_log(sm, &slot->barriers, hold_phase(slot, sm->now));
}

/* The last wait that held the block is over. */
static void go_on(Sm *sm, uint32_t index)
{
    const BlockSlot *slot = &sm->blocks[index];
    hold_end(sm, index);
    lsu_invalidate(sm->lsu);
    hold_release(sm, slot->warp_slots);
    for (WarpSet rest = slot->warp_slots; rest; rest &= rest - 1) {
        const uint32_t warp = (uint32_t)__builtin_ctzll(rest);
        if (sm->warps[warp].warp && sm->warps[warp].wait == WAIT_BLOCK)
            sm_consider(sm, warp, sm->now);
    }
}

/* Of a block that runs or waits in place. Whether the warp is held. */
static bool consider(Sm *sm, uint32_t warp)
{
    const uint32_t index = sm->warps[warp].block;
    BlockSlot *block = &sm->blocks[index];
    const WarpWait *wait = &sm->warps[warp].warp->wait;
    const WarpSet bit = (WarpSet)1 << warp;
    if (wait->kind == BLOCK_LEAVES) {
        suspend_begin(sm, index, warp);
        return true;
    }
    if (!warp_wait_is_over(wait, sm->now)) {
        const bool holds = wait->kind == BLOCK_WAITS || wait->kind == BLOCK_YIELDS;
        if (holds && block->phase == PHASE_RUNS)
            hold_block(sm, warp);
        if (holds)
            block->holders |= bit;
        stand_still(sm, warp, wait->is_open ? CYCLE_NEVER : wait->over);
        return true;
    }
    if (block->phase == PHASE_RUNS) {
        sm->moving &= ~bit;
        lsu_invalidate(sm->lsu);
        return false;
    }
    block->holders &= ~bit;
    if (block->holders)
        stand_still(sm, warp, CYCLE_NEVER);
    else
        go_on(sm, index);
    return true;
}

bool hold_consider(Sm *sm, uint32_t warp, Cycle from)
{
    switch ((BlockPhase)sm->blocks[sm->warps[warp].block].phase) {
    case PHASE_RUNS:
    case PHASE_WAITS:
        return consider(sm, warp);
    default:
        suspend_consider(sm, warp, from);
        return true;
    }
}

void sm_wake_warp(Sm *sm, const Warp *threads, Cycle now, Cycle time)
{
    uint32_t warp = 0;
    while (sm->warps[warp].warp != threads)
        warp++;
    const WarpSlot *slot = &sm->warps[warp];
    if (slot->wait != WAIT_BLOCK) /* its call is not over, or its block leaves: it is looked at then */
        return;
    if (sm->now < now)
        sm->now = now; /* it may have slept for long, and the wheel turns from here */
    sm_wait(sm, warp, WAIT_BLOCK, time);
    const Cycle turn = sm_next_turn(sm);
    if (turn < sm->shard.wake)
        sm->shard.wake = turn;
}
