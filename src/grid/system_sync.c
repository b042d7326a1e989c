/* Who tells whom, and when all have come. Whatever has changed, advance() does all that follows. */
#include "grid/system_sync.h"

#include "base/alloc.h"

void system_sync_free(SystemSync *sync) { VEC_FREE(&sync->groups); }

SyncGroup *system_sync_group(SystemSync *sync, uint32_t gpus, uint32_t fan)
{
    for (uint32_t i = 0; i < sync->groups.count; i++)
        if (sync->groups.items[i].gpus == gpus)
            return &sync->groups.items[i];
    VEC_PUSH(&sync->groups, ((SyncGroup){.gpus = gpus, .fan = fan}));
    return &sync->groups.items[sync->groups.count - 1];
}

/* -- the tree -- */

/* How many GPUs of the set have a lower number. */
static uint32_t rank_of(uint32_t gpus, uint32_t gpu)
{
    return (uint32_t)__builtin_popcount(gpus & ((1u << gpu) - 1));
}

static uint32_t gpu_of(uint32_t gpus, uint32_t rank)
{
    while (rank--)
        gpus &= gpus - 1;
    return (uint32_t)__builtin_ctz(gpus);
}

static bool is_root(const SystemSync *sync, const SyncGroup *group)
{
    return rank_of(group->gpus, sync->gpu) == 0;
}

static uint32_t parent_of(const SystemSync *sync, const SyncGroup *group)
{
    return gpu_of(group->gpus, (rank_of(group->gpus, sync->gpu) - 1) / group->fan);
}

/* As bits. */
static uint32_t children_of(const SystemSync *sync, const SyncGroup *group)
{
    const uint32_t count = (uint32_t)__builtin_popcount(group->gpus);
    const uint64_t first = (uint64_t)rank_of(group->gpus, sync->gpu) * group->fan + 1;
    uint32_t children = 0;
    for (uint64_t rank = first; rank < first + group->fan && rank < count; rank++)
        children |= 1u << gpu_of(group->gpus, (uint32_t)rank);
    return children;
}

/* -- words -- */

static uint32_t others_of(const SystemSync *sync, const SyncGroup *group)
{
    return group->gpus & ~(1u << sync->gpu);
}

static void tell_all(const SystemSync *sync, uint32_t gpus, SystemWord word, uint32_t group, Cycle now)
{
    for (; gpus; gpus &= gpus - 1)
        sync->hooks.tell(sync->hooks.context, (uint32_t)__builtin_ctz(gpus), word, group, now);
}

/* Those of the set that have not come to the sync with that number. */
static uint32_t late(const SyncGroup *group, uint32_t gpus, uint64_t number)
{
    uint32_t missing = 0;
    for (; gpus; gpus &= gpus - 1) {
        const uint32_t gpu = (uint32_t)__builtin_ctz(gpus);
        missing |= group->heard[gpu] < number ? 1u << gpu : 0;
    }
    return missing;
}

static void release(SystemSync *sync, SyncGroup *group, Cycle now)
{
    group->gone++;
    sync->hooks.release(sync->hooks.context, group, now);
}

/* Words are sent when all that they say is written down: without time they are answered at once. */
static void advance_tree(SystemSync *sync, SyncGroup *group, Cycle now)
{
    const uint32_t children = children_of(sync, group), gpus = group->gpus;
    if (group->came > group->told && !late(group, children, group->told + 1)) {
        group->told++;
        if (!is_root(sync, group)) {
            sync->hooks.tell(sync->hooks.context, parent_of(sync, group), SYSTEM_CAME, gpus, now);
            return;
        }
        group->let_go++;
    }
    if (group->let_go > group->gone) {
        release(sync, group, now);
        tell_all(sync, children, SYSTEM_GO, gpus, now);
    }
}

static void advance(SystemSync *sync, SyncGroup *group, Cycle now)
{
    if (group->fan)
        advance_tree(sync, group, now);
    else if (group->came > group->gone && !late(group, others_of(sync, group), group->came))
        release(sync, group, now);
}

void system_sync_arrive(SystemSync *sync, SyncGroup *group, Cycle now)
{
    group->came++;
    group->since = now;
    if (!group->fan)
        tell_all(sync, others_of(sync, group), SYSTEM_CAME, group->gpus, now);
    advance(sync, group, now);
}

void system_sync_told(SystemSync *sync, SyncGroup *group, uint32_t from, SystemWord word, Cycle now)
{
    if (word == SYSTEM_CAME)
        group->heard[from]++;
    else
        group->let_go++;
    advance(sync, group, now);
}
