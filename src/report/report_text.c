/* The report for people: how long each kernel took and what limited it, what it did and where its time went,
 * in a dozen lines. Of more than a few kernels the summary comes first, and then the longest one's page. */
#include "report/report.h"

#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>

#include "base/terminal.h"
#include "report/limit.h"
#include "report/report_hang.h"
#include "report/report_system.h"

enum { TEXT_INDENT = 16 };

typedef struct Page {
    FILE *to;
    const WbGpu *gpu;
    const KernelRecord *record;
    KernelSums sums;
} Page;

/* A ratio as the text of one printf argument; shares in per cent. */
typedef struct Figure {
    char text[RATIO_TEXT_SIZE + 1];
} Figure;

static Figure figure_of(Ratio ratio, bool share, unsigned digits)
{
    Figure figure;
    ratio_text(ratio, share ? 100 : 1, digits, figure.text);
    if (share && ratio.under)
        strcat(figure.text, "%");
    return figure;
}

static Figure figure(const Page *page, unsigned row)
{
    const RatioRow *ratio = &ratio_rows[row];
    const bool share = ratio_is_share(ratio);
    return figure_of(ratio->compute(&page->sums), share, share ? 1 : 2);
}

#define FIGURE(page, name) figure(page, RATIO_##name).text

static void line(const Page *page, const char *title, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void line(const Page *page, const char *title, const char *format, ...)
{
    va_list arguments;
    char text[1024];
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const size_t width = strlen(title); /* of a policy's own counters it may be wider than its column */
    const unsigned at = width > TEXT_INDENT - 3 ? (unsigned)width + 3 : TEXT_INDENT;
    fprintf(page->to, "  %-*s ", TEXT_INDENT - 3, title);
    terminal_wrap(text, at, TEXT_INDENT, terminal_columns(page->to), page->to);
}

static void write_answer(const Page *page)
{
    const KernelRecord *record = page->record;
    const GpuConfig *config = &page->gpu->config;
    const KernelLimit limit = limit_of(record, &page->sums, config);
    char text[LIMIT_TEXT_SIZE], sentence[LIMIT_TEXT_SIZE + 64], cut_off[64] = "";
    if (record->status != RECORD_ENDED)
        snprintf(cut_off, sizeof cut_off, ", cut off before its end (%s)",
                 record_status_names[record->status]);
    snprintf(sentence, sizeof sentence,
             "%s us (%" PRIu64 " cycles at %s GHz)%s; launched in cycle %" PRIu64 ".",
             figure_of((Ratio){page->sums.cycles * 1000, page->sums.clock_khz}, false, 2).text,
             page->sums.cycles, figure_of((Ratio){config->clock_khz, 1000000}, false, 3).text, cut_off,
             record->launched);
    report_wrapped(sentence, 2, page->to);
    report_put_failure(record, page->to);
    snprintf(sentence, sizeof sentence, "Limited by %s", limit_text(&limit, text));
    report_wrapped(sentence, 2, page->to);
}

static void write_head(const Page *page)
{
    const KernelRecord *record = page->record;
    fprintf(page->to, "%s  grid %ux%ux%u, block %ux%ux%u, on %s\n", record->name, record->grid[0],
            record->grid[1], record->grid[2], record->block[0], record->block[1], record->block[2],
            page->gpu->config.name);
    write_answer(page);
    line(page, "resources",
         "%u registers a thread, %u bytes of shared memory a block; %u blocks fit on an SM",
         record->registers, record->shared_bytes, record->blocks_per_sm);
    if (record->kinds.words || record->kinds.pairs)
        line(page, "", "by kind, as a wavefront that yields saves them: %us/%ud/%uc", record->kinds.words,
             record->kinds.pairs, record->kinds.predicates);
    line(page, "instructions",
         "%" PRIu64 " of warps, %s a cycle, %s a cycle of an active SM; %s of %" PRIu64 " lanes active",
         page->sums.exec.warp_instructions, FIGURE(page, ipc), FIGURE(page, ipc_per_sm),
         FIGURE(page, active_lanes), page->sums.warp_width);
    line(page, "SMs", "%s of their time without a block; with one, %s warps resident: occupancy %s",
         FIGURE(page, idle_share), FIGURE(page, resident_warps), FIGURE(page, occupancy));
}

/* The scheduler's counters by size, largest first; equal ones in the order of their table. */
static size_t sort_rows(const uint64_t *values, size_t count, size_t *order)
{
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (!values[i])
            continue;
        size_t at = used++;
        /* Insertion sort: there are a dozen of them, and equal ones keep their order. */
        for (; at > 0 && values[order[at - 1]] < values[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    return used;
}

/* "stall_memory" as "memory". */
static const char *reason(const char *name)
{
    const char *behind = strncmp(name, "stall_", 6) == 0 ? name + 6 : name;
    return strcmp(behind, "empty") == 0 ? "want of warps" : behind;
}

/* Where the cycles went: issued first, then what held the schedulers back most. */
static void write_schedulers(const Page *page)
{
    const StatTable *table = components[COMPONENT_SCHEDULER].table;
    uint64_t *values = record_sums(page->record, COMPONENT_SCHEDULER);
    size_t order[sizeof(SchedulerStatistics) / sizeof(uint64_t)];
    const size_t count = sort_rows(values, table->count, order);
    char text[1024];
    int used = snprintf(text, sizeof text, "issued %s; waited for", FIGURE(page, issue_share));
    for (size_t i = 0; i < count; i++) {
        const char *name = table->rows[order[i]].name;
        const Figure share = figure_of((Ratio){values[order[i]], page->sums.scheduler_cycles}, true, 1);
        /* What rounds to nothing is left out. */
        if (strcmp(name, "issued") != 0 && strcmp(share.text, "0.0%") != 0)
            used += snprintf(text + used, sizeof text - (size_t)used, " %s %s", reason(name), share.text);
    }
    line(page, "schedulers", "%s", text);
    xfree(values);
}

static void write_memory(const Page *page)
{
    const KernelSums *sums = &page->sums;
    if (sums->lsu.shared_accesses)
        line(page, "shared memory", "%" PRIu64 " accesses, %s cycles each", sums->lsu.shared_accesses,
             FIGURE(page, shared_passes_per_access));
    if (sums->exec.barriers)
        line(page, "barriers", "%" PRIu64 " arrivals, waiting %s cycles on average", sums->exec.barriers,
             FIGURE(page, barrier_wait));
    if (sums->global_accesses)
        line(page, "accesses", "%" PRIu64 " to global memory, %s lines and %s sectors each",
             sums->global_accesses, FIGURE(page, lines_per_access), FIGURE(page, sectors_per_access));
    if (sums->l1.loads)
        line(page, "L1", "%" PRIu64 " loads: %s hit, %s waited for a line already on its way", sums->l1.loads,
             FIGURE(page, l1_hit_rate), FIGURE(page, l1_merge_rate));
    if (sums->l2_sectors)
        line(page, "L2", "%" PRIu64 " sectors: %s hit; loads %s, stores %s, atomics %s", sums->l2_sectors,
             FIGURE(page, l2_hit_rate), FIGURE(page, l2_load_hit_rate), FIGURE(page, l2_store_hit_rate),
             FIGURE(page, l2_atomic_hit_rate));
    line(page, "crossbar", "SMs' ports busy with requests %s, with replies %s; slices' ports %s, %s",
         FIGURE(page, request_load), FIGURE(page, reply_load), FIGURE(page, slice_request_load),
         FIGURE(page, slice_reply_load));
}

static void write_dram(const Page *page)
{
    const GpuConfig *config = &page->gpu->config;
    const Figure peak = figure_of(
        (Ratio){config->dram_channels * (config->dram_bus_bits / 8) * config->dram_data_khz, 1000000}, false,
        2);
    if (!page->sums.dram_requests)
        return;
    line(page, "DRAM", "%s GB/s of %s, %s of the bus; %s while a channel had work",
         FIGURE(page, dram_bandwidth), peak.text, FIGURE(page, dram_bandwidth_share),
         FIGURE(page, dram_bus_efficiency));
    line(page, "", "rows hit %s; %s of the requests followed one of the same SM",
         FIGURE(page, dram_row_hit_rate), FIGURE(page, dram_same_core));
}

static void write_flow(const Page *page)
{
    const AggregatorSums *sums = &page->sums.aggregator;
    if (!sums->tasks)
        return;
    line(page, "flow graph",
         "%" PRIu64 " wavefronts, %s of their lanes filled; none on the GPU in %s of the time", sums->tasks,
         FIGURE(page, lanes_filled), FIGURE(page, flow_stalled));
    line(page, "aggregator", "%" PRIu64 " instructions, busy in %s of its clocks", sums->core_instructions,
         FIGURE(page, aggregator_busy));
    if (sums->yields)
        line(page, "yields",
             "%" PRIu64 ", at most %" PRIu64 " wavefronts away at once; %" PRIu64 " bytes saved and restored",
             sums->yields, sums->away_peak, page->sums.sm.context_bytes);
}

static void write_sms(const Page *page)
{
    const KernelRecord *record = page->record;
    if (!record->components[COMPONENT_SM].values) {
        fputs("  SM by SM: not kept (knob record_details)\n", page->to);
        return;
    }
    fprintf(page->to, "  %3s %6s %10s %10s %11s %5s %7s\n", "SM", "blocks", "active", "idle", "instr.",
            "warps", "L1 hits");
    for (uint32_t i = 0; i < record->components[COMPONENT_SM].count; i++) {
        SmStatistics sm;
        L1Statistics l1;
        kernel_part(record, COMPONENT_SM, i, &sm);
        kernel_part(record, COMPONENT_L1, i, &l1);
        fprintf(page->to, "  %3u %6" PRIu64 " %10" PRIu64 " %10" PRIu64 " %11" PRIu64 " %5s %7s\n", i,
                sm.blocks, sm.active_cycles, sm.idle_cycles, sm.warp_instructions,
                figure_of((Ratio){sm.resident_warp_cycles, sm.active_cycles}, false, 2).text,
                figure_of((Ratio){l1.load_hits, l1.loads}, true, 1).text);
    }
}

static void write_grid_blocks(const BlockRecord *blocks, uint64_t count, FILE *to)
{
    for (uint64_t i = 0; blocks && i < count; i++)
        fprintf(to, "  %8" PRIu64 " %4u %11" PRIu64 " %11" PRIu64 " %11" PRIu64 " %8u\n", i, blocks[i].sm,
                blocks[i].dispatched, blocks[i].started, blocks[i].ended, blocks[i].cleared);
}

static void write_blocks(const Page *page)
{
    const KernelRecord *record = page->record;
    if (!record->blocks) {
        fputs("  block by block: not kept (knob block_records)\n", page->to);
        return;
    }
    fprintf(page->to, "  %8s %4s %11s %11s %11s %8s\n", "block", "SM", "dispatched", "started", "ended",
            "barriers");
    write_grid_blocks(record->blocks, record->block_count, page->to);
    for (uint32_t i = 0; record->log && i < record->log->launches.count; i++) {
        const LoggedLaunch *launch = &record->log->launches.items[i];
        fprintf(page->to, "  launch %u, %s, by block %" PRIu64 " of ", launch->number,
                record->log->names.items[launch->name], launch->parent_block);
        if (launch->parent)
            fprintf(page->to, "launch %u:\n", launch->parent);
        else
            fputs("the kernel:\n", page->to);
        write_grid_blocks(launch->blocks, launch->block_count, page->to);
    }
}

/* What policies in use have counted, a line each. */
static void write_policies(const Page *page)
{
    for (unsigned c = COMPONENT_FIRST_POLICY; c < components_known; c++) {
        const StatTable *table = components[c].table;
        if (!record_has(page->record, c))
            continue;
        uint64_t *sums = record_sums(page->record, (Component)c);
        char text[1024] = "";
        for (size_t i = 0, used = 0; i < table->count && used < sizeof text; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %" PRIu64, i ? ", " : "",
                                     table->rows[i].name, sums[i]);
        line(page, components[c].name, "%s", text);
        xfree(sums);
    }
}

static void write_kernel(const Page *page, const ReportOptions *options)
{
    write_head(page);
    write_schedulers(page);
    write_memory(page);
    write_dram(page);
    write_flow(page);
    write_policies(page);
    if (options->details)
        write_sms(page);
    if (options->blocks)
        write_blocks(page);
}

/* A row of a table: whole where no terminal shows it. */
static void write_count(const WbStat *stat, FILE *to)
{
    char row[512];
    snprintf(row, sizeof row, "  %-22s %12" PRIu64 " %-13s %s", stat->name, stat->value, stat->unit,
             stat->description);
    terminal_wrap(row, 0, 6, terminal_is(to) ? terminal_columns(to) : UINT_MAX, to);
}

/* Functional mode has no time: every count that is not zero. */
static void write_counts(const WbGpu *gpu, FILE *to)
{
    fputs("counts:\n", to);
    for (size_t i = 0; i < wb_stat_count(gpu); i++) {
        const WbStat stat = gpu_stat_at(gpu, i);
        if (stat.value)
            write_count(&stat, to);
    }
}

/* The one that has a page where not all do: the first that did not end, or the longest. */
static uint32_t choose(const WbGpu *gpu)
{
    uint32_t longest = 0;
    /* Statuses behind it are failures: who looks at this page wants to see those first. */
    for (uint32_t i = 0; i < gpu->records.count; i++)
        if (gpu->records.items[i]->status > RECORD_INTERRUPTED)
            return i;
    for (uint32_t i = 1; i < gpu->records.count; i++)
        if (record_cycles(gpu->records.items[i]) > record_cycles(gpu->records.items[longest]))
            longest = i;
    return longest;
}

static const char *title_of(const KernelRecord *record)
{
    return record->status > RECORD_INTERRUPTED ? "The launch that did not end (--detail shows all):\n"
                                               : "The longest launch (--detail shows all):\n";
}

/* Pages of a GPU's kernels, behind the summary of the whole if there is one. */
static void write_pages(const WbGpu *gpu, const ReportOptions *options, bool has_summary, FILE *to)
{
    enum { ALL_SHOWN = 3 };
    const bool all = gpu->records.count <= ALL_SHOWN || options->details || options->blocks;
    const uint32_t chosen = gpu->records.count ? choose(gpu) : 0;
    for (uint32_t i = 0; i < gpu->records.count; i++) {
        const KernelRecord *record = gpu->records.items[i];
        const Page page = {to, gpu, record, kernel_sums(record, &gpu->config)};
        if (!all && i != chosen)
            continue;
        if (has_summary)
            fprintf(to, "\n%s", all ? "" : title_of(record));
        write_kernel(&page, options);
    }
}

/* The summary, and a part for each GPU. */
static void write_system(const System *system, const ReportOptions *options, FILE *to)
{
    report_summary(report_described(system), to);
    FOR_GPUS(gpu, system) {
        fprintf(to, "\nGPU %u, %s%s\n", gpu->index, gpu->config.name,
                gpu->records.count ? ":" : ": no kernel was timed");
        write_pages(gpu, options, gpu->records.count > 1, to);
        if (!gpu->records.count)
            write_counts(gpu, to);
    }
}

void report_text(const WbGpu *gpu, const ReportOptions *options, FILE *to)
{
    if (report_is_several(gpu->system)) {
        write_system(gpu->system, options, to);
        return;
    }
    if (gpu->records.count > 1)
        report_summary(gpu, to);
    write_pages(gpu, options, gpu->records.count > 1, to);
    if (gpu->records.count == 1) {
        report_samples(gpu, to);
        report_lines(gpu, to);
    }
    if (!gpu->records.count) {
        report_untimed(gpu, to);
        write_counts(gpu, to);
    }
}
