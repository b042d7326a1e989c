/* Fences: a warp goes on when its block's stores are visible to those the fence speaks of.
 *
 * Within a block stores are visible at once: the L1 is the block's own. Beyond it they are visible when
 * the L2 slices have confirmed them. A fence is cumulative: it also covers what other threads of the block
 * stored and made known to this one at a barrier, so it waits until every warp of the block that had
 * stores under way has had none for a moment (one that stores without pause delays it). It waits for the
 * warp's own loads too: what it drops of the L1 would else come back older than they are, by a load that
 * another warp has in the unit's queue. A .release store or atomic is such a fence and then itself. On an
 * H200 a fence takes 269 cycles by itself, 397 behind a store and about 520 behind an atomic, even one
 * that was confirmed long ago, hence three least times, and a store to the other half of L2 adds to them.
 * Since the L1 is not coherent, a fence also drops what it holds, so that later loads see what others
 * wrote (the fence's acquire side; ld.acquire does the same in the LSU). */
#include "sm/lsu/lsu.h"
#include "sm/stages.h"

static bool is_for_block(const Sm *sm, uint32_t warp, const Insn *insn)
{
    const Program *program = sm->warps[warp].warp->block->launch->program;
    const Function *function = program->functions[insn->function].function;
    for (uint32_t i = 0; insn->ptx && i < insn->ptx->mod_count; i++) {
        const Mod mod = function->mods[insn->ptx->first_mod + i];
        if (mod == MOD_gpu || mod == MOD_gl || mod == MOD_sys || mod == MOD_cluster)
            return false;
    }
    return true;
}

/* What such a fence takes at least. */
static Cycle least_time(const GpuConfig *config, const WarpSlot *slot)
{
    Cycle least = config->fence_latency;
    if (slot->has_stored && config->fence_store_latency > least)
        least = config->fence_store_latency;
    if (slot->has_stored_far)
        least += config->fence_far_latency;
    if (slot->has_done_atomics && config->fence_atomic_latency > least)
        least = config->fence_atomic_latency;
    return least;
}

/* All stores are confirmed, or none was under way. */
static void pass(Sm *sm, uint32_t warp)
{
    WarpSlot *slot = &sm->warps[warp];
    const Cycle least = slot->since + least_time(sm->config, slot);
    sm->fencing &= ~((WarpSet)1 << warp);
    slot->has_stored = slot->has_stored_far = slot->has_done_atomics = false;
    lsu_invalidate(sm->lsu);
    sm_consider(sm, warp, least > sm->now ? least : sm->now + 1);
}

/* The warps of the block that have stores under way, and the warp itself if it has loads under way. */
static WarpSet busy(const Sm *sm, uint32_t warp)
{
    const WarpSlot *own = &sm->warps[warp];
    WarpSet storing = own->pending_ops ? (WarpSet)1 << warp : 0;
    for (WarpSet rest = sm->blocks[own->block].warp_slots; rest; rest &= rest - 1) {
        const WarpSlot *slot = &sm->warps[__builtin_ctzll(rest)];
        if (slot->warp && slot->pending_stores)
            storing |= rest & -rest;
    }
    return storing;
}

void fence_begin(Sm *sm, uint32_t warp)
{
    WarpSlot *slot = &sm->warps[warp];
    slot->fence_waits = busy(sm, warp);
    sm->fencing |= (WarpSet)1 << warp;
    sm_wait(sm, warp, WAIT_FENCE, CYCLE_NEVER);
    if (!slot->fence_waits)
        pass(sm, warp);
}

void fence_stored(Sm *sm, uint32_t warp)
{
    for (WarpSet rest = sm->fencing; rest; rest &= rest - 1) {
        const uint32_t waiting = (uint32_t)__builtin_ctzll(rest);
        WarpSlot *slot = &sm->warps[waiting];
        if (waiting == warp && slot->pending_ops)
            continue;
        slot->fence_waits &= ~((WarpSet)1 << warp);
        if (!slot->fence_waits)
            pass(sm, waiting);
    }
}

void fence_issued(Sm *sm, uint32_t warp, const Insn *insn)
{
    if (is_for_block(sm, warp, insn))
        sm_consider(sm, warp, sm->now + sm->config->fence_block_latency);
    else
        fence_begin(sm, warp);
}
