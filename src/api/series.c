/* Samples are differences of running counters. They go into columns: the rows of series.def, then five
 * for every SM. */
#include "api/timeline.h"

#include <stdio.h>
#include <string.h>

#include "grid/inspect.h"
#include "sm/inspect.h"

typedef struct SeriesRow {
    Component component;
    const char *counter;
} SeriesRow;

static const SeriesRow rows[SERIES_ROWS] = {
#define SERIES(component, counter) {COMPONENT_##component, #counter},
#include "api/series.def"
#undef SERIES
};

/* The rows of one component, from `row` on; returns the first of the next. Each of its parts is asked once,
 * since some have to bring their accounts up to date. */
static uint32_t read_rows(const Series *series, const CycleMachine *machine, uint32_t row, uint64_t *columns)
{
    const ComponentKind *kind = &components[rows[row].component];
    const uint32_t count = component_count(kind, machine);
    uint32_t end = row;
    for (; end < SERIES_ROWS && rows[end].component == rows[row].component; end++)
        columns[end] = 0;
    for (uint32_t i = 0; i < count; i++) {
        const void *part = component_at(kind, machine, i, series->next);
        for (uint32_t k = row; k < end; k++)
            columns[k] += stat_value(series->stats[k], part);
    }
    return end;
}

static const Stat *find_stat(const SeriesRow *row)
{
    return stat_find(components[row->component].table, row->counter);
}

uint32_t series_width(uint32_t sm_count) { return SERIES_ROWS + CORE_ROWS * sm_count; }

/* The columns behind the rows of series.def, which have been read: the SMs' accounts are up to date. */
static void read_cores(const CycleMachine *machine, uint64_t *columns)
{
    const uint32_t count = machine->sm_count;
    uint64_t *instructions = columns + SERIES_ROWS + CORE_INSTRUCTIONS * count;
    uint64_t *accesses = columns + SERIES_ROWS + CORE_ACCESSES * count;
    uint64_t *warps = columns + SERIES_ROWS + CORE_WARPS * count;
    uint64_t *dram = columns + SERIES_ROWS + CORE_DRAM * count;
    uint64_t *blocks = columns + SERIES_ROWS + CORE_BLOCKS * count;
    for (uint32_t sm = 0; sm < count; sm++) {
        instructions[sm] = sm_exec_counters(machine->sms[sm])->warp_instructions;
        accesses[sm] = dram[sm] = 0;
        blocks[sm] = front_end_blocks_started(machine->front_end, sm);
        warps[sm] = sm_counters(machine->sms[sm], 0)->resident_warp_cycles; /* as they stand */
    }
    for (uint32_t i = 0; i < machine->partition_count; i++) {
        const uint64_t *seen = partition_accesses(machine->partitions[i]);
        const uint64_t *served = partition_dram_accesses(machine->partitions[i]); /* as they stand, too */
        for (uint32_t sm = 0; sm < count; sm++) {
            accesses[sm] += seen[sm];
            dram[sm] += served[sm];
        }
    }
}

uint64_t *series_columns(const CycleMachine *machine, uint64_t *const *sums)
{
    uint64_t *columns = xmalloc(series_width(machine->sm_count) * sizeof *columns);
    for (uint32_t row = 0; row < SERIES_ROWS; row++) {
        const StatTable *table = components[rows[row].component].table;
        columns[row] = sums[rows[row].component][find_stat(&rows[row]) - table->rows];
    }
    read_cores(machine, columns);
    return columns;
}

Series *series_begin(uint32_t sm_count, const uint64_t *columns, Cycle interval, Cycle now)
{
    Series *series = xmalloc(sizeof *series);
    *series = (Series){
        .interval = interval,
        .from = now,
        .next = interval ? now + interval : CYCLE_NEVER,
        .sm_count = sm_count,
        .width = series_width(sm_count),
    };
    for (uint32_t row = 0; row < SERIES_ROWS; row++)
        series->stats[row] = find_stat(&rows[row]);
    series->last = xmalloc(series->width * sizeof *series->last);
    memcpy(series->last, columns, series->width * sizeof *series->last);
    return series;
}

static SeriesState read_state(const CycleMachine *machine)
{
    SeriesState state = {.ready_nodes = front_end_ready_nodes(machine->front_end),
                         .waiting_blocks = front_end_waiting_blocks(machine->front_end)};
    for (uint32_t i = 0; i < machine->running.count; i++) {
        const GridKernel *grid = machine->running.items[i]->grid;
        state.waiting_blocks += grid->block_count - grid->dispatched_blocks;
        state.away_blocks += grid->suspended;
    }
    for (uint32_t i = 0; i < front_end_device_count(machine->front_end); i++)
        state.away_blocks += front_end_device(machine->front_end, i)->suspended;
    uint64_t waits[WAIT_COUNT] = {0};
    for (uint32_t i = 0; i < machine->sm_count; i++)
        sm_count_waits(machine->sms[i], waits);
    state.held_warps = waits[WAIT_BLOCK];
    return state;
}

/* Channels are those of the graph's first kernel. */
static void sample_channels(Series *series, const CycleMachine *machine, const GridKernel *kernel)
{
    const FlowRun *run = front_end_flow(machine->front_end);
    if (!series->channels && series->interval && run && kernel->flow == run && !kernel->flow_node &&
        !series->ends.count)
        series->channels = series_channels_begin(run);
    if (series->channels)
        series_channels_sample(series->channels, kernel->flow == run ? run : NULL);
}

static void add_sample(Series *series, const CycleMachine *machine, const GridKernel *kernel,
                       const uint64_t *columns, Cycle now)
{
    sample_channels(series, machine, kernel);
    VEC_RESERVE(&series->values, series->values.count + series->width);
    for (uint32_t column = 0; column < series->width; column++) {
        VEC_PUSH(&series->values, columns[column] - series->last[column]);
        series->last[column] = columns[column];
    }
    VEC_PUSH(&series->ends, now);
    VEC_PUSH(&series->states, read_state(machine));
    series->from = now;
    series->next = series->interval ? now + series->interval : CYCLE_NEVER;
}

void series_sample(Series *series, const CycleMachine *machine, const GridKernel *kernel)
{
    uint64_t *columns = xmalloc(series->width * sizeof *columns);
    for (uint32_t row = 0; row < SERIES_ROWS;)
        row = read_rows(series, machine, row, columns);
    read_cores(machine, columns);
    add_sample(series, machine, kernel, columns, series->next);
    xfree(columns);
}

void series_end(Series *series, const CycleMachine *machine, const GridKernel *kernel,
                const uint64_t *columns, Cycle now)
{
    if (now > series->from)
        add_sample(series, machine, kernel, columns, now);
    xfree(series->last);
    series->last = NULL;
}

/* -- fewer samples -- */

/* The last sample is being taken again. */
static void take_back(Series *series)
{
    const uint32_t at = --series->ends.count;
    series->states.count--;
    series->values.count -= series->width;
    if (series->channels)
        series->channels->fills.count -= series->channels->count;
    for (uint32_t column = 0; column < series->width; column++)
        series->last[column] -= series->values.items[(size_t)at * series->width + column];
    series->from -= series->interval;
}

static void merge_pairs(Series *series)
{
    const uint32_t width = series->width, count = series->ends.count;
    uint64_t *values = series->values.items;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t *to = values + (size_t)(i / 2) * width, *from = values + (size_t)i * width;
        for (uint32_t column = 0; column < width; column++)
            to[column] = i % 2 ? to[column] + from[column] : from[column];
        series->ends.items[i / 2] = series->ends.items[i];
        series->states.items[i / 2] = series->states.items[i];
    }
    if (series->channels)
        series_channels_merge(series->channels);
    series->ends.count = series->states.count = (count + 1) / 2;
    series->values.count = series->ends.count * width;
}

void series_coarsen(Series *series, Cycle interval, bool has_ended)
{
    while (series->interval && series->interval < interval) {
        if (!has_ended && series->ends.count % 2)
            take_back(series);
        merge_pairs(series);
        series->interval *= 2;
        if (!has_ended)
            series->next = series->from + series->interval;
    }
}

void series_free(Series *series)
{
    if (!series)
        return;
    xfree(series->last);
    series_channels_free(series->channels);
    VEC_FREE(&series->ends);
    VEC_FREE(&series->values);
    VEC_FREE(&series->states);
    xfree(series);
}

const char *series_row_name(uint32_t row, char *buffer, size_t size)
{
    snprintf(buffer, size, "%s%s", components[rows[row].component].prefix, rows[row].counter);
    return buffer;
}

bool series_row_is_link(uint32_t row)
{
    return rows[row].component >= COMPONENT_LINK && rows[row].component <= COMPONENT_PCIE;
}

uint64_t series_value(const Series *series, uint32_t sample, uint32_t row)
{
    return series->values.items[(size_t)sample * series->width + row];
}

uint64_t series_core_value(const Series *series, uint32_t sample, CoreRow row, uint32_t sm)
{
    return series_value(series, sample, SERIES_ROWS + (uint32_t)row * series->sm_count + sm);
}
