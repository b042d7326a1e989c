/* What a program asks nodes: their type and what they do. Answers are made from the operation that the node
 * holds, so they show later changes, too. */
#include <string.h>

#include "rt/cudart/cudart.h"
#include "rt/cudart/graph.h"
#include "rt/module.h"

static RtError get_type(void *handle, int *type)
{
    static const NodeType types[] = {
        [RT_KERNEL] = NODE_KERNEL,
        [RT_COPY] = NODE_COPY,
        [RT_FILL] = NODE_FILL,
        [RT_HOST_CALL] = NODE_HOST,
        [RT_RECORD] = NODE_RECORD_EVENT,
        [RT_WAIT] = NODE_WAIT_EVENT,
        [RT_EMPTY] = NODE_EMPTY,
        [RT_CHILD_GRAPH] = NODE_GRAPH,
        [RT_ALLOCATE] = NODE_ALLOCATE,
        [RT_RELEASE] = NODE_RELEASE,
        [RT_CONDITIONAL] = NODE_CONDITIONAL,
    };
    RtNode *node = NULL;
    NEED(type);
    RtError error = rt_node_get(handle, &node);
    if (!error)
        *type = (int)types[node->operation.kind];
    return error;
}

EXPORT int cudaGraphNodeGetType(void *node, int *type) { return CUDART(get_type(node, type)); }

static RtError get_kernel(void *handle, KernelParameters *parameters)
{
    RtNode *node = NULL;
    void **arguments = NULL;
    NEED(parameters);
    RtError error = graph_node_of_kind(handle, RT_KERNEL, &node);
    if (!error)
        error = rt_node_arguments(node, &arguments);
    if (error)
        return error;
    const RtLaunch *launch = &node->operation.launch;
    *parameters = (KernelParameters){
        .function = (void *)(uintptr_t)rt_host_function_of(launch->function),
        .grid = launch->grid,
        .block = launch->block,
        .shared_bytes = launch->shared_bytes,
        .arguments = arguments,
    };
    return RT_SUCCESS;
}

EXPORT int cudaGraphKernelNodeGetParams(void *node, KernelParameters *parameters)
{
    return CUDART(get_kernel(node, parameters));
}

static RtError get_copy(void *handle, BoxCopy *box)
{
    RtNode *node = NULL;
    NEED(box);
    RtError error = graph_node_of_kind(handle, RT_COPY, &node);
    if (!error)
        *box = graph_box_of(&node->operation.copy);
    return error;
}

EXPORT int cudaGraphMemcpyNodeGetParams(void *node, BoxCopy *box) { return CUDART(get_copy(node, box)); }

static RtError get_fill(void *handle, FillParameters *parameters)
{
    RtNode *node = NULL;
    NEED(parameters);
    RtError error = graph_node_of_kind(handle, RT_FILL, &node);
    if (!error)
        *parameters = graph_fill_of(&node->operation.fill);
    return error;
}

EXPORT int cudaGraphMemsetNodeGetParams(void *node, FillParameters *parameters)
{
    return CUDART(get_fill(node, parameters));
}

static RtError get_host(void *handle, HostParameters *parameters)
{
    RtNode *node = NULL;
    NEED(parameters);
    RtError error = graph_node_of_kind(handle, RT_HOST_CALL, &node);
    if (!error)
        *parameters = (HostParameters){node->operation.host.function, node->operation.host.context};
    return error;
}

EXPORT int cudaGraphHostNodeGetParams(void *node, HostParameters *parameters)
{
    return CUDART(get_host(node, parameters));
}

static RtError get_event(void *handle, RtOperationKind kind, void **event)
{
    RtNode *node = NULL;
    NEED(event);
    RtError error = graph_node_of_kind(handle, kind, &node);
    if (!error)
        *event = node->operation.event;
    return error;
}

EXPORT int cudaGraphEventRecordNodeGetEvent(void *node, void **event)
{
    return CUDART(get_event(node, RT_RECORD, event));
}

EXPORT int cudaGraphEventWaitNodeGetEvent(void *node, void **event)
{
    return CUDART(get_event(node, RT_WAIT, event));
}

static RtError get_child(void *handle, void **graph)
{
    RtNode *node = NULL;
    NEED(graph);
    RtError error = graph_node_of_kind(handle, RT_CHILD_GRAPH, &node);
    if (!error)
        *graph = node->operation.child;
    return error;
}

EXPORT int cudaGraphChildGraphNodeGetGraph(void *node, void **graph)
{
    return CUDART(get_child(node, graph));
}

static RtError get_allocation(void *handle, AllocationParameters *parameters)
{
    RtNode *node = NULL;
    NEED(parameters);
    RtError error = graph_node_of_kind(handle, RT_ALLOCATE, &node);
    if (!error)
        *parameters = (AllocationParameters){
            .pool = {.allocation_type = 1, .location = {LOCATION_DEVICE, node->operation.device}},
            .size = node->operation.memory.size,
            .pointer = (void *)(uintptr_t)node->operation.memory.address,
        };
    return error;
}

EXPORT int cudaGraphMemAllocNodeGetParams(void *node, AllocationParameters *parameters)
{
    return CUDART(get_allocation(node, parameters));
}

static RtError get_release(void *handle, void **pointer)
{
    RtNode *node = NULL;
    NEED(pointer);
    RtError error = graph_node_of_kind(handle, RT_RELEASE, &node);
    if (!error)
        *pointer = (void *)(uintptr_t)node->operation.memory.address;
    return error;
}

EXPORT int cudaGraphMemFreeNodeGetParams(void *node, void **pointer)
{
    return CUDART(get_release(node, pointer));
}

/* -- attributes of kernels: hints, apart from the cooperative launch -- */

enum { ATTRIBUTE_BYTES = 64, ATTRIBUTE_COOPERATIVE = 2 };

static RtError get_attribute(void *handle, int attribute, void *value)
{
    RtNode *node = NULL;
    NEED(value);
    RtError error = graph_node_of_kind(handle, RT_KERNEL, &node);
    if (error)
        return error;
    memset(value, 0, ATTRIBUTE_BYTES);
    if (attribute == ATTRIBUTE_COOPERATIVE)
        memcpy(value, &(int){node->operation.launch.cooperative}, sizeof(int));
    return RT_SUCCESS;
}

static RtError set_attribute(void *handle, int attribute, const void *value)
{
    RtNode *node = NULL;
    int number;
    NEED(value);
    RtError error = graph_node_of_kind(handle, RT_KERNEL, &node);
    if (error)
        return error;
    memcpy(&number, value, sizeof number);
    if (attribute == ATTRIBUTE_COOPERATIVE)
        node->operation.launch.cooperative = number != 0;
    return RT_SUCCESS;
}

static RtError copy_attributes(void *destination, void *source)
{
    RtNode *to = NULL, *from = NULL;
    RtError error = graph_node_of_kind(destination, RT_KERNEL, &to);
    if (!error)
        error = graph_node_of_kind(source, RT_KERNEL, &from);
    if (!error)
        to->operation.launch.cooperative = from->operation.launch.cooperative;
    return error;
}

EXPORT int cudaGraphKernelNodeGetAttribute(void *node, int attribute, void *value)
{
    return CUDART(get_attribute(node, attribute, value));
}

EXPORT int cudaGraphKernelNodeSetAttribute(void *node, int attribute, const void *value)
{
    return CUDART(set_attribute(node, attribute, value));
}

/* CUDA 13 has turned the parameters around. */
#if CUDART_MAJOR >= 13
EXPORT int cudaGraphKernelNodeCopyAttributes(void *destination, void *source)
#else
EXPORT int cudaGraphKernelNodeCopyAttributes(void *source, void *destination)
#endif
{
    return CUDART(copy_attributes(destination, source));
}
