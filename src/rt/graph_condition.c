/* A condition is a word of host memory that kernels write; its address is its handle. It lives as long as
 * a graph that goes by it. */
#include "rt/graph_condition.h"

#include <string.h>

#include "base/vec.h"

enum { ASSIGN_DEFAULT = 1, MOST_GRAPHS = 65536 };

static VEC(RtCondition *) conditions;

static const RtGraph *outermost(const RtGraph *graph)
{
    while (graph->parent)
        graph = graph->parent->graph;
    return graph;
}

RtError rt_condition_create(RtGraph *graph, unsigned initial, unsigned flags, uint64_t *handle)
{
    if (!handle || flags & ~(unsigned)ASSIGN_DEFAULT)
        return rt_fail(RT_INVALID_VALUE, "A condition needs a place for its handle, and its flags are 0 or "
                                         "cudaGraphCondAssignDefault (1).");
    void *value = NULL;
    RtError error = rt_check(wb_host_alloc(rt_gpu(), sizeof(uint32_t), WB_MEMORY_HOST, &value));
    if (error)
        return error;
    RtCondition *made = xcalloc(1, sizeof *made);
    /* A condition belongs to the outermost graph, whichever inner one it was asked for. */
    *made = (RtCondition){.device = rt_device(),
                          .value = value,
                          .initial = initial,
                          .is_assigned = flags & ASSIGN_DEFAULT,
                          .graph = outermost(graph)};
    *made->value = initial;
    VEC_PUSH(&conditions, made);
    rt_condition_hold((RtGraph *)(uintptr_t)made->graph, made);
    *handle = (uint64_t)(uintptr_t)value;
    return RT_SUCCESS;
}

RtError rt_condition_get(uint64_t handle, RtCondition **condition)
{
    for (uint32_t i = 0; i < conditions.count; i++) {
        if ((uint64_t)(uintptr_t)conditions.items[i]->value == handle) {
            *condition = conditions.items[i];
            return RT_SUCCESS;
        }
    }
    return rt_fail(RT_INVALID_VALUE, "0x%llx is no handle of a graph's condition.",
                   (unsigned long long)handle);
}

void rt_condition_hold(RtGraph *graph, RtCondition *condition)
{
    VEC_PUSH(&graph->conditions, condition);
    condition->holders++;
}

static void release(RtCondition *condition)
{
    if (--condition->holders)
        return;
    for (uint32_t i = 0; i < conditions.count; i++) {
        if (conditions.items[i] == condition)
            conditions.items[i--] = conditions.items[--conditions.count];
    }
    if (rt_gpu_of(condition->device))
        wb_host_free(rt_gpu_of(condition->device), (void *)(uintptr_t)condition->value);
    xfree(condition);
}

void rt_conditions_drop(RtGraph *graph)
{
    for (uint32_t i = 0; i < graph->conditions.count; i++) {
        RtCondition *condition = graph->conditions.items[i];
        if (condition->graph == graph)
            condition->graph = NULL;
        release(condition);
    }
    VEC_FREE(&graph->conditions);
}

RtError rt_conditional_prepare(uint64_t handle, int type, unsigned count, RtOperation *operation)
{
    static const unsigned most[] = {2, 1, MOST_GRAPHS};
    *operation = (RtOperation){.kind = RT_CONDITIONAL};
    if (type < RT_CONDITIONAL_IF || type > RT_CONDITIONAL_SWITCH)
        return rt_fail(RT_INVALID_VALUE,
                       "%d is no type of a conditional node: 0 (if), 1 (while) and 2 (switch) are.", type);
    if (count == 0 || count > most[type])
        return rt_fail(RT_INVALID_VALUE,
                       "A conditional node of type %d cannot have %u graphs: 1 to %u can be.", type, count,
                       most[type]);
    operation->conditional.type = type;
    operation->conditional.count = count;
    return rt_condition_get(handle, &operation->conditional.condition);
}

bool rt_graph_is_conditional(const RtGraph *graph)
{
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        const RtOperation *operation = &graph->nodes.items[i]->operation;
        if (operation->kind == RT_CONDITIONAL ||
            (operation->kind == RT_CHILD_GRAPH && rt_graph_is_conditional(operation->child)))
            return true;
    }
    return false;
}

/* Whether a graph, as a child, brings nothing into a conditional node that may not be there. */
static bool may_be_inside(const RtGraph *graph);

static bool operation_may_be_inside(const RtOperation *operation)
{
    switch (operation->kind) {
    case RT_KERNEL:
    case RT_COPY:
    case RT_FILL:
    case RT_EMPTY:
    case RT_CONDITIONAL:
        return true;
    case RT_CHILD_GRAPH:
        return may_be_inside(operation->child);
    case RT_HOST_CALL:
    case RT_RECORD:
    case RT_WAIT:
    case RT_ALLOCATE:
    case RT_RELEASE:
        break;
    }
    return false;
}

static bool may_be_inside(const RtGraph *graph)
{
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        if (!operation_may_be_inside(&graph->nodes.items[i]->operation))
            return false;
    }
    return true;
}

RtError rt_conditional_contents(const RtOperation *operation)
{
    for (uint32_t i = 0; i < operation->conditional.count; i++) {
        if (!may_be_inside(operation->conditional.graphs[i]))
            return rt_fail(RT_INVALID_VALUE,
                           "The graphs of a conditional node hold kernels, copies, fills, empty nodes, "
                           "conditional nodes and child graphs of these only.");
    }
    return RT_SUCCESS;
}

RtError rt_conditional_check(const RtGraph *graph, const RtOperation *operation)
{
    if (operation->kind == RT_CHILD_GRAPH && rt_graph_is_conditional(operation->child))
        return rt_fail(RT_NOT_SUPPORTED, "A graph with conditional nodes cannot be a child graph.");
    if (operation->kind != RT_CONDITIONAL)
        return RT_SUCCESS;
    const RtCondition *condition = operation->conditional.condition;
    if (condition->graph != outermost(graph))
        return rt_fail(RT_INVALID_VALUE, "The condition was made for another graph.");
    /* CUDA: one node a condition. */
    if (condition->has_node)
        return rt_fail(RT_INVALID_VALUE, "A conditional node goes by this condition already.");
    return RT_SUCCESS;
}

uint32_t rt_conditional_choose(const RtOperation *operation)
{
    const uint32_t value = *operation->conditional.condition->value;
    const uint32_t chosen = operation->conditional.type == RT_CONDITIONAL_SWITCH ? value : value ? 0 : 1;
    if (operation->conditional.type == RT_CONDITIONAL_WHILE && chosen)
        return UINT32_MAX;
    return chosen < operation->conditional.count ? chosen : UINT32_MAX;
}
