/* The table of sets, and what most of them share. */
#include <string.h>

#include "row.h"

#define SET(name) extern const Set set_##name;
#include "sets.def"
#undef SET

const Set *const sets[SET_COUNT] = {
#define SET(name) &set_##name,
#include "sets.def"
#undef SET
};

void set_take_all(WbGpu *gpu, const Host *host, Outcome *outcome)
{
    WbStat stat = {0};
    outcome->value = (double)host->total_cycles;
    /* What was issued: machine instructions where the configuration makes them of PTX. */
    if (wb_stat_find(gpu, "scheduler.issued", &stat) != WB_OK || !stat.value)
        wb_stat_find(gpu, "warp_instructions", &stat);
    outcome->instructions = (double)stat.value;
    counters_take(gpu, true, 0, outcome->value, outcome->counters);
}

void set_take_kernel(WbGpu *gpu, const char *kernel, Outcome *outcome)
{
    WbRecord record;
    size_t launches = 0;
    *outcome = (Outcome){0};
    for (size_t i = 0; wb_record_at(gpu, i, &record) == WB_OK; i++) {
        double values[COUNTER_COUNT];
        if (strcmp(record.name, kernel))
            continue;
        counters_take(gpu, false, i, (double)record.cycles, values);
        for (CounterNumber k = 0; k < COUNTER_COUNT; k++)
            outcome->counters[k] += values[k];
        launches++;
    }
    for (CounterNumber k = 0; k < COUNTER_COUNT; k++)
        outcome->counters[k] /= (double)launches;
    outcome->value = outcome->counters[COUNTER_cycles];
    outcome->instructions = outcome->counters[COUNTER_instructions];
}
