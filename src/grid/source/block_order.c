/* Block order: blocks in the order of the keys that their launch gives (WbLaunch.block_order), the lowest
 * first; blocks of one key by index, spread over SMs.
 *
 * TB_order of the sync thesis, §6.3.3: an array of the launch says in which order blocks are dispatched to
 * SMs, round robin, so that blocks with the same value are evenly distributed. The thesis leaves open how
 * values that are neither equal nor an order of all blocks are meant; here they are sort keys. Of SMs that
 * have room, a block goes to one that has got the fewest blocks of its key, and of several of these to the
 * next after the SM that took the last block.
 *
 * Launches with keys have this source whatever the knob block_source says, as those with a dependency graph
 * have theirs. Launches without keys have their blocks in grid order, if the knob names it. */
#include "grid/policy.h"

#include "base/alloc.h"

/* Invariant: taken[sm] of the blocks with the key `key` have gone to that SM; of all, `started` have. */
typedef struct BlockOrderState {
    uint64_t started;
    int32_t key;
    uint32_t next_sm;  /* where the search for a place begins */
    uint32_t taken[];  /* [sm] */
} BlockOrderState;

/* A kernel that left and comes again goes on where it was. */
static void *init(const DispatchView *view, const GridKernel *kernel, void *counters)
{
    (void)counters;
    BlockOrderState *order = xcalloc(1, sizeof *order + view->sm_count * sizeof *order->taken);
    order->started = kernel->dispatched_blocks;
    return order;
}

static bool next(const void *state, const DispatchView *view, const GridKernel *kernel, uint64_t *block)
{
    (void)view;
    const BlockOrderState *order = state;
    if (order->started >= kernel->block_count)
        return false;
    *block = launch_order_block(kernel->seen.launch.order, order->started);
    return true;
}

/* The key of the block that starts next, or has just started. Without keys all are the same. */
static int32_t key_at(const GridKernel *kernel, uint64_t place)
{
    const LaunchOrder *order = kernel->seen.launch.order;
    return order ? order->blocks[place].key : 0;
}

static uint32_t choose(const void *state, const DispatchView *view, const BlockRef *block)
{
    const BlockOrderState *order = state;
    const bool is_same = key_at(block->kernel, order->started) == order->key;
    uint32_t best = NO_SM, sm = order->next_sm;
    for (uint32_t tried = 0; tried < view->sm_count; tried++) {
        const bool is_better = best == NO_SM || (is_same && order->taken[sm] < order->taken[best]);
        if (is_better && dispatch_fits(view, block, sm))
            best = sm;
        sm = sm + 1 == view->sm_count ? 0 : sm + 1;
    }
    return best;
}

static void block_started(void *state, const DispatchView *view, const BlockRef *block)
{
    BlockOrderState *order = state;
    const int32_t key = key_at(block->kernel, order->started++);
    for (uint32_t sm = 0; sm < view->sm_count && key != order->key; sm++)
        order->taken[sm] = 0;
    order->key = key;
    order->taken[block->sm]++;
    order->next_sm = block->sm + 1 == view->sm_count ? 0 : block->sm + 1;
}

const BlockSource source_block_order = {
    .base =
        {
            .about =
                {
                    .name = "block-order",
                    .description = "Blocks by the keys of their launch, those of one key spread over SMs; "
                                   "without keys, by index",
                    .source = "Sync thesis §6.3.3 (TB_order)",
                },
            .init = init,
            .free = xfree,
            .block_started = block_started,
        },
    .next = next,
    .choose = choose,
};
