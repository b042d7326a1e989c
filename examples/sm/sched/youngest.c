/* Youngest first: the ready warp that came last. */
#include "sm/sched/sched.h"

static uint32_t pick(SchedulerView *view)
{
    uint32_t youngest = warps_first(view->ready);
    for (WarpSet rest = view->ready; rest; rest &= rest - 1) {
        const uint32_t slot = warps_first(rest);
        if (sched_age(view, slot) > sched_age(view, youngest))
            youngest = slot;
    }
    return youngest;
}

extern const WarpScheduler sched_youngest;
const WarpScheduler sched_youngest = {
    .about =
        {
            .name = "youngest",
            .description = "The ready warp that came last",
            .source = "an experiment",
        },
    .pick = pick,
};
