/* Executable graphs: instantiated, changed, launched. CUDA has several forms of each call, which differ in
 * how they report what went wrong. */
#include "rt/graph.h"

#include "rt/libcuda/libcuda.h"

/* Layout of CUDA_GRAPH_INSTANTIATE_PARAMS. */
typedef struct InstantiateParameters {
    uint64_t flags;
    void *upload_stream, *culprit;
    int result;
} InstantiateParameters;
_Static_assert(sizeof(InstantiateParameters) == 32, "as CUDA has it");
/* Layout of CUgraphExecUpdateResultInfo. */
typedef struct UpdateInfo {
    int result;
    void *node, *from;
} UpdateInfo;

static RtError instantiate(void **executable, void *handle, uint64_t flags, void **culprit)
{
    NEED(executable);
    RtGraph *graph = NULL;
    RtNode *found = NULL;
    RtError error = rt_graph_get(handle, &graph);
    if (!error)
        error = rt_graph_instantiate(graph, flags, (RtExecutable **)executable, &found);
    if (culprit)
        *culprit = found;
    return error;
}

/* The oldest form also fills a log. */
static RtError instantiate_logging(void **executable, void *graph, void **culprit, char *log, size_t size)
{
    if (log && size)
        *log = '\0';
    return instantiate(executable, graph, 0, culprit);
}

EXPORT int cuGraphInstantiate_v2(void **executable, void *graph, void **culprit, char *log, size_t size)
{
    return LIBCUDA(instantiate_logging(executable, graph, culprit, log, size));
}
SAME_AS(cuGraphInstantiate_v2)
int cuGraphInstantiate(void **executable, void *graph, void **culprit, char *log, size_t size);

EXPORT int cuGraphInstantiateWithFlags(void **executable, void *graph, unsigned long long flags)
{
    return LIBCUDA(instantiate(executable, graph, flags, NULL));
}

static RtError instantiate_with(void **executable, void *graph, InstantiateParameters *parameters)
{
    NEED(parameters);
    RtError error = instantiate(executable, graph, parameters->flags, &parameters->culprit);
    parameters->result = error != RT_SUCCESS; /* 0 success, 1 error */
    return error;
}

EXPORT int cuGraphInstantiateWithParams(void **executable, void *graph, void *parameters)
{
    return LIBCUDA(instantiate_with(executable, graph, parameters));
}
SAME_AS(cuGraphInstantiateWithParams)
int cuGraphInstantiateWithParams_ptsz(void **executable, void *graph, void *parameters);

static RtError launch(void *handle, void *stream_handle, bool runs)
{
    RtExecutable *executable = NULL;
    RtStream *stream = NULL;
    RtError error = rt_executable_get(handle, &executable);
    if (!error)
        error = rt_stream_get(stream_handle, &stream);
    return error || !runs ? error : rt_graph_launch(executable, stream);
}

STREAM_CALL(cuGraphLaunch, (void *executable, void *stream), launch(executable, stream, true))
/* There is nothing to upload. */
STREAM_CALL(cuGraphUpload, (void *executable, void *stream), launch(executable, stream, false))

static RtError destroy(void *handle)
{
    RtExecutable *executable = NULL;
    RtError error = rt_executable_get(handle, &executable);
    return error ? error : rt_executable_destroy(executable);
}

EXPORT int cuGraphExecDestroy(void *executable) { return LIBCUDA(destroy(executable)); }

static RtError get_flags(void *handle, uint64_t *flags)
{
    NEED(flags);
    RtExecutable *executable = NULL;
    RtError error = rt_executable_get(handle, &executable);
    if (!error)
        *flags = rt_executable_flags(executable);
    return error;
}

EXPORT int cuGraphExecGetFlags(void *executable, uint64_t *flags)
{
    return LIBCUDA(get_flags(executable, flags));
}

static RtError update(void *handle, void *graph_handle, UpdateInfo *info)
{
    NEED(info);
    RtExecutable *executable = NULL;
    RtGraph *graph = NULL;
    RtUpdateResult result = {.result = RT_UPDATE_ERROR};
    RtError error = rt_executable_get(handle, &executable);
    if (!error)
        error = rt_graph_get(graph_handle, &graph);
    if (!error)
        error = rt_executable_update(executable, graph, &result);
    *info = (UpdateInfo){.result = (int)result.result, .node = result.node};
    return error;
}

EXPORT int cuGraphExecUpdate_v2(void *executable, void *graph, void *info)
{
    return LIBCUDA(update(executable, graph, info));
}

EXPORT int cuGraphExecUpdate(void *executable, void *graph, void **culprit, int *result)
{
    UpdateInfo info = {0};
    const int error = LIBCUDA(update(executable, graph, &info));
    if (culprit)
        *culprit = info.node;
    if (result)
        *result = info.result;
    return error;
}

static RtError enabled(void *handle, void *node_handle, RtNode **copy)
{
    RtExecutable *executable = NULL;
    RtNode *node = NULL;
    RtError error = rt_executable_get(handle, &executable);
    if (!error)
        error = rt_node_get(node_handle, &node);
    return error ? error : rt_executable_node(executable, node, copy);
}

static RtError get_enabled(void *executable, void *node, unsigned *is_enabled)
{
    NEED(is_enabled);
    RtNode *copy = NULL;
    RtError error = enabled(executable, node, &copy);
    if (!error)
        *is_enabled = !copy->is_disabled;
    return error;
}

EXPORT int cuGraphNodeGetEnabled(void *executable, void *node, unsigned *is_enabled)
{
    return LIBCUDA(get_enabled(executable, node, is_enabled));
}

static RtError set_enabled(void *executable, void *node, unsigned is_enabled)
{
    RtNode *copy = NULL;
    RtError error = enabled(executable, node, &copy);
    if (!error && copy->operation.kind != RT_KERNEL && copy->operation.kind != RT_COPY &&
        copy->operation.kind != RT_FILL)
        error = rt_fail(RT_INVALID_VALUE, "Only kernels, copies and memsets can be switched off.");
    if (!error)
        copy->is_disabled = !is_enabled;
    return error;
}

EXPORT int cuGraphNodeSetEnabled(void *executable, void *node, unsigned is_enabled)
{
    return LIBCUDA(set_enabled(executable, node, is_enabled));
}
