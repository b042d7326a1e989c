#include "api/cycle.h"

#include <stdio.h>

typedef struct SeriesRow {
    Component component;
    const char *counter;
} SeriesRow;

static const SeriesRow rows[SERIES_ROWS] = {
#define SERIES(component, counter) {COMPONENT_##component, #counter},
#include "api/series.def"
#undef SERIES
};

static uint64_t read_row(const CycleMachine *machine, const SeriesRow *row, Cycle now)
{
    const ComponentKind *kind = &components[row->component];
    const Stat *stat = stat_find(kind->table, row->counter);
    const uint32_t count = kind->count(machine);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += stat_value(stat, kind->at(machine, i, now));
    return sum;
}

static uint64_t read_core(const CycleMachine *machine, CoreRow row, uint32_t sm)
{
    if (row == CORE_INSTRUCTIONS)
        return machine->sms[sm]->machine.statistics.warp_instructions;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < machine->partition_count; i++)
        sum += partition_accesses(machine->partitions[i])[sm];
    return sum;
}

/* One column of the table at `now`. */
static uint64_t read_column(const Series *series, const CycleMachine *machine, uint32_t column, Cycle now)
{
    if (column < SERIES_ROWS)
        return read_row(machine, &rows[column], now);
    column -= SERIES_ROWS;
    return read_core(machine, (CoreRow)(column / series->sm_count), column % series->sm_count);
}

void series_begin(Series *series, const CycleMachine *machine, Cycle interval, Cycle now)
{
    *series = (Series){
        .interval = interval,
        .from = now,
        .next = interval ? now + interval : CYCLE_NEVER,
        .sm_count = machine->sm_count,
        .width = SERIES_ROWS + CORE_ROWS * machine->sm_count,
    };
    series->last = xmalloc(series->width * sizeof *series->last);
    for (uint32_t column = 0; column < series->width; column++)
        series->last[column] = read_column(series, machine, column, now);
}

static void take_sample(Series *series, const CycleMachine *machine, Cycle now)
{
    for (uint32_t column = 0; column < series->width; column++) {
        const uint64_t value = read_column(series, machine, column, now);
        VEC_PUSH(&series->values, value - series->last[column]);
        series->last[column] = value;
    }
    VEC_PUSH(&series->ends, now);
    series->from = now;
    series->next = series->interval ? now + series->interval : CYCLE_NEVER;
}

void series_sample(Series *series, const CycleMachine *machine) { take_sample(series, machine, series->next); }

void series_end(Series *series, const CycleMachine *machine, Cycle now)
{
    while (series->next < now)
        take_sample(series, machine, series->next);
    if (now > series->from)
        take_sample(series, machine, now);
    xfree(series->last);
    series->last = NULL;
}

void series_free(Series *series)
{
    xfree(series->last);
    VEC_FREE(&series->ends);
    VEC_FREE(&series->values);
}

const char *series_row_name(uint32_t row, char *buffer, size_t size)
{
    snprintf(buffer, size, "%s%s", components[rows[row].component].prefix, rows[row].counter);
    return buffer;
}

uint64_t series_value(const Series *series, uint32_t sample, uint32_t row)
{
    return series->values.items[(size_t)sample * series->width + row];
}

uint64_t series_core_value(const Series *series, uint32_t sample, CoreRow row, uint32_t sm)
{
    return series_value(series, sample, SERIES_ROWS + (uint32_t)row * series->sm_count + sm);
}
