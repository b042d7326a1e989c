/* Fences: a warp goes on when its stores are visible to those the fence speaks of.
 *
 * Within a block stores are visible at once: the L1 is the block's own. Beyond it they are visible when the
 * L2 slices have confirmed them. On an H200 such a fence takes 269 cycles by itself, 397 behind a
 * store and about 520 behind an atomic, even one that was confirmed long ago, hence three least times. Since the L1 is not coherent, a fence also drops what it holds, so that
 * later loads see what others wrote (the fence's acquire side; ld.acquire does the same in the LSU). */
#include "sm/lsu.h"
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
    if (slot->has_done_atomics && config->fence_atomic_latency > least)
        least = config->fence_atomic_latency;
    return least;
}

/* The last store was confirmed now, or none was under way. */
void fence_passed(Sm *sm, uint32_t warp)
{
    WarpSlot *slot = &sm->warps[warp];
    const Cycle least = slot->since + least_time(sm->config, slot);
    slot->has_stored = slot->has_done_atomics = false;
    lsu_invalidate(sm->lsu);
    sm_consider(sm, warp, least > sm->now ? least : sm->now + 1);
}

void fence_issued(Sm *sm, uint32_t warp, const Insn *insn)
{
    if (is_for_block(sm, warp, insn)) {
        sm_consider(sm, warp, sm->now + sm->config->fence_block_latency);
        return;
    }
    sm_wait(sm, warp, WAIT_FENCE, CYCLE_NEVER);
    if (!sm->warps[warp].pending_stores)
        fence_passed(sm, warp);
}
