/* The file that viewers of timelines read. Events are gathered in any order and sorted once, so that slices
 * come before what lies within them. */
#include "report/trace.h"

#include <inttypes.h>
#include <stdlib.h>

#include "report/json.h"

/* -- texts -- */

static void name_block(const KernelRecord *record, const LoggedBlock *block, const char *behind, char *text,
                       size_t size)
{
    snprintf(text, size, "%s (%u,%u,%u)%s", record->log->names.items[block->name], block->at[0], block->at[1],
             block->at[2], behind);
}

static void name_copy(const KeptCopy *copy, char *text, size_t size)
{
    static const char *const ways[ENGINE_COUNT] = {"to the device", "to the host", "on the device",
                                                   "between GPUs"};
    if (copy->from != copy->to)
        snprintf(text, size, "copy of %" PRIu64 " bytes from GPU %u to GPU %u", copy->bytes, copy->from,
                 copy->to);
    else
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
    [COUNTER_LINKS_OUT] = "links to other GPUs busy, %",
    [COUNTER_LINKS_IN] = "links from other GPUs busy, %",
    [COUNTER_PCIE_OUT] = "PCIe to the host busy, %",
    [COUNTER_PCIE_IN] = "PCIe from the host busy, %",
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

/* A GPU of several is one process. */
static uint32_t process_of(const Traces *traces, const Trace *trace, uint32_t process)
{
    return traces->gpus.count > 1 ? trace->place + 1 : process;
}

/* Of GPUs that were connected when they ran, links are a process behind them. */
static uint32_t links_process(const Traces *traces) { return traces->gpus.count + 1; }

static void put_link(JsonWriter *json, const Traces *traces, const TraceEvent *event)
{
    const ReportLink *link = &traces->links.items[event->number];
    char name[80];
    snprintf(name, sizeof name, "%s to %s, %s", link->from, link->to, link->kind ? "busy, %" : "GB/s");
    json_open_line(json, NULL, '{');
    json_put_text(json, "name", name);
    json_put_text(json, "ph", "C");
    put_time(json, "ts", event->begin);
    json_put_integer(json, "pid", links_process(traces));
    json_open(json, "args", '{');
    json_put_ratio(json, "value", event->value);
    json_close(json);
    json_close(json);
}

static void put_event(JsonWriter *json, const Traces *traces, const TraceEvent *event)
{
    if (event->trace == traces->gpus.count) {
        put_link(json, traces, event);
        return;
    }
    const Trace *trace = &traces->gpus.items[event->trace];
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
    json_put_integer(json, "pid", process_of(traces, trace, event->process));
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
    static const char *const engines[ENGINE_COUNT] = {"to the device", "to the host", "on the device",
                                                   "between GPUs"};
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

/* Of the GPU, or of each kind of its tracks. */
static void put_processes(JsonWriter *json, const Traces *traces, const Trace *trace)
{
    static const char *const processes[TRACE_PROCESSES] = {
        [TRACE_KERNELS] = "Kernels",
        [TRACE_COUNTERS] = "Counters",
        [TRACE_COPIES] = "Copies",
        [TRACE_SMS] = "SMs",
        [TRACE_LAUNCHES] = "Launches by kernels",
        [TRACE_WAITS] = "Blocks that wait off their SM",
    };
    if (traces->gpus.count > 1) {
        char name[160];
        snprintf(name, sizeof name, "GPU %u, %.120s", trace->gpu->index, trace->gpu->config.name);
        put_name(json, "process_name", process_of(traces, trace, 0), 0, name);
        put_name(json, "process_sort_index", process_of(traces, trace, 0), 0, NULL);
        return;
    }
    for (uint32_t p = 1; p < TRACE_PROCESSES; p++) {
        if (!trace->lanes[p].count && p != TRACE_COUNTERS)
            continue;
        put_name(json, "process_name", p, 0, processes[p]);
        put_name(json, "process_sort_index", p, 0, NULL);
    }
}

static void put_tracks(JsonWriter *json, const Traces *traces, const Trace *trace)
{
    for (uint32_t i = 0; i < trace->tracks.count; i++) {
        const TraceTrack *track = &trace->tracks.items[i];
        const uint32_t process = process_of(traces, trace, track->process);
        char text[64];
        name_track(track, text, sizeof text);
        put_name(json, "thread_name", process, track->thread, text);
        put_name(json, "thread_sort_index", process, track->thread, NULL);
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
}

static void put_head(JsonWriter *json, const Traces *traces)
{
    json_open(json, "otherData", '{');
    json_put_text(json, "format", "warpbeam-timeline-1");
    if (traces->gpus.count == 1) {
        put_about(json, traces->gpus.items);
    } else {
        json_open(json, "gpus", '[');
        for (uint32_t i = 0; i < traces->gpus.count; i++) {
            json_open(json, NULL, '{');
            json_put_integer(json, "index", traces->gpus.items[i].gpu->index);
            put_about(json, &traces->gpus.items[i]);
            json_close(json);
        }
        json_close(json);
    }
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
    if (one->number != other->number)
        return one->number < other->number ? -1 : 1;
    return one->trace < other->trace ? -1 : one->trace > other->trace;
}

static void join(Traces *traces)
{
    for (uint32_t i = 0; i < traces->gpus.count; i++) {
        Trace *trace = &traces->gpus.items[i];
        for (uint32_t e = 0; e < trace->events.count; e++)
            VEC_PUSH(&traces->events, trace->events.items[e]);
        VEC_FREE(&trace->events);
    }
    if (traces->events.count)
        qsort(traces->events.items, traces->events.count, sizeof *traces->events.items, by_time);
}

void traces_write(Traces *traces, FILE *to)
{
    JsonWriter json = json_begin(to);
    join(traces);
    json_open(&json, NULL, '{');
    json_put_text(&json, "displayTimeUnit", "ns");
    put_head(&json, traces);
    json_open(&json, "traceEvents", '[');
    for (uint32_t i = 0; i < traces->gpus.count; i++) {
        put_processes(&json, traces, &traces->gpus.items[i]);
        put_tracks(&json, traces, &traces->gpus.items[i]);
    }
    if (traces->links.count) {
        put_name(&json, "process_name", links_process(traces), 0, "Links");
        put_name(&json, "process_sort_index", links_process(traces), 0, NULL);
    }
    for (uint32_t i = 0; i < traces->events.count; i++)
        put_event(&json, traces, &traces->events.items[i]);
    json_close(&json);
    json_close(&json);
}
