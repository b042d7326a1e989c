/* Events: each call is one of rt/event.c, within a context. */
#include "rt/libcuda/libcuda.h"

static RtError create(void **event, unsigned flags)
{
    NEED(event);
    return rt_event_create(flags, (RtEvent **)event);
}

EXPORT int cuEventCreate(void **event, unsigned flags) { return LIBCUDA(create(event, flags)); }

EXPORT int cuEventDestroy_v2(void *event) { return LIBCUDA(rt_event_destroy(event)); }
SAME_AS(cuEventDestroy_v2) int cuEventDestroy(void *event);

STREAM_CALL(cuEventRecord, (void *event, void *stream), rt_event_record(event, stream, 0))
STREAM_CALL(cuEventRecordWithFlags, (void *event, void *stream, unsigned flags),
            rt_event_record(event, stream, flags))

EXPORT int cuEventQuery(void *event) { return LIBCUDA(rt_event_query(event)); }
EXPORT int cuEventSynchronize(void *event) { return LIBCUDA(rt_event_wait(event)); }

static RtError elapsed(float *milliseconds, void *start, void *end)
{
    NEED(milliseconds);
    return rt_event_elapsed(start, end, milliseconds);
}

EXPORT int cuEventElapsedTime(float *milliseconds, void *start, void *end)
{
    return LIBCUDA(elapsed(milliseconds, start, end));
}
SAME_AS(cuEventElapsedTime) int cuEventElapsedTime_v2(float *milliseconds, void *start, void *end);
