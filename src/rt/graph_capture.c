/* Captures: streams that put what they are given into a graph instead of running it.
 *
 * A capture begins in one stream and ends there; other streams join it by waiting for an event that was
 * recorded in it. Each stream has a frontier, the nodes after which its next one comes, and an event keeps
 * the frontier of the place where it was recorded. Calls that CUDA forbids meanwhile make the capture
 * invalid: until it is ended, all that is put into its streams fails. */
#include "rt/graph_capture.h"

RtCapture *captures;
static uint64_t next_id = 1;
_Thread_local RtCaptureMode capture_thread_mode = RT_CAPTURE_GLOBAL;

static void set_frontier(RtNodes *frontier, RtNode *const *nodes, size_t count)
{
    frontier->count = 0;
    for (size_t i = 0; i < count; i++)
        VEC_PUSH(frontier, nodes[i]);
}

void capture_extend(RtNodes *frontier, RtNode *const *nodes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!rt_nodes_have(frontier, nodes[i]))
            VEC_PUSH(frontier, nodes[i]);
    }
}

static void join(RtCapture *capture, RtStream *stream)
{
    stream->capture = capture;
    stream->frontier = (RtNodes){0};
    VEC_PUSH(&capture->streams, stream);
}

void capture_detach_stream(RtStream *stream)
{
    stream->capture = NULL;
    VEC_FREE(&stream->frontier);
}

void capture_detach_event(RtEvent *event)
{
    event->capture = NULL;
    VEC_FREE(&event->frontier);
}

void capture_drop(RtCapture *capture)
{
    RtCapture **link = &captures;
    while (*link != capture)
        link = &(*link)->next;
    *link = capture->next;
    for (uint32_t i = 0; i < capture->streams.count; i++)
        capture_detach_stream(capture->streams.items[i]);
    for (uint32_t i = 0; i < capture->events.count; i++)
        capture_detach_event(capture->events.items[i]);
    VEC_FREE(&capture->streams);
    VEC_FREE(&capture->left);
    VEC_FREE(&capture->events);
    /* Freed last: freeing a graph asks the captures that are left. */
    RtGraph *graph = capture->owns_graph ? capture->graph : NULL;
    xfree(capture);
    if (graph)
        rt_graph_free(graph);
}

/* -- begin and end -- */

RtError rt_capture_begin(RtStream *stream, int mode, RtGraph *graph, RtNode *const *dependencies,
                         size_t count)
{
    if (mode < RT_CAPTURE_GLOBAL || mode > RT_CAPTURE_RELAXED)
        return rt_fail(RT_INVALID_VALUE, "%d is no mode of a capture: 0 to 2 are.", mode);
    if (!stream->stream)
        return rt_fail(RT_STREAM_CAPTURE_UNSUPPORTED, "The legacy default stream cannot capture.");
    if (stream->capture)
        return rt_fail(RT_ILLEGAL_STATE, "The stream captures already.");
    RtCapture *capture = xcalloc(1, sizeof *capture);
    *capture = (RtCapture){
        .graph = graph,
        .owns_graph = !graph,
        .origin = stream,
        .mode = (RtCaptureMode)mode,
        .thread = pthread_self(),
        .id = next_id++,
        .next = captures,
    };
    captures = capture;
    join(capture, stream);
    if (!graph)
        return rt_graph_create(&capture->graph);
    RtError error = rt_capture_update(stream, dependencies, count, true);
    if (error)
        capture_drop(capture);
    return error;
}

/* Whether all that was captured in other streams comes before something in the first one. */
static bool is_joined(const RtCapture *capture)
{
    bool *marks = xcalloc(capture->graph->nodes.count + 1, sizeof *marks);
    bool joined = true;
    RtNodes last = {0};
    set_frontier(&last, capture->origin->frontier.items, capture->origin->frontier.count);
    /* All nodes that come before the end of the first stream are marked; what is not marked has nobody
     * waiting for it. */
    rt_nodes_mark_before(&last, marks);
    for (uint32_t i = 0; i < capture->left.count; i++)
        joined = joined && marks[capture->left.items[i]->index];
    for (uint32_t s = 0; s < capture->streams.count; s++) {
        const RtNodes *frontier = &capture->streams.items[s]->frontier;
        for (uint32_t i = 0; i < frontier->count; i++)
            joined = joined && marks[frontier->items[i]->index];
    }
    xfree(marks);
    return joined;
}

RtError rt_capture_end(RtStream *stream, RtGraph **graph)
{
    RtCapture *capture = stream->capture;
    *graph = NULL;
    if (!capture)
        return rt_fail(RT_ILLEGAL_STATE, "The stream does not capture.");
    if (capture->origin != stream)
        return rt_fail(RT_STREAM_CAPTURE_UNMATCHED,
                       "The capture began in another stream and must end there.");
    /* CUDA: only a relaxed capture may be ended by another thread. */
    if (capture->mode != RT_CAPTURE_RELAXED && !pthread_equal(capture->thread, pthread_self()))
        return rt_fail(RT_STREAM_CAPTURE_WRONG_THREAD, "The capture was begun by another thread.");
    RtError error = RT_SUCCESS;
    if (capture->is_invalid || !capture->graph)
        error =
            rt_fail(RT_STREAM_CAPTURE_INVALIDATED, "A call that CUDA forbids there has ended the capture.");
    else if (!is_joined(capture))
        error =
            rt_fail(RT_STREAM_CAPTURE_UNJOINED,
                    "Another stream has captured work that this stream does not wait for: record an event "
                    "there and let this stream wait for it.");
    if (!error) {
        *graph = capture->graph;
        /* From here on it is the program's. */
        capture->owns_graph = false;
    }
    capture_drop(capture);
    return error;
}

static RtCapture *capture_of_device(void)
{
    for (RtCapture *capture = captures; capture; capture = capture->next)
        for (uint32_t i = 0; i < capture->streams.count; i++)
            if (capture->streams.items[i]->device == rt_device())
                return capture;
    return NULL;
}

void rt_capture_drop_all(void)
{
    for (RtCapture *capture; (capture = capture_of_device()) != NULL;)
        capture_drop(capture);
}

/* -- what a capturing stream takes -- */

static RtError check_valid(const RtCapture *capture)
{
    if (!capture->is_invalid && capture->graph)
        return RT_SUCCESS;
    return rt_fail(RT_STREAM_CAPTURE_INVALIDATED, "The capture has been made invalid; it can only be ended.");
}

RtError rt_capture_add(RtStream *stream, RtOperation *operation)
{
    RtError error = check_valid(stream->capture);
    if (error) {
        rt_operation_free(operation);
        return error;
    }
    RtNode *node = NULL;
    error = RT_ON(stream->device, rt_graph_add(stream->capture->graph, stream->frontier.items,
                                               stream->frontier.count, operation, &node));
    /* The next operation of the stream comes after this one alone, which comes after all before it. */
    if (!error)
        set_frontier(&stream->frontier, &node, 1);
    return error;
}

RtError rt_capture_record(RtStream *stream, RtEvent *event)
{
    RtError error = check_valid(stream->capture);
    if (error)
        return error;
    rt_capture_forget_event(event);
    event->capture = stream->capture;
    event->recorded = false;
    set_frontier(&event->frontier, stream->frontier.items, stream->frontier.count);
    VEC_PUSH(&stream->capture->events, event);
    return RT_SUCCESS;
}

RtError capture_invalidate(RtCapture *capture, RtError error)
{
    if (capture)
        capture->is_invalid = true;
    return error;
}

RtError rt_capture_wait(RtStream *stream, RtEvent *event)
{
    RtError error = stream->capture ? check_valid(stream->capture) : RT_SUCCESS;
    if (!error && event->capture)
        error = check_valid(event->capture);
    if (error)
        return error;
    if (!event->capture) {
        /* CUDA: to wait for an event that was never recorded is nothing. */
        if (!event->recorded)
            return RT_SUCCESS;
        return capture_invalidate(
            stream->capture,
            rt_fail(RT_STREAM_CAPTURE_ISOLATION, "The event was recorded outside of the stream's capture."));
    }
    if (!stream->stream)
        return capture_invalidate(
            event->capture,
            rt_fail(RT_STREAM_CAPTURE_IMPLICIT, "The legacy default stream cannot take part in a capture."));
    if (!stream->capture)
        join(event->capture, stream);
    /* CUDA: captures cannot be joined, so both become invalid. */
    if (stream->capture != event->capture) {
        capture_invalidate(event->capture, RT_SUCCESS);
        return capture_invalidate(
            stream->capture, rt_fail(RT_STREAM_CAPTURE_MERGE, "The event was recorded in another capture."));
    }
    capture_extend(&stream->frontier, event->frontier.items, event->frontier.count);
    return RT_SUCCESS;
}

RtCaptureStatus rt_capture_status(const RtStream *stream)
{
    if (!stream->capture)
        return RT_CAPTURE_NONE;
    return stream->capture->is_invalid || !stream->capture->graph ? RT_CAPTURE_INVALID : RT_CAPTURE_ACTIVE;
}

uint64_t rt_capture_id(const RtStream *stream) { return stream->capture ? stream->capture->id : 0; }

RtGraph *rt_capture_graph(const RtStream *stream) { return stream->capture ? stream->capture->graph : NULL; }

RtError rt_capture_update(RtStream *stream, RtNode *const *dependencies, size_t count, bool replaces)
{
    if (!stream->capture)
        return rt_fail(RT_ILLEGAL_STATE, "The stream does not capture.");
    RtError error = check_valid(stream->capture);
    if (error)
        return error;
    if (count && !dependencies)
        return rt_fail(RT_INVALID_VALUE, "The list of %zu dependencies is a null pointer.", count);
    for (size_t i = 0; i < count; i++) {
        RtNode *node = NULL;
        error = rt_node_get(dependencies[i], &node);
        if (error)
            return error;
        if (node->graph != stream->capture->graph)
            return rt_fail(RT_INVALID_VALUE, "Dependency %zu is not a node of the graph being captured.", i);
    }
    if (replaces)
        stream->frontier.count = 0;
    capture_extend(&stream->frontier, dependencies, count);
    return RT_SUCCESS;
}

RtError rt_capture_exchange_mode(int *mode)
{
    if (!mode || *mode < RT_CAPTURE_GLOBAL || *mode > RT_CAPTURE_RELAXED)
        return rt_fail(RT_INVALID_VALUE, "A mode of captures is 0, 1 or 2.");
    RtCaptureMode before = capture_thread_mode;
    capture_thread_mode = (RtCaptureMode)*mode;
    *mode = (int)before;
    return RT_SUCCESS;
}
