#include "api/cycle.h"

#include <stdlib.h>

#include "base/alloc.h"

Snapshot snapshot_take(const CycleMachine *machine, Cycle now)
{
    Snapshot snapshot;
    for (unsigned c = 0; c < COMPONENT_COUNT; c++) {
        const ComponentKind *kind = &components[c];
        const uint32_t count = kind->count(machine);
        snapshot.values[c] = xmalloc(count * kind->table->count * sizeof(uint64_t));
        for (uint32_t i = 0; i < count; i++)
            stat_read(kind->table, kind->at(machine, i, now), snapshot.values[c] + i * kind->table->count);
    }
    return snapshot;
}

void snapshot_free(Snapshot *snapshot)
{
    for (unsigned c = 0; c < COMPONENT_COUNT; c++) {
        xfree(snapshot->values[c]);
        snapshot->values[c] = NULL;
    }
}

void record_counters(KernelRecord *record, const CycleMachine *machine, const Snapshot *before,
                     const Snapshot *after, bool details)
{
    for (unsigned c = 0; c < COMPONENT_COUNT; c++) {
        ComponentRecord *component = &record->components[c];
        const size_t rows = components[c].table->count;
        component->count = components[c].count(machine);
        component->sums = xcalloc(rows, sizeof *component->sums);
        if (details)
            component->values = xmalloc(component->count * rows * sizeof *component->values);
        for (size_t i = 0; i < component->count * rows; i++) {
            const uint64_t counted = after->values[c][i] - before->values[c][i];
            component->sums[i % rows] += counted;
            if (details)
                component->values[i] = counted;
        }
    }
}

void record_free(KernelRecord *record)
{
    for (unsigned c = 0; c < COMPONENT_COUNT; c++) {
        xfree(record->components[c].sums);
        xfree(record->components[c].values);
    }
    series_free(&record->series);
    xfree(record->name);
    free(record->blocks); /* the one table that may be too large to be had: not from xcalloc */
    xfree(record);
}
