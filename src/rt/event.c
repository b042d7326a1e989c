/* Events. While a stream captures, recording an event only marks a place in the graph; such an event tells
 * nothing about time until it is recorded again. */
#include "base/alloc.h"
#include "rt/graph.h"
#include "rt/ipc.h"
#include "rt/stream.h"

enum { ALL_FLAGS = RT_EVENT_BLOCKING_SYNC | RT_EVENT_DISABLE_TIMING | RT_EVENT_INTERPROCESS };

RtError rt_event_get(const void *handle, RtEvent **event)
{
    if (!rt_handle_is_live(RT_HANDLE_EVENT, handle))
        return rt_fail(RT_INVALID_RESOURCE_HANDLE, "%p is no event, or one that has been destroyed.", handle);
    *event = (RtEvent *)(uintptr_t)handle;
    return RT_SUCCESS;
}

RtError rt_event_create(unsigned flags, RtEvent **event)
{
    if (!event)
        return rt_fail(RT_INVALID_VALUE, "The place for the new event is a null pointer.");
    if (flags & ~(unsigned)ALL_FLAGS)
        return rt_fail(RT_INVALID_VALUE, "0x%x are no flags of an event; the known ones are 1, 2 and 4.",
                       flags);
    if ((flags & RT_EVENT_INTERPROCESS) && !(flags & RT_EVENT_DISABLE_TIMING))
        return rt_fail(RT_INVALID_VALUE, "An event for several processes must have its timing disabled.");
    WbEvent *simulated;
    RtError error = rt_check(wb_event_create(rt_gpu(), &simulated));
    if (error)
        return error;
    RtEvent *made = xcalloc(1, sizeof *made);
    *made = (RtEvent){.device = rt_device(), .event = simulated, .flags = flags};
    if (flags & RT_EVENT_INTERPROCESS)
        made->shared = rt_shared_event_create();
    rt_handle_add(RT_HANDLE_EVENT, made);
    *event = made;
    return RT_SUCCESS;
}

RtError rt_event_destroy(void *handle)
{
    RtEvent *event = NULL;
    RtError error = rt_event_get(handle, &event);
    if (error)
        return error;
    rt_handle_remove(RT_HANDLE_EVENT, event);
    rt_capture_forget_event(event);
    wb_event_destroy(event->event);
    rt_shared_event_destroy(event->shared);
    xfree(event);
    return RT_SUCCESS;
}

static RtError get_both(void *event_handle, RtEvent **event, void *stream_handle, RtStream **stream,
                        unsigned flags)
{
    if (flags & ~(unsigned)RT_EVENT_EXTERNAL)
        return rt_fail(RT_INVALID_VALUE, "0x%x are no flags here: 0 is the default, 1 is external.", flags);
    RtError error = rt_event_get(event_handle, event);
    return error ? error : rt_stream_get(stream_handle, stream);
}

/* Other processes may wait for it, and this one may make no call that would run what is before it. */
static RtError record_shared(RtStream *stream, RtOperation *operation)
{
    RtSharedEvent *shared = operation->event->shared;
    rt_shared_event_begin(shared);
    RtError error = rt_stream_do(stream, operation);
    if (!error)
        error = rt_stream_drain(stream);
    rt_shared_event_end(shared);
    return error;
}

RtError rt_event_record(void *event_handle, void *stream_handle, unsigned flags)
{
    RtEvent *event = NULL;
    RtStream *stream = NULL;
    RtError error = get_both(event_handle, &event, stream_handle, &stream, flags);
    if (error)
        return error;
    if (event->device != stream->device)
        return rt_fail(RT_INVALID_RESOURCE_HANDLE,
                       "The event is of device %d and the stream of device %d: an event is recorded in "
                       "streams of the device that was current when it was created. Streams may wait for "
                       "events of other devices.",
                       event->device, stream->device);
    /* CUDA: an external record becomes a node of the graph and happens when that runs. */
    if (stream->capture && !(flags & RT_EVENT_EXTERNAL))
        return rt_capture_record(stream, event);
    rt_capture_forget_event(event);
    RtOperation operation = {.kind = RT_RECORD, .event = event};
    return event->shared && !stream->capture ? record_shared(stream, &operation)
                                             : rt_stream_do(stream, &operation);
}

RtError rt_stream_wait_event(void *stream_handle, void *event_handle, unsigned flags)
{
    RtEvent *event = NULL;
    RtStream *stream = NULL;
    RtError error = get_both(event_handle, &event, stream_handle, &stream, flags);
    if (error)
        return error;
    if ((stream->capture && !(flags & RT_EVENT_EXTERNAL)) || event->capture)
        return rt_capture_wait(stream, event);
    if (event->shared)
        rt_shared_event_wait(event->shared);
    return rt_stream_do(stream, &(RtOperation){.kind = RT_WAIT, .event = event});
}

/* What happened to an event that a capture holds cannot be asked. */
static RtError get_outside_capture(void *handle, RtEvent **event)
{
    RtError error = rt_event_get(handle, event);
    return error ? error : rt_capture_forbids_event(*event);
}

RtError rt_event_wait(void *handle)
{
    RtEvent *event = NULL;
    RtError error = get_outside_capture(handle, &event);
    if (!error && event->shared)
        rt_shared_event_wait(event->shared);
    return error ? error : RT_ON(event->device, rt_check(wb_event_wait(event->event)));
}

RtError rt_event_query(void *handle)
{
    RtEvent *event = NULL;
    RtError error = get_outside_capture(handle, &event);
    if (!error && event->shared && !rt_shared_event_has_come(event->shared))
        return RT_NOT_READY;
    return error ? error : RT_ON(event->device, rt_check(wb_event_query(event->event)));
}

static RtError time_of(void *handle, const char *which, int *device, double *nanoseconds)
{
    RtEvent *event = NULL;
    RtError error = get_outside_capture(handle, &event);
    if (error)
        return error;
    if (event->flags & RT_EVENT_DISABLE_TIMING)
        return rt_fail(RT_INVALID_RESOURCE_HANDLE, "The %s event was created with its timing disabled.",
                       which);
    if (!event->recorded)
        return rt_fail(RT_INVALID_RESOURCE_HANDLE, "The %s event has never been recorded.", which);
    *device = event->device;
    return RT_ON(event->device, rt_check(wb_event_time(event->event, nanoseconds)));
}

RtError rt_event_elapsed(void *start, void *end, float *milliseconds)
{
    double began = 0, ended = 0;
    int first = 0, second = 0;
    if (!milliseconds)
        return rt_fail(RT_INVALID_VALUE, "The place for the elapsed time is a null pointer.");
    RtError error = time_of(start, "start", &first, &began);
    if (!error)
        error = time_of(end, "end", &second, &ended);
    if (!error && first != second)
        return rt_fail(RT_INVALID_RESOURCE_HANDLE,
                       "The start event is of device %d and the end event of device %d: CUDA measures times "
                       "between events of one device.",
                       first, second);
    if (!error)
        *milliseconds = (float)((ended - began) / 1e6);
    return error;
}
