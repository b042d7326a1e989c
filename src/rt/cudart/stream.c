/* Streams of the runtime: the same objects as the driver's. Calls that take a stream exist twice, the second
 * time (_ptsz) for programs whose stream 0 is the thread's own. */
#include "rt/cudart/cudart.h"

EXPORT int cudaStreamCreate(void **stream)
{
    return CUDART(rt_stream_create(0, RT_PRIORITY_LEAST, (RtStream **)stream));
}

EXPORT int cudaStreamCreateWithFlags(void **stream, unsigned flags)
{
    return CUDART(rt_stream_create(flags, RT_PRIORITY_LEAST, (RtStream **)stream));
}

EXPORT int cudaStreamCreateWithPriority(void **stream, unsigned flags, int priority)
{
    return CUDART(rt_stream_create(flags, priority, (RtStream **)stream));
}

EXPORT int cudaStreamDestroy(void *stream) { return CUDART(rt_stream_destroy(stream)); }

EXPORT_BOTH(cudaStreamSynchronize, (void *stream), rt_stream_wait(stream))
EXPORT_BOTH(cudaStreamQuery, (void *stream), rt_stream_query(stream))
EXPORT_BOTH(cudaStreamWaitEvent, (void *stream, void *event, unsigned flags),
            rt_stream_wait_event(stream, event, flags))

static RtError check_place(const void *place)
{
    return place ? RT_SUCCESS : rt_fail(RT_INVALID_VALUE, "The place for the answer is a null pointer.");
}

/* The stream of a handle, for a question whose answer goes to `place`. */
static RtError ask(void *handle, const void *place, RtStream **stream)
{
    RtError error = check_place(place);
    return error ? error : rt_stream_get(handle, stream);
}

static RtError get_flags(void *handle, unsigned *flags)
{
    RtStream *stream = NULL;
    RtError error = ask(handle, flags, &stream);
    if (!error)
        *flags = stream->flags;
    return error;
}

static RtError get_priority(void *handle, int *priority)
{
    RtStream *stream = NULL;
    RtError error = ask(handle, priority, &stream);
    if (!error)
        *priority = stream->priority;
    return error;
}

static RtError get_id(void *handle, unsigned long long *id)
{
    RtStream *stream = NULL;
    RtError error = ask(handle, id, &stream);
    if (!error)
        *id = stream->id;
    return error;
}

static RtError get_device(void *handle, int *device)
{
    RtStream *stream = NULL;
    RtError error = ask(handle, device, &stream);
    if (!error)
        *device = stream->device;
    return error;
}

EXPORT_BOTH(cudaStreamGetFlags, (void *stream, unsigned *flags), get_flags(stream, flags))
EXPORT_BOTH(cudaStreamGetPriority, (void *stream, int *priority), get_priority(stream, priority))
EXPORT_BOTH(cudaStreamGetId, (void *stream, unsigned long long *id), get_id(stream, id))
EXPORT_BOTH(cudaStreamGetDevice, (void *stream, int *device), get_device(stream, device))

EXPORT_BOTH(cudaStreamGetAttribute, (void *stream, int attribute, void *value),
            rt_stream_get_attribute(stream, attribute, value))
EXPORT_BOTH(cudaStreamSetAttribute, (void *stream, int attribute, const void *value),
            rt_stream_set_attribute(stream, attribute, value))
EXPORT_BOTH(cudaStreamCopyAttributes, (void *stream, void *source), rt_stream_copy_attributes(stream, source))

/* All streams reach managed memory at all times, so there is nothing to attach. */
static RtError attach(void *handle, const void *pointer, unsigned flags)
{
    RtStream *stream = NULL;
    if (!pointer)
        return rt_fail(RT_INVALID_VALUE, "The memory to attach is a null pointer.");
    if (flags != 1 && flags != 2 && flags != 4)
        return rt_fail(RT_INVALID_VALUE, "0x%x is no way to attach memory; there are 1, 2 and 4.", flags);
    return rt_stream_get(handle, &stream);
}

EXPORT_BOTH(cudaStreamAttachMemAsync, (void *stream, void *pointer, size_t length, unsigned flags),
            ((void)length, attach(stream, pointer, flags)))
