/* Grid order: blocks are ready at once, in the order of their index, x fastest.
 *
 * What GPUs do by default, and the baseline of all five papers. */
#include "grid/policy.h"

#include "base/alloc.h"

/* The next block's index. */
static void *init(const DispatchView *view, const GridKernel *kernel, void *counters)
{
    (void)view, (void)kernel, (void)counters;
    return xcalloc(1, sizeof(uint64_t));
}

static bool next(const void *state, const DispatchView *view, const GridKernel *kernel, uint64_t *block)
{
    (void)view;
    *block = *(const uint64_t *)state;
    return *block < kernel->block_count;
}

static void block_started(void *state, const DispatchView *view, const BlockRef *block)
{
    (void)view, (void)block;
    ++*(uint64_t *)state;
}

extern const BlockSource source_grid_order;
const BlockSource source_grid_order = {
    .base =
        {
            .about =
                {
                    .name = "grid-order",
                    .description = "Blocks in the order of their index, x fastest",
                    .source = "What GPUs do by default",
                },
            .init = init,
            .free = xfree,
            .block_started = block_started,
        },
    .next = next,
};
