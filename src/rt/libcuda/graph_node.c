/* Nodes of graphs: what each does, made of the structures that programs fill in. Adding a node, changing it,
 * and changing it in an executable graph take the same structures. */
#include "rt/device.h"
#include "rt/graph_condition.h"
#include "rt/libcuda/box.h"
#include "rt/libcuda/function.h"
#include "rt/libcuda/graph_node.h"
#include "rt/libcuda/libcuda.h"
#include "rt/memory.h"
#include "rt/pool.h"

/* -- operations -- */

static RtError make_kernel(const KernelParameters *parameters, bool has_kernel, RtOperation *operation)
{
    NEED(parameters);
    WbLaunch launch = {
        .grid = parameters->grid, .block = parameters->block, .shared_bytes = parameters->shared};
    RtFunction *function = NULL;
    void *const handle = parameters->function || !has_kernel ? parameters->function : parameters->kernel;
    RtError error = libcuda_function(handle, &function);
    if (!error)
        error = libcuda_arguments(parameters->pointers, parameters->extra, &launch);
    return error ? error : rt_launch_prepare(function, &launch, operation);
}

static RtError make_copy(const BoxCopy *parameters, RtOperation *operation)
{
    NEED(parameters);
    WbCopy copy;
    int kind;
    RtError error = box_translate(parameters, &copy, &kind);
    return error ? error : rt_copy_prepare(&copy, kind, operation);
}

static RtError make_fill(const FillParameters *parameters, RtOperation *operation)
{
    NEED(parameters);
    const WbFill fill = {.address = parameters->address,
                         .row_pitch = parameters->pitch,
                         .slice_pitch = parameters->pitch * parameters->height,
                         .width = parameters->width,
                         .height = parameters->height,
                         .depth = 1,
                         .value = parameters->value,
                         .element_bytes = parameters->element_bytes};
    if (fill.element_bytes != 1 && fill.element_bytes != 2 && fill.element_bytes != 4)
        return rt_fail(RT_INVALID_VALUE, "Elements of a memset have 1, 2 or 4 bytes, not %u.",
                       fill.element_bytes);
    return rt_fill_prepare(&fill, operation);
}

static RtError make_host(const HostParameters *parameters, RtOperation *operation)
{
    NEED(parameters);
    NEED(parameters->function);
    *operation = (RtOperation){.kind = RT_HOST_CALL, .host = {parameters->function, parameters->context}};
    return RT_SUCCESS;
}

static RtError make_event(void *handle, RtOperationKind kind, RtOperation *operation)
{
    *operation = (RtOperation){.kind = kind};
    return rt_event_get(handle, &operation->event);
}

static RtError make_child(void *handle, RtOperation *operation)
{
    *operation = (RtOperation){.kind = RT_CHILD_GRAPH};
    return rt_graph_get(handle, &operation->child);
}

static RtError make_alloc(AllocParameters *parameters, RtOperation *operation)
{
    NEED(parameters);
    *operation = (RtOperation){.kind = RT_ALLOCATE, .memory = {.size = parameters->size}};
    return rt_device_check(parameters->device);
}

static RtError make_free(uint64_t address, RtOperation *operation)
{
    *operation = (RtOperation){.kind = RT_RELEASE, .memory = {.address = address}};
    return RT_SUCCESS;
}

static RtError make_empty(RtOperation *operation)
{
    *operation = (RtOperation){.kind = RT_EMPTY};
    return RT_SUCCESS;
}

/* -- what is done with them; `made` is how making the operation went -- */

static RtError add(void **node, void *handle, void *const *dependencies, size_t count, RtError made,
                   RtOperation *operation)
{
    RtGraph *graph = NULL;
    RtNode *added = NULL;
    if (made)
        return made;
    RtError error = node ? rt_graph_get(handle, &graph)
                         : rt_fail(RT_INVALID_VALUE, "The place for the node is a null pointer.");
    if (error) {
        rt_operation_free(operation);
        return error;
    }
    error = rt_graph_add(graph, (RtNode *const *)dependencies, count, operation, &added);
    *node = added;
    return error;
}

static RtError change(void *handle, RtError made, RtOperation *operation)
{
    RtNode *node = NULL;
    if (made)
        return made;
    RtError error = rt_node_get(handle, &node);
    if (error) {
        rt_operation_free(operation);
        return error;
    }
    return rt_node_set(node, operation);
}

static RtError change_executable(void *executable_handle, void *node_handle, RtError made,
                                 RtOperation *operation)
{
    RtExecutable *executable = NULL;
    RtNode *node = NULL;
    if (made)
        return made;
    RtError error = rt_executable_get(executable_handle, &executable);
    if (!error)
        error = rt_node_get(node_handle, &node);
    if (error) {
        rt_operation_free(operation);
        return error;
    }
    return rt_executable_set(executable, node, operation);
}

/* -- the calls; contexts change nothing -- */

#define ADD_PARAMETERS void **node, void *graph, void *const *dependencies, size_t count
#define ADD(make) LIBCUDA(add(node, graph, dependencies, count, make, &operation))

EXPORT int cuGraphAddKernelNode(ADD_PARAMETERS, const void *parameters)
{
    RtOperation operation;
    return ADD(make_kernel(parameters, false, &operation));
}

EXPORT int cuGraphAddKernelNode_v2(ADD_PARAMETERS, const void *parameters)
{
    RtOperation operation;
    return ADD(make_kernel(parameters, true, &operation));
}

EXPORT int cuGraphAddMemcpyNode(ADD_PARAMETERS, const void *parameters, void *context)
{
    RtOperation operation;
    (void)context;
    return ADD(make_copy(parameters, &operation));
}

EXPORT int cuGraphAddMemsetNode(ADD_PARAMETERS, const void *parameters, void *context)
{
    RtOperation operation;
    (void)context;
    return ADD(make_fill(parameters, &operation));
}

EXPORT int cuGraphAddHostNode(ADD_PARAMETERS, const void *parameters)
{
    RtOperation operation;
    return ADD(make_host(parameters, &operation));
}

EXPORT int cuGraphAddChildGraphNode(ADD_PARAMETERS, void *child)
{
    RtOperation operation;
    return ADD(make_child(child, &operation));
}

EXPORT int cuGraphAddEmptyNode(ADD_PARAMETERS)
{
    RtOperation operation;
    return ADD(make_empty(&operation));
}

EXPORT int cuGraphAddEventRecordNode(ADD_PARAMETERS, void *event)
{
    RtOperation operation;
    return ADD(make_event(event, RT_RECORD, &operation));
}

EXPORT int cuGraphAddEventWaitNode(ADD_PARAMETERS, void *event)
{
    RtOperation operation;
    return ADD(make_event(event, RT_WAIT, &operation));
}

/* Where the memory is, the node knows. */
static RtError add_alloc(void **node, void *graph, void *const *dependencies, size_t count,
                         AllocParameters *parameters)
{
    RtOperation operation;
    RtError error = make_alloc(parameters, &operation);
    if (!error)
        error = RT_ON(parameters->device, add(node, graph, dependencies, count, RT_SUCCESS, &operation));
    if (!error)
        parameters->address = ((RtNode *)*node)->operation.memory.address;
    return error;
}

EXPORT int cuGraphAddMemAllocNode(ADD_PARAMETERS, void *parameters)
{
    return LIBCUDA(add_alloc(node, graph, dependencies, count, parameters));
}

EXPORT int cuGraphAddMemFreeNode(ADD_PARAMETERS, uint64_t address)
{
    RtOperation operation;
    return ADD(make_free(address, &operation));
}

#define CHANGE(make) LIBCUDA(change(node, make, &operation))
#define CHANGE_EXECUTABLE(make) LIBCUDA(change_executable(executable, node, make, &operation))

EXPORT int cuGraphKernelNodeSetParams_v2(void *node, const void *parameters)
{
    RtOperation operation;
    return CHANGE(make_kernel(parameters, true, &operation));
}

EXPORT int cuGraphKernelNodeSetParams(void *node, const void *parameters)
{
    RtOperation operation;
    return CHANGE(make_kernel(parameters, false, &operation));
}

EXPORT int cuGraphExecKernelNodeSetParams_v2(void *executable, void *node, const void *parameters)
{
    RtOperation operation;
    return CHANGE_EXECUTABLE(make_kernel(parameters, true, &operation));
}

EXPORT int cuGraphExecKernelNodeSetParams(void *executable, void *node, const void *parameters)
{
    RtOperation operation;
    return CHANGE_EXECUTABLE(make_kernel(parameters, false, &operation));
}

EXPORT int cuGraphMemcpyNodeSetParams(void *node, const void *parameters)
{
    RtOperation operation;
    return CHANGE(make_copy(parameters, &operation));
}

EXPORT int cuGraphExecMemcpyNodeSetParams(void *executable, void *node, const void *parameters, void *context)
{
    RtOperation operation;
    (void)context;
    return CHANGE_EXECUTABLE(make_copy(parameters, &operation));
}

EXPORT int cuGraphMemsetNodeSetParams(void *node, const void *parameters)
{
    RtOperation operation;
    return CHANGE(make_fill(parameters, &operation));
}

EXPORT int cuGraphExecMemsetNodeSetParams(void *executable, void *node, const void *parameters, void *context)
{
    RtOperation operation;
    (void)context;
    return CHANGE_EXECUTABLE(make_fill(parameters, &operation));
}

EXPORT int cuGraphHostNodeSetParams(void *node, const void *parameters)
{
    RtOperation operation;
    return CHANGE(make_host(parameters, &operation));
}

EXPORT int cuGraphExecHostNodeSetParams(void *executable, void *node, const void *parameters)
{
    RtOperation operation;
    return CHANGE_EXECUTABLE(make_host(parameters, &operation));
}

EXPORT int cuGraphEventRecordNodeSetEvent(void *node, void *event)
{
    RtOperation operation;
    return CHANGE(make_event(event, RT_RECORD, &operation));
}

EXPORT int cuGraphExecEventRecordNodeSetEvent(void *executable, void *node, void *event)
{
    RtOperation operation;
    return CHANGE_EXECUTABLE(make_event(event, RT_RECORD, &operation));
}

EXPORT int cuGraphEventWaitNodeSetEvent(void *node, void *event)
{
    RtOperation operation;
    return CHANGE(make_event(event, RT_WAIT, &operation));
}

EXPORT int cuGraphExecEventWaitNodeSetEvent(void *executable, void *node, void *event)
{
    RtOperation operation;
    return CHANGE_EXECUTABLE(make_event(event, RT_WAIT, &operation));
}

EXPORT int cuGraphExecChildGraphNodeSetParams(void *executable, void *node, void *child)
{
    RtOperation operation;
    return CHANGE_EXECUTABLE(make_child(child, &operation));
}

/* -- any node, by one structure -- */

/* Layout of CUgraphNodeParams: the type, and parameters of it. */
typedef struct NodeParameters {
    int type, reserved[3];
    union {
        KernelParameters kernel;
        struct {
            int flags, reserved;
            void *context;
            BoxCopy copy;
        } copy;
        FillParameters fill;
        HostParameters host;
        void *handle; /* child graph or event */
        AllocParameters alloc;
        uint64_t address;
        struct {
            uint64_t handle;
            int type;
            unsigned count;
            RtGraph **graphs;
            void *context;
        } conditional;
        uint8_t bytes[232];
    };
    int64_t reserved_end;
} NodeParameters;
_Static_assert(sizeof(NodeParameters) == 256, "as CUDA has it");

enum { ALLOCATE = 10, CONDITIONAL = 13 };

static RtError make_any(NodeParameters *parameters, RtOperation *operation)
{
    NEED(parameters);
    switch (parameters->type) {
    case 0:
        return make_kernel(&parameters->kernel, true, operation);
    case 1:
        return make_copy(&parameters->copy.copy, operation);
    case 2:
        return make_fill(&parameters->fill, operation);
    case 3:
        return make_host(&parameters->host, operation);
    case 4:
        return make_child(parameters->handle, operation);
    case 5:
        return make_empty(operation);
    case 6:
        return make_event(parameters->handle, RT_WAIT, operation);
    case 7:
        return make_event(parameters->handle, RT_RECORD, operation);
    case ALLOCATE:
        return make_alloc(&parameters->alloc, operation);
    case 11:
        return make_free(parameters->address, operation);
    case CONDITIONAL:
        return rt_conditional_prepare(parameters->conditional.handle, parameters->conditional.type,
                                      parameters->conditional.count, operation);
    default:
        return rt_fail(RT_NOT_SUPPORTED, "Nodes of type %d are not simulated.", parameters->type);
    }
}

/* A conditional node has made its graphs. */
static RtError add_any(void **node, void *graph, void *const *dependencies, size_t count,
                       NodeParameters *parameters)
{
    RtOperation operation;
    NEED(parameters);
    if (parameters->type == ALLOCATE)
        return add_alloc(node, graph, dependencies, count, &parameters->alloc);
    RtError error = add(node, graph, dependencies, count, make_any(parameters, &operation), &operation);
    if (!error && parameters->type == CONDITIONAL)
        parameters->conditional.graphs = ((RtNode *)*node)->operation.conditional.graphs;
    return error;
}

EXPORT int cuGraphAddNode(ADD_PARAMETERS, void *parameters)
{
    return LIBCUDA(add_any(node, graph, dependencies, count, parameters));
}

EXPORT int cuGraphAddNode_v2(void **node, void *graph, void *const *dependencies, const void *edges,
                             size_t count, void *parameters)
{
    (void)edges;
    return LIBCUDA(add_any(node, graph, dependencies, count, parameters));
}

static RtError create_condition(uint64_t *handle, void *graph_handle, unsigned initial, unsigned flags)
{
    RtGraph *graph = NULL;
    RtError error = rt_graph_get(graph_handle, &graph);
    return error ? error : rt_condition_create(graph, initial, flags, handle);
}

EXPORT int cuGraphConditionalHandleCreate(uint64_t *handle, void *graph, void *context, unsigned initial,
                                          unsigned flags)
{
    (void)context;
    return LIBCUDA(create_condition(handle, graph, initial, flags));
}

EXPORT int cuGraphNodeSetParams(void *node, void *parameters)
{
    RtOperation operation;
    return CHANGE(make_any(parameters, &operation));
}

EXPORT int cuGraphExecNodeSetParams(void *executable, void *node, void *parameters)
{
    RtOperation operation;
    return CHANGE_EXECUTABLE(make_any(parameters, &operation));
}
