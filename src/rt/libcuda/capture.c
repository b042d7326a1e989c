/* Making graphs by capturing streams: arguments are checked and handed on; rt/graph_capture.c has the
 * rules. */
#include "rt/graph.h"

#include "rt/libcuda/libcuda.h"

static RtError begin(void *handle, int mode, void *graph_handle, void *const *dependencies, size_t count)
{
    RtStream *stream = NULL;
    RtGraph *graph = NULL;
    RtError error = rt_stream_get(handle, &stream);
    if (!error && graph_handle)
        error = rt_graph_get(graph_handle, &graph);
    return error ? error : rt_capture_begin(stream, mode, graph, (RtNode *const *)dependencies, count);
}

static RtError begin_in(void *stream, int mode, void *graph, void *const *dependencies, size_t count)
{
    NEED(graph);
    return begin(stream, mode, graph, dependencies, count);
}

STREAM_CALL(cuStreamBeginCapture, (void *stream), begin(stream, RT_CAPTURE_GLOBAL, NULL, NULL, 0))
STREAM_CALL(cuStreamBeginCapture_v2, (void *stream, int mode), begin(stream, mode, NULL, NULL, 0))
STREAM_CALL(cuStreamBeginCaptureToGraph,
            (void *stream, void *graph, void *const *dependencies, const void *edges, size_t count, int mode),
            ((void)edges, begin_in(stream, mode, graph, dependencies, count)))

static RtError end(void *handle, void **graph)
{
    NEED(graph);
    RtStream *stream = NULL;
    RtError error = rt_stream_get(handle, &stream);
    return error ? error : rt_capture_end(stream, (RtGraph **)graph);
}

STREAM_CALL(cuStreamEndCapture, (void *stream, void **graph), end(stream, graph))

static RtError get_status(void *handle, int *status)
{
    NEED(status);
    RtStream *stream = NULL;
    RtError error = rt_stream_get(handle, &stream);
    if (!error)
        *status = (int)rt_capture_status(stream);
    return error;
}

STREAM_CALL(cuStreamIsCapturing, (void *stream, int *status), get_status(stream, status))

/* Where a program wants to know what a stream captures; the places may be null, but for the status. */
typedef struct Answer {
    int *status;
    uint64_t *id;
    void **graph;
    const void **dependencies, **edges;
    size_t *count;
} Answer;

static RtError get_info(void *handle, Answer answer)
{
    RtStream *stream = NULL;
    RtError error = get_status(handle, answer.status);
    if (!error)
        error = rt_stream_get(handle, &stream);
    if (error || *answer.status != RT_CAPTURE_ACTIVE)
        return error;
    const RtNodes *dependencies = &stream->frontier;
    if (answer.id)
        *answer.id = rt_capture_id(stream);
    if (answer.graph)
        *answer.graph = rt_capture_graph(stream);
    if (answer.dependencies)
        *answer.dependencies = dependencies->items;
    if (answer.edges)
        *answer.edges = NULL;
    if (answer.count)
        *answer.count = dependencies->count;
    return RT_SUCCESS;
}

STREAM_CALL(cuStreamGetCaptureInfo, (void *stream, int *status, uint64_t *id),
            get_info(stream, (Answer){.status = status, .id = id}))
STREAM_CALL(cuStreamGetCaptureInfo_v2,
            (void *stream, int *status, uint64_t *id, void **graph, const void **dependencies, size_t *count),
            get_info(stream, (Answer){status, id, graph, dependencies, NULL, count}))
STREAM_CALL(cuStreamGetCaptureInfo_v3,
            (void *stream, int *status, uint64_t *id, void **graph, const void **dependencies,
             const void **edges, size_t *count),
            get_info(stream, (Answer){status, id, graph, dependencies, edges, count}))

static RtError update(void *handle, void **dependencies, size_t count, unsigned flags)
{
    RtStream *stream = NULL;
    if (flags > 1)
        return rt_fail(RT_INVALID_VALUE, "Dependencies are added (0) or set (1), not %u.", flags);
    RtError error = rt_stream_get(handle, &stream);
    return error ? error : rt_capture_update(stream, (RtNode *const *)dependencies, count, flags == 1);
}

STREAM_CALL(cuStreamUpdateCaptureDependencies,
            (void *stream, void **dependencies, size_t count, unsigned flags),
            update(stream, dependencies, count, flags))
STREAM_CALL(cuStreamUpdateCaptureDependencies_v2,
            (void *stream, void **dependencies, const void *edges, size_t count, unsigned flags),
            ((void)edges, update(stream, dependencies, count, flags)))

static RtError exchange_mode(int *mode)
{
    NEED(mode);
    return rt_capture_exchange_mode(mode);
}

EXPORT int cuThreadExchangeStreamCaptureMode(int *mode) { return LIBCUDA_GLOBAL(exchange_mode(mode)); }
