/* Groups of blocks: who is in which. */
#include "sm/block_groups.h"

#include <inttypes.h>

#include "base/alloc.h"

uint32_t warps_await(SchedulerView *view, WarpSet warps)
{
    Cycle due = CYCLE_NEVER;
    for (; warps; warps &= warps - 1) {
        const uint32_t warp = warps_first(warps);
        const Wait wait = sched_wait(view, warp);
        if (wait == WAIT_NONE || !(SHORT_WAITS >> wait & 1))
            continue;
        const Cycle until = sched_waits_until(view, warp);
        due = clock_earlier(due, until == CYCLE_NEVER ? sched_now(view) + 1 : until);
    }
    return sched_nobody_before(view, due);
}

BlockGroups *groups_create(const GpuConfig *config, uint64_t size)
{
    BlockGroups *groups = xcalloc(1, sizeof *groups + sm_block_places(config) * sizeof(GroupPlace));
    groups->size = (uint32_t)size;
    groups->full = size ? (uint32_t)size : (uint32_t)(FULL_GROUP * config->schedulers);
    return groups;
}

WbStatus groups_check(const GpuConfig *config, const char *knob, uint64_t size, Error *error)
{
    const uint32_t blocks = sm_block_places(config);
    if (size <= blocks)
        return WB_OK;
    return error_set(
        error, WB_ERROR_ARGUMENT,
        "%s: %s (%" PRIu64 ") is more than the %" PRIu32
        " blocks that an SM can have, so that all would be one group; choose less, or lrr as the "
        "warp_scheduler.",
        config->name, knob, size, blocks);
}

uint64_t groups_state_bits(const GpuConfig *config, uint64_t size)
{
    const uint64_t blocks = sm_block_places(config), warps = scheduler_warps(config);
    const uint64_t groups = size ? (blocks + size - 1) / size : (warps + FULL_GROUP - 1) / FULL_GROUP;
    const uint64_t number = bits_for(groups - 1), fill = bits_for(size ? size : warps * config->schedulers);
    return blocks * number + groups * fill + config->schedulers * (number + groups * bits_for(warps - 1));
}

/* Every scheduler is told; the first does it for all. */
void groups_block_came(SchedulerView *view, uint32_t block, bool is_moved)
{
    (void)is_moved;
    BlockGroups *groups = view->shared;
    if (view->number != 0)
        return;
    uint32_t group = 0;
    while (groups->taken[group] >= groups->full)
        group++;
    const uint32_t weight = groups->size ? 1 : sched_block_size(view, block);
    groups->places[block] = (GroupPlace){.group = (uint8_t)group, .weight = (uint8_t)weight};
    groups->taken[group] += weight;
    groups->count = group < groups->count ? groups->count : group + 1;
}

void groups_block_went(SchedulerView *view, uint32_t block, bool is_moved)
{
    (void)is_moved;
    BlockGroups *groups = view->shared;
    if (view->number != 0)
        return;
    groups->taken[groups->places[block].group] -= groups->places[block].weight;
    while (groups->count && !groups->taken[groups->count - 1])
        groups->count--;
}

void groups_warp_came(SchedulerView *view, uint32_t warp)
{
    BlockGroups *groups = view->shared;
    groups->warps[groups->places[sched_block(view, warp)].group] |= warp_bit(warp);
}

void groups_warp_went(SchedulerView *view, uint32_t warp)
{
    BlockGroups *groups = view->shared;
    groups->warps[groups->places[sched_block(view, warp)].group] &= ~warp_bit(warp);
}
