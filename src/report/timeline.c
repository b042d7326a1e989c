/* The timeline of all that a GPU, or those of its system, have run: kernels, copies, counters; blocks are in
 * trace_blocks.c. */
#include "report/trace.h"

#include <string.h>

#include "base/output_file.h"

/* What each kind may take of the events that barriers leave: so many of 32. */
enum { KERNELS = 2, COPIES = 1, COUNTERS = 4, STAYS = 14, LAUNCHES = 4, WAITS = 4, EDGES = 2, SHARES = 32 };

void trace_kernels(Trace *trace, uint64_t most)
{
    enum { EVENTS = 2 };
    const uint32_t count = trace->gpu->records.count;
    const uint64_t room = most / EVENTS;
    /* Rounded up, so that what is shown surely fits. */
    trace->kernel_stride = count > room ? (count + room - 1) / room : 1;
    for (uint32_t i = 0; i < count; i++) {
        const KernelRecord *record = trace->gpu->records.items[i];
        if (record->number % trace->kernel_stride)
            continue;
        const uint32_t thread =
            trace_thread(trace, TRACE_KERNELS, record->stream, trace_ns(trace, record->launched),
                         trace_ns(trace, record->ended));
        if (!thread)
            continue;
        trace_slice(trace, SLICE_KERNEL, TRACE_KERNELS, thread, record->launched, record->ended, record,
                    NULL);
        if (record->started > record->launched)
            trace_slice(trace, SLICE_KERNEL_STARTS, TRACE_KERNELS, thread, record->launched, record->started,
                        record, NULL);
    }
}

void trace_copies(Trace *trace, uint64_t most)
{
    const Kept *kept = &trace->gpu->kept;
    for (uint32_t i = 0; i < kept->copies.count && i < most; i++) {
        const KeptCopy *copy = &kept->copies.items[i];
        const uint32_t thread = trace_thread(trace, TRACE_COPIES, copy->engine,
                                             trace_ns(trace, copy->started), trace_ns(trace, copy->ended));
        if (thread)
            trace_slice(trace, SLICE_COPY, TRACE_COPIES, thread, copy->started, copy->ended, NULL, copy);
    }
}

/* -- counters -- */

void trace_counter(Trace *trace, unsigned counter, Cycle time, Ratio value)
{
    if (!value.under)
        return;
    VEC_PUSH(&trace->events, ((TraceEvent){
                                 .begin = trace_ns(trace, time),
                                 .end = trace_ns(trace, time),
                                 .process = TRACE_COUNTERS,
                                 .kind = TRACE_COUNTER,
                                 .trace = (uint8_t)trace->place,
                                 .number = counter,
                                 .value = value,
                             }));
}

/* Of runs in which blocks left their SMs or waited for each other. */
static void put_waits(Trace *trace, const uint64_t sums[SERIES_ROWS], const SeriesState *state, Cycle begin,
                      Cycle end)
{
    const uint64_t messages = sums[SERIES_unit_wait_signal_waits] + sums[SERIES_unit_wait_signal_signals];
    const uint64_t bytes = sums[SERIES_SM_context_bytes], cycles = end - begin;
    trace_counter(trace, COUNTER_CONTEXTS, begin,
                (Ratio){bytes * trace->gpu->config.clock_khz, cycles * 1000000});
    trace_counter(trace, COUNTER_SYNCS, begin,
                  (Ratio){1000 * sums[SERIES_unit_global_sync_arrivals], cycles});
    trace_counter(trace, COUNTER_EVENTS, begin, (Ratio){1000 * messages, cycles});
    trace_counter(trace, COUNTER_AWAY, end, (Ratio){state->away_blocks, 1});
    trace_counter(trace, COUNTER_HELD, end, (Ratio){state->held_warps, 1});
}

static void put_links(Trace *trace, const uint64_t sums[SERIES_ROWS], Cycle begin, Cycle end)
{
    const uint64_t cycles = end - begin, all = cycles * trace->link_ports;
    trace_counter(trace, COUNTER_LINKS_OUT, begin, (Ratio){100 * sums[SERIES_LINK_PORT_busy_out], all});
    trace_counter(trace, COUNTER_LINKS_IN, begin, (Ratio){100 * sums[SERIES_LINK_PORT_busy_in], all});
    trace_counter(trace, COUNTER_PCIE_OUT, begin, (Ratio){100 * sums[SERIES_PCIE_busy_out], cycles});
    trace_counter(trace, COUNTER_PCIE_IN, begin, (Ratio){100 * sums[SERIES_PCIE_busy_in], cycles});
}

/* Samples first to last of a kernel as one. What is counted holds from its begin on, what is read at its
 * end. */
static void put_sample(Trace *trace, const Series *series, uint32_t first, uint32_t last, Cycle begin)
{
    const GpuConfig *config = &trace->gpu->config;
    const Cycle end = series->ends.items[last], cycles = end - begin;
    const uint64_t slots = config->sm_count * (config->max_threads_per_sm / config->warp_width);
    uint64_t sums[SERIES_ROWS] = {0};
    for (uint32_t i = first; i <= last; i++)
        for (uint32_t row = 0; row < SERIES_ROWS; row++)
            sums[row] += series_value(series, i, row);
    const uint64_t hits =
        sums[SERIES_L2_load_hits] + sums[SERIES_L2_store_hits] + sums[SERIES_L2_atomic_hits];
    const uint64_t sectors = hits + sums[SERIES_L2_load_pending] + sums[SERIES_L2_store_pending] +
                             sums[SERIES_L2_atomic_pending] + sums[SERIES_L2_load_misses] +
                             sums[SERIES_L2_store_misses] + sums[SERIES_L2_atomic_misses];
    const uint64_t bytes = (sums[SERIES_DRAM_reads] + sums[SERIES_DRAM_writes]) *
                           (config->dram_bus_bits / 8) * config->dram_burst;
    const uint64_t warps = sums[SERIES_SM_resident_warp_cycles];
    trace_counter(trace, COUNTER_IPC, begin, (Ratio){sums[SERIES_EXEC_warp_instructions], cycles});
    trace_counter(trace, COUNTER_WARPS, begin, (Ratio){warps, cycles});
    trace_counter(trace, COUNTER_OCCUPANCY, begin, (Ratio){100 * warps, cycles * slots});
    trace_counter(trace, COUNTER_BLOCKS, begin, (Ratio){sums[SERIES_SM_resident_block_cycles], cycles});
    trace_counter(trace, COUNTER_DRAM, begin, (Ratio){bytes * config->clock_khz, cycles * 1000000});
    trace_counter(trace, COUNTER_L2_HITS, begin, (Ratio){100 * hits, sectors});
    trace_counter(trace, COUNTER_WAITING, end, (Ratio){series->states.items[last].waiting_blocks, 1});
    if (trace->has_graph)
        trace_counter(trace, COUNTER_READY, end, (Ratio){series->states.items[last].ready_nodes, 1});
    if (trace->has_waits)
        put_waits(trace, sums, &series->states.items[last], begin, end);
    if (trace->has_links)
        put_links(trace, sums, begin, end);
    trace_flow_sample(trace, series, sums, last, begin);
}

/* Nothing runs from then on. */
static void put_silence(Trace *trace, Cycle time)
{
    static const uint8_t counted[] = {COUNTER_IPC, COUNTER_WARPS, COUNTER_OCCUPANCY, COUNTER_BLOCKS,
                                      COUNTER_DRAM};
    for (size_t i = 0; i < sizeof counted; i++)
        trace_counter(trace, counted[i], time, (Ratio){0, 1});
    for (unsigned i = COUNTERS_OF_ALL; i < COUNTERS_OF_WAITS && trace->has_waits; i++)
        trace_counter(trace, i, time, (Ratio){0, 1});
    for (unsigned i = COUNTER_LINKS_OUT; i < COUNTER_TASKS && trace->has_links; i++)
        if (trace->link_ports || i >= COUNTER_PCIE_OUT)
            trace_counter(trace, i, time, (Ratio){0, 1});
    trace_flow_silence(trace, time);
}

/* Whether blocks left their SMs, or waited in place. */
static bool has_waits(const Series *series)
{
    for (uint32_t i = 0; series && i < series->ends.count; i++)
        if (series->states.items[i].held_warps ||
            series_value(series, i, SERIES_FRONT_END_blocks_suspended) ||
            series_value(series, i, SERIES_unit_global_sync_arrivals) ||
            series_value(series, i, SERIES_unit_wait_signal_waits))
            return true;
    return false;
}

static bool has_links(const Series *series)
{
    for (uint32_t i = 0; series && i < series->ends.count; i++)
        if (series_value(series, i, SERIES_LINK_bytes_out) || series_value(series, i, SERIES_LINK_bytes_in))
            return true;
    return false;
}

/* Samples are of the whole GPU: of kernels that ran side by side each is shown once. */
static Cycle put_series(Trace *trace, const KernelRecord *record, Cycle covered)
{
    const Series *series = record->series;
    const uint32_t joined = (uint32_t)trace->joined_samples;
    Cycle begin = record->launched;
    for (uint32_t i = 0; series && i < series->ends.count; i += joined) {
        const uint32_t last = i + joined <= series->ends.count ? i + joined - 1 : series->ends.count - 1;
        /* Of samples that lie over another kernel's, the first that was put stays. */
        if (begin >= covered) {
            put_sample(trace, series, i, last, begin);
            covered = series->ends.items[last];
        }
        begin = series->ends.items[last];
    }
    return covered;
}

void trace_counters(Trace *trace, uint64_t most)
{
    const uint32_t count = trace->gpu->records.count;
    uint64_t samples = 0;
    Cycle covered = 0;
    for (uint32_t i = 0; i < count; i++) {
        const KernelRecord *record = trace->gpu->records.items[i];
        if (record->number % trace->kernel_stride == 0 && record->series)
            samples += record->series->ends.count + 1u;
        trace->has_graph |= record->graph.level_count != 0;
        trace->has_waits = trace->has_waits || has_waits(record->series);
        trace->has_links = trace->has_links || has_links(record->series);
        if (record->components[COMPONENT_LINK_PORT].count)
            trace->link_ports = record->components[COMPONENT_LINK_PORT].count;
    }
    trace_find_flows(trace);
    const uint64_t counters = (trace->has_waits ? COUNTERS_OF_WAITS : COUNTERS_OF_ALL) +
                              (trace->has_links ? COUNTER_TASKS - COUNTERS_OF_WAITS : 0) +
                              trace_flow_counters(trace);
    const uint64_t room = most / counters;
    trace->joined_samples = samples > room ? (samples + room - 1) / room : 1;
    for (uint32_t i = 0; i < count; i++) {
        const KernelRecord *record = trace->gpu->records.items[i];
        if (record->number % trace->kernel_stride)
            continue;
        if (covered && record->launched > covered)
            put_silence(trace, covered);
        covered = put_series(trace, record, covered);
    }
    if (covered)
        put_silence(trace, covered);
}

/* -- the call -- */

static void collect(Trace *trace)
{
    const uint64_t events = trace->gpu->config.timeline_events;
    const uint64_t part = (events - events / BARRIERS_SHARE) / SHARES;
    /* First: other kinds leave out what belongs to kernels that are not shown. */
    trace_kernels(trace, KERNELS * part);
    trace_copies(trace, COPIES * part);
    trace_counters(trace, COUNTERS * part);
    trace_stays(trace, STAYS * part);
    trace_barriers(trace);
    trace_launches(trace, LAUNCHES * part);
    trace_waits(trace, WAITS * part);
    trace_edges(trace, EDGES * part);
}

static bool has_logs(const WbGpu *gpu)
{
    for (uint32_t i = 0; i < gpu->records.count; i++)
        if (gpu->records.items[i]->log && gpu->records.items[i]->log->keeps_stays)
            return true;
    return gpu->kept.copies.count || gpu->config.timeline;
}

static bool is_timed(const System *system)
{
    FOR_GPUS(gpu, system)
        if (gpu->records.count || gpu->config.mode == MODE_CYCLE)
            return true;
    return false;
}

static bool is_kept(const System *system)
{
    FOR_GPUS(gpu, system)
        if (has_logs(gpu))
            return true;
    return false;
}

/* Arrows of all GPUs are numbered in one row. */
static Traces collect_all(const System *system)
{
    Traces traces = {.system = system};
    uint32_t arrows = 0;
    FOR_GPUS(gpu, system) {
        Trace trace = {.gpu = gpu, .place = traces.gpus.count, .next_arrow = arrows};
        collect(&trace);
        arrows = trace.next_arrow;
        VEC_PUSH(&traces.gpus, trace);
    }
    traces_links(&traces);
    return traces;
}

static WbStatus write_timeline(const WbGpu *gpu, const char *path, Error *error)
{
    if (!path)
        return error_set(error, WB_ERROR_ARGUMENT, "wb_timeline needs the path of a file; it was null.");
    if (!is_timed(gpu->system))
        return error_set(error, WB_ERROR_ARGUMENT,
                         "There is no time to show: kernels ran without timing; set the knob mode to cycle.");
    if (!is_kept(gpu->system))
        return error_set(error, WB_ERROR_ARGUMENT,
                         "Nothing has been kept for a timeline: set the knob timeline to true before the "
                         "first launch.");
    OutputFile *file = output_file_begin("timeline", path, error);
    if (!file)
        return error->status;
    Traces traces = collect_all(gpu->system);
    traces_write(&traces, output_file_stream(file));
    traces_free(&traces);
    return output_file_end(file, error);
}

WbStatus wb_timeline(WbGpu *gpu, const char *path)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    return gpu_end(gpu, write_timeline(gpu, path, gpu_begin(gpu)));
}
