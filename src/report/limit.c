/* Every slot of every scheduler is charged to one cause, so shares add up to 1 and the largest is what
 * limited the kernel. Slots in which a warp waited for memory say nothing about why: they are charged to the
 * busiest unit behind it, and to latency if none was busy. */
#include "report/limit.h"

#include <inttypes.h>
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
    /* From the most particular reason for an idle SM to the most general one. */
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
    /* The way in and out of a kernel, which no SM could have used; never more than they were idle. */
    const uint64_t way = record->started - record->launched + config->block_launch_cycles +
                         config->block_end_cycles + config->kernel_end_cycles;
    const uint64_t idle = sums->sm.idle_cycles, launch = way * sm_count < idle ? way * sm_count : idle;
    limit->slots[LIMIT_launch_overhead] += launch * config->schedulers;
    limit->slots[idle_limit(record, sums, sm_count)] += (idle - launch) * config->schedulers;
}

/* Waits in place, for whatever reason. */
static uint64_t in_place(const SchedulerStatistics *cycles)
{
    uint64_t sum = 0;
#define BLOCK_WAIT(identifier, name, singular, plural) sum += cycles->stall_##name;
#include "exec/block_wait.def"
#undef BLOCK_WAIT
    return sum;
}

static void charge_active(KernelLimit *limit, const KernelSums *sums)
{
    const SchedulerStatistics *cycles = &sums->scheduler;
    const Limit memory = memory_limit(sums);
    limit->slots[LIMIT_issue] += cycles->issued;
    limit->slots[LIMIT_pipe] += cycles->stall_pipe + cycles->stall_operands;
    limit->slots[LIMIT_policy] += cycles->stall_policy;
    limit->slots[LIMIT_arithmetic_latency] += cycles->stall_result;
    limit->slots[LIMIT_shared_memory] += cycles->stall_shared;
    limit->slots[memory == LIMIT_memory_latency ? LIMIT_load_store_unit : memory] += cycles->stall_lsu;
    limit->slots[memory] += cycles->stall_memory + cycles->stall_drain;
    limit->slots[LIMIT_control] += cycles->stall_fetch + cycles->stall_branch;
    limit->slots[LIMIT_fences] += cycles->stall_fence;
    limit->slots[LIMIT_barriers] += cycles->stall_barrier;
    limit->slots[LIMIT_calls] += cycles->stall_unit + cycles->stall_suspend;
    limit->slots[LIMIT_waits] += in_place(cycles);
    limit->slots[LIMIT_pauses] += cycles->stall_pause;
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

/* Why less than half of the warps that fit are resident; null where it is not so, or nobody knows. */
static const char *why_few(const KernelRecord *record, const KernelSums *sums)
{
    const uint64_t active = sums->sm.active_cycles;
    if (is_most(sums->sm.resident_warp_cycles, active * sums->warps_per_sm, 50))
        return NULL;
    if (is_most(sums->sm.resident_block_cycles, active * record->blocks_per_sm, 50))
        return "no more blocks fit on an SM";
    if (sums->front_end.device_kernels || sums->front_end.device_groups)
        return "blocks have to be launched first";
    if (record->graph.level_count)
        return "blocks wait for others";
    const uint64_t fitting = record->blocks_per_sm * (uint64_t)record->components[COMPONENT_SM].count;
    return record->block_count < fitting ? "the grid has no more blocks" : NULL;
}

KernelLimit limit_of(const KernelRecord *record, const KernelSums *sums, const GpuConfig *config)
{
    KernelLimit limit = {
        .dram = {sums->dram.busy_ticks, sums->dram_ticks},
        .l2 = l2_load(sums),
        .warps = {sums->sm.resident_warp_cycles, sums->sm.active_cycles},
        .most_warps = sums->warps_per_sm,
        .why_few = why_few(record, sums),
    };
    charge_active(&limit, sums);
    charge_idle(&limit, record, sums, config);
    for (unsigned i = 0; i < LIMIT_COUNT; i++)
        limit.all += limit.slots[i];
    limit.kind = largest(&limit, LIMIT_COUNT);
    return limit;
}

static Ratio sum(Ratio a, Ratio b) { return (Ratio){a.over + b.over, a.under + b.under}; }

void limit_add(KernelLimit *limit, const KernelLimit *other)
{
    /* Of kernels that are added up, the longer one's reason is told. */
    limit->why_few = other->all > limit->all ? other->why_few : limit->why_few;
    limit->dram = sum(limit->dram, other->dram);
    limit->l2 = sum(limit->l2, other->l2);
    limit->warps = sum(limit->warps, other->warps);
    for (unsigned i = 0; i < LIMIT_COUNT; i++)
        limit->slots[i] += other->slots[i];
    limit->all += other->all;
    limit->kind = largest(limit, LIMIT_COUNT);
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

static const char *percent(Ratio ratio, char text[RATIO_TEXT_SIZE])
{
    return ratio.under ? ratio_text(ratio, 100, 0, text) : "0";
}

const char *limit_text(const KernelLimit *limit, char text[LIMIT_TEXT_SIZE])
{
    enum { WORTH_SAYING = 10 };
    const LimitRow *row = &limit_rows[limit->kind];
    const Limit next = largest(limit, limit->kind);
    const bool says_next = is_most(limit->slots[next], limit->all, WORTH_SAYING);
    char figure[RATIO_TEXT_SIZE];
    snprintf(text, LIMIT_TEXT_SIZE, "%s: %s%% of the schedulers' slots %s", row->title,
             percent((Ratio){limit->slots[limit->kind], limit->all}, figure), row->slots);
    if (says_next)
        add(text, "; then %s, %s%%", limit_rows[next].title,
            percent((Ratio){limit->slots[next], limit->all}, figure));
    add(text, ". ");
    if (limit->kind != LIMIT_issue && !(says_next && next == LIMIT_issue))
        add(text, "Issued %s%%, ", percent((Ratio){limit->slots[LIMIT_issue], limit->all}, figure));
    add(text, "DRAM %s%% busy, ", percent(limit->dram, figure));
    add(text, "L2 %s%%; ", percent(limit->l2, figure));
    add(text, "%s of %" PRIu64 " warps resident%s%s.", ratio_text(limit->warps, 1, 1, figure),
        limit->most_warps, limit->why_few ? ", as " : "", limit->why_few ? limit->why_few : "");
    return text;
}
