/* Events of a timeline, and the file that viewers read. Slices that overlap get lanes of their own: a slice
 * takes the first lane that is free when it begins. Events are gathered in any order and sorted once, so that
 * slices come before what lies within them. Strides say how many of a kind are shown where there are too
 * many. */
#include "report/trace.h"

#include <inttypes.h>
#include <stdlib.h>

#include "report/json.h"

enum { MOST_LANES = 1024, READABLE_LANES = 256, EVENTS_OF_SPAN = 5, FIRST_THREADS = 10000000 };

uint64_t trace_ns(const Trace *trace, Cycle cycle)
{
    /* The product needs more than 64 bits after some hours of simulated time. */
    return (uint64_t)((unsigned __int128)cycle * 1000000 / trace->gpu->config.clock_khz);
}

static TraceLanes *find_lanes(Trace *trace, TraceProcess process, uint32_t group, uint32_t *index)
{
    /* From the last on: events of one group mostly come one after the other. */
    for (uint32_t i = trace->lanes[process].count; i--;) {
        *index = i;
        if (trace->lanes[process].items[i].group == group)
            return &trace->lanes[process].items[i];
    }
    *index = trace->lanes[process].count;
    VEC_PUSH(&trace->lanes[process], ((TraceLanes){.group = group}));
    return &trace->lanes[process].items[*index];
}

uint32_t trace_thread(Trace *trace, TraceProcess process, uint32_t group, uint64_t begin, uint64_t end)
{
    uint32_t index, lane = 0;
    TraceLanes *lanes = find_lanes(trace, process, group, &index);
    while (lane < lanes->until.count && lanes->until.items[lane] > begin)
        lane++;
    if (lane == MOST_LANES) {
        trace->left_out++;
        return 0;
    }
    /* Numbers of threads must be unique across processes: viewers find tracks by them. 0 means none. */
    const uint32_t thread = (uint32_t)process * FIRST_THREADS + index * MOST_LANES + lane + 1;
    if (lane == lanes->until.count) {
        VEC_PUSH(&lanes->until, end);
        VEC_PUSH(&trace->tracks, ((TraceTrack){(uint8_t)process, thread, group, lane}));
    }
    lanes->until.items[lane] = end;
    return thread;
}

/* Whether every `step`-th span finds a lane. */
static bool has_lanes(const TraceSpan *spans, uint32_t count, uint64_t step)
{
    Cycle until[READABLE_LANES] = {0};
    for (uint64_t i = 0; i < count; i += step) {
        uint32_t lane = 0;
        while (lane < READABLE_LANES && until[lane] > spans[i].begin)
            lane++;
        if (lane == READABLE_LANES)
            return false;
        until[lane] = spans[i].end;
    }
    return true;
}

uint64_t trace_step(const TraceSpan *spans, uint32_t count, uint64_t most)
{
    uint64_t step = 1;
    /* Halved until they fit and can be read; a step of a power of two keeps the same ones when it grows. */
    while (count / step * EVENTS_OF_SPAN >= most || !has_lanes(spans, count, step))
        step *= 2;
    return step;
}

void trace_slice(Trace *trace, TraceKind kind, TraceProcess process, uint32_t thread, Cycle from, Cycle to,
                 const KernelRecord *record, const void *of)
{
    VEC_PUSH(&trace->events, ((TraceEvent){
                                 .begin = trace_ns(trace, from),
                                 .end = trace_ns(trace, to),
                                 .thread = thread,
                                 .process = (uint8_t)process,
                                 .kind = (uint8_t)kind,
                                 .record = record,
                                 .of = of,
                             }));
}

void trace_arrow(Trace *trace, TraceKind kind, ArrowKind arrow, uint32_t number, TraceProcess process,
                 uint32_t thread, uint64_t ns)
{
    VEC_PUSH(&trace->events, ((TraceEvent){
                                 .begin = ns,
                                 .end = ns,
                                 .thread = thread,
                                 .process = (uint8_t)process,
                                 .kind = (uint8_t)kind,
                                 .arrow = (uint8_t)arrow,
                                 .number = number,
                             }));
}

void trace_free(Trace *trace)
{
    VEC_FREE(&trace->events);
    VEC_FREE(&trace->tracks);
    VEC_FREE(&trace->stays);
    VEC_FREE(&trace->channels);
    for (unsigned p = 0; p < TRACE_PROCESSES; p++) {
        for (uint32_t i = 0; i < trace->lanes[p].count; i++)
            VEC_FREE(&trace->lanes[p].items[i].until);
        VEC_FREE(&trace->lanes[p]);
    }
}

/* -- texts -- */

static void name_block(const KernelRecord *record, const LoggedBlock *block, const char *behind, char *text,
                       size_t size)
{
    snprintf(text, size, "%s (%u,%u,%u)%s", record->log->names.items[block->name], block->at[0], block->at[1],
             block->at[2], behind);
}

static void name_copy(const KeptCopy *copy, char *text, size_t size)
{
    static const char *const ways[ENGINE_COUNT] = {"to the device", "to the host", "on the device"};
    snprintf(text, size, "%s of %" PRIu64 " bytes %s", copy->is_fill ? "fill" : "copy", copy->bytes,
             ways[copy->engine]);
}

static void name_barrier(const LoggedBarrier *barrier, char *text, size_t size)
{
    if (barrier->phase.name == PHASE_PAUSE_NAME)
        snprintf(text, size, "paused");
    else if (barrier->phase.name >= PHASE_WAIT_NAMES)
        snprintf(text, size, "waits for %s", wait_texts[barrier->phase.name - PHASE_WAIT_NAMES].singular);
    else if (barrier->phase.name == CLUSTER_BARRIER)
        snprintf(text, size, "barrier of the cluster");
    else
        snprintf(text, size, "barrier %u", barrier->phase.name);
}

static const char *const counter_names[COUNTER_COUNT] = {
    [COUNTER_IPC] = "IPC",
    [COUNTER_WARPS] = "resident warps",
    [COUNTER_OCCUPANCY] = "warp slots in use, %",
    [COUNTER_BLOCKS] = "resident blocks",
    [COUNTER_WAITING] = "blocks not dispatched",
    [COUNTER_READY] = "ready blocks of the graph",
    [COUNTER_DRAM] = "DRAM, GB/s",
    [COUNTER_L2_HITS] = "L2 hit rate, %",
    [COUNTER_AWAY] = "blocks off their SMs",
    [COUNTER_HELD] = "warps that wait in place",
    [COUNTER_CONTEXTS] = "contexts moved, GB/s",
    [COUNTER_SYNCS] = "blocks that come to a global sync, in 1000 cycles",
    [COUNTER_EVENTS] = "waits and signals of events, in 1000 cycles",
    [COUNTER_TASKS] = "wavefronts of tasks, in 1000 cycles",
    [COUNTER_LANES] = "lanes filled, %",
    [COUNTER_YIELDS] = "wavefronts that yield, in 1000 cycles",
    [COUNTER_AGGREGATOR] = "aggregator's core busy, %",
    [COUNTER_STALLED] = "no wavefront on the GPU, %",
};

static const char *const arrow_names[] = {
    [ARROW_LAUNCHES] = "launches", [ARROW_RETURNS] = "returns", [ARROW_DEPENDS] = "is waited for by"};

/* Viewers can leave out some of these. */
static const char *const arrow_kinds[] = {
    [ARROW_LAUNCHES] = "launches", [ARROW_RETURNS] = "waits", [ARROW_DEPENDS] = "dependencies"};

static void name_event(const Trace *trace, const TraceEvent *event, char *text, size_t size)
{
    const KernelRecord *record = event->record;
    switch ((TraceKind)event->kind) {
    case SLICE_KERNEL:
        snprintf(text, size, "%s", record->name);
        return;
    case SLICE_KERNEL_STARTS:
        snprintf(text, size, "starts");
        return;
    case SLICE_COPY:
        name_copy(event->of, text, size);
        return;
    case SLICE_STAY:
        name_block(record, &((const LoggedStay *)event->of)->block, "", text, size);
        return;
    case SLICE_RESTORE:
        snprintf(text, size, "restored");
        return;
    case SLICE_SAVE:
        snprintf(text, size, "saved");
        return;
    case SLICE_BARRIER:
        name_barrier(event->of, text, size);
        return;
    case SLICE_LAUNCH:
        snprintf(text, size, "%s", record->log->names.items[((const LoggedLaunch *)event->of)->name]);
        return;
    case SLICE_PENDING:
        snprintf(text, size, "pending");
        return;
    case SLICE_WAIT:
        name_block(record, &((const LoggedWait *)event->of)->block, " waits", text, size);
        return;
    case SLICE_RESUMABLE:
        snprintf(text, size, "may return");
        return;
    case TRACE_COUNTER:
        if (event->number < COUNTER_COUNT)
            snprintf(text, size, "%s", counter_names[event->number]);
        else
            trace_name_channel(trace, event->number, text, size);
        return;
    case ARROW_BEGIN:
    case ARROW_STEP:
    case ARROW_END:
        snprintf(text, size, "%s", arrow_names[event->arrow]);
        return;
    }
}

/* -- arguments -- */

static void put_three(JsonWriter *json, const char *key, const uint32_t values[3])
{
    char text[48];
    snprintf(text, sizeof text, "%u,%u,%u", values[0], values[1], values[2]);
    json_put_text(json, key, text);
}

static void put_sampling(JsonWriter *json, const char *key, uint64_t stride)
{
    char text[48];
    snprintf(text, sizeof text, "1 of %" PRIu64, stride);
    json_put_text(json, key, text);
}

/* A log may have become coarser than others while its kernel ran. */
static uint64_t block_stride(const Trace *trace, const KernelRecord *record)
{
    const uint64_t own = record->log ? record->log->block_stride : 1;
    return own > trace->block_stride ? own : trace->block_stride;
}

static void put_kernel(JsonWriter *json, const Trace *trace, const KernelRecord *record)
{
    json_put_integer(json, "kernel", record->number);
    put_three(json, "grid", record->grid);
    put_three(json, "block", record->block);
    json_put_integer(json, "launched", record->launched);
    json_put_integer(json, "started", record->started);
    json_put_integer(json, "ended", record->ended);
    json_put_integer(json, "cycles", record_cycles(record));
    json_put_integer(json, "warp_instructions", record->warp_instructions);
    json_put_integer(json, "thread_instructions", record->thread_instructions);
    put_sampling(json, "blocks_shown", block_stride(trace, record));
    if (record->status != RECORD_ENDED) {
        json_put_boolean(json, "interrupted", true);
        json_put_text(json, "status", record_status_names[record->status]);
        json_put_text(json, "failure", record->failure);
    }
}

static void put_block(JsonWriter *json, const KernelRecord *record, const LoggedBlock *block)
{
    json_put_integer(json, "kernel", record->number);
    if (block->launch)
        json_put_integer(json, "launch", block->launch);
    json_put_integer(json, "block", block->index);
}

static void put_launch(JsonWriter *json, const KernelRecord *record, const LoggedLaunch *launch)
{
    json_put_integer(json, "kernel", record->number);
    json_put_integer(json, "launch", launch->number);
    json_put_text(json, "kind", launch->is_group ? "group" : "kernel");
    put_three(json, "grid", launch->grid);
    put_three(json, "block", launch->block);
    json_put_integer(json, "parent_launch", launch->parent);
    json_put_integer(json, "parent_block", launch->parent_block);
    json_put_integer(json, "launched", launch->launched);
    json_put_integer(json, "started", launch->started);
    json_put_integer(json, "ended", launch->ended);
}

static void put_stay(JsonWriter *json, const KernelRecord *record, const LoggedStay *stay)
{
    put_block(json, record, &stay->block);
    json_put_integer(json, "dispatched", stay->time.dispatched);
    json_put_integer(json, "started", stay->time.started);
    json_put_integer(json, stay->time.save_begun ? "left" : "ended", stay->time.left);
    if (stay->barriers) {
        json_put_integer(json, "barriers", stay->barriers);
        json_put_integer(json, "barriers_shown", stay->barrier_count);
    }
}

static void put_barrier(JsonWriter *json, const KernelRecord *record, const LoggedBarrier *barrier)
{
    const BarrierPhase *phase = &barrier->phase;
    json_put_integer(json, "number", phase->number);
    json_put_integer(json, "warps", phase->warps);
    json_put_integer(json, "arrived", phase->arrived);
    if (phase->released) {
        json_put_integer(json, "released", phase->released);
        json_put_integer(json, "longest_wait", phase->released - phase->since);
    }
    json_put_text(json, "at", record->log->names.items[barrier->place]);
}

static void put_wait(JsonWriter *json, const KernelRecord *record, const LoggedWait *wait)
{
    put_block(json, record, &wait->block);
    json_put_text(json, "for", log_wait_reason(wait));
    json_put_integer(json, "from_sm", wait->sm);
    json_put_integer(json, "to_sm", wait->back_sm);
    json_put_integer(json, "left", wait->left);
    json_put_integer(json, "resumed", wait->resumed);
    json_put_integer(json, "returned", wait->returned);
}

static void put_arguments(JsonWriter *json, const Trace *trace, const TraceEvent *event)
{
    json_open(json, "args", '{');
    switch ((TraceKind)event->kind) {
    case SLICE_KERNEL:
        put_kernel(json, trace, event->record);
        break;
    case SLICE_STAY:
        put_stay(json, event->record, event->of);
        break;
    case SLICE_BARRIER:
        put_barrier(json, event->record, event->of);
        break;
    case SLICE_LAUNCH:
        put_launch(json, event->record, event->of);
        break;
    case SLICE_WAIT:
        put_wait(json, event->record, event->of);
        break;
    case SLICE_COPY:
        json_put_integer(json, "stream", ((const KeptCopy *)event->of)->stream);
        json_put_integer(json, "bytes", ((const KeptCopy *)event->of)->bytes);
        break;
    case TRACE_COUNTER:
        json_put_ratio(json, "value", event->value);
        break;
    default:
        break;
    }
    json_close(json);
}

/* -- the file -- */

/* Microseconds. Viewers read a binary fraction, multiply and cut off: the last digit keeps them from ending
 * up one nanosecond below. */
static void put_time(JsonWriter *json, const char *key, uint64_t ns)
{
    json_put_ratio(json, key, (Ratio){100 * ns + 1, 100 * 1000});
}

static void put_event(JsonWriter *json, const Trace *trace, const TraceEvent *event)
{
    static const char *const phases[] = {
        [TRACE_COUNTER] = "C", [ARROW_BEGIN] = "s", [ARROW_STEP] = "t", [ARROW_END] = "f"};
    char name[512];
    name_event(trace, event, name, sizeof name);
    json_open_line(json, NULL, '{');
    json_put_text(json, "name", name);
    json_put_text(json, "ph", event->kind < TRACE_COUNTER ? "X" : phases[event->kind]);
    put_time(json, "ts", event->begin);
    if (event->kind < TRACE_COUNTER)
        put_time(json, "dur", event->end - event->begin);
    json_put_integer(json, "pid", event->process);
    if (event->kind != TRACE_COUNTER)
        json_put_integer(json, "tid", event->thread);
    if (event->kind >= ARROW_BEGIN) {
        json_put_text(json, "cat", arrow_kinds[event->arrow]);
        json_put_integer(json, "id", event->number);
        /* The arrow ends at the slice that encloses its end, not at the next one that begins. */
        if (event->kind == ARROW_END)
            json_put_text(json, "bp", "e");
    } else {
        put_arguments(json, trace, event);
    }
    json_close(json);
}

static void put_name(JsonWriter *json, const char *what, uint32_t process, uint32_t thread, const char *name)
{
    json_open_line(json, NULL, '{');
    json_put_text(json, "name", what);
    json_put_text(json, "ph", "M");
    json_put_integer(json, "pid", process);
    if (thread)
        json_put_integer(json, "tid", thread);
    json_open(json, "args", '{');
    if (name)
        json_put_text(json, "name", name);
    else
        json_put_integer(json, "sort_index", thread ? thread : process);
    json_close(json);
    json_close(json);
}

static void name_track(const TraceTrack *track, char *text, size_t size)
{
    static const char *const engines[ENGINE_COUNT] = {"to the device", "to the host", "on the device"};
    switch ((TraceProcess)track->process) {
    case TRACE_KERNELS:
        snprintf(text, size, track->lane ? "stream %u / %u" : "stream %u", track->group, track->lane);
        return;
    case TRACE_SMS:
        snprintf(text, size, "SM %u / %u", track->group, track->lane);
        return;
    case TRACE_COPIES:
        snprintf(text, size, "%s", engines[track->group]);
        return;
    case TRACE_LAUNCHES:
        snprintf(text, size, "launches / %u", track->lane);
        return;
    default:
        snprintf(text, size, "waits / %u", track->lane);
        return;
    }
}

static void put_names(JsonWriter *json, const Trace *trace)
{
    static const char *const processes[TRACE_PROCESSES] = {
        [TRACE_KERNELS] = "Kernels",
        [TRACE_COUNTERS] = "Counters",
        [TRACE_COPIES] = "Copies",
        [TRACE_SMS] = "SMs",
        [TRACE_LAUNCHES] = "Launches by kernels",
        [TRACE_WAITS] = "Blocks that wait off their SM",
    };
    for (uint32_t p = 1; p < TRACE_PROCESSES; p++) {
        if (!trace->lanes[p].count && p != TRACE_COUNTERS)
            continue;
        put_name(json, "process_name", p, 0, processes[p]);
        put_name(json, "process_sort_index", p, 0, NULL);
    }
    for (uint32_t i = 0; i < trace->tracks.count; i++) {
        const TraceTrack *track = &trace->tracks.items[i];
        char text[64];
        name_track(track, text, sizeof text);
        put_name(json, "thread_name", track->process, track->thread, text);
        put_name(json, "thread_sort_index", track->process, track->thread, NULL);
    }
}

/* Of the kernel of which the fewest are shown. */
static uint64_t coarsest(const Trace *trace)
{
    uint64_t stride = trace->block_stride;
    for (uint32_t i = 0; i < trace->gpu->records.count; i++) {
        const uint64_t own = block_stride(trace, trace->gpu->records.items[i]);
        stride = own > stride ? own : stride;
    }
    return stride;
}

static void put_about(JsonWriter *json, const Trace *trace)
{
    json_open(json, "otherData", '{');
    json_put_text(json, "format", "warpbeam-timeline-1");
    json_put_text(json, "gpu", trace->gpu->config.name);
    json_put_integer(json, "clock_khz", trace->gpu->config.clock_khz);
    json_open(json, "sampled", '{');
    put_sampling(json, "kernels", trace->kernel_stride);
    put_sampling(json, "blocks", coarsest(trace));
    put_sampling(json, "launches", trace->launch_stride);
    put_sampling(json, "waits", trace->wait_stride);
    put_sampling(json, "copies", trace->gpu->kept.copy_stride);
    put_sampling(json, "dependencies", trace->edge_stride);
    put_sampling(json, "barriers", trace->barrier_stride);
    put_sampling(json, "blocks_with_barriers", trace->barrier_blocks);
    put_sampling(json, "kernels_with_barriers", trace->gpu->kept.barrier_kernels);
    json_put_integer(json, "samples_joined", trace->joined_samples);
    json_put_integer(json, "left_out", trace->left_out);
    json_close(json);
    json_close(json);
}

/* By time; of slices that begin together the longest first, since it holds the others; then arrows, which
 * find their slices then. */
static int by_time(const void *a, const void *b)
{
    const TraceEvent *one = a, *other = b;
    if (one->begin != other->begin)
        return one->begin < other->begin ? -1 : 1;
    const bool is_arrow = one->kind >= ARROW_BEGIN, is_other = other->kind >= ARROW_BEGIN;
    if (is_arrow != is_other)
        return is_arrow ? 1 : -1;
    if (one->end != other->end)
        return one->end > other->end ? -1 : 1;
    if (one->kind != other->kind)
        return one->kind < other->kind ? -1 : 1;
    if (one->thread != other->thread)
        return one->thread < other->thread ? -1 : 1;
    return one->number < other->number ? -1 : one->number > other->number;
}

void trace_write(Trace *trace, FILE *to)
{
    JsonWriter json = json_begin(to);
    if (trace->events.count)
        qsort(trace->events.items, trace->events.count, sizeof *trace->events.items, by_time);
    json_open(&json, NULL, '{');
    json_put_text(&json, "displayTimeUnit", "ns");
    put_about(&json, trace);
    json_open(&json, "traceEvents", '[');
    put_names(&json, trace);
    for (uint32_t i = 0; i < trace->events.count; i++)
        put_event(&json, trace, &trace->events.items[i]);
    json_close(&json);
    json_close(&json);
}
