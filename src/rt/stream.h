/* Streams and events of a CUDA program. */
#ifndef RT_STREAM_H
#define RT_STREAM_H

#include "rt/operation.h"

typedef struct RtCapture RtCapture;
typedef struct RtNode RtNode;
typedef struct RtStreamAttributes RtStreamAttributes;
typedef struct RtNodes { RtNode **items; uint32_t count, capacity; } RtNodes;

/* What cudaStream_t and CUstream point to. The three special handles 0 (legacy or per-thread, by how the
 * program was built), 1 (legacy) and 2 (per-thread) have objects too. */
struct RtStream {
    int device;
    WbStream *stream;    /* null: the device's default stream in the simulator, which is the legacy one */
    unsigned flags;      /* CUDA's: 1 non-blocking */
    int priority;
    uint64_t id;
    RtCapture *capture;  /* null: not capturing (graph.h) */
    RtStreamAttributes *attributes; /* that were set; null: none */
    RtNodes frontier;    /* while it captures: after which its next node comes */
};

/* What cudaEvent_t and CUevent point to. */
struct RtEvent {
    int device;
    WbEvent *event;
    unsigned flags;      /* CUDA's: 1 blocking sync, 2 disable timing, 4 interprocess */
    bool recorded;
    struct RtSharedEvent *shared; /* of one for several processes; null otherwise (ipc.h) */
    RtCapture *capture;  /* of the capture in which it was recorded last; null: none */
    RtNodes frontier;    /* after which it happens there */
};

/* The handles that mean a stream without having been created. RT_STREAM_DEFAULT is the legacy one in
 * functions of the plain name and the thread's in those that end in _ptsz or _ptds: these pass
 * rt_per_thread(handle) on. */
#define RT_STREAM_DEFAULT ((void *)0)
#define RT_STREAM_LEGACY ((void *)1)
#define RT_STREAM_PER_THREAD ((void *)2)
static inline void *rt_per_thread(const void *handle)
{
    return handle ? (void *)(uintptr_t)handle : RT_STREAM_PER_THREAD;
}

/* CUDA's range of priorities. */
enum { RT_PRIORITY_LEAST = 0, RT_PRIORITY_GREATEST = -5 };
/* Flags of events, of records and of waits. */
enum { RT_EVENT_BLOCKING_SYNC = 1, RT_EVENT_DISABLE_TIMING = 2, RT_EVENT_INTERPROCESS = 4 };
enum { RT_EVENT_EXTERNAL = 1 };

/* The stream of a handle as a program passes it; default streams are the device's. */
RtError rt_stream_get(const void *handle, RtStream **stream);
/* Waits for all that is in a stream, whatever captures. */
RtError rt_stream_drain(const RtStream *stream);
/* What comes next into one stream waits for all that is in the other, which may be of another device. */
RtError rt_stream_follow(int device, WbStream *stream, int before_device, WbStream *before);
RtError rt_stream_create(unsigned flags, int priority, RtStream **stream);
RtError rt_stream_destroy(void *handle);
RtError rt_stream_wait(void *handle);
RtError rt_stream_query(void *handle);
/* Puts the operation, which it takes over, into the stream or, while that captures, into the graph. */
RtError rt_stream_do(RtStream *stream, RtOperation *operation);
/* Attributes are hints, apart from the priority: one that was set is given back and has no effect. Values
 * have the 64 bytes of cudaLaunchAttributeValue. */
RtError rt_stream_get_attribute(void *handle, int attribute, void *value);
RtError rt_stream_set_attribute(void *handle, int attribute, const void *value);
RtError rt_stream_copy_attributes(void *destination, void *source);
/* All streams of the device: cudaDeviceSynchronize. */
RtError rt_wait_all(void);
/* The same before memory goes: while a stream captures that is forbidden only where the capture's mode
 * says so. Host memory is used by all devices. */
RtError rt_wait_to_free(void);
RtError rt_wait_to_free_host(void);

RtError rt_event_get(const void *handle, RtEvent **event);
RtError rt_event_create(unsigned flags, RtEvent **event);
RtError rt_event_destroy(void *handle);
/* The event must be of the stream's device. A stream may wait for events of all devices.
 * `flags` of this and of rt_stream_wait_event(): 0, or RT_EVENT_EXTERNAL, which while the stream captures
 * makes a node of it instead of a dependency. */
RtError rt_event_record(void *event, void *stream, unsigned flags);
RtError rt_event_wait(void *event);
RtError rt_event_query(void *event);
RtError rt_event_elapsed(void *start, void *end, float *milliseconds);
RtError rt_stream_wait_event(void *stream, void *event, unsigned flags);

#endif
