/* Graphs and nodes as a data structure. Edges are kept at both of their ends. A node has an index, its place
 * in the graph's list, and an id that is never used again; copies find their originals by it. */
#include "rt/graph.h"

#include <string.h>

#include "base/vec.h"
#include "rt/graph_condition.h"
#include "rt/module.h"

static uint64_t next_id = 1;

bool rt_nodes_have(const RtNodes *nodes, const RtNode *node)
{
    for (uint32_t i = 0; i < nodes->count; i++) {
        if (nodes->items[i] == node)
            return true;
    }
    return false;
}

void rt_nodes_remove(RtNodes *nodes, const RtNode *node)
{
    for (uint32_t i = 0; i < nodes->count; i++) {
        if (nodes->items[i] == node) {
            memmove(&nodes->items[i], &nodes->items[i + 1], (nodes->count - i - 1) * sizeof *nodes->items);
            nodes->count--;
            return;
        }
    }
}

void rt_nodes_mark_before(RtNodes *list, bool *marks)
{
    /* A list of work instead of recursion: graphs may be deep. Every node is visited once. */
    while (list->count) {
        const RtNode *node = list->items[--list->count];
        if (marks[node->index])
            continue;
        marks[node->index] = true;
        for (uint32_t i = 0; i < node->predecessors.count; i++)
            VEC_PUSH(list, node->predecessors.items[i]);
    }
    VEC_FREE(list);
}

RtError rt_graph_get(const void *handle, RtGraph **graph)
{
    if (!rt_handle_is_live(RT_HANDLE_GRAPH, handle))
        return rt_fail(RT_INVALID_VALUE, "%p is no graph, or one that has been destroyed.", handle);
    *graph = (RtGraph *)(uintptr_t)handle;
    return RT_SUCCESS;
}

RtError rt_node_get(const void *handle, RtNode **node)
{
    if (!rt_handle_is_live(RT_HANDLE_NODE, handle))
        return rt_fail(RT_INVALID_VALUE, "%p is no node of a graph, or one that has been destroyed.", handle);
    *node = (RtNode *)(uintptr_t)handle;
    return RT_SUCCESS;
}

static RtGraph *make_graph(bool is_private)
{
    RtGraph *graph = xcalloc(1, sizeof *graph);
    graph->is_private = is_private;
    if (!is_private)
        rt_handle_add(RT_HANDLE_GRAPH, graph);
    return graph;
}

RtError rt_graph_create(RtGraph **graph)
{
    *graph = make_graph(false);
    return RT_SUCCESS;
}

/* Empty ones, or copies of those of another node. */
static void make_conditional_graphs(RtNode *node, RtGraph *const *originals)
{
    const uint32_t count = node->operation.conditional.count;
    RtGraph **graphs = xcalloc(count, sizeof *graphs);
    for (uint32_t i = 0; i < count; i++) {
        graphs[i] = originals ? rt_graph_clone(originals[i], node->graph->is_private)
                              : make_graph(node->graph->is_private);
        graphs[i]->parent = node;
    }
    node->operation.conditional.graphs = graphs;
}

/* The operation, with a copy of its child graph, becomes the node's. */
static RtNode *make_node(RtGraph *graph, const RtOperation *operation)
{
    RtNode *node = xcalloc(1, sizeof *node);
    node->graph = graph;
    node->index = graph->nodes.count;
    node->operation = *operation;
    node->id = next_id++;
    if (operation->kind == RT_CHILD_GRAPH) {
        /* CUDA: a child graph is copied when its node is made; later changes of the original do not reach
         * it. */
        node->operation.child = rt_graph_clone(operation->child, graph->is_private);
        node->operation.child->parent = node;
    }
    if (operation->kind == RT_CONDITIONAL)
        make_conditional_graphs(node, operation->conditional.graphs);
    /* Nodes and copies of them share the memory; the last holder gives it back. */
    if (operation->kind == RT_ALLOCATE)
        rt_graph_memory_retain(operation->memory.address, operation->memory.size);
    VEC_PUSH(&graph->nodes, node);
    if (!graph->is_private)
        rt_handle_add(RT_HANDLE_NODE, node);
    return node;
}

static void drop_operation(RtNode *node)
{
    if (node->operation.kind == RT_CHILD_GRAPH)
        rt_graph_free(node->operation.child);
    if (node->operation.kind == RT_ALLOCATE)
        rt_graph_memory_release(node->operation.memory.address);
    if (node->operation.kind == RT_CONDITIONAL) {
        for (uint32_t i = 0; i < node->operation.conditional.count; i++)
            rt_graph_free(node->operation.conditional.graphs[i]);
        xfree(node->operation.conditional.graphs);
        if (!node->graph->is_private)
            node->operation.conditional.condition->has_node = false;
    }
    rt_operation_free(&node->operation);
    xfree(node->pointers);
    /* They point into the arguments that have just gone. */
    node->pointers = NULL;
}

static void free_node(RtNode *node)
{
    /* Private graphs belong to an executable: the program has no handles of their nodes. */
    if (!node->graph->is_private) {
        rt_handle_remove(RT_HANDLE_NODE, node);
        rt_capture_forget_node(node);
    }
    drop_operation(node);
    VEC_FREE(&node->predecessors);
    VEC_FREE(&node->successors);
    xfree(node);
}

void rt_graph_free(RtGraph *graph)
{
    if (!graph->is_private) {
        rt_capture_forget_graph(graph);
        rt_handle_remove(RT_HANDLE_GRAPH, graph);
    }
    for (uint32_t i = 0; i < graph->nodes.count; i++)
        free_node(graph->nodes.items[i]);
    VEC_FREE(&graph->nodes);
    rt_conditions_drop(graph);
    while (graph->user_objects.count) {
        RtUserReference *last = &graph->user_objects.items[graph->user_objects.count - 1];
        rt_graph_release_object(graph, last->object, last->count);
    }
    VEC_FREE(&graph->user_objects);
    xfree(graph);
}

RtError rt_graph_destroy(RtGraph *graph)
{
    if (graph->parent)
        return rt_fail(RT_INVALID_VALUE, "A child graph goes when its node goes; it cannot be destroyed.");
    rt_graph_free(graph);
    return RT_SUCCESS;
}

static void connect(RtNode *from, RtNode *to)
{
    VEC_PUSH(&to->predecessors, from);
    VEC_PUSH(&from->successors, to);
}

RtGraph *rt_graph_clone(const RtGraph *graph, bool is_private)
{
    RtGraph *clone = make_graph(is_private);
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        const RtNode *node = graph->nodes.items[i];
        RtOperation operation = rt_operation_clone(&node->operation);
        RtNode *copy = make_node(clone, &operation);
        /* By which cudaGraphNodeFindInClone and updates of executables find it. */
        copy->origin = node->id;
        copy->is_disabled = node->is_disabled;
    }
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        const RtNodes *predecessors = &graph->nodes.items[i]->predecessors;
        /* Nodes have the same indices in both, so edges are found by them. */
        for (uint32_t p = 0; p < predecessors->count; p++)
            connect(clone->nodes.items[predecessors->items[p]->index], clone->nodes.items[i]);
    }
    for (uint32_t i = 0; i < graph->user_objects.count; i++) {
        const RtUserReference *reference = &graph->user_objects.items[i];
        rt_graph_retain_object(clone, reference->object, reference->count, false);
    }
    for (uint32_t i = 0; i < graph->conditions.count; i++)
        rt_condition_hold(clone, graph->conditions.items[i]);
    return clone;
}

RtError rt_graph_copy(const RtGraph *graph, RtGraph **copy)
{
    if (rt_graph_is_conditional(graph))
        return rt_fail(RT_NOT_SUPPORTED, "A graph with conditional nodes cannot be cloned.");
    *copy = rt_graph_clone(graph, false);
    return RT_SUCCESS;
}

static RtError check_dependencies(const RtGraph *graph, RtNode *const *nodes, size_t count)
{
    if (count && !nodes)
        return rt_fail(RT_INVALID_VALUE, "The list of %zu dependencies is a null pointer.", count);
    for (size_t i = 0; i < count; i++) {
        RtNode *node = NULL;
        RtError error = rt_node_get(nodes[i], &node);
        if (error)
            return error;
        /* CUDA: edges do not lead from one graph to another. */
        if (node->graph != graph)
            return rt_fail(RT_INVALID_VALUE, "Dependency %zu is a node of another graph.", i);
        for (size_t j = 0; j < i; j++) {
            if (nodes[j] == node)
                return rt_fail(RT_INVALID_VALUE, "Dependencies %zu and %zu are the same node.", j, i);
        }
    }
    return RT_SUCCESS;
}

RtError rt_graph_add(RtGraph *graph, RtNode *const *dependencies, size_t count, RtOperation *operation,
                     RtNode **node)
{
    RtError error = check_dependencies(graph, dependencies, count);
    if (!error && operation->kind == RT_CHILD_GRAPH && operation->child == graph)
        error = rt_fail(RT_INVALID_VALUE, "A graph cannot be its own child.");
    if (!error)
        error = rt_conditional_check(graph, operation);
    if (!error && operation->kind == RT_ALLOCATE)
        error = rt_graph_memory_place(graph, dependencies, count, operation->memory.size,
                                      &operation->memory.address);
    if (error) {
        rt_operation_free(operation);
        return error;
    }
    /* Events are recorded on the device that they are of. */
    operation->device = operation->kind == RT_RECORD ? operation->event->device : rt_device();
    RtNode *made = make_node(graph, operation);
    for (size_t i = 0; i < count; i++)
        connect(dependencies[i], made);
    if (operation->kind == RT_CONDITIONAL)
        operation->conditional.condition->has_node = true;
    *node = made;
    return RT_SUCCESS;
}

RtError rt_graph_find_in_clone(const RtGraph *clone, const RtNode *original, RtNode **node)
{
    for (uint32_t i = 0; i < clone->nodes.count; i++) {
        if (clone->nodes.items[i]->origin == original->id) {
            *node = clone->nodes.items[i];
            return RT_SUCCESS;
        }
    }
    return rt_fail(RT_INVALID_VALUE, "The graph holds no copy of that node.");
}

RtError rt_node_destroy(RtNode *node)
{
    for (uint32_t i = 0; i < node->predecessors.count; i++)
        rt_nodes_remove(&node->predecessors.items[i]->successors, node);
    for (uint32_t i = 0; i < node->successors.count; i++)
        rt_nodes_remove(&node->successors.items[i]->predecessors, node);
    rt_nodes_remove(&node->graph->nodes, node);
    /* Indices are those in the list, so all behind it move down. */
    for (uint32_t i = node->index; i < node->graph->nodes.count; i++)
        node->graph->nodes.items[i]->index = i;
    free_node(node);
    return RT_SUCCESS;
}

RtError rt_node_set(RtNode *node, RtOperation *operation)
{
    RtError error = RT_SUCCESS;
    if (operation->kind != node->operation.kind)
        error = rt_fail(RT_INVALID_VALUE, "The node does something else than what these parameters are for.");
    else if (operation->kind == RT_ALLOCATE || operation->kind == RT_RELEASE ||
             operation->kind == RT_CONDITIONAL)
        error = rt_fail(RT_INVALID_VALUE,
                        "Nodes that allocate or free memory, and conditional ones, cannot be changed.");
    else if (operation->kind == RT_RECORD && operation->event->device != node->operation.device)
        error = rt_fail(RT_INVALID_VALUE,
                        "The node records events of device %d, and this is one of device %d.",
                        node->operation.device, operation->event->device);
    if (error) {
        rt_operation_free(operation);
        return error;
    }
    operation->device = node->operation.device; /* CUDA: a node stays in its context */
    drop_operation(node);
    node->operation = *operation;
    if (operation->kind == RT_CHILD_GRAPH) {
        node->operation.child = rt_graph_clone(operation->child, node->graph->is_private);
        node->operation.child->parent = node;
    }
    return RT_SUCCESS;
}

static RtError find_arguments(RtNode *node, void ***pointers)
{
    const RtLaunch *launch = &node->operation.launch;
    WbKernelInfo info;
    if (!rt_handle_is_live(RT_HANDLE_FUNCTION, launch->function))
        return rt_fail(RT_INVALID_RESOURCE_HANDLE, "The module of the node's kernel has been unloaded.");
    RtError error = rt_function_info(launch->function, &info);
    if (!error && !node->pointers)
        node->pointers = xcalloc(info.parameter_count + 1, sizeof *node->pointers);
    for (uint32_t i = 0; !error && i < info.parameter_count; i++) {
        size_t offset = 0, size = 0;
        error = rt_check(wb_kernel_parameter(function_here(launch->function)->kernel, i, &offset, &size));
        node->pointers[i] = launch->arguments + offset;
    }
    *pointers = node->pointers;
    return error;
}

RtError rt_node_arguments(RtNode *node, void ***pointers)
{
    return RT_ON(node->operation.device, find_arguments(node, pointers));
}

static RtError check_edges(const RtGraph *graph, RtNode *const *from, RtNode *const *to, size_t count,
                           bool exist)
{
    if (count && (!from || !to))
        return rt_fail(RT_INVALID_VALUE, "The list of %zu edges is a null pointer.", count);
    for (size_t i = 0; i < count; i++) {
        RtError error = check_dependencies(graph, &from[i], 1);
        if (!error)
            error = check_dependencies(graph, &to[i], 1);
        if (error)
            return error;
        if (from[i] == to[i])
            return rt_fail(RT_INVALID_VALUE, "Edge %zu leads from a node to itself.", i);
        if (rt_nodes_have(&to[i]->predecessors, from[i]) != exist)
            return rt_fail(RT_INVALID_VALUE, exist ? "Edge %zu does not exist." : "Edge %zu exists already.",
                           i);
    }
    return RT_SUCCESS;
}

RtError rt_graph_connect(RtGraph *graph, RtNode *const *from, RtNode *const *to, size_t count)
{
    /* All are checked before any is made: a call that fails changes nothing. */
    RtError error = check_edges(graph, from, to, count, false);
    for (size_t i = 0; i < count && !error; i++) {
        /* The list itself may name an edge twice. */
        if (!rt_nodes_have(&to[i]->predecessors, from[i]))
            connect(from[i], to[i]);
    }
    return error;
}

RtError rt_graph_disconnect(RtGraph *graph, RtNode *const *from, RtNode *const *to, size_t count)
{
    RtError error = check_edges(graph, from, to, count, true);
    for (size_t i = 0; i < count && !error; i++) {
        rt_nodes_remove(&to[i]->predecessors, from[i]);
        rt_nodes_remove(&from[i]->successors, to[i]);
    }
    return error;
}
