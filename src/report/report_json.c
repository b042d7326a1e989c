/* The report as JSON: gpu, config, structures, kernels, totals, sources, violations of dependencies; and
 * host, what depends on this run and not on the GPU. Of several GPUs, each has its own in `gpus`, beside
 * what is of all of them. Every field is described where it is declared, or in schema.def. */
#include "report/report.h"

#include <stddef.h>
#include <string.h>

#include "grid/graph_order.h"
#include "grid/group_table.h"
#include "grid/policy_kinds.h"
#include "report/json.h"
#include "report/limit.h"
#include "report/report_events.h"
#include "report/report_hang.h"
#include "report/report_run.h"
#include "report/report_system.h"
#include "sm/sched/registry.h"

bool report_is_host_knob(const char *name) { return !strcmp(name, "threads") || !strcmp(name, "window"); }

bool report_is_recording_knob(const char *name)
{
    static const char *const names[] = {"timeline",        "timeline_events", "profile_lines",
                                        "sample_interval", "block_records",   "record_details"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static void put_config(JsonWriter *json, const GpuConfig *config)
{
    json_open(json, "config", '{');
    for (size_t i = 0; i < config_knobs.count; i++) {
        const Knob *knob = &config_knobs.rows[i];
        const void *value = (const char *)config + knob->offset;
        char text[KNOB_STRING_SIZE];
        /* They are in `host`: all other parts must be the same on every host. */
        if (report_is_host_knob(knob->name))
            continue;
        if (knob->kind == KNOB_KIND_INTEGER)
            json_put_integer(json, knob->name, *(const uint64_t *)value);
        else if (knob->kind == KNOB_KIND_BOOLEAN)
            json_put_boolean(json, knob->name, *(const bool *)value);
        else
            json_put_text(json, knob->name, knob_text(knob, config, text, sizeof text));
    }
    json_close(json);
}

static void put_three(JsonWriter *json, const char *key, const uint32_t values[3])
{
    json_open_line(json, key, '[');
    for (int i = 0; i < 3; i++)
        json_put_integer(json, NULL, values[i]);
    json_close(json);
}

static void put_counters(JsonWriter *json, const StatTable *table, const uint64_t *values)
{
    for (size_t i = 0; i < table->count; i++)
        json_put_integer(json, table->rows[i].name, values[i]);
}

/* Beside the graph's counters, what the blocks waited for: edges by the numbers that blocks of all kernels of
 * the graph have in a row. */
static void put_graph(JsonWriter *json, const KernelRecord *record)
{
    const GraphRecord *graph = &record->graph;
    json_put_integer(json, "grid", graph->grid);
    json_put_integer(json, "first", graph->first);
    json_put_integer(json, "level_count", graph->level_count);
    json_open_line(json, "levels", '[');
    for (uint64_t i = 0; graph->levels && i < record->block_count; i++)
        json_put_integer(json, NULL, graph->levels[i]);
    json_close(json);
    json_open_line(json, "edges", '[');
    for (uint32_t i = 0; i < graph->edges.count; i++) {
        json_open_line(json, NULL, '[');
        json_put_integer(json, NULL, graph->edges.items[i].parent);
        json_put_integer(json, NULL, graph->edges.items[i].child);
        json_close(json);
    }
    json_close(json);
    json_put_integer(json, "edges_left_out", graph->left_out);
}

static void put_sums(JsonWriter *json, const KernelRecord *record, const ReportOptions *options)
{
    for (unsigned c = 0; c < components_known; c++) {
        if (!record_has(record, c))
            continue;
        json_open(json, components[c].name, '{');
        /* A record keeps its counters packed; they are unpacked one component at a time. */
        uint64_t *sums = record_sums(record, (Component)c);
        put_counters(json, components[c].table, sums);
        xfree(sums);
        if (c == COMPONENT_GRAPH && options->blocks && record->graph.level_count)
            put_graph(json, record);
        json_close(json);
    }
}

static void put_details(JsonWriter *json, const KernelRecord *record)
{
    json_open(json, "details", '{');
    for (unsigned c = 0; c < components_known; c++) {
        const ComponentRecord *component = &record->components[c];
        const StatTable *table = components[c].table;
        if (!record_has(record, c))
            continue;
        json_open(json, components[c].name, '[');
        for (uint32_t i = 0; component->values && i < component->count; i++) {
            json_open_line(json, NULL, '{');
            put_counters(json, table, component->values + i * table->count);
            json_close(json);
        }
        json_close(json);
    }
    json_close(json);
}

static void put_ratios(JsonWriter *json, const KernelRecord *record, const KernelSums *sums)
{
    json_open(json, "ratios", '{');
    for (unsigned i = 0; i < RATIO_COUNT; i++)
        json_put_ratio(json, ratio_rows[i].name, ratio_rows[i].compute(sums));
    json_close(json);
    const StatTable *table = components[COMPONENT_SCHEDULER].table;
    uint64_t *cycles = record_sums(record, COMPONENT_SCHEDULER);
    json_open(json, "scheduler_shares", '{');
    for (size_t i = 0; i < table->count; i++)
        json_put_ratio(json, table->rows[i].name, (Ratio){cycles[i], sums->scheduler_cycles});
    json_close(json);
    xfree(cycles);
}

/* Of the kernel itself (launch 0), or of what it launched. */
static void put_grid_blocks(JsonWriter *json, uint32_t kernel, uint32_t launch, const BlockRecord *blocks,
                            uint64_t count)
{
    for (uint64_t i = 0; blocks && i < count; i++) {
        json_open_line(json, NULL, '{');
        json_put_integer(json, "kernel", kernel);
        if (launch)
            json_put_integer(json, "launch", launch);
        json_put_integer(json, "block", i);
        json_put_integer(json, "sm", blocks[i].sm);
        json_put_integer(json, "dispatched", blocks[i].dispatched);
        json_put_integer(json, "started", blocks[i].started);
        json_put_integer(json, "ended", blocks[i].ended);
        json_put_integer(json, "barriers", blocks[i].cleared);
        json_close(json);
    }
}

static void put_blocks(JsonWriter *json, const KernelRecord *record)
{
    json_open(json, "blocks", '[');
    put_grid_blocks(json, record->number, 0, record->blocks, record->block_count);
    for (uint32_t i = 0; record->log && i < record->log->launches.count; i++) {
        const LoggedLaunch *launch = &record->log->launches.items[i];
        put_grid_blocks(json, record->number, launch->number, launch->blocks, launch->block_count);
    }
    json_close(json);
}

/* One array for each SM, a number for each sample. */
static void put_core_series(JsonWriter *json, const char *key, const Series *series, CoreRow row)
{
    json_open(json, key, '[');
    for (uint32_t sm = 0; sm < series->sm_count; sm++) {
        json_open_line(json, NULL, '[');
        for (uint32_t i = 0; i < series->ends.count; i++)
            json_put_integer(json, NULL, series_core_value(series, i, row, sm));
        json_close(json);
    }
    json_close(json);
}

/* What was read at the end of each sample. */
static void put_states(JsonWriter *json, const Series *series)
{
    static const struct {
        const char *name;
        size_t place;
    } states[] = {{"waiting_blocks", offsetof(SeriesState, waiting_blocks)},
                  {"ready_nodes", offsetof(SeriesState, ready_nodes)},
                  {"away_blocks", offsetof(SeriesState, away_blocks)},
                  {"held_warps", offsetof(SeriesState, held_warps)}};
    for (size_t k = 0; k < sizeof states / sizeof *states; k++) {
        json_open_line(json, states[k].name, '[');
        for (uint32_t i = 0; i < series->states.count; i++)
            json_put_integer(json, NULL,
                             *(const uint64_t *)((const char *)&series->states.items[i] + states[k].place));
        json_close(json);
    }
}

static void put_channel(JsonWriter *json, const SeriesChannels *channels, uint32_t channel)
{
    const uint32_t samples = channels->fills.count / channels->count;
    json_open(json, NULL, '{');
    json_put_text(json, "name", channels->names[channel]);
    json_put_integer(json, "capacity", channels->capacities[channel]);
    json_open_line(json, "reserved", '[');
    for (uint32_t i = 0; i < samples; i++)
        json_put_integer(json, NULL, series_channel_fill(channels, i, channel).reserved);
    json_close(json);
    json_open_line(json, "ready", '[');
    for (uint32_t i = 0; i < samples; i++)
        json_put_integer(json, NULL, series_channel_fill(channels, i, channel).ready);
    json_close(json);
    json_close(json);
}

/* Those that were ever seen with an element. */
static void put_channels(JsonWriter *json, const SeriesChannels *channels)
{
    json_open(json, "channels", '[');
    for (uint32_t i = 0; i < channels->count; i++)
        if (series_channel_peak(channels, i))
            put_channel(json, channels, i);
    json_close(json);
}

static void put_series(JsonWriter *json, const KernelRecord *record)
{
    const Series *series = record->series;
    json_open(json, "series", '{');
    json_put_integer(json, "interval", series->interval);
    json_open_line(json, "ends", '[');
    /* Counted from the kernel's launch, so that samples of several kernels can be laid over each other. */
    for (uint32_t i = 0; i < series->ends.count; i++)
        json_put_integer(json, NULL, series->ends.items[i] - record->launched);
    json_close(json);
    for (uint32_t row = 0; row < SERIES_ROWS; row++) {
        char name[80];
        if (series_row_is_link(row) && !record_has(record, COMPONENT_LINK))
            continue;
        json_open_line(json, series_row_name(row, name, sizeof name), '[');
        for (uint32_t i = 0; i < series->ends.count; i++)
            json_put_integer(json, NULL, series_value(series, i, row));
        json_close(json);
    }
    put_states(json, series);
    if (series->channels)
        put_channels(json, series->channels);
    put_core_series(json, "warp_instructions_by_sm", series, CORE_INSTRUCTIONS);
    put_core_series(json, "memory_accesses_by_sm", series, CORE_ACCESSES);
    put_core_series(json, "dram_accesses_by_sm", series, CORE_DRAM);
    put_core_series(json, "blocks_started_by_sm", series, CORE_BLOCKS);
    put_core_series(json, "resident_warp_cycles_by_sm", series, CORE_WARPS);
    json_close(json);
}

/* Accesses of each SM over the whole kernel. */
static void put_accesses(JsonWriter *json, const char *key, const KernelRecord *record, CoreRow row)
{
    uint64_t *accesses = record_by_sm(record, row);
    json_open_line(json, key, '[');
    for (uint32_t sm = 0; sm < record->components[COMPONENT_SM].count; sm++)
        json_put_integer(json, NULL, accesses[sm]);
    json_close(json);
    xfree(accesses);
}

static void put_limit(JsonWriter *json, const KernelRecord *record, const KernelSums *sums,
                      const GpuConfig *config)
{
    const KernelLimit limit = limit_of(record, sums, config);
    char text[LIMIT_TEXT_SIZE];
    json_open(json, "limited_by", '{');
    json_put_text(json, "kind", limit_rows[limit.kind].name);
    json_put_text(json, "title", limit_rows[limit.kind].title);
    json_put_ratio(json, "share", (Ratio){limit.slots[limit.kind], limit.all});
    json_put_text(json, "text", limit_text(&limit, text));
    json_open_line(json, "slots", '{');
    for (unsigned i = 0; i < LIMIT_COUNT; i++)
        json_put_integer(json, limit_rows[i].name, limit.slots[i]);
    json_close(json);
    json_close(json);
}

static void put_lines(JsonWriter *json, const KernelRecord *record, const SourceFiles *sources)
{
    json_open(json, "lines", '[');
    for (uint32_t i = 0; i < record->line_count; i++) {
        const LineRecord *line = &record->lines[i];
        json_open_line(json, NULL, '{');
        json_put_text(json, "file", sources->files.items[line->file].name);
        json_put_integer(json, "line", line->line);
        json_put_integer(json, "issued", line->counts.issued);
        json_put_integer(json, "thread_instructions", line->counts.threads);
        json_put_integer(json, "waited", line_waited(line));
        json_open_line(json, "waits", '{');
        /* Most are 0; what is not there is 0. */
        for (unsigned wait = 0; wait < WAIT_COUNT; wait++)
            if (line->counts.waited[wait])
                json_put_integer(json, wait_name((Wait)wait), line->counts.waited[wait]);
        json_close(json);
        json_close(json);
    }
    json_close(json);
}

static void put_kernel(JsonWriter *json, const WbGpu *gpu, const KernelRecord *record,
                       const ReportOptions *options)
{
    const KernelSums sums = kernel_sums(record, &gpu->config);
    json_open(json, NULL, '{');
    json_put_integer(json, "number", record->number);
    json_put_text(json, "name", record->symbol);
    json_put_text(json, "plain_name", record->name);
    put_three(json, "grid", record->grid);
    put_three(json, "block", record->block);
    json_put_integer(json, "registers", record->registers);
    if (record->kinds.words || record->kinds.pairs)
        put_three(json, "registers_by_kind",
                  (const uint32_t[]){record->kinds.words, record->kinds.pairs, record->kinds.predicates});
    json_put_integer(json, "shared_bytes", record->shared_bytes);
    json_put_integer(json, "local_bytes", record->local_bytes);
    json_put_integer(json, "blocks_per_sm", record->blocks_per_sm);
    json_put_integer(json, "launched", record->launched);
    json_put_integer(json, "started", record->started);
    json_put_integer(json, "ended", record->ended);
    json_put_boolean(json, "alone", record->is_alone);
    report_put_status(json, record);
    json_put_integer(json, "cycles", sums.cycles);
    json_put_integer(json, "warp_instructions", record->warp_instructions);
    json_put_integer(json, "thread_instructions", record->thread_instructions);
    put_limit(json, record, &sums, &gpu->config);
    put_ratios(json, record, &sums);
    put_sums(json, record, options);
    put_accesses(json, "memory_accesses_by_sm", record, CORE_ACCESSES);
    put_accesses(json, "dram_accesses_by_sm", record, CORE_DRAM);
    if (record->series)
        put_series(json, record);
    if (record->log && (options->blocks || record->log->keeps_stays))
        report_events(json, record->log);
    if (options->details)
        put_details(json, record);
    if (options->blocks)
        put_blocks(json, record);
    if (record->lines)
        put_lines(json, record, &gpu->sources);
    json_close(json);
}

static void put_run_limit(JsonWriter *json, const WbGpu *gpu)
{
    RunLimit limit;
    report_limit(gpu, &limit);
    report_put_limit(json, &limit);
}

static void put_totals(JsonWriter *json, const WbGpu *gpu)
{
    json_open(json, "totals", '{');
    size_t index = 0;
    for (unsigned c = 0; c < components_known; c++)
        for (size_t row = 0; row < components[c].table->count; row++, index++) {
            const WbStat stat = gpu_stat_at(gpu, index);
            if (gpu_shows(gpu, c))
                json_put_integer(json, stat.name, stat.value);
        }
    json_close(json);
}

/* With the sizes that the knobs' order has. */
static void put_graph_buffer(JsonWriter *json, const GpuConfig *config)
{
    Error error = {0};
    const GraphOrder *order = order_find(config->graph_order, &error);
    if (!order)
        return;
    const uint32_t nodes = order_local_nodes(order, config), edges = order_local_edges(order, config);
    const uint32_t pending = (uint32_t)config->graph_pending_updates, bits = (uint32_t)config->graph_id_bits;
    json_put_integer(json, "graph_buffer_bytes", graph_buffer_bytes(nodes, edges, pending, bits));
    json_put_integer(json, "graph_buffer_bytes_in_full",
                     graph_buffer_bytes_in_full(nodes, edges, pending, bits));
    GraphImage image;
    /* Sizes of entries do not depend on the graph, so an empty one does. */
    if (image_of_graph(&(DependencyGraph){0}, bits, &image, &error))
        return;
    json_put_integer(json, "graph_node_bytes", image.node_bytes);
    json_put_integer(json, "graph_nodes_per_line", image.nodes_per_line);
}

/* With the policies that the knobs name; those that take nothing beyond the baseline are left out. */
static void put_policy_states(JsonWriter *json, const GpuConfig *config)
{
    for (size_t i = 0; i < policy_kind_count; i++) {
        const PolicyKind *kind = policy_kinds[i];
        char names[KNOB_STRING_SIZE], key[80];
        knob_text(knob_find(&config_knobs, kind->knob), config, names, sizeof names);
        const uint64_t bits = policy_state_bits(kind, names, config);
        if (!bits)
            continue;
        snprintf(key, sizeof key, "%s_bytes", kind->knob);
        json_put_integer(json, key, bits_bytes(bits));
        if (kind == &sched_policies)
            json_put_integer(json, "warp_scheduler_bytes_per_sm", bits_bytes(bits / config->sm_count));
    }
}

/* What the mechanisms take of the chip, as their papers count it. */
static void put_structures(JsonWriter *json, const GpuConfig *config)
{
    json_open(json, "structures", '{');
    json_put_integer(json, "group_registers_bytes", group_registers_bytes(config));
    json_put_integer(json, "group_table_bytes", group_table_bytes(config));
    put_graph_buffer(json, config);
    put_policy_states(json, config);
    json_close(json);
}

/* Accesses that the checker of dependency graphs, or the profile, found to be in no order. */
static void put_violations(JsonWriter *json, const WbGpu *gpu)
{
    json_put_integer(json, "graph_violation_count", gpu->violations.count);
    json_open(json, "graph_violations", '[');
    for (uint32_t i = 0; i < gpu->violations.sentences.count; i++)
        json_put_text(json, NULL, gpu->violations.sentences.items[i]);
    json_close(json);
}

/* What one GPU has, alone or in a system, but for what all of a system share. */
static void put_gpu(JsonWriter *json, const WbGpu *gpu, const ReportOptions *options)
{
    json_put_text(json, "gpu", gpu->config.name);
    put_config(json, &gpu->config);
    put_structures(json, &gpu->config);
    json_open(json, "kernels", '[');
    for (uint32_t i = 0; i < gpu->records.count; i++)
        put_kernel(json, gpu, gpu->records.items[i], options);
    json_close(json);
    /* Functional mode has no time. */
    if (gpu->config.mode == MODE_CYCLE)
        report_put_time(json, gpu);
    if (gpu->records.count)
        put_run_limit(json, gpu);
    put_totals(json, gpu);
    if (gpu->records.count)
        report_put_ratios(json, gpu);
}

static void put_one(JsonWriter *json, const WbGpu *gpu, const ReportOptions *options)
{
    json_put_text(json, "format", "warpbeam-report-1");
    report_put_run(json, gpu);
    put_gpu(json, gpu, options);
    report_put_sources(json, gpu->system);
    put_violations(json, gpu);
}

static void put_all(JsonWriter *json, const System *system, const ReportOptions *options)
{
    json_put_text(json, "format", "warpbeam-system-1");
    report_put_run(json, report_described(system));
    report_put_system(json, system);
    json_open(json, "gpus", '[');
    FOR_GPUS(gpu, system) {
        json_open(json, NULL, '{');
        json_put_integer(json, "index", gpu->index);
        put_gpu(json, gpu, options);
        put_violations(json, gpu);
        json_close(json);
    }
    json_close(json);
    report_put_sources(json, system);
}

void report_json(const WbGpu *gpu, const ReportOptions *options, FILE *to)
{
    JsonWriter json = json_begin(to);
    json_open(&json, NULL, '{');
    if (report_is_several(gpu->system))
        put_all(&json, gpu->system, options);
    else
        put_one(&json, gpu, options);
    report_put_host(&json, gpu->system);
    json_close(&json);
}
