/* Streams, and host functions in them: each call is one of rt/stream.c. Contexts of a device share its
 * streams. */
#include "rt/libcuda/libcuda.h"

#include <string.h>

#include "rt/context.h"
#include "rt/host_function.h"

static RtError create(void **stream, unsigned flags, int priority)
{
    NEED(stream);
    return rt_stream_create(flags, priority, (RtStream **)stream);
}

EXPORT int cuStreamCreate(void **stream, unsigned flags)
{
    return LIBCUDA(create(stream, flags, RT_PRIORITY_LEAST));
}

EXPORT int cuStreamCreateWithPriority(void **stream, unsigned flags, int priority)
{
    return LIBCUDA(create(stream, flags, priority));
}

EXPORT int cuStreamDestroy_v2(void *stream) { return LIBCUDA(rt_stream_destroy(stream)); }
SAME_AS(cuStreamDestroy_v2) int cuStreamDestroy(void *stream);

STREAM_CALL(cuStreamSynchronize, (void *stream), rt_stream_wait(stream))
STREAM_CALL(cuStreamQuery, (void *stream), rt_stream_query(stream))
STREAM_CALL(cuStreamWaitEvent, (void *stream, void *event, unsigned flags),
            rt_stream_wait_event(stream, event, flags))

/* -- questions -- */

static RtError get_flags(void *handle, unsigned *flags)
{
    NEED(flags);
    RtStream *stream = NULL;
    RtError error = rt_stream_get(handle, &stream);
    if (!error)
        *flags = stream->flags;
    return error;
}

static RtError get_priority(void *handle, int *priority)
{
    NEED(priority);
    RtStream *stream = NULL;
    RtError error = rt_stream_get(handle, &stream);
    if (!error)
        *priority = stream->priority;
    return error;
}

static RtError get_id(void *handle, uint64_t *id)
{
    NEED(id);
    RtStream *stream = NULL;
    RtError error = rt_stream_get(handle, &stream);
    if (!error)
        *id = stream->id;
    return error;
}

static RtError get_device(void *handle, int *device)
{
    NEED(device);
    RtStream *stream = NULL;
    RtError error = rt_stream_get(handle, &stream);
    if (!error)
        *device = stream->device;
    return error;
}

/* Streams are the device's, whatever context was current when they were created. */
static RtError get_context(void *handle, void **context)
{
    NEED(context);
    RtStream *stream = NULL;
    RtError error = rt_stream_get(handle, &stream);
    if (!error)
        *context = stream->device == rt_device() ? rt_context_current() : rt_primary(stream->device);
    return error;
}

static RtError get_contexts(void *handle, void **context, void **green)
{
    if (green)
        *green = NULL;
    return get_context(handle, context);
}

STREAM_CALL(cuStreamGetFlags, (void *stream, unsigned *flags), get_flags(stream, flags))
STREAM_CALL(cuStreamGetPriority, (void *stream, int *priority), get_priority(stream, priority))
STREAM_CALL(cuStreamGetId, (void *stream, uint64_t *id), get_id(stream, id))
STREAM_CALL(cuStreamGetDevice, (void *stream, int *device), get_device(stream, device))
STREAM_CALL(cuStreamGetCtx, (void *stream, void **context), get_context(stream, context))
STREAM_CALL(cuStreamGetCtx_v2, (void *stream, void **context, void **green),
            get_contexts(stream, context, green))

STREAM_CALL(cuStreamGetAttribute, (void *stream, int attribute, void *value),
            rt_stream_get_attribute(stream, attribute, value))
STREAM_CALL(cuStreamSetAttribute, (void *stream, int attribute, const void *value),
            rt_stream_set_attribute(stream, attribute, value))
STREAM_CALL(cuStreamCopyAttributes, (void *stream, void *source), rt_stream_copy_attributes(stream, source))

/* -- host functions -- */

STREAM_CALL(cuLaunchHostFunc, (void *stream, WbHostFunction *function, void *context),
            rt_host_function(stream, function, context))
STREAM_CALL(cuStreamAddCallback, (void *stream, RtCallback *callback, void *context, unsigned flags),
            rt_host_callback(stream, callback, context, flags))
