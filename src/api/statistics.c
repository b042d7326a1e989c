/* Statistics of a GPU: the engine's counters as a table. */
#include "api/gpu.h"

static const Stat rows[] = {
#define COUNT(field, unit, description) {#field, unit, description, offsetof(ExecStatistics, field)},
#include "exec/statistics.def"
#undef COUNT
};

const StatTable exec_statistics = {rows, sizeof rows / sizeof *rows};

size_t wb_stat_count(const WbGpu *gpu) { return gpu ? exec_statistics.count : 0; }

WbStatus wb_stat_at(const WbGpu *gpu, size_t index, WbStat *stat)
{
    if (!gpu || !stat || index >= exec_statistics.count)
        return WB_ERROR_ARGUMENT;
    const Stat *row = &exec_statistics.rows[index];
    *stat = (WbStat){row->name, row->unit, row->description, stat_value(row, &gpu->machine.statistics)};
    return WB_OK;
}

WbStatus wb_stat_find(const WbGpu *gpu, const char *name, WbStat *stat)
{
    if (!gpu || !name || !stat)
        return WB_ERROR_ARGUMENT;
    const Stat *row = stat_find(&exec_statistics, name);
    return row ? wb_stat_at(gpu, (size_t)(row - exec_statistics.rows), stat) : WB_ERROR_NOT_FOUND;
}

void wb_stats_reset(WbGpu *gpu)
{
    if (gpu)
        stat_reset(&exec_statistics, &gpu->machine.statistics);
}
