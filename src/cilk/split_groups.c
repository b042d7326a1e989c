/* Groups: syncs that a spawn can reach by turns share a frame, and so do syncs that follow each other in a
 * loop. */
#include "cilk/split.h"

/* Syncs that belong together, as sets that have no sync in common. */
typedef struct Sets {
    CilkAhead items[CILK_MOST_SYNCS];
    uint32_t count;
} Sets;

/* Makes one of all sets that have a sync of `syncs`. */
static void join(Sets *sets, CilkAhead syncs)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < sets->count; i++)
        if (sets->items[i] & syncs)
            syncs |= sets->items[i];
        else
            sets->items[kept++] = sets->items[i];
    sets->items[kept++] = syncs;
    sets->count = kept;
}

static bool is_spawn(const CilkStatement *statement)
{
    return statement->kind == CILK_SPAWN || statement->kind == CILK_CALL_TASK;
}

static bool has_memory(const CilkSplit *split)
{
    for (uint32_t i = 0; i < CILK_LIVE_WORDS; i++)
        if (split->in_memory.words[i])
            return true;
    return false;
}

static uint32_t group_of(const CilkSplit *split, CilkAhead ahead)
{
    uint32_t group = 0;
    while (group + 1 < split->groups.count && !(split->groups.items[group].syncs & ahead))
        group++;
    return group;
}

static void fill_group(CilkSplit *split, CilkGroup *group)
{
    for (uint32_t k = 0; k < split->syncs.count; k++)
        if (group->syncs >> (k + 1) & 1) {
            cilk_live_unite(&group->saved, &split->syncs.items[k].live);
            group->is_loop |= (group->syncs & split->syncs.items[k].reach.syncs) != 0;
        }
    cilk_live_unite(&group->saved, &split->in_memory);
}

/* Whether a spawn's result goes to a variable that somebody reads. */
static bool has_target(const CilkSplit *split, const CilkPoint *point)
{
    const CilkVariable *variable = cilk_target_variable(split, point->statement);
    return variable && cilk_live_has(&split->groups.items[point->group].saved, variable->index);
}

/* Whether a task may come to a sync after it went on at another one. */
static bool follows(const CilkSplit *split, uint32_t sync, uint32_t other)
{
    return split->syncs.items[other - 1].reach.syncs >> sync & 1;
}

static void join_all(CilkSplit *split, Sets *sets)
{
    for (uint32_t k = 1; k <= split->syncs.count; k++)
        join(sets, (CilkAhead)1 << k);
    for (uint32_t i = 0; i < split->points.count; i++) {
        const CilkPoint *point = &split->points.items[i];
        if (is_spawn(point->statement) && (point->ahead & ~CILK_END))
            join(sets, point->ahead & ~CILK_END);
    }
    for (uint32_t k = 1; k <= split->syncs.count; k++)
        for (uint32_t other = 1; other < k; other++)
            if (follows(split, k, other) && follows(split, other, k))
                join(sets, (CilkAhead)1 << k | (CilkAhead)1 << other);
}

/* Whether a spawn that needs a frame comes to no sync any more. */
static bool needs_last_group(const CilkSplit *split)
{
    for (uint32_t i = 0; i < split->points.count; i++)
        if (is_spawn(split->points.items[i].statement) && split->points.items[i].ahead == CILK_END)
            return has_memory(split);
    return false;
}

/* In the order of their first syncs, which are the lowest bits. */
static void make_groups(CilkSplit *split, const Sets *sets)
{
    for (uint32_t k = 1; k <= split->syncs.count; k++)
        for (uint32_t i = 0; i < sets->count; i++)
            if ((sets->items[i] & (~sets->items[i] + 1)) == (CilkAhead)1 << k) {
                CilkGroup group = {.syncs = sets->items[i]};
                fill_group(split, &group);
                VEC_PUSH(&split->groups, group);
            }
    if (needs_last_group(split)) {
        CilkGroup last = {.can_end = true};
        fill_group(split, &last);
        VEC_PUSH(&split->groups, last);
    }
}

void cilk_split_groups(CilkSplit *split)
{
    Sets sets = {.count = 0};
    join_all(split, &sets);
    make_groups(split, &sets);
    for (uint32_t k = 1; k <= split->syncs.count; k++)
        split->syncs.items[k - 1].group = group_of(split, (CilkAhead)1 << k);
    for (uint32_t i = 0; i < split->points.count; i++) {
        CilkPoint *point = &split->points.items[i];
        if (!is_spawn(point->statement))
            continue;
        point->group = group_of(split, point->ahead & ~CILK_END);
        point->needs_frame = has_memory(split) || ((point->ahead & ~CILK_END) && has_target(split, point));
        if (point->needs_frame && (point->ahead & CILK_END))
            split->groups.items[point->group].can_end = true;
    }
}
