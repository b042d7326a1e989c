/* Loose round-robin: the next ready warp by slot after the one that issued last.
 *
 * The baseline of CLASO (§4, Table 1); "loose" because warps that are not ready are passed over. */
#include "sm/sched/sched.h"

static uint32_t pick(const SchedulerView *view)
{
    const WarpSet behind = view->last_slot == MAX_WARPS - 1 ? 0 : ~(WarpSet)0 << (view->last_slot + 1);
    const WarpSet next = view->ready & behind;
    return (uint32_t)__builtin_ctzll(next ? next : view->ready);
}

extern const WarpScheduler sched_lrr;
const WarpScheduler sched_lrr = {
    .name = "lrr",
    .description = "Loose round-robin: the next ready warp after the one that issued last",
    .source = "Baseline of CLASO, Table 1",
    .pick = pick,
};
