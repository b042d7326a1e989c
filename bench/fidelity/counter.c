/* The table of counters, and their values on both sides. */
#include "counter.h"

#include <math.h>
#include <string.h>

#include "api/gpu.h"
#include "common/csv.h"
#include "expression.h"

#define RATIO(least)                                                                                         \
    {                                                                                                        \
        false, least                                                                                         \
    }
#define POINTS                                                                                               \
    {                                                                                                        \
        true, 0                                                                                              \
    }
#define UNITS                                                                                                \
    {                                                                                                        \
        true, 0                                                                                              \
    }
#define COUNTER(name, unit, scale, theirs, ours, differs) {#name, unit, scale, theirs, ours, differs},
const Counter counters[COUNTER_COUNT] = {
#include "counter.def"
};
#undef COUNTER

/* -- theirs -- */

typedef struct Line {
    const char *path, *row;
} Line;

static double find_column(void *context, const char *name)
{
    const Line *line = context;
    return csv_number(line->path, line->row, name);
}

void counters_read(const char *path, const char *row, double values[COUNTER_COUNT])
{
    Line line = {path, row};
    for (CounterNumber i = 0; i < COUNTER_COUNT; i++)
        values[i] = expression_value(counters[i].theirs, find_column, &line);
}

/* -- ours -- */

typedef struct Taken {
    const WbGpu *gpu;
    bool all;
    size_t record;
    double cycles;
} Taken;

/* What expressions can name beside statistics. */
static double find_property(const Taken *taken, const char *name)
{
    const GpuConfig *config = &taken->gpu->config;
    const struct {
        const char *name;
        double value;
    } properties[] = {
        {"cycles", taken->cycles},
        {"sm_count", (double)config->sm_count},
        {"warps_per_sm", (double)(config->max_threads_per_sm / config->warp_width)},
        {"schedulers_per_sm", (double)config->schedulers},
        {"burst_bytes", (double)(config->dram_bus_bits / 8 * config->dram_burst)},
    };
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++)
        if (!strcmp(name, properties[i].name))
            return properties[i].value;
    return NAN;
}

static double find_statistic(void *context, const char *name)
{
    const Taken *taken = context;
    const double property = find_property(taken, name);
    WbStat stat;
    if (!isnan(property))
        return property;
    const WbStatus status = taken->all ? wb_stat_find(taken->gpu, name, &stat)
                                       : wb_record_stat(taken->gpu, taken->record, name, &stat);
    return status == WB_OK ? (double)stat.value : NAN;
}

void counters_take(const WbGpu *gpu, bool all, size_t record, double cycles, double values[COUNTER_COUNT])
{
    Taken taken = {gpu, all, record, cycles};
    for (CounterNumber i = 0; i < COUNTER_COUNT; i++)
        values[i] = expression_value(counters[i].ours, find_statistic, &taken);
}
