/* Snapshots of all counters, and records of kernels, which hold the differences of two snapshots. */
#include "api/cycle.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/packed.h"

const char *const record_status_names[RECORD_STATUS_COUNT] = {
#define STATUS(identifier, name, description) #name,
#include "api/record_status.def"
#undef STATUS
};

/* Adds up the counters of all parts of a kind; keeps each part's where there is a place for them. */
static void read_component(const CycleMachine *machine, const ComponentKind *kind, Cycle now, uint64_t *sums,
                           uint64_t *values)
{
    const size_t rows = kind->table->count;
    const uint32_t count = component_count(kind, machine);
    for (uint32_t i = 0; i < count; i++) {
        const void *part = component_at(kind, machine, i, now);
        stat_sum(kind->table, part, sums);
        if (values)
            stat_read(kind->table, part, values + i * rows);
    }
}

Snapshot *snapshot_take(const CycleMachine *machine, Cycle now, bool details)
{
    Snapshot *snapshot = xcalloc(1, sizeof *snapshot);
    snapshot->holders = 1;
    snapshot->time = now;
    for (unsigned c = 0; c < components_known; c++) {
        const ComponentKind *kind = &components[c];
        const size_t rows = kind->table->count;
        snapshot->sums[c] = xcalloc(rows, sizeof(uint64_t));
        if (details) /* zeros of a policy that is not in use, but may be at the next snapshot */
            snapshot->values[c] = xcalloc(kind->count(machine) * rows, sizeof(uint64_t));
        read_component(machine, kind, now, snapshot->sums[c], snapshot->values[c]);
    }
    snapshot->columns = series_columns(machine, snapshot->sums);
    return snapshot;
}

Snapshot *snapshot_hold(Snapshot *snapshot)
{
    snapshot->holders++;
    return snapshot;
}

void snapshot_let_go(Snapshot *snapshot)
{
    if (!snapshot || --snapshot->holders)
        return;
    for (unsigned c = 0; c < components_known; c++) {
        xfree(snapshot->sums[c]);
        xfree(snapshot->values[c]);
    }
    xfree(snapshot->columns);
    xfree(snapshot);
}

static uint64_t *differences(const uint64_t *before, const uint64_t *after, size_t count)
{
    uint64_t *grown = xmalloc(count * sizeof *grown);
    for (size_t i = 0; i < count; i++)
        grown[i] = after[i] - before[i];
    return grown;
}

/* Counters of all components before this one. */
static size_t rows_before(unsigned component)
{
    size_t rows = 0;
    for (unsigned c = 0; c < component; c++)
        rows += components[c].table->count;
    return rows;
}

static uint8_t *pack_sums(const Snapshot *before, const Snapshot *after)
{
    uint64_t *const all = xmalloc(rows_before(components_known) * sizeof *all), *to = all;
    for (unsigned c = 0; c < components_known; c++)
        for (size_t row = 0; row < components[c].table->count; row++)
            *to++ = after->sums[c][row] - before->sums[c][row];
    uint8_t *packed = packed_make(all, rows_before(components_known));
    xfree(all);
    return packed;
}

uint64_t *record_sums(const KernelRecord *record, Component component)
{
    const size_t rows = components[component].table->count;
    uint64_t *const all = xmalloc(rows_before(components_known) * sizeof *all);
    packed_read(record->counters, all, rows_before(components_known));
    memmove(all, all + rows_before(component), rows * sizeof *all);
    return all;
}

uint64_t *record_by_sm(const KernelRecord *record, CoreRow row)
{
    const uint32_t sm_count = record->components[COMPONENT_SM].count;
    uint64_t *const all = xmalloc(2 * sm_count * sizeof *all);
    packed_read(record->by_sm, all, 2 * sm_count);
    memmove(all, all + (row == CORE_DRAM ? sm_count : 0), sm_count * sizeof *all);
    return all;
}

void record_close_series(KernelRecord *record)
{
    const Series *series = record->series;
    uint64_t *sums = xcalloc(2 * series->sm_count, sizeof *sums);
    for (uint32_t sm = 0; sm < series->sm_count; sm++)
        for (uint32_t i = 0; i < series->ends.count; i++) {
            sums[sm] += series_core_value(series, i, CORE_ACCESSES, sm);
            sums[series->sm_count + sm] += series_core_value(series, i, CORE_DRAM, sm);
        }
    record->by_sm = packed_make(sums, 2 * series->sm_count);
    xfree(sums);
    if (series->interval)
        return;
    series_free(record->series);
    record->series = NULL;
}

/* Units beside the SMs may be on every GPU: a kernel that has not used one does not show it. */
static bool is_idle_unit(const KernelRecord *record, unsigned c)
{
    bool is_idle = components[c].counted == component_of_unit;
    uint64_t *sums = is_idle ? record_sums(record, (Component)c) : NULL;
    for (size_t i = 0; is_idle && i < components[c].table->count; i++)
        is_idle = sums[i] == 0;
    xfree(sums);
    return is_idle;
}

void record_counters(KernelRecord *record, const CycleMachine *machine, const Snapshot *before,
                     const Snapshot *after, bool details)
{
    record->counters = pack_sums(before, after);
    for (unsigned c = 0; c < components_known; c++) {
        ComponentRecord *component = &record->components[c];
        const size_t rows = components[c].table->count;
        component->count = is_idle_unit(record, c) ? 0 : component_count(&components[c], machine);
        if (details && before->values[c] && after->values[c])
            component->values = differences(before->values[c], after->values[c], component->count * rows);
    }
}

void record_free(KernelRecord *record)
{
    for (unsigned c = 0; c < components_known; c++)
        xfree(record->components[c].values);
    xfree(record->counters);
    xfree(record->by_sm);
    series_free(record->series);
    xfree(record->failure);
    hang_record_free(record->hang);
    xfree(record->graph.levels);
    VEC_FREE(&record->graph.edges);
    xfree(record->lines);
    log_free(record->log);
    free(record->blocks); /* the one table that may be too large to be had: not from xcalloc */
    xfree(record);
}
