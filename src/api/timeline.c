#include "api/gpu.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

void timeline_init(WbGpu *gpu) { gpu->timeline.default_stream.gpu = gpu; }

static void free_operation(Operation *operation)
{
    if (operation->kind == OPERATION_LAUNCH)
        xfree(operation->launch.order.parameters);
    if (operation->kind == OPERATION_COPY)
        xfree(operation->copy.staged);
    VEC_FREE(&operation->successors);
    xfree(operation);
}

/* -- putting in -- */

void operation_wait_for(Operation *operation, Operation *earlier)
{
    if (!earlier || earlier == operation)
        return;
    VEC_PUSH(&earlier->successors, operation);
    operation->waits_for++;
}

Operation *timeline_put(WbGpu *gpu, WbStream *stream, OperationKind kind)
{
    Timeline *timeline = &gpu->timeline;
    WbStream *const first = &timeline->default_stream;
    Operation *operation = xcalloc(1, sizeof *operation);
    *operation = (Operation){
        .kind = kind,
        .stream = stream ? stream : first,
        .sequence = timeline->next_sequence++,
        .ended = CYCLE_NEVER,
        .waits_for = 1, /* for timeline_release() */
    };
    operation_wait_for(operation, operation->stream->last);
    for (uint32_t i = 0; operation->stream == first && i < timeline->streams.count; i++) {
        if (!(timeline->streams.items[i]->flags & WB_STREAM_NON_BLOCKING))
            operation_wait_for(operation, timeline->streams.items[i]->last);
    }
    if (operation->stream != first && !(operation->stream->flags & WB_STREAM_NON_BLOCKING))
        operation_wait_for(operation, first->last);
    operation->stream->last = operation;
    timeline->pending++;
    if (timeline->host < gpu->now)
        timeline->host = gpu->now;
    operation->submitted = timeline->host;
    if (kind == OPERATION_LAUNCH) {
        timeline->waiting_launches++;
        timeline->host += gpu_cycles(gpu, gpu->config.host_launch_ns);
    }
    return operation;
}

static bool comes_before(const Operation *a, const Operation *b)
{
    return a->stream->priority != b->stream->priority ? a->stream->priority < b->stream->priority
                                                      : a->sequence < b->sequence;
}

static void make_ready(Timeline *timeline, Operation *operation)
{
    VEC_PUSH(&timeline->ready, operation);
    uint32_t at = timeline->ready.count - 1;
    for (; at && comes_before(operation, timeline->ready.items[at - 1]); at--)
        timeline->ready.items[at] = timeline->ready.items[at - 1];
    timeline->ready.items[at] = operation;
}

void timeline_release(WbGpu *gpu, Operation *operation)
{
    if (--operation->waits_for == 0)
        make_ready(&gpu->timeline, operation);
}

/* -- starting -- */

/* The name as written in the source, of a function at file scope: "_Z3addPf" is "add". */
static void plain_name(const char *mangled, char *name, size_t size)
{
    unsigned length = 0;
    int used = 0;
    if (sscanf(mangled, "_Z%u%n", &length, &used) == 1 && length <= strlen(mangled + used))
        snprintf(name, size, "%.*s", (int)length, mangled + used);
    else
        snprintf(name, size, "%s", mangled);
}

static bool is_timed(const WbGpu *gpu, const WbKernel *kernel)
{
    if (gpu->config.mode != MODE_CYCLE)
        return false;
    char plain[512];
    plain_name(kernel_name(kernel), plain, sizeof plain);
    return fnmatch(gpu->config.timed_kernels, kernel_name(kernel), 0) == 0 ||
           fnmatch(gpu->config.timed_kernels, plain, 0) == 0;
}

static WbStatus run_untimed(WbGpu *gpu, Operation *operation, Launch *launch)
{
    gpu->machine.clock = gpu->now;
    const WbStatus status = launch_run_functional(gpu, &operation->launch.order, launch);
    operation->ended = gpu->machine.clock > gpu->now ? gpu->machine.clock : gpu->now;
    xfree((void *)launch->parameters);
    return status;
}

static WbStatus start_launch(WbGpu *gpu, Operation *operation, Error *error)
{
    LaunchOrder *order = &operation->launch.order;
    Launch launch;
    if (launch_describe(gpu, order, &launch, error))
        return error->status;
    gpu->timeline.waiting_launches--;
    gpu->timeline.active_kernels++;
    gpu->timeline.cooperative_kernels += order->cooperative;
    if (!is_timed(gpu, order->kernel))
        return run_untimed(gpu, operation, &launch);
    if (cycle_start(gpu, order, &launch, &operation->launch.kernel, error))
        xfree((void *)launch.parameters);
    return error->status;
}

static void start_copy(WbGpu *gpu, Operation *operation, CopyEngine engine, Cycle cycles)
{
    Cycle *free = &gpu->timeline.engine_free[engine];
    const Cycle start = *free > gpu->now ? *free : gpu->now;
    operation->ended = *free = start + cycles;
}

static WbStatus start(WbGpu *gpu, Operation *operation, Error *error)
{
    operation->ended = gpu->now;
    switch (operation->kind) {
    case OPERATION_LAUNCH:
        operation->ended = CYCLE_NEVER;
        return start_launch(gpu, operation, error);
    case OPERATION_COPY:
        start_copy(gpu, operation, copy_engine(gpu, &operation->copy.copy),
                   copy_cycles(gpu, &operation->copy.copy));
        return WB_OK;
    case OPERATION_FILL:
        start_copy(gpu, operation, ENGINE_ON_DEVICE, fill_cycles(gpu, &operation->fill));
        return WB_OK;
    case OPERATION_CALL:
    case OPERATION_RECORD:
    case OPERATION_WAIT:
        break;
    }
    return WB_OK;
}

/* Two cooperative kernels could each hold places that the other needs. */
static bool may_start(const WbGpu *gpu, const Operation *operation)
{
    const Timeline *timeline = &gpu->timeline;
    if (operation->submitted > gpu->now)
        return false;
    if (operation->kind != OPERATION_LAUNCH)
        return true;
    return timeline->active_kernels < gpu->config.concurrent_kernels &&
           !(operation->launch.order.cooperative && timeline->cooperative_kernels);
}

static WbStatus start_ready(WbGpu *gpu, Error *error)
{
    Timeline *timeline = &gpu->timeline;
    for (uint32_t i = 0; i < timeline->ready.count;) {
        Operation *operation = timeline->ready.items[i];
        if (!may_start(gpu, operation)) {
            i++;
            continue;
        }
        timeline->ready.count--;
        memmove(timeline->ready.items + i, timeline->ready.items + i + 1,
                (timeline->ready.count - i) * sizeof *timeline->ready.items);
        VEC_PUSH(&timeline->running, operation);
        if (start(gpu, operation, error))
            return error->status;
    }
    return WB_OK;
}

/* -- ending -- */

void timeline_sweep(WbGpu *gpu)
{
    Timeline *timeline = &gpu->timeline;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < timeline->streams.count; i++) {
        WbStream *stream = timeline->streams.items[i];
        if (stream->is_destroyed && !stream->last)
            xfree(stream);
        else
            timeline->streams.items[kept++] = stream;
    }
    timeline->streams.count = kept;
}

static WbStatus take_effect(WbGpu *gpu, Operation *operation, Error *error)
{
    switch (operation->kind) {
    case OPERATION_LAUNCH:
        gpu->timeline.active_kernels--;
        gpu->timeline.cooperative_kernels -= operation->launch.order.cooperative;
        if (operation->launch.kernel)
            cycle_end(gpu, operation->launch.kernel);
        return WB_OK;
    case OPERATION_COPY:
        return copy_perform(gpu, &operation->copy.copy, operation->copy.staged, error);
    case OPERATION_FILL:
        return fill_perform(gpu, &operation->fill, error);
    case OPERATION_CALL:
        operation->call.function(operation->call.context);
        return WB_OK;
    case OPERATION_RECORD:
    case OPERATION_WAIT:
        break;
    }
    return WB_OK;
}

/* Whoever waits for the operation goes on; it is gone afterwards. */
static void let_go(WbGpu *gpu, Operation *operation)
{
    WbStream *stream = operation->stream;
    if (operation->kind == OPERATION_RECORD && operation->event) {
        operation->event->ended = operation->ended;
        operation->event->operation = NULL;
    }
    for (uint32_t i = 0; i < operation->successors.count; i++)
        timeline_release(gpu, operation->successors.items[i]);
    if (operation->notice)
        *operation->notice = true;
    if (stream->last == operation)
        stream->last = NULL;
    if (stream->is_destroyed)
        timeline_sweep(gpu);
    gpu->timeline.pending--;
    free_operation(operation);
}

static Cycle end_of(const Operation *operation)
{
    const bool on_machine = operation->kind == OPERATION_LAUNCH && operation->launch.kernel;
    return on_machine ? operation->launch.kernel->grid.ended : operation->ended;
}

static WbStatus end_due(WbGpu *gpu, Error *error)
{
    Timeline *timeline = &gpu->timeline;
    for (uint32_t i = 0; i < timeline->running.count;) {
        Operation *operation = timeline->running.items[i];
        if (end_of(operation) > gpu->now) {
            i++;
            continue;
        }
        operation->ended = end_of(operation);
        timeline->running.count--;
        memmove(timeline->running.items + i, timeline->running.items + i + 1,
                (timeline->running.count - i) * sizeof *timeline->running.items);
        const WbStatus status = take_effect(gpu, operation, error);
        let_go(gpu, operation);
        if (status)
            return status;
    }
    return WB_OK;
}

/* -- running -- */

/* When the timeline itself has something to do next. */
static Cycle next_event(const WbGpu *gpu)
{
    Cycle next = CYCLE_NEVER;
    for (uint32_t i = 0; i < gpu->timeline.running.count; i++) {
        const Cycle end = end_of(gpu->timeline.running.items[i]);
        next = end < next ? end : next;
    }
    for (uint32_t i = 0; i < gpu->timeline.ready.count; i++) {
        const Operation *operation = gpu->timeline.ready.items[i];
        if (may_start(gpu, operation))
            return gpu->now;
        next = operation->submitted > gpu->now && operation->submitted < next ? operation->submitted : next;
    }
    return next;
}

static WbStatus step(WbGpu *gpu, Cycle limit, Error *error)
{
    const Cycle next = next_event(gpu), until = next < limit ? next : limit;
    if (gpu->cycle && gpu->cycle->running.count)
        return cycle_advance(gpu, until, error);
    gpu->now = until;
    return WB_OK;
}

static void drop_all(WbGpu *gpu)
{
    Timeline *timeline = &gpu->timeline;
    if (gpu->cycle && gpu->cycle->running.count)
        cycle_drop(gpu);
    timeline->active_kernels = timeline->cooperative_kernels = timeline->waiting_launches = 0;
    /* What ends makes others ready, so all of them pass through here. */
    while (timeline->pending) {
        const bool runs = timeline->running.count != 0;
        Operation *operation = runs ? timeline->running.items[--timeline->running.count]
                                    : timeline->ready.items[--timeline->ready.count];
        operation->ended = gpu->now;
        let_go(gpu, operation);
    }
}

/* Says how many launches did not come to run because of the failure. */
static void tell_dropped(const WbGpu *gpu, Error *error)
{
    const uint32_t dropped = gpu->timeline.waiting_launches;
    const size_t length = strlen(error->text);
    if (dropped)
        snprintf(error->text + length, sizeof error->text - length,
                 " The %u launch%s queued behind it did not run.", dropped, dropped == 1 ? "" : "es");
}

static double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Goes on until `done` is set, nothing is left, or `limit` is reached. */
static WbStatus go_on(WbGpu *gpu, const bool *done, Cycle limit, Error *error)
{
    if (gpu->unreported.status != WB_OK) {
        *error = gpu->unreported;
        error_clear(&gpu->unreported);
        return error->status;
    }
    const double start = clock_seconds();
    WbStatus status = WB_OK;
    while (status == WB_OK) {
        status = start_ready(gpu, error);
        if (status == WB_OK)
            status = end_due(gpu, error);
        if (status != WB_OK || *done || !gpu->timeline.pending)
            break;
        if (next_event(gpu) <= gpu->now)
            continue;
        if (gpu->now >= limit)
            break;
        status = step(gpu, limit, error);
    }
    gpu->seconds += clock_seconds() - start;
    if (status != WB_OK) {
        tell_dropped(gpu, error);
        drop_all(gpu);
    }
    return status;
}

WbStatus timeline_run(WbGpu *gpu, Operation *until, Error *error)
{
    bool done = false;
    if (until)
        until->notice = &done;
    const WbStatus status = go_on(gpu, &done, CYCLE_NEVER, error);
    if (gpu->timeline.host < gpu->now)
        gpu->timeline.host = gpu->now;
    return status;
}

WbStatus timeline_peek(WbGpu *gpu, Operation *until, Cycle cycles, Error *error)
{
    bool done = false;
    if (!until)
        return WB_OK;
    until->notice = &done;
    if (gpu->timeline.host < gpu->now)
        gpu->timeline.host = gpu->now;
    const WbStatus status = go_on(gpu, &done, gpu->timeline.host + cycles, error);
    if (!done)
        until->notice = NULL;
    if (gpu->timeline.host < gpu->now)
        gpu->timeline.host = gpu->now;
    return status ? status : done ? WB_OK : WB_NOT_READY;
}

void timeline_free(WbGpu *gpu)
{
    drop_all(gpu);
    for (uint32_t i = 0; i < gpu->timeline.streams.count; i++)
        xfree(gpu->timeline.streams.items[i]);
    VEC_FREE(&gpu->timeline.streams);
    VEC_FREE(&gpu->timeline.ready);
    VEC_FREE(&gpu->timeline.running);
}
