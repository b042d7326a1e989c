/* Two levels: warps of one fetch group take turns until all of them wait for long; then the next group goes
 * first.
 *
 * Narasiman, Shebanow, Lee, Miftakhutdinov, Mutlu, Patt, "Improving GPU Performance via Large Warps and
 * Two-Level Warp Scheduling", MICRO 2011; "TL" of CLASO (§4.1, §5). If all warps take turns, all come to
 * their long loads at the same time, and nobody is left who could hide them. Groups come to them one after
 * the other. Within a group warps take turns, and so do the groups.
 *
 * - A group is two_level_group warps of a scheduler with neighbouring slots. The paper has one scheduler and
 *   32 warps, in four groups of 8.
 * - The paper gives a group priority over the others. So others issue where none of its warps is ready,
 *   though not all of them wait for long: the groups behind it, round robin, each from where its turns have
 *   come to. A group alone would have to hide the latency of arithmetic, and with 8 warps for 22 cycles it
 *   does not. With two_level_fills off the group is alone, as CLASO's words have it (§5). Then a warp
 *   that spins on a word of shared memory is never left, and so keeps one of another group from writing it.
 * - Which waits are long says sm/block_groups.h. All waits for global memory are, those for a hit in the
 *   L1 as well: when they begin, the scheduler does not know.
 * - The group is looked at when a warp of the scheduler could issue: only then does it matter who goes
 *   first.
 *
 * Hardware of a scheduler: the number of the group that goes first, a pointer for the turns of each group,
 * and a bit of each warp that says whether it waits for long. */
#include "sm/sched/sched.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "sm/block_groups.h"

#define OWNER sched_two_level
#define OWNER_DEF "sm/sched/two_level.def"
#include "base/own_counters.h"

/* Invariant: slots[] are the slots of each group, in order and without gaps, and group_of[] the group of each
 * slot. A scheduler's warps in them are the group's. */
typedef struct TwoLevel {
    uint32_t first; /* the group that goes first */
    bool fills;
    WarpSet slots[MAX_WARPS];
    uint8_t group_of[MAX_WARPS];
    uint8_t last[MAX_WARPS]; /* [group]: slot that issued last */
} TwoLevel;

static WbStatus check(const GpuConfig *config, Error *error)
{
    const uint64_t warps = scheduler_warps(config);
    if (config->two_level_group <= warps)
        return WB_OK;
    return error_set(
        error, WB_ERROR_ARGUMENT,
        "%s: two_level_group (%" PRIu64 ") is more than the %" PRIu64
        " warps that a scheduler has, so that all would be one group; choose less, or lrr as the "
        "warp_scheduler.",
        config->name, config->two_level_group, warps);
}

static uint64_t state_bits(const GpuConfig *config)
{
    const uint64_t warps = scheduler_warps(config), group = config->two_level_group;
    const uint64_t groups = (warps + group - 1) / group;
    return config->sm_count * config->schedulers *
           (bits_for(groups - 1) + groups * bits_for(group - 1) + warps);
}

static void *init(const SchedulerView *view, const GpuConfig *config, uint32_t sm)
{
    (void)view, (void)sm;
    TwoLevel *levels = xcalloc(1, sizeof *levels);
    levels->fills = config->two_level_fills;
    for (uint32_t slot = 0; slot < MAX_WARPS; slot++) {
        const uint64_t group = slot / (config->two_level_group * config->schedulers);
        levels->group_of[slot] = (uint8_t)group;
        levels->slots[group] |= warp_bit(slot);
    }
    return levels;
}

static void begin(SchedulerView *view)
{
    TwoLevel *levels = view->state;
    levels->first = 0;
    memset(levels->last, 0, sizeof levels->last);
}

/* The first group behind that one, round robin, with a warp of the set, which is not empty. */
static uint32_t group_behind(const TwoLevel *levels, uint32_t group, WarpSet set)
{
    const uint32_t end = MAX_WARPS - 1 - (uint32_t)__builtin_clzll(levels->slots[group]);
    return levels->group_of[warps_next(set, end)];
}

/* All warps of the first group wait for long: the next group with one that does not goes first. There is one,
 * since a warp is ready. */
static void leave_group(SchedulerView *view)
{
    TwoLevel *levels = view->state;
    ((Counters *)view->counters)->switches += (view->mine & levels->slots[levels->first]) != 0;
    do
        levels->first = group_behind(levels, levels->first, view->mine);
    while (!warps_are_awake(view, view->mine & levels->slots[levels->first]));
}

static inline uint32_t take_turn(TwoLevel *levels, uint32_t group, WarpSet turns)
{
    const uint32_t warp = warps_next(turns, levels->last[group]);
    levels->last[group] = (uint8_t)warp;
    return warp;
}

/* The first group has no ready warp. */
static uint32_t pick_other(SchedulerView *view)
{
    TwoLevel *levels = view->state;
    if (!warps_are_awake(view, view->mine & levels->slots[levels->first]))
        leave_group(view);
    uint32_t group = levels->first;
    WarpSet turns = view->ready & levels->slots[group];
    if (!turns) {
        if (!levels->fills)
            return warps_await(view, view->mine & levels->slots[group]);
        group = group_behind(levels, group, view->ready);
        turns = view->ready & levels->slots[group];
        ((Counters *)view->counters)->fills++;
    }
    return take_turn(levels, group, turns);
}

static uint32_t pick(SchedulerView *view)
{
    TwoLevel *levels = view->state;
    const WarpSet turns = view->ready & levels->slots[levels->first];
    return turns ? take_turn(levels, levels->first, turns) : pick_other(view);
}

extern const WarpScheduler sched_two_level;
const WarpScheduler sched_two_level = {
    .about =
        {
            .name = "two-level",
            .description = "Two levels: a group of warps takes turns until all wait for long, then the next",
            .source = "Narasiman et al., MICRO 2011; TL of CLASO",
            .counters = &sched_two_level_counters,
            .state_bits = state_bits,
        },
    .check = check,
    .init = init,
    .free = xfree,
    .begin = begin,
    .pick = pick,
};
