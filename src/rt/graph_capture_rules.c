/* What CUDA forbids while a stream captures, and captures whose streams, events and nodes go. */
#include "rt/graph_capture.h"

static bool has_stream_of(const RtCapture *capture, int device)
{
    for (uint32_t i = 0; i < capture->streams.count; i++)
        if (capture->streams.items[i]->device == device)
            return true;
    return false;
}

/* Streams of the device. */
static RtError forbid_all(void)
{
    bool is_any = false;
    for (RtCapture *capture = captures; capture; capture = capture->next) {
        const bool is_here = has_stream_of(capture, rt_device());
        capture->is_invalid |= is_here;
        is_any |= is_here;
    }
    if (!is_any)
        return RT_SUCCESS;
    return rt_fail(RT_STREAM_CAPTURE_UNSUPPORTED, "All streams cannot be waited for while one captures.");
}

/* Work in the legacy stream would wait for the blocking streams, and those cannot run. */
static RtError forbid_legacy(int device)
{
    for (RtCapture *capture = captures; capture; capture = capture->next) {
        for (uint32_t i = 0; i < capture->streams.count; i++) {
            const RtStream *stream = capture->streams.items[i];
            if (stream->device == device && !(stream->flags & WB_STREAM_NON_BLOCKING))
                return capture_invalidate(
                    capture, rt_fail(RT_STREAM_CAPTURE_IMPLICIT,
                                     "The legacy default stream would have to wait for a stream that "
                                     "captures; use another stream, or capture in a non-blocking one."));
        }
    }
    return RT_SUCCESS;
}

RtError rt_capture_forbids_waiting(const RtStream *stream)
{
    if (!captures)
        return RT_SUCCESS;
    if (!stream)
        return forbid_all();
    if (stream->capture)
        return rt_capture_forbids_call(stream, "waited for or asked for its state");
    return rt_capture_forbids_work(stream);
}

RtError rt_capture_forbids_call(const RtStream *stream, const char *what)
{
    if (!stream->capture)
        return RT_SUCCESS;
    return capture_invalidate(stream->capture, rt_fail(RT_STREAM_CAPTURE_UNSUPPORTED,
                                                       "A stream that captures cannot be %s.", what));
}

RtError rt_capture_forbids_event(const RtEvent *event)
{
    if (!event->capture)
        return RT_SUCCESS;
    return capture_invalidate(event->capture,
                              rt_fail(RT_CAPTURED_EVENT,
                                      "The event was recorded in a stream that captures, so it marks a place "
                                      "in a graph and never happens."));
}

RtError rt_capture_forbids_work(const RtStream *stream)
{
    return stream->stream ? RT_SUCCESS : forbid_legacy(stream->device);
}

RtError rt_capture_forbids_unsafe(void)
{
    if (capture_thread_mode == RT_CAPTURE_RELAXED)
        return RT_SUCCESS;
    for (RtCapture *capture = captures; capture; capture = capture->next) {
        /* CUDA's modes: a global capture forbids such calls to all threads, a thread-local one to its own, a
         * relaxed one to nobody. A thread may in turn opt out of what others forbid. */
        const bool is_own = pthread_equal(capture->thread, pthread_self());
        if (capture->mode == RT_CAPTURE_RELAXED ||
            (!is_own && (capture->mode != RT_CAPTURE_GLOBAL || capture_thread_mode != RT_CAPTURE_GLOBAL)))
            continue;
        return capture_invalidate(
            capture, rt_fail(RT_STREAM_CAPTURE_UNSUPPORTED,
                             "The call is not allowed while a stream captures; capture in relaxed mode, "
                             "or call it before."));
    }
    return RT_SUCCESS;
}

/* -- what goes meanwhile -- */

void rt_capture_forget_event(RtEvent *event)
{
    RtCapture *capture = event->capture;
    if (!capture)
        return;
    for (uint32_t i = 0; i < capture->events.count; i++) {
        if (capture->events.items[i] == event) {
            /* The order of events does not matter. */
            capture->events.items[i] = capture->events.items[--capture->events.count];
            break;
        }
    }
    capture_detach_event(event);
}

/* What another stream than the first has captured stays, and is joined, or not, by events that were
 * recorded. */
void rt_capture_forget_stream(RtStream *stream)
{
    RtCapture *capture = stream->capture;
    if (!capture)
        return;
    if (capture->origin == stream) {
        capture_drop(capture);
        return;
    }
    capture_extend(&capture->left, stream->frontier.items, stream->frontier.count);
    for (uint32_t i = 0; i < capture->streams.count; i++) {
        if (capture->streams.items[i] == stream) {
            capture->streams.items[i] = capture->streams.items[--capture->streams.count];
            break;
        }
    }
    capture_detach_stream(stream);
}

void rt_capture_forget_node(const RtNode *node)
{
    for (RtCapture *capture = captures; capture; capture = capture->next) {
        rt_nodes_remove(&capture->left, node);
        for (uint32_t i = 0; i < capture->streams.count; i++)
            rt_nodes_remove(&capture->streams.items[i]->frontier, node);
        for (uint32_t i = 0; i < capture->events.count; i++)
            rt_nodes_remove(&capture->events.items[i]->frontier, node);
    }
}

void rt_capture_forget_graph(const RtGraph *graph)
{
    for (RtCapture *capture = captures; capture; capture = capture->next) {
        if (capture->graph == graph)
            capture->graph = NULL;
    }
}
