/* Streams. The legacy stream of a device is the simulator's default one there; a thread's own default
 * stream is made when it is first named, and goes with the thread. */
#include "rt/stream.h"

#include <pthread.h>

#include "base/alloc.h"
#include "rt/graph.h"

static RtStream legacy[RT_DEVICES];
static uint64_t next_id = 3;

/* A thread's own streams, by device; null: not named yet. */
typedef struct ThreadStreams {
    RtStream *items[RT_DEVICES];
} ThreadStreams;
static pthread_key_t thread_key; /* holds the thread's streams */
static pthread_once_t thread_key_once = PTHREAD_ONCE_INIT;

static RtStream *make(unsigned flags, int priority, RtError *error)
{
    WbStream *simulated;
    *error = rt_check(wb_stream_create(rt_gpu(), flags, priority, &simulated));
    if (*error)
        return NULL;
    RtStream *stream = xcalloc(1, sizeof *stream);
    *stream = (RtStream){.device = rt_device(),
                         .stream = simulated,
                         .flags = flags,
                         .priority = priority,
                         .id = next_id++};
    return stream;
}

static void destroy(RtStream *stream)
{
    rt_capture_forget_stream(stream);
    if (rt_gpu_of(stream->device))
        wb_stream_destroy(stream->stream);
    xfree(stream->attributes);
    xfree(stream);
}

static void destroy_of_thread(void *value)
{
    ThreadStreams *streams = value;
    /* A thread may end at any time, also while another one is in a call. */
    rt_enter_always("thread exit");
    for (int i = 0; i < RT_DEVICES; i++)
        if (streams->items[i])
            destroy(streams->items[i]);
    xfree(streams);
    rt_leave();
}

static void make_thread_key(void) { pthread_key_create(&thread_key, destroy_of_thread); }

static RtError stream_of_thread(RtStream **stream)
{
    pthread_once(&thread_key_once, make_thread_key);
    RtError error = RT_SUCCESS;
    ThreadStreams *streams = pthread_getspecific(thread_key);
    if (!streams) {
        streams = xcalloc(1, sizeof *streams);
        pthread_setspecific(thread_key, streams);
    }
    RtStream **place = &streams->items[rt_device()];
    if (!*place)
        *place = make(0, RT_PRIORITY_LEAST, &error);
    *stream = *place;
    return error;
}

static RtStream *legacy_stream(void)
{
    RtStream *stream = &legacy[rt_device()];
    stream->device = rt_device();
    stream->id = 1;
    return stream;
}

RtError rt_stream_get(const void *handle, RtStream **stream)
{
    if (handle == RT_STREAM_DEFAULT || handle == RT_STREAM_LEGACY) {
        *stream = legacy_stream();
        return RT_SUCCESS;
    }
    if (handle == RT_STREAM_PER_THREAD)
        return stream_of_thread(stream);
    if (!rt_handle_is_live(RT_HANDLE_STREAM, handle))
        return rt_fail(RT_INVALID_RESOURCE_HANDLE, "%p is no stream, or one that has been destroyed.",
                       handle);
    *stream = (RtStream *)(uintptr_t)handle;
    return RT_SUCCESS;
}

RtError rt_stream_create(unsigned flags, int priority, RtStream **stream)
{
    if (!stream)
        return rt_fail(RT_INVALID_VALUE, "The place for the new stream is a null pointer.");
    if (flags & ~(unsigned)WB_STREAM_NON_BLOCKING)
        return rt_fail(RT_INVALID_VALUE, "0x%x are no flags of a stream: 0 is blocking, 1 is non-blocking.",
                       flags);
    /* CUDA: priorities out of range are moved into it, without an error. */
    if (priority > RT_PRIORITY_LEAST)
        priority = RT_PRIORITY_LEAST;
    if (priority < RT_PRIORITY_GREATEST)
        priority = RT_PRIORITY_GREATEST;
    RtError error;
    RtStream *made = make(flags, priority, &error);
    if (error)
        return error;
    rt_handle_add(RT_HANDLE_STREAM, made);
    *stream = made;
    return RT_SUCCESS;
}

RtError rt_stream_destroy(void *handle)
{
    if ((uintptr_t)handle <= (uintptr_t)RT_STREAM_PER_THREAD)
        return rt_fail(RT_INVALID_RESOURCE_HANDLE, "A default stream cannot be destroyed.");
    RtStream *stream = NULL;
    RtError error = rt_stream_get(handle, &stream);
    if (error)
        return error;
    rt_handle_remove(RT_HANDLE_STREAM, stream);
    destroy(stream);
    return RT_SUCCESS;
}

RtError rt_stream_wait(void *handle)
{
    RtStream *stream = NULL;
    RtError error = rt_stream_get(handle, &stream);
    if (!error)
        error = rt_capture_forbids_waiting(stream);
    return error ? error : rt_stream_drain(stream);
}

RtError rt_stream_drain(const RtStream *stream)
{
    return RT_ON(stream->device, rt_check(wb_stream_wait(rt_gpu(), stream->stream)));
}

RtError rt_stream_follow(int device, WbStream *stream, int before_device, WbStream *before)
{
    WbEvent *reached = NULL;
    RtError error = RT_ON(before_device, rt_check(wb_event_create(rt_gpu(), &reached)));
    if (!error)
        error = RT_ON(before_device, rt_check(wb_event_record(reached, before)));
    if (!error)
        error = RT_ON(device, rt_check(wb_stream_wait_event(rt_gpu(), stream, reached)));
    wb_event_destroy(reached); /* what waits for it has what it needs */
    return error;
}

RtError rt_stream_query(void *handle)
{
    RtStream *stream = NULL;
    RtError error = rt_stream_get(handle, &stream);
    if (!error)
        error = rt_capture_forbids_waiting(stream);
    return error ? error : RT_ON(stream->device, rt_check(wb_stream_query(rt_gpu(), stream->stream)));
}

RtError rt_stream_do(RtStream *stream, RtOperation *operation)
{
    /* A stream that captures runs nothing. */
    if (stream->capture)
        return rt_capture_add(stream, operation);
    RtError error = rt_capture_forbids_work(stream);
    if (!error)
        error = RT_ON(stream->device, rt_operation_issue(operation, stream->stream));
    rt_operation_free(operation);
    return error;
}

RtError rt_wait_all(void)
{
    RtError error = rt_capture_forbids_waiting(NULL);
    return error ? error : rt_check(wb_wait(rt_gpu()));
}

RtError rt_wait_to_free(void)
{
    RtError error = rt_capture_forbids_unsafe();
    return error ? error : rt_check(wb_wait(rt_gpu()));
}

RtError rt_wait_to_free_host(void)
{
    RtError error = rt_capture_forbids_unsafe();
    /* Where a kernel has failed there is nothing to wait for. */
    for (int i = 0; i < rt_device_count() && !error; i++)
        error = RT_ON(i, rt_sticky() ? RT_SUCCESS : rt_check(wb_wait(rt_gpu())));
    return error;
}
