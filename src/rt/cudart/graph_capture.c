/* Captures of streams: arguments are checked and handed on; rt/graph_capture.c has the rules. */
#include "rt/cudart/cudart.h"
#include "rt/cudart/graph.h"

static RtError begin(void *handle, int mode)
{
    RtStream *stream = NULL;
    RtError error = rt_stream_get(handle, &stream);
    return error ? error : rt_capture_begin(stream, mode, NULL, NULL, 0);
}

static RtError begin_to_graph(void *stream_handle, void *graph_handle, void *const *dependencies,
                              size_t count, int mode)
{
    RtStream *stream = NULL;
    RtGraph *graph = NULL;
    RtError error = rt_stream_get(stream_handle, &stream);
    if (!error)
        error = rt_graph_get(graph_handle, &graph);
    return error ? error : rt_capture_begin(stream, mode, graph, (RtNode *const *)dependencies, count);
}

static RtError end(void *handle, void **graph)
{
    RtStream *stream = NULL;
    NEED(graph);
    RtError error = rt_stream_get(handle, &stream);
    return error ? error : rt_capture_end(stream, (RtGraph **)graph);
}

static RtError is_capturing(void *handle, int *status)
{
    RtStream *stream = NULL;
    NEED(status);
    RtError error = rt_stream_get(handle, &stream);
    if (!error)
        *status = (int)rt_capture_status(stream);
    return error;
}

/* All answers but the status are optional. */
typedef struct CaptureInfo {
    int *status;
    unsigned long long *id;
    void **graph;
    const void **dependencies;
    const EdgeData **data;
    size_t *count;
} CaptureInfo;

static RtError get_info(void *handle, CaptureInfo info)
{
    RtStream *stream = NULL;
    RtError error = is_capturing(handle, info.status);
    if (!error)
        error = rt_stream_get(handle, &stream);
    if (error || *info.status != RT_CAPTURE_ACTIVE)
        return error;
    if (info.id)
        *info.id = rt_capture_id(stream);
    if (info.graph)
        *info.graph = rt_capture_graph(stream);
    if (info.dependencies)
        *info.dependencies = stream->frontier.items;
    if (info.data)
        *info.data = NULL;
    if (info.count)
        *info.count = stream->frontier.count;
    return RT_SUCCESS;
}

static RtError update(void *handle, void *const *dependencies, size_t count, unsigned flags)
{
    enum { REPLACE = 1 };
    RtStream *stream = NULL;
    if (flags & ~(unsigned)REPLACE)
        return rt_fail(RT_INVALID_VALUE, "0x%x are no flags here: 0 adds dependencies, 1 replaces them.",
                       flags);
    RtError error = rt_stream_get(handle, &stream);
    return error ? error : rt_capture_update(stream, (RtNode *const *)dependencies, count, flags & REPLACE);
}

EXPORT_BOTH(cudaStreamBeginCapture, (void *stream, int mode), begin(stream, mode))
EXPORT_BOTH(cudaStreamBeginCaptureToGraph,
            (void *stream, void *graph, void *const *dependencies, const EdgeData *data, size_t count,
             int mode),
            ((void)data, begin_to_graph(stream, graph, dependencies, count, mode)))
EXPORT_BOTH(cudaStreamEndCapture, (void *stream, void **graph), end(stream, graph))
EXPORT_BOTH(cudaStreamIsCapturing, (void *stream, int *status), is_capturing(stream, status))

EXPORT int cudaThreadExchangeStreamCaptureMode(int *mode) { return CUDART(rt_capture_exchange_mode(mode)); }

#if CUDART_MAJOR >= 13
EXPORT_BOTH(cudaStreamGetCaptureInfo,
            (void *stream, int *status, unsigned long long *id, void **graph, const void **dependencies,
             const EdgeData **data, size_t *count),
            get_info(stream, (CaptureInfo){status, id, graph, dependencies, data, count}))
EXPORT_BOTH(cudaStreamUpdateCaptureDependencies,
            (void *stream, void *const *dependencies, const EdgeData *data, size_t count, unsigned flags),
            ((void)data, update(stream, dependencies, count, flags)))
#else
EXPORT_BOTH(cudaStreamGetCaptureInfo, (void *stream, int *status, unsigned long long *id),
            get_info(stream, (CaptureInfo){.status = status, .id = id}))
EXPORT_BOTH(cudaStreamGetCaptureInfo_v2,
            (void *stream, int *status, unsigned long long *id, void **graph, const void **dependencies,
             size_t *count),
            get_info(stream, (CaptureInfo){status, id, graph, dependencies, NULL, count}))
EXPORT_BOTH(cudaStreamGetCaptureInfo_v3,
            (void *stream, int *status, unsigned long long *id, void **graph, const void **dependencies,
             const EdgeData **data, size_t *count),
            get_info(stream, (CaptureInfo){status, id, graph, dependencies, data, count}))
EXPORT_BOTH(cudaStreamUpdateCaptureDependencies,
            (void *stream, void *const *dependencies, size_t count, unsigned flags),
            update(stream, dependencies, count, flags))
EXPORT_BOTH(cudaStreamUpdateCaptureDependencies_v2,
            (void *stream, void *const *dependencies, const EdgeData *data, size_t count, unsigned flags),
            ((void)data, update(stream, dependencies, count, flags)))
#endif
