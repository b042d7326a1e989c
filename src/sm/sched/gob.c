/* Greedy, then oldest block: the warp that issued last as long as it goes on without a pause, then of the
 * block that came first the next ready warp by slot.
 *
 * What recent GPUs do is not documented. On an H200 the blocks of an SM that all do the same run one after
 * the other if the first of them can fill the schedulers (tests/device/latency/order.cu): of two blocks of
 * 32 warps the second begins when the first has ended, of four blocks of eight warps two run at full speed
 * and then the other two. Warps of one block end within 15% of each other, so they take turns. Warps of
 * later blocks do not even get to their first instructions (cold.cu: of 1,056 blocks of 256 threads a tenth
 * of the warps waits 757 cycles or more for the thread's index). That a warp goes on while it can, and that
 * a pause ends its turn, has the reasons of grr.c. Of the clocks of order.cu this policy is 3 to 10% off,
 * and grr 13 to 22% where an SM has several blocks. */
#include "sm/sched/sched.h"

static uint32_t pick(SchedulerView *view)
{
    if (view->ready & view->last && !view->paused)
        return view->last_slot;
    const BlockSlot *block = &view->sm->blocks[sched_block(view, sched_oldest(view))];
    const WarpSet of_block = view->ready & block->warp_slots;
    return warps_next(of_block, view->last_slot);
}

extern const WarpScheduler sched_gob;
const WarpScheduler sched_gob = {
    .about =
        {
            .name = "gob",
            .description = "Greedy, then oldest block: the same warp until it pauses, then the next one of "
                           "the block that came first",
            .source = "Measurements on an H200 (tests/device/latency/h200-order.csv)",
        },
    .pick = pick,
};
