/* CTA-aware two-level warp scheduling: one group of blocks is active, and only its warps issue.
 *
 * Synchronization thesis, §3.3.3 and chapter 7, where it is the rival of SAWS besides GTO; the scheme is
 * the first part of OWL (owl.c). The blocks of a scheduler form groups, one of which is active, while the
 * others are pending. Only warps of the active group issue, in turns. If it has no ready warp, the next group
 * becomes active, in turns as well, and stays it: there is no preemption.
 *
 * - "No ready warp" is taken at its word: none that could issue in this cycle. So a group is left for a stall
 *   of a few cycles, too, and some warp issues whenever one is ready. As the thesis counts only misses of L2
 *   as long operations, it may also mean that all warps of the group wait for long. With catls_long_waits the
 *   scheduler waits with its group for arithmetic results, and nobody issues (stall_policy).
 * - The thesis gives no size of groups. With catls_group 0 a group takes blocks until it has 8 warps for each
 *   scheduler.
 * - The next group is the next one that has a ready warp, or with catls_long_waits one that does not wait for
 *   long. It becomes active in the same cycle.
 * - All schedulers of an SM have the same groups of blocks; each has an active group of its own.
 *
 * Hardware: groups_state_bits(), and, with catls_long_waits, a bit of each warp that says whether it waits
 * for long. */
#include "sm/sched/sched.h"

#include "base/alloc.h"
#include "sm/block_groups.h"

#define OWNER sched_catls
#define OWNER_DEF "sm/sched/catls.def"
#include "base/own_counters.h"

typedef struct Catls {
    uint32_t active; /* group */
    bool long_waits;
    uint8_t last[MAX_WARPS]; /* [group]: slot that issued last */
} Catls;

static WbStatus check(const GpuConfig *config, Error *error)
{
    return groups_check(config, "catls_group", config->catls_group, error);
}

static uint64_t state_bits(const GpuConfig *config)
{
    const uint64_t waits = config->catls_long_waits ? config->schedulers * scheduler_warps(config) : 0;
    return config->sm_count * (groups_state_bits(config, config->catls_group) + waits);
}

static void *init_sm(const GpuConfig *config, uint32_t sm)
{
    (void)sm;
    return groups_create(config, config->catls_group);
}

static void *init(const SchedulerView *view, const GpuConfig *config, uint32_t sm)
{
    (void)view, (void)sm;
    Catls *catls = xcalloc(1, sizeof *catls);
    catls->long_waits = config->catls_long_waits;
    return catls;
}

static void begin(SchedulerView *view)
{
    Catls *catls = view->state;
    *catls = (Catls){.long_waits = catls->long_waits};
}

/* The active group has no ready warp: makes the next one active that has, or stays if it is to wait. */
static void leave_group(SchedulerView *view)
{
    const BlockGroups *groups = view->shared;
    Catls *catls = view->state;
    const WarpSet own = catls->active < groups->count ? groups->warps[catls->active] & view->mine : 0;
    if (catls->long_waits && warps_are_awake(view, own))
        return;
    WarpSet others = view->ready;
    if (catls->long_waits)
        for (WarpSet rest = view->mine & ~others; rest; rest &= rest - 1)
            others |= warps_are_awake(view, rest & -rest) ? rest & -rest : 0;
    catls->active = groups_find(groups, catls->active + 1, others);
    ((Counters *)view->counters)->switches += own != 0;
}

static uint32_t pick(SchedulerView *view)
{
    const BlockGroups *groups = view->shared;
    Catls *catls = view->state;
    if (!(groups->warps[catls->active] & view->ready))
        leave_group(view);
    const WarpSet own = groups->warps[catls->active], turns = own & view->ready;
    if (!turns)
        return warps_await(view, own & view->mine);
    const uint32_t warp = warps_next(turns, catls->last[catls->active]);
    catls->last[catls->active] = (uint8_t)warp;
    return warp;
}

extern const WarpScheduler sched_catls;
const WarpScheduler sched_catls = {
    .about =
        {
            .name = "catls",
            .description =
                "CTA-aware two levels: one group of blocks issues until it has no ready warp, then the next",
            .source = "Synchronization thesis, 3.3.3 and 7; Jog et al., ASPLOS 2013",
            .counters = &sched_catls_counters,
            .state_bits = state_bits,
        },
    .check = check,
    .init_sm = init_sm,
    .free_sm = xfree,
    .init = init,
    .free = xfree,
    .begin = begin,
    .pick = pick,
    .warp_came = groups_warp_came,
    .warp_went = groups_warp_went,
    .block_came = groups_block_came,
    .block_went = groups_block_went,
};
