/* A task's kernels, part by part. */
#include "cilk/split.h"

const CilkPoint *cilk_point(const CilkSplit *split, const CilkStatement *statement)
{
    for (uint32_t i = 0; i < split->points.count; i++)
        if (split->points.items[i].statement == statement)
            return &split->points.items[i];
    return NULL;
}

uint32_t cilk_sync_number(const CilkSplit *split, const CilkStatement *statement)
{
    for (uint32_t i = 0; i < split->syncs.count; i++)
        if (split->syncs.items[i].statement == statement)
            return i + 1;
    return 0;
}

bool cilk_group_has_choice(const CilkGroup *group)
{
    return group->can_end || (group->syncs & (group->syncs - 1)) != 0;
}

const CilkVariable *cilk_target_variable(const CilkSplit *split, const CilkStatement *statement)
{
    const CilkExpression *target = statement->target;
    if (!target || target->kind != CILK_VARIABLE || !target->variable->function ||
        cilk_live_has(&split->in_memory, target->variable->index))
        return NULL;
    return target->variable;
}

bool cilk_split(const CilkProgram *program, const CilkFunction *function, CilkSplit *split, Error *error)
{
    *split = (CilkSplit){.function = function};
    if (function->variable_count > CILK_MOST_VARIABLES) {
        cilk_error(program, function->place, error,
                   "'%s' has %u variables, and a function that spawns may have %d: make it two functions.",
                   function->name, function->variable_count, CILK_MOST_VARIABLES);
        return false;
    }
    if (!cilk_split_memory(program, split, error))
        return false;
    cilk_split_flow(split);
    cilk_split_groups(split);
    cilk_split_frames(split);
    return true;
}

void cilk_split_free(CilkSplit *split)
{
    VEC_FREE(&split->syncs);
    VEC_FREE(&split->points);
    VEC_FREE(&split->groups);
}
