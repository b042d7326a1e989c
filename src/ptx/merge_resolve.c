/* Which definitions of a name the linked module keeps. Every name gets one number at its first appearance; a
 * better definition that comes later takes the number over, so all that named it before stay right. */
#include "ptx/merge_state.h"

#include <string.h>

bool merge_shares_function(const Function *function)
{
    return function->is_visible || function->is_weak || function->is_extern || !function->has_body;
}

bool merge_shares_variable(const Variable *variable)
{
    return variable->function == NO_INDEX &&
           (variable->is_visible || variable->is_weak || variable->is_extern || variable->is_common);
}

static const Function *function_at(const Merge *merge, MergeKept kept)
{
    return &merge->modules[kept.module]->functions[kept.index];
}

static const Variable *variable_at(const Merge *merge, MergeKept kept)
{
    return &merge->modules[kept.module]->variables[kept.index];
}

/* How much a definition is worth: the kept one is replaced only by one that is worth more. */
typedef enum Worth { WORTH_DECLARED, WORTH_COMMON, WORTH_WEAK, WORTH_STRONG } Worth;

static Worth function_worth(const Function *function)
{
    return !function->has_body ? WORTH_DECLARED : function->is_weak ? WORTH_WEAK : WORTH_STRONG;
}

static Worth variable_worth(const Variable *variable)
{
    if (variable->is_extern)
        return WORTH_DECLARED;
    return variable->is_common ? WORTH_COMMON : variable->is_weak ? WORTH_WEAK : WORTH_STRONG;
}

static WbStatus clash(Merge *merge, const char *name, const char *what, MergeKept first, uint32_t first_line,
                      MergeKept second, uint32_t second_line)
{
    return error_set(merge->error, WB_ERROR_PTX, "'%.200s' is %s in %s:%u and in %s:%u.", name, what,
                     merge->modules[first.module]->file_name, first_line,
                     merge->modules[second.module]->file_name, second_line);
}

static bool same_sizes(const Merge *merge, MergeKept a, const uint32_t *numbers_a, MergeKept b,
                       const uint32_t *numbers_b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (merge->modules[a.module]->variables[numbers_a[i]].size !=
            merge->modules[b.module]->variables[numbers_b[i]].size)
            return false;
    }
    return true;
}

static WbStatus check_function(Merge *merge, MergeKept old, MergeKept new)
{
    const Function *a = function_at(merge, old), *b = function_at(merge, new);
    if (a->is_entry != b->is_entry || a->result_count != b->result_count ||
        a->parameter_count != b->parameter_count ||
        !same_sizes(merge, old, a->results, new, b->results, a->result_count) ||
        !same_sizes(merge, old, a->parameters, new, b->parameters, a->parameter_count))
        return clash(merge, a->name, "declared differently", old, a->place.line, new, b->place.line);
    if (function_worth(a) == WORTH_STRONG && function_worth(b) == WORTH_STRONG)
        return clash(merge, a->name, "defined", old, a->place.line, new, b->place.line);
    return WB_OK;
}

static WbStatus check_variable(Merge *merge, MergeKept old, MergeKept new)
{
    const Variable *a = variable_at(merge, old), *b = variable_at(merge, new);
    /* Common variables take the largest size. Size 0 is dynamic shared memory, or an array declared without
     * one. */
    const bool may_differ = (a->is_common && b->is_common) || a->size == 0 || b->size == 0;
    if (a->space != b->space || (a->size != b->size && !may_differ))
        return clash(merge, a->name, "declared differently", old, a->place.line, new, b->place.line);
    if (variable_worth(a) == WORTH_STRONG && variable_worth(b) == WORTH_STRONG)
        return clash(merge, a->name, "defined", old, a->place.line, new, b->place.line);
    return WB_OK;
}

static WbStatus resolve_function(Merge *merge, MergeKept new)
{
    const Function *function = function_at(merge, new);
    const size_t length = strlen(function->name);
    uint32_t *number = &merge->functions[new.module][new.index];
    const bool is_shared = merge_shares_function(function);
    if (is_shared && map_get(&merge->function_names, function->name, length, number)) {
        MergeKept *kept = &merge->kept_functions.items[*number];
        if (check_function(merge, *kept, new))
            return merge->error->status;
        /* Its number stays: all modules that named it before know it by that. */
        if (function_worth(function) > function_worth(function_at(merge, *kept)))
            *kept = new;
        return WB_OK;
    }
    *number = merge->kept_functions.count;
    VEC_PUSH(&merge->kept_functions, new);
    if (is_shared)
        map_put(&merge->function_names, function->name, length, *number);
    return WB_OK;
}

/* Of two declarations of dynamic shared memory, or of common variables, the more demanding one serves both.
 */
static bool is_preferred(const Variable *new, const Variable *old)
{
    const Worth worth = variable_worth(new), old_worth = variable_worth(old);
    if (worth != old_worth || worth > WORTH_COMMON)
        return worth > old_worth;
    return new->size != old->size ? new->size > old->size : new->align > old->align;
}

static WbStatus resolve_variable(Merge *merge, MergeKept new)
{
    const Variable *variable = variable_at(merge, new);
    const size_t length = strlen(variable->name);
    uint32_t *number = &merge->variables[new.module][new.index];
    const bool is_shared = merge_shares_variable(variable);
    if (is_shared && map_get(&merge->variable_names, variable->name, length, number)) {
        MergeKept *kept = &merge->kept_variables.items[*number];
        if (check_variable(merge, *kept, new))
            return merge->error->status;
        if (is_preferred(variable, variable_at(merge, *kept)))
            *kept = new;
        return WB_OK;
    }
    *number = NO_INDEX;
    if (variable->function != NO_INDEX) { /* goes where its function goes */
        const MergeKept owner = merge->kept_functions.items[merge->functions[new.module][variable->function]];
        /* Another module's definition of the function was kept, and brings its own variables. */
        if (owner.module != new.module || owner.index != variable->function)
            return WB_OK;
    }
    *number = merge->kept_variables.count;
    VEC_PUSH(&merge->kept_variables, new);
    if (is_shared)
        map_put(&merge->variable_names, variable->name, length, *number);
    return WB_OK;
}

WbStatus merge_resolve(Merge *merge)
{
    for (uint32_t m = 0; m < merge->count; m++) {
        for (uint32_t f = 0; f < merge->modules[m]->function_count; f++) {
            if (resolve_function(merge, (MergeKept){m, f}))
                return merge->error->status;
        }
    }
    for (uint32_t m = 0; m < merge->count; m++) { /* after all functions: their variables go with them */
        for (uint32_t v = 0; v < merge->modules[m]->variable_count; v++) {
            if (resolve_variable(merge, (MergeKept){m, v}))
                return merge->error->status;
        }
    }
    return WB_OK;
}

void merge_free(Merge *merge)
{
    VEC_FREE(&merge->kept_functions);
    VEC_FREE(&merge->kept_variables);
    map_free(&merge->function_names);
    map_free(&merge->variable_names);
}
