/* Events of the runtime: the same objects as the driver's, so each call is one of rt/event.c. */
#include "rt/cudart/cudart.h"

EXPORT int cudaEventCreate(void **event) { return CUDART(rt_event_create(0, (RtEvent **)event)); }

EXPORT int cudaEventCreateWithFlags(void **event, unsigned flags)
{
    return CUDART(rt_event_create(flags, (RtEvent **)event));
}

EXPORT int cudaEventDestroy(void *event) { return CUDART(rt_event_destroy(event)); }

EXPORT_BOTH(cudaEventRecord, (void *event, void *stream), rt_event_record(event, stream, 0))
EXPORT_BOTH(cudaEventRecordWithFlags, (void *event, void *stream, unsigned flags),
            rt_event_record(event, stream, flags))

EXPORT int cudaEventQuery(void *event) { return CUDART(rt_event_query(event)); }

EXPORT int cudaEventSynchronize(void *event) { return CUDART(rt_event_wait(event)); }

EXPORT int cudaEventElapsedTime(float *milliseconds, void *start, void *end)
{
    return CUDART(rt_event_elapsed(start, end, milliseconds));
}

EXPORT int cudaEventElapsedTime_v2(float *milliseconds, void *start, void *end)
{
    return CUDART(rt_event_elapsed(start, end, milliseconds));
}
