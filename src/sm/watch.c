/* What blocks do to global memory, for whoever watches them (watch/watch.h).
 *
 * A watch belongs to the whole GPU, so it is told at the end of the window, where one thread does so for all
 * SMs in the order of cycles: what it learns is the same for any number of threads. */
#include <string.h>

#include "watch/watch.h"
#include "sm/stages.h"

/* An access on its way to the watch, with all that is told: its block may be gone by then. */
typedef struct Notice {
    Watch *watch;
    WatchedAccess access;
    WatchedRange ranges[];
} Notice;

static void tell(void *context, Cycle time)
{
    (void)time;
    Notice *notice = context;
    notice->watch->access(notice->watch, &notice->access);
    xfree(notice);
}

void watch_issue(Sm *sm, const Step *step, const Access *access)
{
    WatchedRange ranges[WATCHED_RANGES];
    const WatchedAccess seen = watch_look(step, access, ranges);
    if (!seen.count)
        return;
    Notice *notice = xmalloc(sizeof *notice + seen.count * sizeof *ranges);
    notice->watch = step->warp->block->launch->watch;
    notice->access = seen;
    notice->access.ranges = memcpy(notice->ranges, ranges, seen.count * sizeof *ranges);
    shard_defer(&sm->shard, sm->now, tell, notice);
}
