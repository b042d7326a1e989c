/* Two levels: a few active warps take turns; one that has to wait for long makes room for the next.
 *
 * Narasiman, Shebanow, Lee, Miftakhutdinov, Mutlu, Patt, "Improving GPU Performance via Large Warps and
 * Two-Level Warp Scheduling", MICRO 2011. If all warps take turns, all come to their long loads at the same
 * time, and nobody is left who could hide them. So only the warps of one fetch group, 8 of them, take turns;
 * the next group goes on while they wait. There a whole group is left when all its warps wait. Here each warp
 * leaves on its own, and the one that has been pending longest takes its place, as in Gebhart et al.,
 * "Energy-Efficient Mechanisms for Managing Thread Context in Throughput Processors", ISCA 2011. A wait is
 * long unless it is for an arithmetic pipe, shared or constant memory, the next instruction or a branch.
 *
 * Every warp of a scheduler is in one of three places: in the active set, in the queue of those that are
 * pending, or away, waiting for long. Warps move when the policy is told of waits; pick only fills up the
 * active set. It lets nobody issue where the only ready warps are pending ones. What ends that is a long wait
 * of an active warp, of which the policy is told, or an active warp that becomes ready, which changes the set
 * that it is asked about. So it gives no cycle in which it wants to be asked again. */
#include "sm/sched/sched.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"

#define OWNER sched_two_level
#define OWNER_DEF "sm/sched/two_level.def"
#include "base/own_counters.h"

/* Invariant: queue[0..pending) are warps in the order in which they came, none of them active; at most `most`
 * warps are active. */
typedef struct TwoLevel {
    WarpSet active;
    uint32_t most, pending;
    uint8_t queue[MAX_WARPS];
} TwoLevel;

enum {
    SHORT_WAITS =
        1u << WAIT_NONE | 1u << WAIT_RESULT | 1u << WAIT_SHARED | 1u << WAIT_FETCH | 1u << WAIT_BRANCH,
    LONG_WAITS = (1u << WAIT_COUNT) - 1 - SHORT_WAITS
};

static WbStatus check(const GpuConfig *config, Error *error)
{
    const uint64_t warps = config->max_threads_per_sm / config->warp_width / config->schedulers;
    if (config->two_level_active <= warps)
        return WB_OK;
    return error_set(
        error, WB_ERROR_ARGUMENT,
        "%s: two_level_active (%" PRIu64 ") is more than the %" PRIu64
        " warps that a scheduler has, so that all would always be active; choose less, or lrr as "
        "the warp_scheduler.",
        config->name, config->two_level_active, warps);
}

static void *init(const SchedulerView *view, const GpuConfig *config, uint32_t sm)
{
    (void)view, (void)sm;
    TwoLevel *levels = xcalloc(1, sizeof *levels);
    levels->most = (uint32_t)config->two_level_active;
    return levels;
}

static void enqueue(SchedulerView *view, uint32_t warp)
{
    TwoLevel *levels = view->state;
    levels->queue[levels->pending++] = (uint8_t)warp;
}

/* Takes the warp out of the queue, if it is in it. */
static void dequeue(TwoLevel *levels, uint32_t warp)
{
    const uint8_t *found = memchr(levels->queue, (int)warp, levels->pending);
    if (!found)
        return;
    const size_t place = (size_t)(found - levels->queue);
    levels->pending--;
    memmove(&levels->queue[place], &levels->queue[place + 1], levels->pending - place);
}

static void remove_warp(SchedulerView *view, uint32_t warp)
{
    TwoLevel *levels = view->state;
    levels->active &= ~warp_bit(warp);
    dequeue(levels, warp);
}

static void wait_begun(SchedulerView *view, uint32_t warp, Wait wait)
{
    (void)wait;
    TwoLevel *levels = view->state;
    ((Counters *)view->counters)->left += levels->active >> warp & 1;
    remove_warp(view, warp);
}

static void wait_ended(SchedulerView *view, uint32_t warp, Wait wait)
{
    (void)wait;
    enqueue(view, warp);
}

static uint32_t pick(SchedulerView *view)
{
    TwoLevel *levels = view->state;
    while (levels->pending && (uint32_t)__builtin_popcountll(levels->active) < levels->most) {
        const uint32_t warp = levels->queue[0];
        dequeue(levels, warp);
        levels->active |= warp_bit(warp);
        ((Counters *)view->counters)->entered++;
    }
    const WarpSet turns = view->ready & levels->active;
    return turns ? warps_next(turns, view->last_slot) : SCHED_NOBODY;
}

extern const WarpScheduler sched_two_level;
const WarpScheduler sched_two_level = {
    .about =
        {
            .name = "two-level",
            .description =
                "Two levels: a few warps take turns, and one that waits for long makes room for the next",
            .source = "Narasiman et al., MICRO 2011; Gebhart et al., ISCA 2011",
            .counters = &sched_two_level_counters,
        },
    .check = check,
    .init = init,
    .free = xfree,
    .pick = pick,
    .warp_came = enqueue,
    .warp_went = remove_warp,
    .waits = LONG_WAITS,
    .wait_begun = wait_begun,
    .wait_ended = wait_ended,
};
