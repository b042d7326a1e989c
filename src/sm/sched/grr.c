/* Greedy then round-robin: the warp that issued last as long as it is ready, then the next ready one by
 * slot.
 *
 * What recent GPUs do is not documented. Measured occupancy says that warps which compete for a pipe end
 * together (launch, l1_read on an H200: 48.8% of a possible 50% on average, where greedy-then-oldest has 30%
 * because the oldest run ahead), and full rate with operand reuse says that a warp goes on while it can
 * (correlation, fma_ilp4). Greedy then round-robin does both. */
#include "sm/sched/sched.h"

static uint32_t pick(const SchedulerView *view)
{
    if (view->ready & view->last)
        return view->last_slot;
    const WarpSet behind = view->last_slot == MAX_WARPS - 1 ? 0 : ~(WarpSet)0 << (view->last_slot + 1);
    const WarpSet next = view->ready & behind;
    return (uint32_t)__builtin_ctzll(next ? next : view->ready);
}

extern const WarpScheduler sched_grr;
const WarpScheduler sched_grr = {
    .name = "grr",
    .description = "Greedy then round-robin: the same warp while it is ready, then the next ready one",
    .source = "Measurements on an H200 (workloads/launch/h200.csv)",
    .pick = pick,
};
