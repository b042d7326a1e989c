/* Neighbours: blocks that follow each other in the grid go to one SM, so many at a time.
 *
 * Lee et al., "Improving GPGPU Resource Utilization Through Alternative Thread Block Scheduling", HPCA 2014:
 * neighbours often read the same lines, and together they read them from one L1. There an SM that has room
 * for one block waits until it has room for both. Here a block that does not fit beside its neighbour goes to
 * the next SM that has room. */
#include "grid/policy.h"

#include "base/alloc.h"

#define OWNER place_neighbours
#define OWNER_DEF "grid/place/neighbours.def"
#include "base/own_counters.h"

/* Invariant: the last block that has started was number `block` of `kernel` and went to `sm`; kernel is null
 * where there was none, or its kernel has left. */
typedef struct Neighbours {
    const GridKernel *kernel;
    uint64_t block;
    uint32_t sm;
    Counters *counters;
} Neighbours;

static void *init(const DispatchView *view, const GridKernel *kernel, void *counters)
{
    (void)kernel;
    Neighbours *last = xcalloc(1, sizeof *last);
    last->sm = view->sm_count - 1;
    last->counters = counters;
    return last;
}

/* Whether the block belongs beside the last one. */
static bool follows(const Neighbours *last, const DispatchView *view, const BlockRef *block)
{
    return block->kernel == last->kernel && !block->group && !block->returns &&
           block->block == last->block + 1 && block->block % view->config->neighbours_count != 0;
}

static uint32_t choose(const void *state, const DispatchView *view, const BlockRef *block)
{
    const Neighbours *last = state;
    if (follows(last, view, block) && dispatch_fits(view, block, last->sm))
        return last->sm;
    for (uint32_t i = 1; i <= view->sm_count; i++) {
        const uint32_t sm = (last->sm + i) % view->sm_count;
        if (dispatch_fits(view, block, sm))
            return sm;
    }
    return NO_SM;
}

static void block_started(void *state, const DispatchView *view, const BlockRef *block)
{
    Neighbours *last = state;
    last->counters->together += follows(last, view, block) && block->sm == last->sm;
    last->kernel = block->group ? NULL : block->kernel;
    last->block = block->block;
    last->sm = block->sm;
}

static void kernel_left(void *state, const DispatchView *view, const GridKernel *kernel)
{
    (void)view;
    Neighbours *last = state;
    if (last->kernel == kernel)
        last->kernel = NULL;
}

extern const BlockPlace place_neighbours;
const BlockPlace place_neighbours = {
    .base =
        {
            .about =
                {
                    .name = "neighbours",
                    .description = "Blocks that follow each other go to one SM, so many at a time",
                    .source = "Lee et al., HPCA 2014",
                    .counters = &place_neighbours_counters,
                },
            .init = init,
            .free = xfree,
            .block_started = block_started,
            .kernel_left = kernel_left,
        },
    .choose = choose,
};
