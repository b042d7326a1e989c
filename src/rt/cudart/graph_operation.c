/* What the runtime's descriptions of nodes mean, and back: structures of CUDA's headers on one side, an
 * RtOperation on the other. */
#include "rt/cudart/graph.h"
#include "rt/device.h"
#include "rt/graph_condition.h"

#include "rt/cudart/copy.h"
#include "rt/cudart/cudart.h"
#include "rt/memory.h"
#include "rt/module.h"
#include "rt/pool.h"

/* The older way to give a kernel's arguments, all in a buffer: a list of keys and values. */
static RtError read_extra(void *const *extra, WbLaunch *launch)
{
    enum { END, BUFFER, SIZE };
    for (; extra && (uintptr_t)*extra != END; extra += 2) {
        if ((uintptr_t)*extra == BUFFER)
            launch->buffer = extra[1];
        else if ((uintptr_t)*extra == SIZE)
            launch->buffer_bytes = *(const size_t *)extra[1];
        else
            return rt_fail(RT_INVALID_VALUE, "%p is no key of a kernel's extra arguments.", *extra);
    }
    return RT_SUCCESS;
}

RtError graph_kernel(const KernelParameters *parameters, RtOperation *operation)
{
    NEED(parameters);
    RtFunction *function = NULL;
    WbLaunch launch = {
        .grid = parameters->grid,
        .block = parameters->block,
        .shared_bytes = parameters->shared_bytes,
        .pointers = parameters->arguments,
    };
    RtError error = parameters->arguments ? RT_SUCCESS : read_extra(parameters->extra, &launch);
    if (!error)
        error = rt_host_function_find(parameters->function, &function);
    return error ? error : rt_launch_prepare(function, &launch, operation);
}

RtError graph_copy(const BoxCopy *box, RtOperation *operation)
{
    WbCopy copy;
    RtError error = cudart_box_copy(box, &copy);
    return error ? error : rt_copy_prepare(&copy, box->kind, operation);
}

RtError graph_copy_bytes(void *destination, const void *source, size_t size, int kind, RtOperation *operation)
{
    const WbCopy copy = {.destination = rt_region(destination, size, size),
                         .source = rt_region(source, size, size),
                         .width = size,
                         .height = 1,
                         .depth = 1};
    return rt_copy_prepare(&copy, kind, operation);
}

RtError graph_copy_to_symbol(const void *symbol, const void *source, size_t size, size_t offset, int kind,
                             RtOperation *operation)
{
    void *destination = NULL;
    RtError error = cudart_symbol_place(symbol, size, offset, &destination);
    return error ? error : graph_copy_bytes(destination, source, size, kind, operation);
}

RtError graph_copy_from_symbol(void *destination, const void *symbol, size_t size, size_t offset, int kind,
                               RtOperation *operation)
{
    void *source = NULL;
    RtError error = cudart_symbol_place(symbol, size, offset, &source);
    return error ? error : graph_copy_bytes(destination, source, size, kind, operation);
}

RtError graph_fill(const FillParameters *parameters, RtOperation *operation)
{
    NEED(parameters);
    const unsigned bytes = parameters->element_bytes;
    if (bytes != 1 && bytes != 2 && bytes != 4)
        return rt_fail(RT_INVALID_VALUE, "Elements of %u bytes cannot be filled: 1, 2 and 4 can.", bytes);
    if (parameters->height > 1 && parameters->pitch / bytes < parameters->width)
        return rt_fail(RT_INVALID_VALUE, "Rows of %zu elements of %u bytes cannot be %zu bytes apart.",
                       parameters->width, bytes, parameters->pitch);
    const WbFill fill = {.address = (uint64_t)(uintptr_t)parameters->destination,
                         .row_pitch = parameters->pitch,
                         .width = parameters->width,
                         .height = parameters->height,
                         .depth = 1,
                         .value = parameters->value,
                         .element_bytes = bytes};
    return rt_fill_prepare(&fill, operation);
}

RtError graph_host(const HostParameters *parameters, RtOperation *operation)
{
    NEED(parameters);
    NEED(parameters->function);
    *operation = (RtOperation){.kind = RT_HOST_CALL, .host = {parameters->function, parameters->context}};
    return RT_SUCCESS;
}

RtError graph_event(void *event, RtOperationKind kind, RtOperation *operation)
{
    *operation = (RtOperation){.kind = kind};
    return rt_event_get(event, &operation->event);
}

RtError graph_child(void *graph, RtOperation *operation)
{
    *operation = (RtOperation){.kind = RT_CHILD_GRAPH};
    return rt_graph_get(graph, &operation->child);
}

RtError graph_empty(RtOperation *operation)
{
    *operation = (RtOperation){.kind = RT_EMPTY};
    return RT_SUCCESS;
}

RtError graph_allocate(AllocationParameters *parameters, RtOperation *operation)
{
    NEED(parameters);
    enum { PINNED = 1 };
    if (parameters->pool.allocation_type != PINNED || parameters->pool.location.type != LOCATION_DEVICE)
        return rt_fail(RT_INVALID_VALUE, "A graph allocates pinned memory of a device only.");
    RtError error = rt_device_check(parameters->pool.location.id);
    if (error != RT_SUCCESS)
        return error;
    if (parameters->size == 0)
        return rt_fail(RT_INVALID_VALUE, "A graph cannot allocate 0 bytes.");
    *operation = (RtOperation){.kind = RT_ALLOCATE, .memory.size = parameters->size};
    return RT_SUCCESS;
}

RtError graph_release(void *pointer, RtOperation *operation)
{
    const uint64_t address = (uint64_t)(uintptr_t)pointer;
    const RtAllocation *allocation = rt_allocation_find(address);
    if (!allocation || allocation->base != address || allocation->kind != RT_GRAPH_MEMORY)
        return rt_fail(RT_INVALID_VALUE, "%p was not allocated by a node of a graph, so no node can free it.",
                       pointer);
    *operation = (RtOperation){.kind = RT_RELEASE, .memory = {address, allocation->size}};
    return RT_SUCCESS;
}

RtError graph_any(NodeParameters *parameters, RtOperation *operation)
{
    NEED(parameters);
    switch ((NodeType)parameters->type) {
    case NODE_KERNEL:
        return graph_kernel(&parameters->kernel, operation);
    case NODE_COPY:
        return graph_copy(&parameters->copy.box, operation);
    case NODE_FILL:
        return graph_fill(&parameters->fill, operation);
    case NODE_HOST:
        return graph_host(&parameters->host, operation);
    case NODE_GRAPH:
        return graph_child(parameters->child.graph, operation);
    case NODE_EMPTY:
        return graph_empty(operation);
    case NODE_WAIT_EVENT:
        return graph_event(parameters->event, RT_WAIT, operation);
    case NODE_RECORD_EVENT:
        return graph_event(parameters->event, RT_RECORD, operation);
    case NODE_ALLOCATE:
        return graph_allocate(&parameters->allocation, operation);
    case NODE_RELEASE:
        return graph_release(parameters->pointer, operation);
    case NODE_CONDITIONAL:
        return rt_conditional_prepare(parameters->conditional.handle, parameters->conditional.type,
                                      parameters->conditional.count, operation);
    case NODE_SIGNAL_SEMAPHORE:
    case NODE_WAIT_SEMAPHORE:
        return rt_fail(RT_NOT_SUPPORTED, "Nodes of external semaphores are not simulated.");
    }
    return rt_fail(RT_INVALID_VALUE, "%d is no type of a node.", parameters->type);
}

/* -- and back -- */

RtError graph_node_of_kind(void *handle, RtOperationKind kind, RtNode **node)
{
    RtError error = rt_node_get(handle, node);
    if (!error && (*node)->operation.kind != kind)
        error = rt_fail(RT_INVALID_VALUE, "The node is of another type than the call is for.");
    return error;
}

static PitchedPointer pitched_of(const WbRegion *region, const WbCopy *copy)
{
    return (PitchedPointer){.pointer = (void *)(uintptr_t)region->address,
                            .pitch = region->row_pitch,
                            .width = copy->width,
                            .height = region->row_pitch ? region->slice_pitch / region->row_pitch : 0};
}

BoxCopy graph_box_of(const WbCopy *copy)
{
    enum { AS_POINTERS_SAY = 4 };
    return (BoxCopy){.source = pitched_of(&copy->source, copy),
                     .destination = pitched_of(&copy->destination, copy),
                     .extent = {copy->width, copy->height, copy->depth},
                     .kind = AS_POINTERS_SAY};
}

FillParameters graph_fill_of(const WbFill *fill)
{
    return (FillParameters){.destination = (void *)(uintptr_t)fill->address,
                            .pitch = fill->row_pitch,
                            .value = fill->value,
                            .element_bytes = fill->element_bytes,
                            .width = fill->width,
                            .height = fill->height};
}
