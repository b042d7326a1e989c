/* Loose round-robin: the next ready warp by slot after the one that issued last.
 *
 * The baseline of CLASO (§4, Table 1); "loose" because warps that are not ready are passed over. */
#include "sm/sched/sched.h"

static uint32_t pick(SchedulerView *view) { return warps_next(view->ready, view->last_slot); }

extern const WarpScheduler sched_lrr;
const WarpScheduler sched_lrr = {
    .about =
        {
            .name = "lrr",
            .description = "Loose round-robin: the next ready warp after the one that issued last",
            .source = "Baseline of CLASO, Table 1",
        },
    .pick = pick,
};
