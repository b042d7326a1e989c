/* Executable graphs: instantiated, updated, launched. */
#include "rt/cudart/cudart.h"
#include "rt/cudart/graph.h"

static RtError instantiate(void **executable, void *handle, unsigned long long flags, RtNode **culprit)
{
    RtGraph *graph = NULL;
    NEED(executable);
    RtError error = rt_graph_get(handle, &graph);
    return error ? error : rt_graph_instantiate(graph, flags, (RtExecutable **)executable, culprit);
}

static RtError instantiate_with(void **executable, void *graph, InstantiateParameters *parameters)
{
    enum { DONE, FAILED, INVALID_STRUCTURE };
    RtNode *culprit = NULL;
    NEED(parameters);
    RtError error = instantiate(executable, graph, parameters->flags, &culprit);
    parameters->error_node = culprit;
    parameters->result = !error ? DONE : culprit ? INVALID_STRUCTURE : FAILED;
    return error;
}

#if CUDART_MAJOR >= 12
EXPORT int cudaGraphInstantiate(void **executable, void *graph, unsigned long long flags)
{
    return CUDART(instantiate(executable, graph, flags, NULL));
}
#else
/* What went wrong is said on stderr, so the log stays empty. */
static RtError instantiate_with_log(void **executable, void *graph, void **error_node, char *log,
                                    size_t log_size)
{
    RtNode *culprit = NULL;
    RtError error = instantiate(executable, graph, 0, &culprit);
    if (error_node)
        *error_node = culprit;
    if (log && log_size)
        *log = '\0';
    return error;
}

EXPORT int cudaGraphInstantiate(void **executable, void *graph, void **error_node, char *log, size_t log_size)
{
    return CUDART(instantiate_with_log(executable, graph, error_node, log, log_size));
}
#endif

EXPORT int cudaGraphInstantiateWithFlags(void **executable, void *graph, unsigned long long flags)
{
    return CUDART(instantiate(executable, graph, flags, NULL));
}

EXPORT int cudaGraphInstantiateWithParams(void **executable, void *graph, InstantiateParameters *parameters)
{
    return CUDART(instantiate_with(executable, graph, parameters));
}

EXPORT int cudaGraphInstantiateWithParams_ptsz(void **executable, void *graph,
                                               InstantiateParameters *parameters)
{
    return CUDART(instantiate_with(executable, graph, parameters));
}

static RtError get_flags(void *handle, unsigned long long *flags)
{
    RtExecutable *executable = NULL;
    NEED(flags);
    RtError error = rt_executable_get(handle, &executable);
    if (!error)
        *flags = rt_executable_flags(executable);
    return error;
}

EXPORT int cudaGraphExecGetFlags(void *executable, unsigned long long *flags)
{
    return CUDART(get_flags(executable, flags));
}

static RtError destroy(void *handle)
{
    RtExecutable *executable = NULL;
    RtError error = rt_executable_get(handle, &executable);
    return error ? error : rt_executable_destroy(executable);
}

EXPORT int cudaGraphExecDestroy(void *executable) { return CUDART(destroy(executable)); }

static RtError get_both(void *executable_handle, RtExecutable **executable, void *stream_handle,
                        RtStream **stream)
{
    RtError error = rt_executable_get(executable_handle, executable);
    return error ? error : rt_stream_get(stream_handle, stream);
}

static RtError launch(void *executable_handle, void *stream_handle)
{
    RtExecutable *executable = NULL;
    RtStream *stream = NULL;
    RtError error = get_both(executable_handle, &executable, stream_handle, &stream);
    return error ? error : rt_graph_launch(executable, stream);
}

/* An executable is on the GPU as soon as it exists. */
static RtError upload(void *executable_handle, void *stream_handle)
{
    RtExecutable *executable = NULL;
    RtStream *stream = NULL;
    return get_both(executable_handle, &executable, stream_handle, &stream);
}

EXPORT_BOTH(cudaGraphLaunch, (void *executable, void *stream), launch(executable, stream))
EXPORT_BOTH(cudaGraphUpload, (void *executable, void *stream), upload(executable, stream))

static RtError update(void *executable_handle, void *graph_handle, UpdateInfo *info)
{
    RtExecutable *executable = NULL;
    RtGraph *graph = NULL;
    RtUpdateResult result = {RT_UPDATE_ERROR, NULL};
    RtError error = rt_executable_get(executable_handle, &executable);
    if (!error)
        error = rt_graph_get(graph_handle, &graph);
    if (!error)
        error = rt_executable_update(executable, graph, &result);
    if (info)
        *info = (UpdateInfo){.result = (int)result.result, .error_node = result.node};
    return error;
}

#if CUDART_MAJOR >= 12
EXPORT int cudaGraphExecUpdate(void *executable, void *graph, UpdateInfo *info)
{
    return CUDART(update(executable, graph, info));
}
#else
static RtError update_in_parts(void *executable, void *graph, void **error_node, int *result)
{
    UpdateInfo info;
    RtError error = update(executable, graph, &info);
    if (error_node)
        *error_node = info.error_node;
    if (result)
        *result = info.result;
    return error;
}

EXPORT int cudaGraphExecUpdate(void *executable, void *graph, void **error_node, int *result)
{
    return CUDART(update_in_parts(executable, graph, error_node, result));
}
#endif

/* Only kernels, copies and fills can be switched off. */
static RtError find_switchable(void *executable_handle, void *node_handle, RtNode **copy)
{
    RtExecutable *executable = NULL;
    RtNode *node = NULL;
    RtError error = rt_executable_get(executable_handle, &executable);
    if (!error)
        error = rt_node_get(node_handle, &node);
    if (!error)
        error = rt_executable_node(executable, node, copy);
    if (!error && (*copy)->operation.kind != RT_KERNEL && (*copy)->operation.kind != RT_COPY &&
        (*copy)->operation.kind != RT_FILL)
        error =
            rt_fail(RT_INVALID_VALUE, "Only nodes of kernels, memcpy and memset can be enabled or disabled.");
    return error;
}

static RtError set_enabled(void *executable, void *node, unsigned is_enabled)
{
    RtNode *copy = NULL;
    RtError error = find_switchable(executable, node, &copy);
    if (!error)
        copy->is_disabled = !is_enabled;
    return error;
}

static RtError get_enabled(void *executable, void *node, unsigned *is_enabled)
{
    RtNode *copy = NULL;
    NEED(is_enabled);
    RtError error = find_switchable(executable, node, &copy);
    if (!error)
        *is_enabled = !copy->is_disabled;
    return error;
}

EXPORT int cudaGraphNodeSetEnabled(void *executable, void *node, unsigned is_enabled)
{
    return CUDART(set_enabled(executable, node, is_enabled));
}

EXPORT int cudaGraphNodeGetEnabled(void *executable, void *node, unsigned *is_enabled)
{
    return CUDART(get_enabled(executable, node, is_enabled));
}
