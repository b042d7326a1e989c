/* Executable graphs: a private copy of a graph whose nodes can be changed but not added. Making one checks
 * what a launch relies on, above all that there is an order of the nodes. */
#include "rt/graph_condition.h"
#include "rt/graph_executable.h"

bool rt_graph_order(const RtGraph *graph, RtNodes *order, RtNode **culprit)
{
    const uint32_t count = graph->nodes.count;
    uint32_t *missing = xcalloc(count + 1, sizeof *missing); /* predecessors that are not in the order; */
    bool *is_placed = xcalloc(count + 1, sizeof *is_placed);
    for (uint32_t i = 0; i < count; i++)
        missing[i] = graph->nodes.items[i]->predecessors.count;
    order->count = 0;
    /* Nodes are taken in the order of their making as soon as their predecessors are; what is left when
     * nothing moves any more is a cycle or behind one. */
    for (bool progress = true; progress && order->count < count;) {
        progress = false;
        for (uint32_t i = 0; i < count; i++) {
            RtNode *node = graph->nodes.items[i];
            if (is_placed[i] || missing[i])
                continue;
            is_placed[i] = progress = true;
            VEC_PUSH(order, node);
            for (uint32_t s = 0; s < node->successors.count; s++)
                missing[node->successors.items[s]->index]--;
        }
    }
    /* The last one that could not be placed is named; any of them would do. */
    for (uint32_t i = 0; i < count && culprit; i++) {
        if (!is_placed[i])
            *culprit = graph->nodes.items[i];
    }
    xfree(missing);
    xfree(is_placed);
    return order->count == count;
}

RtError rt_executable_get(const void *handle, RtExecutable **executable)
{
    if (!rt_handle_is_live(RT_HANDLE_EXECUTABLE, handle))
        return rt_fail(RT_INVALID_VALUE, "%p is no executable graph, or one that has been destroyed.",
                       handle);
    *executable = (RtExecutable *)(uintptr_t)handle;
    return RT_SUCCESS;
}

static RtError check_order(const RtGraph *graph, RtNode **culprit)
{
    RtNodes order = {0};
    RtError error = RT_SUCCESS;
    if (!rt_graph_order(graph, &order, culprit))
        error = rt_fail(RT_INVALID_VALUE, "The graph has a cycle, so that no order of its nodes exists.");
    for (uint32_t i = 0; i < order.count && !error; i++) {
        const RtOperation *operation = &order.items[i]->operation;
        if (operation->kind == RT_CHILD_GRAPH)
            error = check_order(operation->child, culprit);
        if (operation->kind == RT_CONDITIONAL)
            error = rt_conditional_contents(operation);
        for (uint32_t g = 0; operation->kind == RT_CONDITIONAL && g < operation->conditional.count && !error;
             g++)
            error = check_order(operation->conditional.graphs[g], culprit);
    }
    VEC_FREE(&order);
    return error;
}

static RtError check_conditions(const RtGraph *graph)
{
    for (uint32_t i = 0; i < graph->conditions.count; i++) {
        const RtCondition *condition = graph->conditions.items[i];
        if (!condition->has_node)
            return rt_fail(RT_INVALID_VALUE, "No conditional node of the graph goes by its condition %u.", i);
        if (condition->has_executable)
            return rt_fail(
                RT_NOT_SUPPORTED,
                "There is an executable of the graph already; one with conditional nodes can have one.");
    }
    return RT_SUCCESS;
}

/* Whether the executable, as long as it is there, uses the conditions. */
static void take_conditions(const RtExecutable *executable, bool takes)
{
    for (uint32_t i = 0; i < executable->graph->conditions.count; i++)
        executable->graph->conditions.items[i]->has_executable = takes;
}

int rt_graph_device(const RtGraph *graph)
{
    RtNodes order = {0};
    int device = rt_device();
    rt_graph_order(graph, &order, NULL);
    if (order.count) {
        const RtOperation *first = &order.items[0]->operation;
        device = first->kind == RT_CHILD_GRAPH && first->child->nodes.count ? rt_graph_device(first->child)
                                                                            : first->device;
    }
    VEC_FREE(&order);
    return device;
}

RtError rt_executable_equip(RtExecutable *executable)
{
    const RtError error = rt_check(wb_event_create(rt_gpu(), &executable->started));
    return error ? error : rt_check(wb_event_create(rt_gpu(), &executable->finished));
}

RtError rt_graph_instantiate(RtGraph *graph, unsigned long long flags, RtExecutable **executable,
                             RtNode **culprit)
{
    if (flags & ~(unsigned long long)RT_INSTANTIATE_ALL)
        return rt_fail(RT_INVALID_VALUE, "0x%llx are no flags of cudaGraphInstantiate.", flags);
    RtError error = check_order(graph, culprit);
    if (!error)
        error = check_conditions(graph);
    if (error)
        return error;
    RtExecutable *made = xcalloc(1, sizeof *made);
    made->flags = flags;
    made->device = rt_graph_device(graph);
    error = RT_ON(made->device, rt_executable_equip(made));
    if (error) {
        /* Of a null event nothing is destroyed. */
        wb_event_destroy(made->started);
        xfree(made);
        return error;
    }
    /* CUDA: an executable is a snapshot; changes of the graph do not reach it. */
    made->graph = rt_graph_clone(graph, true);
    take_conditions(made, true);
    rt_handle_add(RT_HANDLE_EXECUTABLE, made);
    *executable = made;
    return RT_SUCCESS;
}

static void free_steps(RtExecutable *executable)
{
    for (uint32_t i = 0; i < executable->steps.count; i++) {
        RtStep *step = &executable->steps.items[i];
        for (uint32_t b = 0; b < step->bodies.count; b++) {
            rt_executable_clear(step->bodies.items[b]);
            xfree(step->bodies.items[b]);
        }
        VEC_FREE(&step->bodies);
        VEC_FREE(&step->predecessors);
        wb_event_destroy(step->event);
    }
    VEC_FREE(&executable->steps);
}

void rt_executable_clear(RtExecutable *executable)
{
    free_steps(executable);
    for (uint32_t i = 0; i < executable->streams.count; i++)
        wb_stream_destroy(executable->streams.items[i]);
    VEC_FREE(&executable->streams);
    wb_stream_destroy(executable->own);
    wb_stream_destroy(executable->bridge);
    wb_event_destroy(executable->started);
    wb_event_destroy(executable->finished);
}

RtError rt_executable_destroy(RtExecutable *executable)
{
    if (executable->graph->conditions.count &&
        executable->is_launched) /* what it decides, it decides on its way */
        RT_ON(executable->device, rt_check(wb_event_wait(executable->finished)));
    rt_handle_remove(RT_HANDLE_EXECUTABLE, executable);
    rt_executable_clear(executable);
    take_conditions(executable, false);
    rt_graph_free(executable->graph);
    xfree(executable);
    return RT_SUCCESS;
}

unsigned long long rt_executable_flags(const RtExecutable *executable) { return executable->flags; }

static RtNode *find_copy(const RtGraph *graph, const RtNode *original)
{
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        RtNode *node = graph->nodes.items[i];
        if (node->origin == original->id)
            return node;
        const RtOperation *operation = &node->operation;
        RtNode *inner = operation->kind == RT_CHILD_GRAPH ? find_copy(operation->child, original) : NULL;
        for (uint32_t g = 0; operation->kind == RT_CONDITIONAL && g < operation->conditional.count && !inner;
             g++)
            inner = find_copy(operation->conditional.graphs[g], original);
        if (inner)
            return inner;
    }
    return NULL;
}

RtError rt_executable_node(RtExecutable *executable, const RtNode *node, RtNode **copy)
{
    *copy = find_copy(executable->graph, node);
    if (!*copy)
        return rt_fail(RT_INVALID_VALUE, "The node is not of the graph that the executable was made of.");
    return RT_SUCCESS;
}

static RtUpdateResult compare(const RtGraph *old, const RtGraph *new);

static RtUpdateResult compare_conditionals(const RtNode *before, RtNode *after)
{
    const RtOperation *old = &before->operation, *new = &after->operation;
    RtUpdateResult result = {0};
    if (old->conditional.type != new->conditional.type || old->conditional.count != new->conditional.count)
        return (RtUpdateResult){RT_UPDATE_PARAMETERS_CHANGED, after};
    for (uint32_t g = 0; g < old->conditional.count && !result.result; g++)
        result = compare(old->conditional.graphs[g], new->conditional.graphs[g]);
    return result;
}

/* Whether two graphs differ in their arguments only; says where they do not. */
static RtUpdateResult compare(const RtGraph *old, const RtGraph *new)
{
    if (old->nodes.count != new->nodes.count)
        return (RtUpdateResult){RT_UPDATE_TOPOLOGY_CHANGED, NULL};
    for (uint32_t i = 0; i < old->nodes.count; i++) {
        const RtNode *before = old->nodes.items[i];
        RtNode *after = new->nodes.items[i];
        if (before->operation.kind != after->operation.kind)
            return (RtUpdateResult){RT_UPDATE_NODE_TYPE_CHANGED, after};
        if (before->operation.device != after->operation.device)
            return (RtUpdateResult){RT_UPDATE_NOT_SUPPORTED, after};
        if (before->predecessors.count != after->predecessors.count)
            return (RtUpdateResult){RT_UPDATE_TOPOLOGY_CHANGED, after};
        for (uint32_t p = 0; p < before->predecessors.count; p++) {
            const RtNode *other = new->nodes.items[before->predecessors.items[p]->index];
            if (!rt_nodes_have(&after->predecessors, other))
                return (RtUpdateResult){RT_UPDATE_TOPOLOGY_CHANGED, after};
        }
        if ((after->operation.kind == RT_ALLOCATE || after->operation.kind == RT_RELEASE) &&
            before->operation.memory.address != after->operation.memory.address)
            return (RtUpdateResult){RT_UPDATE_NOT_SUPPORTED, after};
        RtUpdateResult inner = {0};
        if (after->operation.kind == RT_CHILD_GRAPH)
            inner = compare(before->operation.child, after->operation.child);
        if (after->operation.kind == RT_CONDITIONAL)
            inner = compare_conditionals(before, after);
        if (inner.result)
            return inner;
    }
    return (RtUpdateResult){RT_UPDATE_SUCCESS, NULL};
}

static void take_arguments(RtGraph *old, const RtGraph *new);

/* Kernels that are taken over set the new graph's condition. */
static void take_conditional(RtOperation *old, const RtOperation *new)
{
    old->conditional.condition = new->conditional.condition;
    for (uint32_t g = 0; g < old->conditional.count; g++)
        take_arguments(old->conditional.graphs[g], new->conditional.graphs[g]);
}

static void take_arguments(RtGraph *old, const RtGraph *new)
{
    for (uint32_t i = 0; i < old->nodes.count; i++) {
        RtNode *node = old->nodes.items[i];
        const RtNode *other = new->nodes.items[i];
        if (node->operation.kind == RT_CHILD_GRAPH) {
            take_arguments(node->operation.child, other->operation.child);
        } else if (node->operation.kind == RT_CONDITIONAL) {
            take_conditional(&node->operation, &other->operation);
        } else if (node->operation.kind != RT_ALLOCATE && node->operation.kind != RT_RELEASE) {
            RtOperation operation = rt_operation_clone(&other->operation);
            rt_node_set(node, &operation);
        }
    }
}

/* What is under conditions is put into streams while the graph runs: a launch that is under way is not to see
 * what changes. */
static RtError settle(const RtExecutable *executable)
{
    const bool may_run = executable->graph->conditions.count && executable->is_launched;
    return may_run ? RT_ON(executable->device, rt_check(wb_event_wait(executable->finished))) : RT_SUCCESS;
}

RtError rt_executable_set(RtExecutable *executable, const RtNode *node, RtOperation *operation)
{
    RtNode *copy = NULL;
    RtError error = rt_executable_node(executable, node, &copy);
    if (!error)
        error = settle(executable);
    if (!error && operation->kind == RT_CHILD_GRAPH && copy->operation.kind == RT_CHILD_GRAPH) {
        if (compare(copy->operation.child, operation->child).result)
            return rt_fail(RT_INVALID_VALUE,
                           "The new child graph has other nodes or edges than the old one.");
        take_arguments(copy->operation.child, operation->child);
        return RT_SUCCESS;
    }
    if (error) {
        rt_operation_free(operation);
        return error;
    }
    return rt_node_set(copy, operation);
}

/* The old ones may still be in use by what was launched: they stay until the executable goes. */
static void update_conditions(RtExecutable *executable, const RtGraph *graph)
{
    for (uint32_t i = 0; i < graph->conditions.count; i++) {
        bool is_held = false;
        for (uint32_t h = 0; h < executable->graph->conditions.count; h++)
            is_held |= executable->graph->conditions.items[h] == graph->conditions.items[i];
        if (!is_held)
            rt_condition_hold(executable->graph, graph->conditions.items[i]);
    }
    take_conditions(executable, true);
}

RtError rt_executable_update(RtExecutable *executable, RtGraph *graph, RtUpdateResult *result)
{
    *result = compare(executable->graph, graph);
    if (result->result)
        return rt_fail(
            RT_GRAPH_EXEC_UPDATE_FAILURE,
            "The executable graph cannot be updated: the new graph differs in more than arguments.");
    RtError error = settle(executable);
    if (error)
        return error;
    take_arguments(executable->graph, graph);
    update_conditions(executable, graph);
    return RT_SUCCESS;
}
