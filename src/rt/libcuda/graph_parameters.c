/* What nodes were given when they were made or changed, for programs that ask. */
#include "rt/graph.h"
#include "rt/libcuda/graph_node.h"
#include "rt/libcuda/libcuda.h"

static RtError get_node(void *handle, RtOperationKind kind, RtNode **node)
{
    RtError error = rt_node_get(handle, node);
    if (!error && (*node)->operation.kind != kind)
        error = rt_fail(RT_INVALID_VALUE, "The node is of another kind.");
    return error;
}

static RtError get_kernel(void *handle, KernelParameters *parameters, bool has_kernel)
{
    NEED(parameters);
    RtNode *node = NULL;
    void **pointers = NULL;
    RtError error = get_node(handle, RT_KERNEL, &node);
    if (!error)
        error = rt_node_arguments(node, &pointers);
    if (error)
        return error;
    const RtLaunch *launch = &node->operation.launch;
    parameters->function = launch->function;
    parameters->grid = launch->grid;
    parameters->block = launch->block;
    parameters->shared = launch->shared_bytes;
    parameters->pointers = pointers;
    parameters->extra = NULL;
    if (has_kernel)
        parameters->kernel = parameters->context = NULL;
    return RT_SUCCESS;
}

EXPORT int cuGraphKernelNodeGetParams(void *node, void *parameters)
{
    return LIBCUDA(get_kernel(node, parameters, false));
}

EXPORT int cuGraphKernelNodeGetParams_v2(void *node, void *parameters)
{
    return LIBCUDA(get_kernel(node, parameters, true));
}

static RtError get_fill(void *handle, FillParameters *parameters)
{
    NEED(parameters);
    RtNode *node = NULL;
    RtError error = get_node(handle, RT_FILL, &node);
    if (error)
        return error;
    const WbFill *fill = &node->operation.fill;
    *parameters = (FillParameters){fill->address,       fill->row_pitch, fill->value,
                                   fill->element_bytes, fill->width,     fill->height};
    return RT_SUCCESS;
}

EXPORT int cuGraphMemsetNodeGetParams(void *node, void *parameters)
{
    return LIBCUDA(get_fill(node, parameters));
}

static RtError get_host(void *handle, HostParameters *parameters)
{
    NEED(parameters);
    RtNode *node = NULL;
    RtError error = get_node(handle, RT_HOST_CALL, &node);
    if (!error)
        *parameters = (HostParameters){node->operation.host.function, node->operation.host.context};
    return error;
}

EXPORT int cuGraphHostNodeGetParams(void *node, void *parameters)
{
    return LIBCUDA(get_host(node, parameters));
}

static RtError get_alloc(void *handle, AllocParameters *parameters)
{
    NEED(parameters);
    RtNode *node = NULL;
    RtError error = get_node(handle, RT_ALLOCATE, &node);
    if (!error)
        *parameters = (AllocParameters){.allocation_type = 1,
                                        .location_type = 1,
                                        .device = node->operation.device,
                                        .size = node->operation.memory.size,
                                        .address = node->operation.memory.address};
    return error;
}

EXPORT int cuGraphMemAllocNodeGetParams(void *node, void *parameters)
{
    return LIBCUDA(get_alloc(node, parameters));
}

static RtError get_child(void *handle, void **graph)
{
    NEED(graph);
    RtNode *node = NULL;
    RtError error = get_node(handle, RT_CHILD_GRAPH, &node);
    if (!error)
        *graph = node->operation.child;
    return error;
}

EXPORT int cuGraphChildGraphNodeGetGraph(void *node, void **graph) { return LIBCUDA(get_child(node, graph)); }

static RtError get_event(void *handle, RtOperationKind kind, void **event)
{
    NEED(event);
    RtNode *node = NULL;
    RtError error = get_node(handle, kind, &node);
    if (!error)
        *event = node->operation.event;
    return error;
}

EXPORT int cuGraphEventRecordNodeGetEvent(void *node, void **event)
{
    return LIBCUDA(get_event(node, RT_RECORD, event));
}

EXPORT int cuGraphEventWaitNodeGetEvent(void *node, void **event)
{
    return LIBCUDA(get_event(node, RT_WAIT, event));
}

static RtError get_freed(void *handle, uint64_t *address)
{
    NEED(address);
    RtNode *node = NULL;
    RtError error = get_node(handle, RT_RELEASE, &node);
    if (!error)
        *address = node->operation.memory.address;
    return error;
}

EXPORT int cuGraphMemFreeNodeGetParams(void *node, uint64_t *address)
{
    return LIBCUDA(get_freed(node, address));
}
