/* Loose round-robin: the next SM after the last one that took a block; "loose" because SMs without room
 * are passed over. Where no SM has a block, it begins at the first one: an H200 places the blocks of
 * launches that follow each other on the same SMs (`where` in tests/device/latency/h200-halves.csv).
 *
 * The baseline that Wireframe names so ("Loose Round-robin") and that CLASO shows in its Figure 9. */
#include "grid/policy.h"

#include "base/alloc.h"

/* Where the search begins. */
static void *init(const DispatchView *view, const GridKernel *kernel, void *counters)
{
    (void)view, (void)kernel, (void)counters;
    return xcalloc(1, sizeof(uint32_t));
}

/* Whether no SM has a block. */
static bool is_idle(const DispatchView *view)
{
    for (uint32_t sm = 0; sm < view->sm_count; sm++)
        if (view->sms[sm].resident)
            return false;
    return true;
}

static uint32_t choose(const void *state, const DispatchView *view, const BlockRef *block)
{
    uint32_t sm = is_idle(view) ? 0 : *(const uint32_t *)state;
    for (uint32_t tried = 0; tried < view->sm_count; tried++) {
        if (dispatch_fits(view, block, sm))
            return sm;
        sm = sm + 1 == view->sm_count ? 0 : sm + 1;
    }
    return NO_SM;
}

static void block_started(void *state, const DispatchView *view, const BlockRef *block)
{
    *(uint32_t *)state = block->sm + 1 == view->sm_count ? 0 : block->sm + 1;
}

extern const BlockPlace place_loose_round_robin;
const BlockPlace place_loose_round_robin = {
    .base =
        {
            .about =
                {
                    .name = "loose-round-robin",
                    .description = "The next SM that has room, after the last one that took a block",
                    .source = "Baseline of CLASO and Wireframe",
                },
            .init = init,
            .free = xfree,
            .block_started = block_started,
        },
    .choose = choose,
};
