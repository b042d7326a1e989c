/* Executable graphs: made, changed, destroyed. */
#include "rt/graph_executable.h"

bool rt_graph_order(const RtGraph *graph, RtNodes *order, RtNode **culprit)
{
    const uint32_t count = graph->nodes.count;
    uint32_t *missing = xcalloc(count + 1, sizeof *missing); /* predecessors that are not in the order; */
    bool *is_placed = xcalloc(count + 1, sizeof *is_placed);
    for (uint32_t i = 0; i < count; i++)
        missing[i] = graph->nodes.items[i]->predecessors.count;
    order->count = 0;
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
        if (order.items[i]->operation.kind == RT_CHILD_GRAPH)
            error = check_order(order.items[i]->operation.child, culprit);
    }
    VEC_FREE(&order);
    return error;
}

RtError rt_graph_instantiate(RtGraph *graph, unsigned long long flags, RtExecutable **executable,
                             RtNode **culprit)
{
    if (flags & ~(unsigned long long)RT_INSTANTIATE_ALL)
        return rt_fail(RT_INVALID_VALUE, "0x%llx are no flags of cudaGraphInstantiate.", flags);
    RtError error = check_order(graph, culprit);
    if (error)
        return error;
    RtExecutable *made = xcalloc(1, sizeof *made);
    made->flags = flags;
    error = rt_check(wb_event_create(rt_gpu(), &made->started));
    if (!error)
        error = rt_check(wb_event_create(rt_gpu(), &made->finished));
    if (error) {
        wb_event_destroy(made->started);
        xfree(made);
        return error;
    }
    made->graph = rt_graph_clone(graph, true);
    rt_handle_add(RT_HANDLE_EXECUTABLE, made);
    *executable = made;
    return RT_SUCCESS;
}

static void free_steps(RtExecutable *executable)
{
    for (uint32_t i = 0; i < executable->steps.count; i++) {
        VEC_FREE(&executable->steps.items[i].predecessors);
        wb_event_destroy(executable->steps.items[i].event);
    }
    VEC_FREE(&executable->steps);
}

RtError rt_executable_destroy(RtExecutable *executable)
{
    rt_handle_remove(RT_HANDLE_EXECUTABLE, executable);
    free_steps(executable);
    for (uint32_t i = 0; i < executable->streams.count; i++)
        wb_stream_destroy(executable->streams.items[i]);
    VEC_FREE(&executable->streams);
    wb_event_destroy(executable->started);
    wb_event_destroy(executable->finished);
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
        RtNode *inner =
            node->operation.kind == RT_CHILD_GRAPH ? find_copy(node->operation.child, original) : NULL;
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
        if (after->operation.kind == RT_CHILD_GRAPH) {
            RtUpdateResult inner = compare(before->operation.child, after->operation.child);
            if (inner.result)
                return inner;
        }
    }
    return (RtUpdateResult){RT_UPDATE_SUCCESS, NULL};
}

static void take_arguments(RtGraph *old, const RtGraph *new)
{
    for (uint32_t i = 0; i < old->nodes.count; i++) {
        RtNode *node = old->nodes.items[i];
        const RtNode *other = new->nodes.items[i];
        if (node->operation.kind == RT_CHILD_GRAPH) {
            take_arguments(node->operation.child, other->operation.child);
        } else if (node->operation.kind != RT_ALLOCATE && node->operation.kind != RT_RELEASE) {
            RtOperation operation = rt_operation_clone(&other->operation);
            rt_node_set(node, &operation);
        }
    }
}

RtError rt_executable_set(RtExecutable *executable, const RtNode *node, RtOperation *operation)
{
    RtNode *copy = NULL;
    RtError error = rt_executable_node(executable, node, &copy);
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

RtError rt_executable_update(RtExecutable *executable, RtGraph *graph, RtUpdateResult *result)
{
    *result = compare(executable->graph, graph);
    if (result->result)
        return rt_fail(
            RT_GRAPH_EXEC_UPDATE_FAILURE,
            "The executable graph cannot be updated: the new graph differs in more than arguments.");
    take_arguments(executable->graph, graph);
    return RT_SUCCESS;
}
