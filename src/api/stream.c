/* Streams and events of the C API: what is put in is checked here; the timeline says when it happens. */
#include "api/graph.h"

/* A query lets so much simulated time pass, so that a program that polls comes to an end. */
enum { QUERY_NS = 1000 };

Cycle gpu_cycles(const WbGpu *gpu, uint64_t nanoseconds)
{
    const unsigned __int128 ticks = (unsigned __int128)nanoseconds * gpu->config.clock_khz;
    return (Cycle)((ticks + 999999) / 1000000);
}

static double to_nanoseconds(const WbGpu *gpu, Cycle time)
{
    return (double)time * 1e6 / (double)gpu->config.clock_khz;
}

WbStatus stream_check(WbGpu *gpu, const WbStream *stream, Error *error)
{
    if (!stream || stream->gpu == gpu)
        return WB_OK;
    return error_set(error, WB_ERROR_ARGUMENT, "The stream belongs to another GPU.");
}

WbStatus wb_stream_create(WbGpu *gpu, unsigned flags, int priority, WbStream **stream)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(gpu);
    if (!stream || flags > WB_STREAM_NON_BLOCKING)
        return gpu_end(gpu, error_set(error, WB_ERROR_ARGUMENT,
                                      "wb_stream_create needs a place for the stream, and flags of 0 or "
                                      "WB_STREAM_NON_BLOCKING."));
    *stream = xcalloc(1, sizeof **stream);
    **stream =
        (WbStream){.gpu = gpu, .number = gpu->timeline.next_stream++, .flags = flags, .priority = priority};
    VEC_PUSH(&gpu->timeline.streams, *stream);
    return WB_OK;
}

void wb_stream_destroy(WbStream *stream)
{
    if (!stream)
        return;
    stream->is_destroyed = true;
    timeline_sweep(stream->gpu);
}

WbStatus wb_stream_copy(WbGpu *gpu, WbStream *stream, const WbCopy *copy)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    if (!copy)
        return gpu_refuse(gpu, "wb_stream_copy needs a copy; it was null.");
    Error *error = gpu_begin(gpu);
    if (stream_check(gpu, stream, error) || copy_check(gpu, copy, error))
        return gpu_end(gpu, error->status);
    Operation *operation = timeline_put(gpu, stream, OPERATION_COPY);
    operation->copy.copy = *copy;
    operation->copy.staged = copy->reads_now ? copy_stage(gpu, copy) : NULL;
    timeline_release(gpu, operation);
    return WB_OK;
}

WbStatus wb_stream_fill(WbGpu *gpu, WbStream *stream, const WbFill *fill)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    if (!fill)
        return gpu_refuse(gpu, "wb_stream_fill needs a fill; it was null.");
    Error *error = gpu_begin(gpu);
    if (stream_check(gpu, stream, error) || fill_check(gpu, fill, error))
        return gpu_end(gpu, error->status);
    Operation *operation = timeline_put(gpu, stream, OPERATION_FILL);
    operation->fill = *fill;
    timeline_release(gpu, operation);
    return WB_OK;
}

WbStatus wb_stream_call(WbGpu *gpu, WbStream *stream, WbHostFunction *function, void *context)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    if (!function)
        return gpu_refuse(gpu, "wb_stream_call needs a function; it was null.");
    Error *error = gpu_begin(gpu);
    if (stream_check(gpu, stream, error))
        return gpu_end(gpu, error->status);
    Operation *operation = timeline_put(gpu, stream, OPERATION_CALL);
    operation->call.function = function;
    operation->call.context = context;
    timeline_release(gpu, operation);
    return WB_OK;
}

WbStatus wb_stream_gate(WbGpu *gpu, WbStream *stream, WbGate **gate)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    if (!gate)
        return gpu_refuse(gpu, "wb_stream_gate needs a place for the gate; it was null.");
    Error *error = gpu_begin(gpu);
    if (stream_check(gpu, stream, error))
        return gpu_end(gpu, error->status);
    *gate = xmalloc(sizeof **gate);
    **gate = (WbGate){.gpu = gpu, .operation = timeline_put(gpu, stream, OPERATION_GATE)};
    VEC_PUSH(&gpu->timeline.gates, *gate);
    return WB_OK; /* it is released when it is opened */
}

void wb_gate_open(WbGate *gate)
{
    if (gate)
        timeline_open(gate->gpu, gate);
}

/* What a function of a stream does is the GPU's doing, and takes the host no time. */
void wb_batch_begin(WbGpu *gpu)
{
    if (!gpu || !gpu->config.graph_launch_ns)
        return;
    System *system = gpu->system;
    system->is_batch = true;
    if (gpu->timeline.is_calling)
        return;
    system_host_catches_up(system);
    system->host += system_cycles(system, gpu->config.graph_launch_ns);
}

void wb_batch_end(WbGpu *gpu)
{
    if (gpu)
        gpu->system->is_batch = false;
}

/* The default stream waits for what all blocking ones hold, which an empty operation in it does. */
static Operation *latest(WbGpu *gpu, WbStream *stream)
{
    if (stream)
        return stream->last;
    Operation *marker = timeline_put(gpu, NULL, OPERATION_WAIT);
    timeline_release(gpu, marker);
    return marker;
}

WbStatus wb_stream_wait(WbGpu *gpu, WbStream *stream)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(gpu);
    if (stream_check(gpu, stream, error))
        return gpu_end(gpu, error->status);
    Operation *until = latest(gpu, stream);
    return gpu_end(gpu, until ? timeline_wait(gpu, until, error) : timeline_report(gpu, error));
}

/* Of the default stream too only what is in itself counts: what it would wait for was put in before. */
WbStatus wb_stream_query(WbGpu *gpu, WbStream *stream)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(gpu);
    if (stream_check(gpu, stream, error))
        return gpu_end(gpu, error->status);
    Operation *last = (stream ? stream : &gpu->timeline.default_stream)->last;
    return gpu_end(gpu, timeline_peek(gpu, last, QUERY_NS, error));
}

WbStatus wb_wait(WbGpu *gpu)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(gpu);
    return gpu_end(gpu, timeline_wait(gpu, NULL, error));
}

WbStatus wb_gpu_flush(WbGpu *gpu)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    const WbStatus status = timeline_run(gpu, NULL, gpu_begin(gpu));
    gpu->touches.count = 0;
    gpu->is_flushed = !gpu->cycle;
    if (status == WB_OK && gpu->cycle)
        cycle_flush(gpu->cycle);
    return gpu_end(gpu, status);
}

double wb_time(const WbGpu *gpu)
{
    if (!gpu)
        return 0;
    return system_nanoseconds(gpu->system, clock_later(gpu->system->host, gpu->system->now));
}

WbStatus wb_event_create(WbGpu *gpu, WbEvent **event)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    if (!event)
        return gpu_refuse(gpu, "wb_event_create needs a place for the event; it was null.");
    *event = xcalloc(1, sizeof **event);
    (*event)->gpu = gpu;
    return WB_OK;
}

void wb_event_destroy(WbEvent *event)
{
    if (event && event->operation)
        event->operation->event = NULL;
    xfree(event);
}

WbStatus wb_event_record(WbEvent *event, WbStream *stream)
{
    if (!event)
        return WB_ERROR_ARGUMENT;
    WbGpu *gpu = event->gpu;
    Error *error = gpu_begin(gpu);
    if (stream_check(gpu, stream, error))
        return gpu_end(gpu, error->status);
    Operation *operation = timeline_put(gpu, stream, OPERATION_RECORD);
    if (event->operation)
        event->operation->event = NULL;
    operation->event = event;
    event->operation = operation;
    event->is_recorded = true;
    timeline_release(gpu, operation);
    return WB_OK;
}

WbStatus wb_stream_wait_event(WbGpu *gpu, WbStream *stream, WbEvent *event)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    if (!event)
        return gpu_refuse(gpu, "wb_stream_wait_event needs an event; it was null.");
    Error *error = gpu_begin(gpu);
    if (stream_check(gpu, stream, error))
        return gpu_end(gpu, error->status);
    if (event->gpu->system != gpu->system)
        return gpu_end(gpu, error_set(error, WB_ERROR_ARGUMENT, "The event belongs to another GPU."));
    Operation *operation = timeline_put(gpu, stream, OPERATION_WAIT);
    operation_wait_for(operation, event->operation);
    timeline_release(gpu, operation);
    return WB_OK;
}

WbStatus wb_event_wait(WbEvent *event)
{
    if (!event)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(event->gpu);
    return event->operation ? gpu_end(event->gpu, timeline_wait(event->gpu, event->operation, error)) : WB_OK;
}

WbStatus wb_event_query(WbEvent *event)
{
    if (!event)
        return WB_ERROR_ARGUMENT;
    WbGpu *gpu = event->gpu;
    return gpu_end(gpu, timeline_peek(gpu, event->operation, QUERY_NS, gpu_begin(gpu)));
}

WbStatus wb_event_time(WbEvent *event, double *nanoseconds)
{
    if (!event)
        return WB_ERROR_ARGUMENT;
    if (!nanoseconds)
        return gpu_refuse(event->gpu, "wb_event_time needs a place for its answer; it was null.");
    Error *error = gpu_begin(event->gpu);
    if (!event->is_recorded)
        return gpu_end(event->gpu, error_set(error, WB_ERROR_ARGUMENT, "The event has never been recorded."));
    if (event->operation)
        return WB_NOT_READY;
    *nanoseconds = to_nanoseconds(event->gpu, event->ended);
    return WB_OK;
}
