/* The inside of captures. */
#ifndef RT_GRAPH_CAPTURE_H
#define RT_GRAPH_CAPTURE_H

#include <pthread.h>

#include "base/vec.h"
#include "rt/graph.h"

/* Invariant: exactly the streams in `streams` and the events in `events` point to the capture. */
struct RtCapture {
    RtGraph *graph;  /* null: it was destroyed meanwhile */
    bool owns_graph; /* until the end: made for this capture */
    RtStream *origin;
    RtCaptureMode mode;
    pthread_t thread;
    uint64_t id;
    bool is_invalid;
    VEC(RtStream *) streams;
    RtNodes left;    /* frontiers of streams that have been destroyed meanwhile */
    VEC(RtEvent *) events;
    RtCapture *next;
};

/* All of them. */
extern RtCapture *captures;
/* How calls of this thread get along with captures. */
extern _Thread_local RtCaptureMode capture_thread_mode;

/* Returns the error that is the reason; of null it does nothing else. */
RtError capture_invalidate(RtCapture *capture, RtError error);
/* Ends it, with the graph if that is its own. */
void capture_drop(RtCapture *capture);
/* Adds nodes to a frontier. */
void capture_extend(RtNodes *frontier, RtNode *const *nodes, size_t count);
void capture_detach_stream(RtStream *stream);
void capture_detach_event(RtEvent *event);

#endif
