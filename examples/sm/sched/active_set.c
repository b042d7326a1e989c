/* An active set: a few warps take turns; one that has to wait for long makes room for the next.
 *
 * Gebhart et al., "Energy-Efficient Mechanisms for Managing Thread Context in Throughput Processors", ISCA
 * 2011. If all warps take turns, all come to their long loads at the same time, and nobody is left who could
 * hide them. So only the warps of a small active set take turns. One that begins a long wait leaves the set,
 * and the one that has been pending longest takes its place. A wait is long unless it is for an arithmetic
 * pipe, shared or constant memory, the next instruction or a branch.
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

#define OWNER sched_active_set
#define OWNER_DEF "sm/sched/active_set.def"
#include "base/own_counters.h"

/* Invariant: queue[0..pending) are warps in the order in which they came, none of them active; at most `most`
 * warps are active. */
typedef struct ActiveSet {
    WarpSet active;
    uint32_t most, pending;
    uint8_t queue[MAX_WARPS];
} ActiveSet;

enum {
    SHORT_WAITS =
        1u << WAIT_NONE | 1u << WAIT_RESULT | 1u << WAIT_SHARED | 1u << WAIT_FETCH | 1u << WAIT_BRANCH,
    LONG_WAITS = (1u << WAIT_COUNT) - 1 - SHORT_WAITS
};

static WbStatus check(const GpuConfig *config, Error *error)
{
    const uint64_t warps = config->max_threads_per_sm / config->warp_width / config->schedulers;
    if (config->active_set_size <= warps)
        return WB_OK;
    return error_set(
        error, WB_ERROR_ARGUMENT,
        "%s: active_set_size (%" PRIu64 ") is more than the %" PRIu64
        " warps that a scheduler has, so that all would always be active; choose less, or lrr as "
        "the warp_scheduler.",
        config->name, config->active_set_size, warps);
}

static void *init(const SchedulerView *view, const GpuConfig *config, uint32_t sm)
{
    (void)view, (void)sm;
    ActiveSet *set = xcalloc(1, sizeof *set);
    set->most = (uint32_t)config->active_set_size;
    return set;
}

static void enqueue(SchedulerView *view, uint32_t warp)
{
    ActiveSet *set = view->state;
    set->queue[set->pending++] = (uint8_t)warp;
}

/* Takes the warp out of the queue, if it is in it. */
static void dequeue(ActiveSet *set, uint32_t warp)
{
    const uint8_t *found = memchr(set->queue, (int)warp, set->pending);
    if (!found)
        return;
    const size_t place = (size_t)(found - set->queue);
    set->pending--;
    memmove(&set->queue[place], &set->queue[place + 1], set->pending - place);
}

static void remove_warp(SchedulerView *view, uint32_t warp)
{
    ActiveSet *set = view->state;
    set->active &= ~warp_bit(warp);
    dequeue(set, warp);
}

static void wait_begun(SchedulerView *view, uint32_t warp, Wait wait)
{
    (void)wait;
    ActiveSet *set = view->state;
    ((Counters *)view->counters)->left += set->active >> warp & 1;
    remove_warp(view, warp);
}

static void wait_ended(SchedulerView *view, uint32_t warp, Wait wait)
{
    (void)wait;
    enqueue(view, warp);
}

static uint32_t pick(SchedulerView *view)
{
    ActiveSet *set = view->state;
    while (set->pending && (uint32_t)__builtin_popcountll(set->active) < set->most) {
        const uint32_t warp = set->queue[0];
        dequeue(set, warp);
        set->active |= warp_bit(warp);
        ((Counters *)view->counters)->entered++;
    }
    const WarpSet turns = view->ready & set->active;
    return turns ? warps_next(turns, view->last_slot) : SCHED_NOBODY;
}

extern const WarpScheduler sched_active_set;
const WarpScheduler sched_active_set = {
    .about =
        {
            .name = "active-set",
            .description = "A few warps take turns, and one that waits for long makes room for the next",
            .source = "Gebhart et al., ISCA 2011",
            .counters = &sched_active_set_counters,
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
