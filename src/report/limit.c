#include "report/limit.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* From which part of its time on a unit of the memory counts as what the waits were for. Neither DRAM nor
 * L2 gets near 1: refreshes, changes of direction and of rows, and the way in and out of a kernel. */
enum { BUSY_PERCENT = 60, CHANNEL_PERCENT = 80 };

const LimitRow limit_rows[LIMIT_COUNT] = {
#define LIMIT(identifier, title, slots) {#identifier, title, slots},
#include "report/limit.def"
#undef LIMIT
};

static bool is_most(uint64_t part, uint64_t all, unsigned percent)
{
    return all && (double)part * 100 >= (double)all * percent;
}

/* Of two shares the larger one. */
static Ratio larger(Ratio a, Ratio b)
{
    const bool is_b =
        b.under && (!a.under || (double)b.over * (double)a.under > (double)a.over * (double)b.under);
    return is_b ? b : a;
}

static Ratio ratio_named(unsigned row, const KernelSums *sums) { return ratio_rows[row].compute(sums); }

/* The busiest of the crossbar's ports and of what an L2 slice has. */
static Ratio l2_load(const KernelSums *sums)
{
    Ratio most = ratio_named(RATIO_l2_data_load, sums);
    most = larger(most, ratio_named(RATIO_l2_writer_load, sums));
    most = larger(most, ratio_named(RATIO_request_load, sums));
    most = larger(most, ratio_named(RATIO_reply_load, sums));
    most = larger(most, ratio_named(RATIO_slice_request_load, sums));
    return larger(most, ratio_named(RATIO_slice_reply_load, sums));
}

/* A channel that has a request most of the time does what it can, even if rows keep its bus idle. */
static bool is_dram_busy(const KernelSums *sums)
{
    return is_most(sums->dram.busy_ticks, sums->dram_ticks, BUSY_PERCENT) ||
           is_most(sums->dram.active_ticks, sums->dram_ticks, CHANNEL_PERCENT);
}

/* What waits for memory are charged to. */
static Limit memory_limit(const KernelSums *sums)
{
    const Ratio l2 = l2_load(sums);
    if (is_dram_busy(sums))
        return LIMIT_dram_bandwidth;
    if (is_most(l2.over, l2.under, BUSY_PERCENT))
        return LIMIT_l2_bandwidth;
    return LIMIT_memory_latency;
}

/* What slots of SMs without a block are charged to, but for those of the launch itself. */
static Limit idle_limit(const KernelRecord *record, const KernelSums *sums, uint64_t sm_count)
{
    if (sums->front_end.device_kernels || sums->front_end.device_groups)
        return LIMIT_device_launches;
    if (record->graph.level_count)
        return LIMIT_dependencies;
    return record->block_count < sm_count ? LIMIT_few_blocks : LIMIT_uneven_work;
}

static void charge_idle(KernelLimit *limit, const KernelRecord *record, const KernelSums *sums,
                        const GpuConfig *config)
{
    const uint64_t sm_count = record->components[COMPONENT_SM].count;
    const uint64_t way = record->started - record->launched + config->block_launch_cycles +
                         config->block_end_cycles + config->kernel_end_cycles;
    const uint64_t idle = sums->sm.idle_cycles, launch = way * sm_count < idle ? way * sm_count : idle;
    limit->slots[LIMIT_launch_overhead] += launch * config->schedulers;
    limit->slots[idle_limit(record, sums, sm_count)] += (idle - launch) * config->schedulers;
}

static void charge_active(KernelLimit *limit, const KernelSums *sums)
{
    const SchedulerStatistics *cycles = &sums->scheduler;
    const Limit memory = memory_limit(sums);
    limit->slots[LIMIT_issue] += cycles->issued;
    limit->slots[LIMIT_pipe] += cycles->stall_pipe + cycles->stall_operands;
    limit->slots[LIMIT_arithmetic_latency] += cycles->stall_result;
    limit->slots[LIMIT_shared_memory] += cycles->stall_shared;
    limit->slots[memory == LIMIT_memory_latency ? LIMIT_load_store_unit : memory] += cycles->stall_lsu;
    limit->slots[memory] += cycles->stall_memory + cycles->stall_drain;
    limit->slots[LIMIT_control] += cycles->stall_fetch + cycles->stall_branch;
    limit->slots[LIMIT_fences] += cycles->stall_fence;
    limit->slots[LIMIT_barriers] += cycles->stall_barrier;
    limit->slots[LIMIT_calls] += cycles->stall_unit + cycles->stall_suspend;
    limit->slots[LIMIT_few_blocks] += cycles->stall_empty;
}

static Limit largest(const KernelLimit *limit, Limit without)
{
    Limit best = without == 0 ? 1 : 0;
    for (unsigned i = 0; i < LIMIT_COUNT; i++)
        if (i != (unsigned)without && limit->slots[i] > limit->slots[best])
            best = (Limit)i;
    return best;
}

KernelLimit limit_of(const KernelRecord *record, const KernelSums *sums, const GpuConfig *config)
{
    KernelLimit limit = {0};
    charge_active(&limit, sums);
    charge_idle(&limit, record, sums, config);
    for (unsigned i = 0; i < LIMIT_COUNT; i++)
        limit.all += limit.slots[i];
    limit.kind = largest(&limit, LIMIT_COUNT);
    return limit;
}

/* Adds to the text what still fits. */
static void add(char text[LIMIT_TEXT_SIZE], const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(char text[LIMIT_TEXT_SIZE], const char *format, ...)
{
    va_list arguments;
    const size_t used = strlen(text);
    va_start(arguments, format);
    vsnprintf(text + used, LIMIT_TEXT_SIZE - used, format, arguments);
    va_end(arguments);
}

static const char *percent(uint64_t part, uint64_t all, char text[RATIO_TEXT_SIZE])
{
    return ratio_text((Ratio){part, all}, 100, 0, text);
}

const char *limit_text(const KernelLimit *limit, const KernelSums *sums, const GpuConfig *config,
                       char text[LIMIT_TEXT_SIZE])
{
    enum { WORTH_SAYING = 10 };
    const LimitRow *row = &limit_rows[limit->kind];
    const Limit next = largest(limit, limit->kind);
    const Ratio l2 = l2_load(sums);
    char figure[RATIO_TEXT_SIZE], second[RATIO_TEXT_SIZE];
    snprintf(text, LIMIT_TEXT_SIZE, "%s: %s%% of the schedulers' slots %s", row->title,
             percent(limit->slots[limit->kind], limit->all, figure), row->slots);
    if (is_most(limit->slots[next], limit->all, WORTH_SAYING))
        add(text, "; then %s, %s%%", limit_rows[next].title, percent(limit->slots[next], limit->all, figure));
    add(text, ". ");
    if (limit->kind != LIMIT_issue && next != LIMIT_issue)
        add(text, "Issued %s%%, ", percent(limit->slots[LIMIT_issue], limit->all, figure));
    add(text, "DRAM %s%% busy",
        sums->dram_ticks ? percent(sums->dram.busy_ticks, sums->dram_ticks, figure) : "0");
    add(text, ", L2 %s%%", l2.under ? percent(l2.over, l2.under, figure) : "0");
    add(text, "; %s of %s warps resident.", ratio_text(ratio_named(RATIO_resident_warps, sums), 1, 1, figure),
        ratio_text((Ratio){config->max_threads_per_sm, config->warp_width}, 1, 0, second));
    return text;
}
