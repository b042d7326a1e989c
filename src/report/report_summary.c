/* The summary of a program: how long, what limited it, and which kernels that was. */
#include "report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/gpu.h"
#include "base/terminal.h"
#include "report/limit.h"

enum { SHOWN = 12, NAME_WIDTH = 36, WHOLE_WIDTH = 110 };

/* All launches of one kernel. */
typedef struct KernelGroup {
    const char *name;
    uint64_t launches, cycles, instructions;
    uint32_t first;    /* number of its first launch */
    KernelLimit limit; /* of all its launches together */
} KernelGroup;

static int by_name(const void *a, const void *b)
{
    const KernelGroup *one = a, *other = b;
    const int order = strcmp(one->name, other->name);
    return order ? order : (one->first > other->first) - (one->first < other->first);
}

/* Longest first; of equal ones the one launched first. */
static int by_cycles(const void *a, const void *b)
{
    const KernelGroup *one = a, *other = b;
    if (one->cycles != other->cycles)
        return one->cycles < other->cycles ? 1 : -1;
    return (one->first > other->first) - (one->first < other->first);
}

/* One group a launch, then those of one name put together; returns how many are left. */
static size_t make_groups(const WbGpu *gpu, KernelGroup *groups)
{
    for (uint32_t i = 0; i < gpu->records.count; i++) {
        const KernelRecord *record = gpu->records.items[i];
        const KernelSums sums = kernel_sums(record, &gpu->config);
        groups[i] = (KernelGroup){.name = record->name,
                                  .launches = 1,
                                  .cycles = record_cycles(record),
                                  .instructions = record->warp_instructions,
                                  .first = record->number,
                                  .limit = limit_of(record, &sums, &gpu->config)};
    }
    qsort(groups, gpu->records.count, sizeof *groups, by_name);
    size_t count = 0;
    for (uint32_t i = 0; i < gpu->records.count; i++) {
        KernelGroup *last = count ? &groups[count - 1] : NULL;
        if (!last || strcmp(last->name, groups[i].name) != 0) {
            groups[count++] = groups[i];
            continue;
        }
        last->launches++;
        last->cycles += groups[i].cycles;
        last->instructions += groups[i].instructions;
        limit_add(&last->limit, &groups[i].limit);
    }
    qsort(groups, count, sizeof *groups, by_cycles);
    return count;
}

static uint64_t all_cycles(const KernelGroup *groups, size_t count)
{
    uint64_t all = 0;
    for (size_t i = 0; i < count; i++)
        all += groups[i].cycles;
    return all;
}

/* Where a line has no room for all, the name has one of its own, and how many instructions is left out. */
static void put_head_of_groups(bool is_narrow, FILE *to)
{
    if (is_narrow)
        fprintf(to, "  kernel\n    %8s %12s %6s  %s\n", "launches", "cycles", "share", "limited by");
    else
        fprintf(to, "  %-*s %8s %12s %6s %13s  %s\n", NAME_WIDTH, "kernel", "launches", "cycles", "share",
                "warp instr.", "limited by");
}

static void put_group(const KernelGroup *group, const char *name, uint64_t all, bool is_narrow, FILE *to)
{
    const double share = all ? 100.0 * (double)group->cycles / (double)all : 0.0;
    const char *limit = limit_rows[group->limit.kind].title;
    if (is_narrow)
        fprintf(to, "  %s\n    %8" PRIu64 " %12" PRIu64 " %5.1f%%  %s\n", name, group->launches,
                group->cycles, share, limit);
    else
        fprintf(to, "  %-*s %8" PRIu64 " %12" PRIu64 " %5.1f%% %13" PRIu64 "  %s\n", NAME_WIDTH, name,
                group->launches, group->cycles, share, group->instructions, limit);
}

static void put_groups(const KernelGroup *groups, size_t count, FILE *to)
{
    const uint64_t all = all_cycles(groups, count);
    const bool is_narrow = terminal_is(to) && terminal_columns(to) < WHOLE_WIDTH;
    put_head_of_groups(is_narrow, to);
    for (size_t i = 0; i < count && i < SHOWN; i++) {
        char name[NAME_WIDTH + 1];
        snprintf(name, sizeof name, "%s", groups[i].name);
        put_group(&groups[i], name, all, is_narrow, to);
    }
    if (count > SHOWN)
        fprintf(to, "  and %zu kernels more\n", count - SHOWN);
}

static int by_launch(const void *a, const void *b)
{
    const KernelRecord *const *one = a, *const *other = b;
    return ((*one)->launched > (*other)->launched) - ((*one)->launched < (*other)->launched);
}

/* Cycles in which a kernel ran. */
static uint64_t busy_cycles(const WbGpu *gpu)
{
    const size_t bytes = gpu->records.count * sizeof *gpu->records.items;
    KernelRecord **records = memcpy(xmalloc(bytes), gpu->records.items, bytes);
    uint64_t busy = 0;
    Cycle until = 0;
    qsort(records, gpu->records.count, sizeof *records, by_launch);
    for (uint32_t i = 0; i < gpu->records.count; i++) {
        const Cycle from = records[i]->launched > until ? records[i]->launched : until;
        busy += records[i]->ended > from ? records[i]->ended - from : 0;
        until = records[i]->ended > until ? records[i]->ended : until;
    }
    xfree(records);
    return busy;
}

/* What limited the whole: what lies between kernels, or what limited the kernel that took longest. */
static void find_limit(const WbGpu *gpu, const KernelGroup *groups, size_t count, RunLimit *limit)
{
    const double whole = wb_time(gpu) * (double)gpu->config.clock_khz / 1e6; /* cycles */
    const double busy = (double)busy_cycles(gpu);
    char text[LIMIT_TEXT_SIZE];
    if (whole > 2 * busy) {
        limit->kind = "host";
        snprintf(limit->text, sizeof limit->text,
                 "what is between kernels: they ran in %.0f%% of the simulated time; the rest is the host's "
                 "launches and copies.",
                 100 * busy / whole);
        return;
    }
    const uint64_t all = all_cycles(groups, count);
    limit->kind = limit_rows[groups[0].limit.kind].name;
    snprintf(limit->text, sizeof limit->text, "%s That is %.80s, with %.0f%% of the kernels' cycles.",
             limit_text(&groups[0].limit, text), groups[0].name,
             all ? 100.0 * (double)groups[0].cycles / (double)all : 0.0);
}

void report_limit(const WbGpu *gpu, RunLimit *limit)
{
    KernelGroup *groups = xcalloc(gpu->records.count, sizeof *groups);
    find_limit(gpu, groups, make_groups(gpu, groups), limit);
    xfree(groups);
}

static void put_answer(const WbGpu *gpu, const KernelGroup *groups, size_t count, FILE *to)
{
    RunLimit limit;
    char sentence[sizeof limit.text + 32];
    find_limit(gpu, groups, count, &limit);
    snprintf(sentence, sizeof sentence, "Limited by %s", limit.text);
    report_wrapped(sentence, 0, to);
}

void report_wrapped(const char *text, unsigned indent, FILE *to)
{
    fprintf(to, "%*s", (int)indent, "");
    terminal_wrap(text, indent, indent, terminal_columns(to), to);
}

/* The first kernel that failed or hangs, and how many did not end. */
static void put_failures(const WbGpu *gpu, FILE *to)
{
    const KernelRecord *first = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < gpu->records.count; i++) {
        const KernelRecord *record = gpu->records.items[i];
        count += record->status != RECORD_ENDED;
        if (record->status > RECORD_INTERRUPTED && !first)
            first = record;
    }
    if (!count)
        return;
    fprintf(to, "%u of these kernels %s cut off before %s end", count, count == 1 ? "was" : "were",
            count == 1 ? "its" : "their");
    if (first)
        fprintf(to, "; %.80s: %s", first->name, record_status_names[first->status]);
    fputs(".\n", to);
}

void report_summary(const WbGpu *gpu, FILE *to)
{
    WbStat instructions = {0}, launches = {0};
    wb_stat_find(gpu, "warp_instructions", &instructions);
    wb_stat_find(gpu, "launches", &launches);
    fprintf(to, "warpbeam: %s, ", gpu->config.name);
    if (gpu->config.mode == MODE_CYCLE)
        fprintf(to, "simulated time %.3f us at %.3f GHz; ", wb_time(gpu) / 1000,
                (double)gpu->config.clock_khz / 1e6);
    fprintf(to, "%" PRIu64 " kernels, %" PRIu64 " warp instructions; %.2f s here\n", launches.value,
            instructions.value, gpu->seconds);
    if (!gpu->records.count)
        return;
    KernelGroup *groups = xcalloc(gpu->records.count, sizeof *groups);
    const size_t count = make_groups(gpu, groups);
    put_failures(gpu, to);
    put_answer(gpu, groups, count, to);
    put_groups(groups, count, to);
    report_lines(gpu, to);
    xfree(groups);
}

void report_violations(const WbGpu *gpu, FILE *to)
{
    const uint32_t shown = gpu->violations.sentences.count;
    for (uint32_t i = 0; i < shown; i++)
        fprintf(to, "warpbeam: %s\n", gpu->violations.sentences.items[i]);
    if (gpu->violations.count > shown)
        fprintf(to, "warpbeam: There are %" PRIu64 " such pairs of blocks in all.\n", gpu->violations.count);
}
