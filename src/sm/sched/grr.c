/* Greedy then round-robin: the warp that issued last as long as it goes on without a pause, then the next
 * ready one by slot.
 *
 * What recent GPUs do is not documented. Measured occupancy says that warps which compete for a pipe end
 * together (launch, l1_read on an H200: 48.8% of a possible 50% on average, where greedy-then-oldest has
 * 30% because the oldest run ahead), and full rate with operand reuse says that a warp goes on while it
 * can (correlation, fma_ilp4). Greedy then round-robin does both. That a pause ends a warp's turn is seen
 * where all warps first load from shared memory with conflicts and then compute: the time is that of the
 * loads and that of issuing one after the other (launch, shared_stride4: 13,550 cycles, of which 4,096 and
 * 9,448), while a warp that kept its turn would compute while the others load. */
#include "sm/sched/sched.h"

static uint32_t pick(SchedulerView *view)
{
    const bool goes_on = view->ready & view->last && !view->paused;
    return goes_on ? view->last_slot : warps_next(view->ready, view->last_slot);
}

extern const WarpScheduler sched_grr;
const WarpScheduler sched_grr = {
    .about =
        {
            .name = "grr",
            .description = "Greedy then round-robin: the same warp until it pauses, then the next ready one",
            .source = "Measurements on an H200 (workloads/launch/h200.csv)",
        },
    .pick = pick,
};
