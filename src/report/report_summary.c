/* The summary of a program: how long, what limited it, and which kernels that was. */
#include "report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/gpu.h"
#include "base/plain_name.h"
#include "base/terminal.h"
#include "report/limit.h"
#include "report/report_run.h"

enum { SHOWN = 12, NAME_WIDTH = 36, WHOLE_WIDTH = 110 };

/* All launches of one kernel. */
typedef struct KernelGroup {
    const char *name, *symbol;
    uint64_t launches, cycles, instructions;
    uint32_t first;    /* number of its first launch */
    KernelLimit limit; /* of all its launches together */
} KernelGroup;

static int by_name(const void *a, const void *b)
{
    const KernelGroup *one = a, *other = b;
    const int order = strcmp(one->symbol, other->symbol);
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
                                  .symbol = record->symbol,
                                  .launches = 1,
                                  .cycles = record_cycles(record),
                                  .instructions = record->warp_instructions,
                                  .first = record->number,
                                  .limit = limit_of(record, &sums, &gpu->config)};
    }
    /* Sorted by symbol, launches of one kernel are neighbours and can be put together in one pass, in
     * place. */
    qsort(groups, gpu->records.count, sizeof *groups, by_name);
    size_t count = 0;
    for (uint32_t i = 0; i < gpu->records.count; i++) {
        KernelGroup *last = count ? &groups[count - 1] : NULL;
        if (!last || strcmp(last->symbol, groups[i].symbol) != 0) {
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
    const size_t shown = count < SHOWN ? count : SHOWN;
    const char *names[SHOWN];
    char texts[SHOWN][NAME_WIDTH + 1];
    for (size_t i = 0; i < shown; i++)
        names[i] = groups[i].name;
    /* All at once, so that names which would look alike when cut show where they differ. */
    plain_names_fit(names, shown, NAME_WIDTH, texts[0]);
    put_head_of_groups(is_narrow, to);
    for (size_t i = 0; i < shown; i++)
        put_group(&groups[i], texts[i], all, is_narrow, to);
    if (count > SHOWN)
        fprintf(to, "  and %zu kernel%s more\n", count - SHOWN, count - SHOWN == 1 ? "" : "s");
}

/* What limited the whole: what lies between kernels, or what limited the kernel that took longest. */
static void find_limit(const WbGpu *gpu, const KernelGroup *groups, size_t count, RunLimit *limit)
{
    const RunTimes times = run_times(gpu);
    const Cycle functional = gpu->untimed.cycles, whole = times.all > functional ? times.all - functional : 0;
    char text[LIMIT_TEXT_SIZE];
    /* Kernels ran in less than half of the time: what limits is between them. */
    if (whole > 2 * times.busy) {
        limit->kind = "host";
        snprintf(
            limit->text, sizeof limit->text,
            "what is between kernels: they ran in %.0f%% of the simulated time%s; the rest is the host's "
            "launches and copies.",
            100 * (double)times.busy / (double)whole,
            functional ? ", that of functional kernels left out" : "");
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

/* The first line: on which GPU, how long, how much. */
static void put_head(const WbGpu *gpu, FILE *to)
{
    WbStat instructions = {0}, launches = {0};
    char kernels[RATIO_TEXT_SIZE], all[RATIO_TEXT_SIZE], time[160] = "", line[512];
    const RunTimes times = run_times(gpu);
    gpu_stat_find(gpu, "warp_instructions", &instructions);
    gpu_stat_find(gpu, "launches", &launches);
    ratio_text(run_microseconds(gpu, times.kernels), 1, 3, kernels);
    ratio_text(run_microseconds(gpu, times.all), 1, 3, all);
    const bool is_more = times.all > times.kernels;
    if (gpu->records.count)
        snprintf(time, sizeof time, "%s us from first launch to last end%s%s%s at %.3f GHz; ", kernels,
                 is_more ? ", " : "", is_more ? all : "", is_more ? " us in all," : "",
                 (double)gpu->config.clock_khz / 1e6);
    snprintf(line, sizeof line,
             "warpbeam: %s, %s%" PRIu64 " kernel%s, %" PRIu64 " warp instructions; %.2f s here",
             gpu->config.name, time, launches.value, launches.value == 1 ? "" : "s", instructions.value,
             gpu->seconds);
    report_wrapped(line, 0, to);
}

void report_untimed(const WbGpu *gpu, FILE *to)
{
    const Untimed *untimed = &gpu->untimed;
    const char *pattern = gpu->config.timed_kernels;
    if (!untimed->launches)
        return;
    if (gpu->records.count) {
        fprintf(to,
                "%" PRIu64
                " of these kernels ran functionally, a cycle for each instruction: not called '%s'.\n",
                untimed->launches, pattern);
        return;
    }
    fprintf(to, "No kernel was timed, as none is called '%s'; there were:\n", pattern);
    for (uint32_t i = 0; i < untimed->names.count; i++)
        fprintf(to, "  %s\n", untimed->names.items[i]);
    if (untimed->has_more)
        fputs("  and others\n", to);
}

void report_samples(const WbGpu *gpu, FILE *to)
{
    const uint64_t wanted = gpu->config.sample_interval, intervals = gpu->kept.intervals;
    char line[256];
    if (!wanted || intervals == 1)
        return;
    snprintf(line, sizeof line,
             "Samples are of %" PRIu64 " cycles each, as those of %" PRIu64
             " (knob sample_interval) would have been too many.",
             wanted * intervals, wanted);
    report_wrapped(line, 0, to);
}

void report_summary(const WbGpu *gpu, FILE *to)
{
    put_head(gpu, to);
    report_untimed(gpu, to);
    report_samples(gpu, to);
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
