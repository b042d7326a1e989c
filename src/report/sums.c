/* Sums of a record are scattered into the structs that components count in, so that ratios are written
 * with their names. */
#include "report/sums.h"

#include <string.h>

static void scatter(const StatTable *table, const uint64_t *values, void *to)
{
    for (size_t i = 0; i < table->count; i++)
        memcpy((char *)to + table->rows[i].offset, &values[i], sizeof values[i]);
}

void kernel_part(const KernelRecord *record, Component component, uint32_t part, void *to)
{
    const StatTable *table = components[component].table;
    scatter(table, record->components[component].values + part * table->count, to);
}

static void read_sums(const KernelRecord *record, Component component, void *to)
{
    uint64_t *sums = record_sums(record, component);
    scatter(components[component].table, sums, to);
    xfree(sums);
}

static void read_counters(KernelSums *sums, const KernelRecord *record)
{
    void *const places[COMPONENT_MOST] = {
        [COMPONENT_EXEC] = &sums->exec,
        [COMPONENT_FRONT_END] = &sums->front_end,
        [COMPONENT_LOAD] = &sums->load,
        [COMPONENT_GRAPH] = &sums->graph,
        [COMPONENT_SM] = &sums->sm,
        [COMPONENT_SCHEDULER] = &sums->scheduler,
        [COMPONENT_LSU] = &sums->lsu,
        [COMPONENT_L1] = &sums->l1,
        [COMPONENT_L2] = &sums->l2,
        [COMPONENT_DRAM] = &sums->dram,
        [COMPONENT_unit_aggregator] = &sums->aggregator,
        [COMPONENT_REQUEST_OUT] = &sums->request_out,
        [COMPONENT_REQUEST_IN] = &sums->request_in,
        [COMPONENT_REPLY_OUT] = &sums->reply_out,
        [COMPONENT_REPLY_IN] = &sums->reply_in,
    };
    for (unsigned c = 0; c < components_known; c++)
        if (places[c])
            read_sums(record, (Component)c, places[c]);
}

static uint64_t ticks_of(const KernelRecord *record, uint64_t khz, uint64_t core_khz)
{
    const Clock clock = clock_of(khz, core_khz);
    /* The difference of two times on the part's own clock, so ticks of kernels in a row add up without a
     * gap. */
    return clock_tick(clock, record->ended) - clock_tick(clock, record->launched);
}

static uint64_t count_of(const KernelRecord *record, Component component)
{
    return record->components[component].count;
}

KernelSums kernel_sums(const KernelRecord *record, const GpuConfig *config)
{
    KernelSums sums = {0};
    read_counters(&sums, record);
    const uint64_t sms = count_of(record, COMPONENT_SM), channels = count_of(record, COMPONENT_DRAM);
    sums.cycles = record_cycles(record);
    sums.scheduler_cycles = sums.sm.active_cycles * (count_of(record, COMPONENT_SCHEDULER) / sms);
    sums.global_accesses = sums.lsu.global_loads + sums.lsu.global_stores + sums.lsu.global_atomics;
    sums.l2_sectors = sums.l2.load_hits + sums.l2.load_pending + sums.l2.load_misses + sums.l2.store_hits +
                      sums.l2.store_pending + sums.l2.store_misses + sums.l2.atomic_hits +
                      sums.l2.atomic_pending + sums.l2.atomic_misses;
    sums.dram_requests = sums.dram.row_hits + sums.dram.row_misses + sums.dram.row_conflicts;
    sums.dram_bytes = (sums.dram.reads + sums.dram.writes) * (config->dram_bus_bits / 8) * config->dram_burst;
    sums.dram_ticks = ticks_of(record, config->dram_command_khz, config->clock_khz) * channels;
    sums.l2_ticks = ticks_of(record, config->l2_khz, config->clock_khz) * count_of(record, COMPONENT_L2);
    const uint64_t crossbar = ticks_of(record, config->crossbar_khz, config->clock_khz);
    sums.crossbar_sm_ticks = crossbar * sms;
    sums.crossbar_slice_ticks = crossbar * count_of(record, COMPONENT_L2);
    sums.warp_width = config->warp_width;
    sums.warps_per_sm = config->max_threads_per_sm / config->warp_width;
    sums.clock_khz = config->clock_khz;
    return sums;
}
