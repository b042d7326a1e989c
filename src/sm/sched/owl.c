/* CTA-aware two levels: blocks of an SM form groups, and the first group whose data is there goes first.
 *
 * Jog, Kayiran, Nachiappan, Mishra, Kandemir, Mutlu, Iyer, Das, "OWL: Cooperative Thread Array Aware
 * Scheduling Techniques for Improving GPGPU Performance", ASPLOS 2013; "OWL" of CLASO (§4.1, §5: an upgrade
 * of TL with preemption, to improve the cache's efficiency). It has four parts, of which the first three are
 * here:
 *
 * 1. CTA-aware: groups are of whole blocks, so that warps which share data are in one group. Warps of a
 *    group take turns; the next group goes on while all of them wait for long (owl_preempts off).
 * 2. Locality: the order of groups is fixed. A group that was left because all its warps waited goes first
 *    again as soon as one of them has its data, before groups behind it. So fewer blocks share the cache at a
 *    time. This is the preemption that CLASO names.
 * 3. Bank-level parallelism: blocks with neighbouring numbers, which read from the same DRAM rows, are on
 *    different SMs. If SMs begin with different groups, neighbouring blocks do not go first at the same time
 *    (owl_orders above 1: an SM begins with the group of its number modulo owl_orders). CLASO does not speak
 *    of it, so it is off unless asked for.
 * 4. Opportunistic prefetching of open rows into L2 by the memory controllers is not a matter of warp
 *    schedulers, and CLASO does not speak of it; it is left out.
 *
 * - The paper wants groups large enough to keep the pipeline busy and counts blocks: owl_group. With 0 a
 *   group takes blocks until it has 8 warps for each scheduler, as many as a fetch group of two-level has.
 * - The paper has one scheduler. Here the schedulers of an SM share the groups, and each goes its own way
 *   through them.
 * - A group is prioritized, not alone: groups behind it issue in cycles in which none of its warps is ready.
 * - A block that comes takes the place of one that has ended, so it may be in a group that goes before
 *   older blocks.
 *
 * Hardware: groups_state_bits(), and, without preemption, a bit of each warp that says whether it waits for
 * long. */
#include "sm/sched/sched.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "sm/block_groups.h"

#define OWNER sched_owl
#define OWNER_DEF "sm/sched/owl.def"
#include "base/own_counters.h"

typedef struct Owl {
    uint32_t head;    /* the order of groups begins with it: fixed, or of this time */
    uint32_t current; /* group that issued last */
    uint32_t start;   /* head of a kernel that begins */
    bool preempts;
    uint8_t last[MAX_WARPS]; /* [group]: slot that issued last */
} Owl;

static WbStatus check(const GpuConfig *config, Error *error)
{
    const uint64_t blocks = sm_block_places(config), size = config->owl_group ? config->owl_group : 1;
    if (groups_check(config, "owl_group", config->owl_group, error) != WB_OK)
        return error->status;
    const uint64_t groups = (blocks + size - 1) / size;
    if (config->owl_orders <= groups)
        return WB_OK;
    return error_set(error, WB_ERROR_ARGUMENT,
                     "%s: owl_orders (%" PRIu64 ") is more than the %" PRIu64
                     " groups that the blocks of an SM can form; choose less, or smaller groups.",
                     config->name, config->owl_orders, groups);
}

static uint64_t state_bits(const GpuConfig *config)
{
    const uint64_t waits = config->owl_preempts ? 0 : config->schedulers * scheduler_warps(config);
    return config->sm_count * (groups_state_bits(config, config->owl_group) + waits);
}

static void *init_sm(const GpuConfig *config, uint32_t sm)
{
    (void)sm;
    return groups_create(config, config->owl_group);
}

static void *init(const SchedulerView *view, const GpuConfig *config, uint32_t sm)
{
    (void)view;
    Owl *owl = xcalloc(1, sizeof *owl);
    owl->start = owl->head = owl->current = (uint32_t)(sm % config->owl_orders);
    owl->preempts = config->owl_preempts;
    return owl;
}

static void begin(SchedulerView *view)
{
    Owl *owl = view->state;
    *owl = (Owl){.start = owl->start, .head = owl->start, .current = owl->start, .preempts = owl->preempts};
}

/* How far the group is from the head of the order. */
static uint32_t rank_of(const Owl *owl, const BlockGroups *groups, uint32_t group)
{
    const uint32_t head = owl->head < groups->count ? owl->head : 0;
    return group >= head ? group - head : group + groups->count - head;
}

static void switch_to(SchedulerView *view, uint32_t group)
{
    const BlockGroups *groups = view->shared;
    Counters *counters = view->counters;
    Owl *owl = view->state;
    counters->switches++;
    counters->preemptions +=
        owl->preempts && rank_of(owl, groups, group) < rank_of(owl, groups, owl->current);
    owl->current = group;
}

/* Without preemption the head is left when all its warps wait for long. */
static void leave_head(SchedulerView *view)
{
    const BlockGroups *groups = view->shared;
    Owl *owl = view->state;
    const WarpSet own = owl->head < groups->count ? groups->warps[owl->head] & view->mine : 0;
    if (own & view->ready || warps_are_awake(view, own))
        return;
    do
        owl->head = groups_find(groups, owl->head + 1, view->mine);
    while (!warps_are_awake(view, groups->warps[owl->head] & view->mine));
}

static uint32_t pick(SchedulerView *view)
{
    const BlockGroups *groups = view->shared;
    Owl *owl = view->state;
    if (!owl->preempts)
        leave_head(view);
    const uint32_t group = groups_find(groups, owl->head, view->ready);
    if (group != owl->current)
        switch_to(view, group);
    const uint32_t warp = warps_next(groups->warps[group] & view->ready, owl->last[group]);
    owl->last[group] = (uint8_t)warp;
    return warp;
}

extern const WarpScheduler sched_owl;
const WarpScheduler sched_owl = {
    .about =
        {
            .name = "owl",
            .description = "CTA-aware two levels: the first group of blocks that has a ready warp goes first",
            .source = "Jog et al., ASPLOS 2013; OWL of CLASO",
            .counters = &sched_owl_counters,
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
