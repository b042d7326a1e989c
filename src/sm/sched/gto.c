/* Greedy then oldest: the warp that issued last as long as it is ready, then the one that came first.
 *
 * Rogers, O'Connor, Aamodt, "Cache-Conscious Wavefront Scheduling", MICRO 2012, §5; the baseline of Wireframe
 * (§5.1), DTBL (§5.1) and the synchronization thesis. Age is that of the warp's arrival on the SM;
 * warps of one block came together and are ordered by their number in it. */
#include "sm/sched/sched.h"

static uint32_t pick(SchedulerView *view)
{
    if (view->ready & view->last)
        return view->last_slot;
    return sched_oldest(view);
}

extern const WarpScheduler sched_gto;
const WarpScheduler sched_gto = {
    .about =
        {
            .name = "gto",
            .description =
                "Greedy then oldest: the same warp while it is ready, then the one that came first",
            .source = "Rogers et al., MICRO 2012; baseline of Wireframe, DTBL and the synchronization thesis",
        },
    .pick = pick,
};
