/* Nodes: added to graphs, changed there, and changed in executables. All three take the same parameters, so a
 * macro makes the three functions of a kind of node from one that makes the operation. */
#include "rt/cudart/cudart.h"
#include "rt/cudart/graph.h"
#include "rt/graph_condition.h"

/* Each takes an operation over that was made, or not. */
static RtError add(RtError made, void **node, void *handle, void *const *dependencies, size_t count,
                   RtOperation *operation)
{
    if (made)
        return made;
    RtGraph *graph = NULL;
    RtError error = node ? rt_graph_get(handle, &graph)
                         : rt_fail(RT_INVALID_VALUE, "The place for the new node is a null pointer.");
    if (error)
        rt_operation_free(operation);
    else
        error = rt_graph_add(graph, (RtNode *const *)dependencies, count, operation, (RtNode **)node);
    return error;
}

static RtError set(RtError made, void *handle, RtOperation *operation)
{
    if (made)
        return made;
    RtNode *node = NULL;
    RtError error = rt_node_get(handle, &node);
    if (error)
        rt_operation_free(operation);
    else
        error = rt_node_set(node, operation);
    return error;
}

static RtError set_in(RtError made, void *executable_handle, void *node_handle, RtOperation *operation)
{
    if (made)
        return made;
    RtExecutable *executable = NULL;
    RtNode *node = NULL;
    RtError error = rt_executable_get(executable_handle, &executable);
    if (!error)
        error = rt_node_get(node_handle, &node);
    if (error)
        rt_operation_free(operation);
    else
        error = rt_executable_set(executable, node, operation);
    return error;
}

/* The three functions of a type of node; `make` fills `operation` in. */
#define EXPORT_ADD(name, make, ...)                                                                          \
    EXPORT int name(void **node, void *graph, void *const *dependencies, size_t count, __VA_ARGS__)          \
    {                                                                                                        \
        RtOperation operation;                                                                               \
        return CUDART(add(make, node, graph, dependencies, count, &operation));                              \
    }
#define EXPORT_SET(name, make, ...)                                                                          \
    EXPORT int name(void *node, __VA_ARGS__)                                                                 \
    {                                                                                                        \
        RtOperation operation;                                                                               \
        return CUDART(set(make, node, &operation));                                                          \
    }
#define EXPORT_SET_IN(name, make, ...)                                                                       \
    EXPORT int name(void *executable, void *node, __VA_ARGS__)                                               \
    {                                                                                                        \
        RtOperation operation;                                                                               \
        return CUDART(set_in(make, executable, node, &operation));                                           \
    }
#define EXPORT_NODE(add_name, type, suffix, make, ...)                                                       \
    EXPORT_ADD(add_name, make, __VA_ARGS__)                                                                  \
    EXPORT_SET(cudaGraph##type##NodeSet##suffix, make, __VA_ARGS__)                                          \
    EXPORT_SET_IN(cudaGraphExec##type##NodeSet##suffix, make, __VA_ARGS__)

EXPORT_NODE(cudaGraphAddKernelNode, Kernel, Params, graph_kernel(parameters, &operation),
            const KernelParameters *parameters)
EXPORT_NODE(cudaGraphAddMemcpyNode, Memcpy, Params, graph_copy(box, &operation), const BoxCopy *box)
EXPORT_NODE(cudaGraphAddMemcpyNode1D, Memcpy, Params1D,
            graph_copy_bytes(destination, source, size, kind, &operation), void *destination,
            const void *source, size_t size, int kind)
EXPORT_NODE(cudaGraphAddMemcpyNodeToSymbol, Memcpy, ParamsToSymbol,
            graph_copy_to_symbol(symbol, source, size, offset, kind, &operation), const void *symbol,
            const void *source, size_t size, size_t offset, int kind)
EXPORT_NODE(cudaGraphAddMemcpyNodeFromSymbol, Memcpy, ParamsFromSymbol,
            graph_copy_from_symbol(destination, symbol, size, offset, kind, &operation), void *destination,
            const void *symbol, size_t size, size_t offset, int kind)
EXPORT_NODE(cudaGraphAddMemsetNode, Memset, Params, graph_fill(parameters, &operation),
            const FillParameters *parameters)
EXPORT_NODE(cudaGraphAddHostNode, Host, Params, graph_host(parameters, &operation),
            const HostParameters *parameters)
EXPORT_NODE(cudaGraphAddEventRecordNode, EventRecord, Event, graph_event(event, RT_RECORD, &operation),
            void *event)
EXPORT_NODE(cudaGraphAddEventWaitNode, EventWait, Event, graph_event(event, RT_WAIT, &operation), void *event)
EXPORT_ADD(cudaGraphAddChildGraphNode, graph_child(child, &operation), void *child)
EXPORT_SET_IN(cudaGraphExecChildGraphNodeSetParams, graph_child(child, &operation), void *child)

static RtError add_allocation(void **node, void *graph, void *const *dependencies, size_t count,
                              AllocationParameters *parameters)
{
    RtOperation operation;
    RtError error = graph_allocate(parameters, &operation);
    if (!error)
        error = RT_ON(parameters->pool.location.id,
                      add(RT_SUCCESS, node, graph, dependencies, count, &operation));
    if (!error)
        parameters->pointer = (void *)(uintptr_t)((RtNode *)*node)->operation.memory.address;
    return error;
}

EXPORT int cudaGraphAddMemAllocNode(void **node, void *graph, void *const *dependencies, size_t count,
                                    AllocationParameters *parameters)
{
    return CUDART(add_allocation(node, graph, dependencies, count, parameters));
}
EXPORT_ADD(cudaGraphAddMemFreeNode, graph_release(pointer, &operation), void *pointer)

EXPORT int cudaGraphAddEmptyNode(void **node, void *graph, void *const *dependencies, size_t count)
{
    RtOperation operation;
    return CUDART(add(graph_empty(&operation), node, graph, dependencies, count, &operation));
}

/* -- any type -- */

/* A child graph that is moved into the graph goes on as the node's own copy. A conditional node has made its
 * graphs. */
static RtError add_any(void **node, void *graph, void *const *dependencies, size_t count,
                       NodeParameters *parameters)
{
    NEED(parameters);
    if (parameters->type == NODE_ALLOCATE)
        return add_allocation(node, graph, dependencies, count, &parameters->allocation);
    RtOperation operation;
    RtError error = add(graph_any(parameters, &operation), node, graph, dependencies, count, &operation);
    if (!error && parameters->type == NODE_CONDITIONAL)
        parameters->conditional.graphs = ((RtNode *)*node)->operation.conditional.graphs;
    if (error || parameters->type != NODE_GRAPH)
        return error;
    RtGraph *given = parameters->child.graph;
    parameters->child.graph = ((RtNode *)*node)->operation.child;
    return parameters->child.ownership ? rt_graph_destroy(given) : RT_SUCCESS;
}

#if CUDART_MAJOR >= 13
EXPORT int cudaGraphAddNode(void **node, void *graph, void *const *dependencies, const EdgeData *edges,
                            size_t count, NodeParameters *parameters)
{
    (void)edges;
    return CUDART(add_any(node, graph, dependencies, count, parameters));
}
#else
EXPORT int cudaGraphAddNode(void **node, void *graph, void *const *dependencies, size_t count,
                            NodeParameters *parameters)
{
    return CUDART(add_any(node, graph, dependencies, count, parameters));
}

EXPORT int cudaGraphAddNode_v2(void **node, void *graph, void *const *dependencies, const EdgeData *edges,
                               size_t count, NodeParameters *parameters)
{
    (void)edges;
    return CUDART(add_any(node, graph, dependencies, count, parameters));
}
#endif

EXPORT_SET(cudaGraphNodeSetParams, graph_any(parameters, &operation), NodeParameters *parameters)
EXPORT_SET_IN(cudaGraphExecNodeSetParams, graph_any(parameters, &operation), NodeParameters *parameters)

static RtError create_condition(uint64_t *handle, void *graph_handle, unsigned initial, unsigned flags)
{
    RtGraph *graph = NULL;
    RtError error = rt_graph_get(graph_handle, &graph);
    return error ? error : rt_condition_create(graph, initial, flags, handle);
}

EXPORT int cudaGraphConditionalHandleCreate(uint64_t *handle, void *graph, unsigned initial, unsigned flags)
{
    return CUDART(create_condition(handle, graph, initial, flags));
}
