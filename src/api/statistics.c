/* Statistics of a GPU: the counters of all components in one list, and the records of its kernels. */
#include "api/gpu.h"

#include <string.h>

void statistics_init(GpuStatistics *statistics)
{
    for (unsigned c = 0; c < components_known; c++)
        statistics->count += components[c].table->count;
    statistics->rows = ARENA_ARRAY(&statistics->arena, WbStat, statistics->count);
    WbStat *row = statistics->rows;
    for (unsigned c = 0; c < components_known; c++) {
        const StatTable *table = components[c].table;
        statistics->values[c] = ARENA_ARRAY(&statistics->arena, uint64_t, table->count);
        for (size_t i = 0; i < table->count; i++) {
            const char *name =
                arena_printf(&statistics->arena, "%s%s", components[c].prefix, table->rows[i].name);
            *row++ = (WbStat){name, table->rows[i].unit, table->rows[i].description, 0};
        }
    }
}

void statistics_free(GpuStatistics *statistics) { arena_free(&statistics->arena); }

void statistics_add(WbGpu *gpu, const Snapshot *before, const Snapshot *after)
{
    for (unsigned c = 0; c < components_known; c++)
        for (size_t row = 0; row < components[c].table->count; row++)
            gpu->statistics.values[c][row] += after->sums[c][row] - before->sums[c][row];
}

const char *gpu_keep_name(WbGpu *gpu, const char *name)
{
    Names *names = &gpu->names;
    const size_t length = strlen(name);
    uint32_t number;
    if (map_get(&names->numbers, name, length, &number))
        return names->texts.items[number];
    const char *kept = arena_printf(&names->arena, "%s", name);
    map_put(&names->numbers, kept, length, names->texts.count);
    VEC_PUSH(&names->texts, kept);
    return kept;
}

/* Unless kernels that run have some of them. */
static void drop_names(WbGpu *gpu)
{
    if (gpu->cycle && gpu->cycle->running.count)
        return;
    map_free(&gpu->names.numbers);
    VEC_FREE(&gpu->names.texts);
    arena_free(&gpu->names.arena);
    gpu->names = (Names){0};
}

void gpu_drop_records(WbGpu *gpu)
{
    for (uint32_t i = 0; i < gpu->records.count; i++)
        record_free(gpu->records.items[i]);
    gpu->records.count = 0;
    drop_names(gpu);
    sources_free(&gpu->sources);
    gpu->edges_kept = 0;
    kept_reset(&gpu->kept);
    untimed_reset(&gpu->untimed);
}

/* What launches without timing have counted: the engine in the GPU's own machine, units in those of the GPU.
 * Null: nothing. */
static void *untimed_counters(const WbGpu *gpu, unsigned component)
{
    return component == COMPONENT_EXEC ? (void *)&gpu->machine.statistics
                                       : outer_units_counters(gpu->units, components[component].table);
}

void statistics_keep_units(WbGpu *gpu)
{
    for (unsigned c = COMPONENT_FIRST_POLICY; c < components_known; c++) {
        const void *counters = untimed_counters(gpu, c);
        if (counters)
            stat_sum(components[c].table, counters, gpu->statistics.values[c]);
    }
}

static uint64_t value_at(const WbGpu *gpu, size_t index)
{
    unsigned c = 0;
    size_t row = index;
    for (; row >= components[c].table->count; c++)
        row -= components[c].table->count;
    const uint64_t value = gpu->statistics.values[c][row];
    const void *untimed = untimed_counters(gpu, c);
    return untimed ? value + stat_value(&components[c].table->rows[row], untimed) : value;
}

/* A policy's that has counted something, or that the machine uses now. */
bool gpu_shows(const WbGpu *gpu, unsigned component)
{
    const ComponentKind *kind = &components[component];
    if (!kind->counted)
        return true;
    for (size_t row = 0; row < kind->table->count; row++)
        if (gpu->statistics.values[component][row])
            return true;
    return (gpu->cycle && component_count(kind, gpu->cycle)) || untimed_counters(gpu, component);
}

size_t wb_stat_count(const WbGpu *gpu) { return gpu ? gpu->statistics.count : 0; }

/* What it last said is no part of what a GPU is: whoever may only look at it is told as well. */
static WbGpu *teller(const WbGpu *gpu) { return (WbGpu *)gpu; }

WbStat gpu_stat_at(const WbGpu *gpu, size_t index)
{
    WbStat stat = gpu->statistics.rows[index];
    stat.value = value_at(gpu, index);
    return stat;
}

bool gpu_stat_find(const WbGpu *gpu, const char *name, WbStat *stat)
{
    for (size_t i = 0; i < gpu->statistics.count; i++) {
        if (strcmp(gpu->statistics.rows[i].name, name) == 0) {
            *stat = gpu_stat_at(gpu, i);
            return true;
        }
    }
    return false;
}

/* Whether the call of that name, for one of `count`, can be answered; if not, the error says why. */
static bool is_asked_well(const char *call, const void *answer, size_t index, size_t count, const char *of,
                          Error *error)
{
    if (!answer)
        error_set(error, WB_ERROR_ARGUMENT, "%s needs a place for its answer; it was null.", call);
    else if (index >= count)
        error_set(error, WB_ERROR_ARGUMENT, "There are %zu %s; there is no number %zu (they count from 0).",
                  count, of, index);
    return error->status == WB_OK;
}

static WbStatus no_statistic(const char *call, const char *name, Error *error)
{
    return name ? error_set(error, WB_ERROR_NOT_FOUND,
                            "There is no statistic '%.80s'; `warpbeam list statistics` shows all.", name)
                : error_set(error, WB_ERROR_ARGUMENT, "%s needs the name of a statistic; it was null.", call);
}

WbStatus wb_stat_at(const WbGpu *gpu, size_t index, WbStat *stat)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(teller(gpu));
    if (!is_asked_well("wb_stat_at", stat, index, gpu->statistics.count, "statistics", error))
        return gpu_end(teller(gpu), error->status);
    *stat = gpu_stat_at(gpu, index);
    return WB_OK;
}

WbStatus wb_stat_find(const WbGpu *gpu, const char *name, WbStat *stat)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(teller(gpu));
    if (!is_asked_well("wb_stat_find", stat, 0, 1, "", error))
        return gpu_end(teller(gpu), error->status);
    return name && gpu_stat_find(gpu, name, stat)
               ? WB_OK
               : gpu_end(teller(gpu), no_statistic("wb_stat_find", name, error));
}

void wb_stats_reset(WbGpu *gpu)
{
    if (!gpu)
        return;
    for (unsigned c = 0; c < components_known; c++)
        if (untimed_counters(gpu, c))
            stat_reset(components[c].table, untimed_counters(gpu, c));
    for (unsigned c = 0; c < components_known; c++)
        memset(gpu->statistics.values[c], 0, components[c].table->count * sizeof(uint64_t));
    gpu->seconds = 0;
    gpu->next_record = 0;
    gpu_drop_records(gpu);
    violations_clear(&gpu->violations);
    strays_free(&gpu->strays);
    if (gpu->cycle)
        cycle_reset_statistics(gpu);
    link_series_reset(gpu->system);
    link_copied_reset(gpu->system);
}

size_t wb_record_count(const WbGpu *gpu) { return gpu ? gpu->records.count : 0; }

WbStatus wb_record_at(const WbGpu *gpu, size_t index, WbRecord *record)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(teller(gpu));
    if (!is_asked_well("wb_record_at", record, index, gpu->records.count, "records of kernels", error))
        return gpu_end(teller(gpu), error->status);
    const KernelRecord *kept = gpu->records.items[index];
    *record = (WbRecord){
        .name = kept->symbol,
        .plain_name = kept->name,
        .grid = {kept->grid[0], kept->grid[1], kept->grid[2]},
        .block = {kept->block[0], kept->block[1], kept->block[2]},
        .registers = kept->registers,
        .shared_bytes = kept->shared_bytes,
        .blocks_per_sm = kept->blocks_per_sm,
        .launched = kept->launched,
        .started = kept->started,
        .ended = kept->ended,
        .cycles = record_cycles(kept),
        .warp_instructions = kept->warp_instructions,
        .thread_instructions = kept->thread_instructions,
        .alone = kept->is_alone,
        .interrupted = kept->status != RECORD_ENDED,
        .status = record_status_names[kept->status],
        .failure = kept->failure,
    };
    return WB_OK;
}

WbStatus wb_record_stat(const WbGpu *gpu, size_t index, const char *name, WbStat *stat)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(teller(gpu));
    if (!is_asked_well("wb_record_stat", stat, index, gpu->records.count, "records of kernels", error))
        return gpu_end(teller(gpu), error->status);
    const KernelRecord *kept = gpu->records.items[index];
    const WbStat *row = gpu->statistics.rows;
    for (unsigned c = 0; c < components_known; c++)
        for (size_t i = 0; i < components[c].table->count; i++, row++) {
            if (!name || strcmp(row->name, name) != 0)
                continue;
            uint64_t *sums = record_sums(kept, (Component)c);
            *stat = *row;
            stat->value = sums[i];
            xfree(sums);
            return WB_OK;
        }
    return gpu_end(teller(gpu), no_statistic("wb_record_stat", name, error));
}
