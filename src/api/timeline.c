/* The timeline goes from event to event: it starts what is ready, lets the machine run to the next end,
 * and tells those who wait for it. */
#include "api/gpu.h"

#include <stdio.h>
#include <string.h>

void timeline_init(WbGpu *gpu)
{
    gpu->timeline.default_stream.gpu = gpu;
    gpu->timeline.next_stream = 1;
}

static void free_operation(WbGpu *gpu, Operation *operation)
{
    if (operation->kind == OPERATION_LAUNCH)
        launch_free(gpu, operation);
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

/* An operation of the default stream. What other streams got before its predecessor in that stream ends
 * before that one: so two operations are made to wait for each other at most once, however many streams there
 * are. */
static void wait_for_fresh(Timeline *timeline, Operation *operation)
{
    for (uint32_t i = 0; i < timeline->fresh.count; i++) {
        operation_wait_for(operation, timeline->fresh.items[i]->last);
        timeline->fresh.items[i]->is_fresh = false;
    }
    timeline->fresh.count = 0;
}

static void enter_blocking(Timeline *timeline, Operation *operation)
{
    WbStream *stream = operation->stream;
    operation_wait_for(operation, timeline->default_stream.last);
    if (!stream->is_fresh)
        VEC_PUSH(&timeline->fresh, stream);
    stream->is_fresh = true;
}

/* Where the latest launch of the stream's hardware queue is kept; null: streams have their own queues. */
static Operation **hardware_queue(WbGpu *gpu, const WbStream *stream)
{
    Timeline *timeline = &gpu->timeline;
    if (!gpu->config.hardware_queues)
        return NULL;
    while (timeline->queues.count < gpu->config.hardware_queues)
        VEC_PUSH(&timeline->queues, (Operation *)NULL);
    return &timeline->queues.items[stream->number % gpu->config.hardware_queues];
}

static void enter_queue(WbGpu *gpu, Operation *launch)
{
    Operation **const latest = hardware_queue(gpu, launch->stream);
    if (!latest)
        return;
    if (*latest != launch->stream->last) /* it waits for that one anyway */
        operation_wait_for(launch, *latest);
    *latest = launch;
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
    if (kind == OPERATION_LAUNCH)
        enter_queue(gpu, operation);
    if (operation->stream == first)
        wait_for_fresh(timeline, operation);
    else if (!(operation->stream->flags & WB_STREAM_NON_BLOCKING))
        enter_blocking(timeline, operation);
    operation->stream->last = operation;
    timeline->pending++;
    timeline->waiting_launches += kind == OPERATION_LAUNCH;
    operation->submitted = gpu->now;
    if (timeline->is_calling)
        return operation; /* it is the GPU that does so */
    System *system = gpu->system;
    system_host_catches_up(system);
    operation->submitted = gpu_local(gpu, system->host);
    if (kind == OPERATION_LAUNCH) {
        operation->submitted =
            gpu_local(gpu, system->host + system_cycles(system, gpu->config.host_launch_latency_ns));
        if (!system->is_batch)
            system->host += system_cycles(system, gpu->config.host_launch_ns);
    }
    return operation;
}

/* -- lists -- */

typedef bool ComesBefore(const Operation *a, const Operation *b);

static bool by_turn(const Operation *a, const Operation *b)
{
    return a->stream->priority != b->stream->priority ? a->stream->priority < b->stream->priority
                                                      : a->sequence < b->sequence;
}

static bool by_submission(const Operation *a, const Operation *b)
{
    return a->submitted != b->submitted ? a->submitted < b->submitted : a->sequence < b->sequence;
}

static bool by_end(const Operation *a, const Operation *b) { return a->ended < b->ended; }

/* Behind all that it does not come before. */
static void insert(OperationList *list, Operation *operation, ComesBefore *comes_before)
{
    uint32_t low = 0, high = list->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (comes_before(operation, list->items[middle]))
            high = middle;
        else
            low = middle + 1;
    }
    VEC_PUSH(list, operation);
    memmove(list->items + low + 1, list->items + low, (list->count - 1 - low) * sizeof *list->items);
    list->items[low] = operation;
}

static Operation *take_out(OperationList *list, uint32_t at)
{
    Operation *taken = list->items[at];
    list->count--;
    memmove(list->items + at, list->items + at + 1, (list->count - at) * sizeof *list->items);
    return taken;
}

static void make_ready(WbGpu *gpu, Operation *operation)
{
    Timeline *timeline = &gpu->timeline;
    if (operation->submitted > gpu->now)
        insert(&timeline->later, operation, by_submission);
    else
        insert(operation->kind == OPERATION_LAUNCH ? &timeline->ready_launches : &timeline->ready, operation,
               by_turn);
}

void timeline_release(WbGpu *gpu, Operation *operation)
{
    if (--operation->waits_for == 0)
        make_ready(gpu, operation);
}

void timeline_open(WbGpu *gpu, WbGate *gate)
{
    Timeline *timeline = &gpu->timeline;
    uint32_t at = 0;
    while (timeline->gates.items[at] != gate)
        at++;
    timeline->gates.items[at] = timeline->gates.items[--timeline->gates.count];
    timeline_release(gpu, gate->operation);
    xfree(gate);
}

/* The time has come at which these are submitted. */
static void ready_later(WbGpu *gpu)
{
    OperationList *later = &gpu->timeline.later;
    uint32_t due = 0;
    while (due < later->count && later->items[due]->submitted <= gpu->now)
        make_ready(gpu, later->items[due++]);
    if (due == 0)
        return;
    later->count -= due;
    memmove(later->items, later->items + due, later->count * sizeof *later->items);
}

/* -- starting -- */

static WbStatus start_launch(WbGpu *gpu, Operation *operation, Error *error)
{
    Timeline *timeline = &gpu->timeline;
    timeline->waiting_launches--;
    timeline->active_launches++;
    timeline->cooperative_kernels += operation->launch.kernels->cooperative;
    timeline->graphs += operation->launch.graph != NULL;
    timeline->flows += operation->launch.flow != NULL;
    return launch_start(gpu, operation, error);
}

static void start_copy(WbGpu *gpu, Operation *operation, CopyEngine engine, Cycle cycles, uint64_t bytes)
{
    Cycle *free = &gpu->timeline.engine_free[engine];
    const Cycle start = *free > gpu->now ? *free : gpu->now;
    operation->ended = *free = start + cycles;
    kept_copy(gpu, (KeptCopy){
                       .stream = operation->stream->number,
                       .engine = engine,
                       .is_fill = operation->kind == OPERATION_FILL,
                       .bytes = bytes,
                       .started = start,
                       .ended = operation->ended,
                   });
}

void timeline_move_end(WbGpu *gpu, Operation *operation, Cycle ended)
{
    OperationList *timed = &gpu->timeline.timed;
    uint32_t at = 0;
    while (at < timed->count && timed->items[at] != operation)
        at++;
    const bool has_started = at < timed->count;
    if (has_started)
        take_out(timed, at);
    operation->ended = ended;
    if (has_started)
        insert(timed, operation, by_end);
}

static WbStatus start(WbGpu *gpu, Operation *operation, Error *error)
{
    operation->ended = gpu->now;
    switch (operation->kind) {
    case OPERATION_LAUNCH:
        operation->ended = CYCLE_NEVER;
        return start_launch(gpu, operation, error);
    case OPERATION_COPY:
        if (link_copy_begin(gpu, operation))
            return WB_OK;
        start_copy(gpu, operation, copy_engine(gpu, &operation->copy.copy),
                   copy_cycles(gpu, &operation->copy.copy), copy_bytes(&operation->copy.copy));
        return WB_OK;
    case OPERATION_FILL:
        start_copy(gpu, operation, ENGINE_ON_DEVICE, fill_cycles(gpu, &operation->fill),
                   fill_bytes(&operation->fill));
        return WB_OK;
    case OPERATION_PREFETCH:
        if (prefetch_begin(gpu, &operation->prefetch))
            link_move_begin(gpu, operation);
        return WB_OK;
    case OPERATION_CALL:
    case OPERATION_RECORD:
    case OPERATION_WAIT:
    case OPERATION_GATE:
        break;
    }
    return WB_OK;
}

/* Two cooperative kernels could each hold places that the other needs; there is one Dependency Graph Buffer;
 * and what an untimed kernel writes, caches under a timed one would not know of. */
static bool may_start(const WbGpu *gpu, const Operation *launch)
{
    const bool has_timed = system_runs(gpu->system), has_untimed = gpu->system->functional.runs.count;
    if ((launch->launch.kernels->cooperative && gpu->timeline.cooperative_kernels) ||
        (launch->launch.graph && gpu->timeline.graphs) || (launch->launch.flow && gpu->timeline.flows))
        return false;
    return (!has_timed && !has_untimed) || launch_is_timed(gpu, launch) == has_timed;
}

/* The place among ready_launches of the first that may start, or its count. */
static uint32_t next_launch(const WbGpu *gpu)
{
    const Timeline *timeline = &gpu->timeline;
    uint32_t at = 0;
    if (timeline->active_launches >= gpu->config.concurrent_kernels)
        return timeline->ready_launches.count;
    while (at < timeline->ready_launches.count && !may_start(gpu, timeline->ready_launches.items[at]))
        at++;
    return at;
}

/* What starts next in this cycle, taken out of its list; null: nothing. */
static Operation *take_next(WbGpu *gpu)
{
    Timeline *timeline = &gpu->timeline;
    OperationList *launches = &timeline->ready_launches, *others = &timeline->ready;
    const uint32_t at = next_launch(gpu);
    if (at == launches->count)
        return others->count ? take_out(others, 0) : NULL;
    if (others->count && by_turn(others->items[0], launches->items[at]))
        return take_out(others, 0);
    return take_out(launches, at);
}

/* -- ending -- */

static bool is_over(const WbStream *stream) { return stream->is_destroyed && !stream->last; }

void timeline_sweep(WbGpu *gpu)
{
    Timeline *timeline = &gpu->timeline;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < timeline->fresh.count; i++) {
        if (!is_over(timeline->fresh.items[i]))
            timeline->fresh.items[kept++] = timeline->fresh.items[i];
    }
    timeline->fresh.count = kept;
    kept = 0;
    for (uint32_t i = 0; i < timeline->streams.count; i++) {
        WbStream *stream = timeline->streams.items[i];
        if (is_over(stream))
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
        gpu->timeline.active_launches--;
        gpu->timeline.cooperative_kernels -= operation->launch.kernels->cooperative;
        gpu->timeline.graphs -= operation->launch.graph != NULL;
        gpu->timeline.flows -= operation->launch.flow != NULL;
        gpu->progress.launches_done += operation->launch.count;
        return WB_OK;
    case OPERATION_COPY:
        link_copy_end(gpu, operation);
        return copy_perform(gpu, &operation->copy.copy, operation->copy.staged, error);
    case OPERATION_FILL:
        return fill_perform(gpu, &operation->fill, error);
    case OPERATION_PREFETCH:
        link_copy_end(gpu, operation);
        prefetch_end(gpu, &operation->prefetch);
        return WB_OK;
    case OPERATION_CALL:
        gpu->timeline.is_calling = true;
        operation->call.function(operation->call.context);
        gpu->timeline.is_calling = false;
        error_clear(error); /* what the function was refused is no failure of the call that waits */
        return WB_OK;
    case OPERATION_RECORD:
    case OPERATION_WAIT:
    case OPERATION_GATE:
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
        timeline_release(operation->successors.items[i]->stream->gpu, operation->successors.items[i]);
    if (operation->notice)
        *operation->notice = true;
    if (stream->last == operation)
        stream->last = NULL;
    Operation **const queue = operation->kind == OPERATION_LAUNCH ? hardware_queue(gpu, stream) : NULL;
    if (queue && *queue == operation)
        *queue = NULL;
    if (is_over(stream))
        timeline_sweep(gpu);
    gpu->timeline.pending--;
    free_operation(gpu, operation);
}

static WbStatus end(WbGpu *gpu, Operation *operation, Error *error)
{
    const WbStatus status = take_effect(gpu, operation, error);
    let_go(gpu, operation);
    return status;
}

WbStatus timeline_end_due(WbGpu *gpu, Error *error)
{
    OperationList *timed = &gpu->timeline.timed, *on_machine = &gpu->timeline.on_machine;
    while (timed->count && timed->items[0]->ended <= gpu->now) {
        if (end(gpu, take_out(timed, 0), error))
            return error->status;
    }
    for (uint32_t i = 0; i < on_machine->count;) {
        Operation *operation = on_machine->items[i];
        if (launch_end_due(gpu, operation, error))
            return error->status;
        if (operation->launch.running) {
            i++;
            continue;
        }
        operation->ended = gpu->now;
        if (end(gpu, take_out(on_machine, i), error))
            return error->status;
    }
    return WB_OK;
}

/* What takes no time ends at once, and what it makes ready has its turn by the same order as all others. */
WbStatus timeline_start_ready(WbGpu *gpu, Error *error)
{
    Timeline *timeline = &gpu->timeline;
    Operation *operation;
    ready_later(gpu);
    while ((operation = take_next(gpu))) {
        const WbStatus status = start(gpu, operation, error);
        if (operation->kind >= OPERATION_CALL) {
            if (end(gpu, operation, error))
                return error->status;
            continue;
        }
        if (operation->kind == OPERATION_LAUNCH && operation->launch.running)
            VEC_PUSH(&timeline->on_machine, operation);
        else
            insert(&timeline->timed, operation, by_end);
        if (status)
            return status;
    }
    return WB_OK;
}

Cycle timeline_next(const WbGpu *gpu)
{
    const Timeline *timeline = &gpu->timeline;
    if (timeline->ready.count || next_launch(gpu) < timeline->ready_launches.count)
        return gpu->now;
    Cycle next = CYCLE_NEVER;
    if (timeline->timed.count)
        next = clock_earlier(next, timeline->timed.items[0]->ended);
    if (timeline->later.count)
        next = clock_earlier(next, timeline->later.items[0]->submitted);
    for (uint32_t i = 0; i < timeline->on_machine.count; i++)
        next = clock_earlier(next, launch_next_end(timeline->on_machine.items[i]));
    return next;
}

static void forget(WbGpu *gpu)
{
    Timeline *timeline = &gpu->timeline;
    timeline->active_launches = timeline->waiting_launches = 0;
    timeline->cooperative_kernels = timeline->graphs = timeline->flows = 0;
    gpu->progress.launches_known = gpu->progress.launches_done;
    link_copies_forget(gpu);
    while (timeline->gates.count)
        timeline_open(gpu, timeline->gates.items[0]);
}

/* Lets go of all that waits for nothing. False: there was nothing. */
static bool drop_ready(WbGpu *gpu)
{
    enum { LISTS = 5 };
    Timeline *timeline = &gpu->timeline;
    OperationList *const lists[LISTS] = {&timeline->on_machine, &timeline->timed, &timeline->ready_launches,
                                         &timeline->ready, &timeline->later};
    for (bool any = false;; any = true) {
        uint32_t i = 0;
        while (i < LISTS && !lists[i]->count)
            i++;
        if (i == LISTS)
            return any;
        Operation *operation = lists[i]->items[--lists[i]->count];
        operation->ended = gpu->now;
        let_go(gpu, operation);
    }
}

/* What is let go makes others ready, of this GPU or of another, so all operations pass through here. */
void timelines_drop(System *system)
{
    FOR_GPUS(gpu, system)
        forget(gpu);
    for (bool any = true; any;) {
        any = false;
        FOR_GPUS(gpu, system)
            any |= drop_ready(gpu);
    }
}

void timeline_free(WbGpu *gpu)
{
    Timeline *timeline = &gpu->timeline;
    forget(gpu);
    for (uint32_t i = 0; i < timeline->streams.count; i++)
        xfree(timeline->streams.items[i]);
    VEC_FREE(&timeline->streams);
    VEC_FREE(&timeline->fresh);
    VEC_FREE(&timeline->queues);
    VEC_FREE(&timeline->gates);
    VEC_FREE(&timeline->later);
    VEC_FREE(&timeline->ready);
    VEC_FREE(&timeline->ready_launches);
    VEC_FREE(&timeline->on_machine);
    VEC_FREE(&timeline->timed);
}
