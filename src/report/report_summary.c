/* The summary of a program: how long, what limited it, and which kernels that was. */
#include "report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/gpu.h"
#include "base/plain_name.h"
#include "base/terminal.h"
#include "report/limit.h"
#include "report/report_links.h"
#include "report/report_run.h"
#include "report/report_system.h"

enum { SHOWN = 12, NAME_WIDTH = 36, WHOLE_WIDTH = 110 };

/* All launches of one kernel. */
typedef struct KernelGroup {
    const char *name, *symbol;
    uint64_t launches, cycles, instructions;
    uint32_t first;    /* number of its first launch, */
    uint32_t gpu;      /* and where that was */
    KernelLimit limit; /* of all its launches together */
} KernelGroup;
typedef VEC(KernelGroup) KernelGroups;

static int by_first(const KernelGroup *one, const KernelGroup *other)
{
    if (one->first != other->first)
        return one->first < other->first ? -1 : 1;
    return (one->gpu > other->gpu) - (one->gpu < other->gpu);
}

static int by_name(const void *a, const void *b)
{
    const KernelGroup *one = a, *other = b;
    const int order = strcmp(one->symbol, other->symbol);
    return order ? order : by_first(one, other);
}

/* Longest first; of equal ones the one launched first. */
static int by_cycles(const void *a, const void *b)
{
    const KernelGroup *one = a, *other = b;
    if (one->cycles != other->cycles)
        return one->cycles < other->cycles ? 1 : -1;
    return by_first(one, other);
}

/* One group a launch. */
static void add_launches(const WbGpu *gpu, KernelGroups *groups)
{
    for (uint32_t i = 0; i < gpu->records.count; i++) {
        const KernelRecord *record = gpu->records.items[i];
        const KernelSums sums = kernel_sums(record, &gpu->config);
        VEC_PUSH(groups, ((KernelGroup){.name = record->name,
                                        .symbol = record->symbol,
                                        .launches = 1,
                                        .cycles = record_cycles(record),
                                        .instructions = record->warp_instructions,
                                        .first = record->number,
                                        .gpu = gpu->index,
                                        .limit = limit_of(record, &sums, &gpu->config)}));
    }
}

/* Launches of one name are put together, the longest first. */
static void join_launches(KernelGroups *groups)
{
    const uint32_t launches = groups->count;
    if (!launches)
        return;
    /* Sorted by symbol, launches of one kernel are neighbours and can be put together in one pass, in
     * place. */
    qsort(groups->items, launches, sizeof *groups->items, by_name);
    groups->count = 0;
    for (uint32_t i = 0; i < launches; i++) {
        const KernelGroup *next = &groups->items[i];
        KernelGroup *last = groups->count ? &groups->items[groups->count - 1] : NULL;
        if (!last || strcmp(last->symbol, next->symbol) != 0) {
            groups->items[groups->count++] = *next;
            continue;
        }
        last->launches++;
        last->cycles += next->cycles;
        last->instructions += next->instructions;
        limit_add(&last->limit, &next->limit);
    }
    qsort(groups->items, groups->count, sizeof *groups->items, by_cycles);
}

static KernelGroups groups_of(const WbGpu *gpu)
{
    KernelGroups groups = {0};
    add_launches(gpu, &groups);
    join_launches(&groups);
    return groups;
}

/* In cycles of the system. */
static KernelGroups groups_of_all(const System *system)
{
    KernelGroups groups = {0};
    FOR_GPUS(gpu, system) {
        const uint32_t before = groups.count;
        add_launches(gpu, &groups);
        for (uint32_t i = before; i < groups.count; i++)
            groups.items[i].cycles = gpu_world(gpu, groups.items[i].cycles);
    }
    join_launches(&groups);
    return groups;
}

static uint64_t all_cycles(const KernelGroups *groups)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < groups->count; i++)
        all += groups->items[i].cycles;
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

static void put_groups(const KernelGroups *groups, FILE *to)
{
    const uint64_t all = all_cycles(groups);
    const size_t count = groups->count;
    const bool is_narrow = terminal_is(to) && terminal_columns(to) < WHOLE_WIDTH;
    const size_t shown = count < SHOWN ? count : SHOWN;
    const char *names[SHOWN];
    char texts[SHOWN][NAME_WIDTH + 1];
    for (size_t i = 0; i < shown; i++)
        names[i] = groups->items[i].name;
    /* All at once, so that names which would look alike when cut show where they differ. */
    plain_names_fit(names, shown, NAME_WIDTH, texts[0]);
    put_head_of_groups(is_narrow, to);
    for (size_t i = 0; i < shown; i++)
        put_group(&groups->items[i], texts[i], all, is_narrow, to);
    if (count > SHOWN)
        fprintf(to, "  and %zu kernel%s more\n", count - SHOWN, count - SHOWN == 1 ? "" : "s");
}

/* What limited the whole: what lies between kernels, or what limited the kernel that took longest.
 * `functional`: cycles of kernels that were not timed. */
static void find_limit(RunTimes times, Cycle functional, const KernelGroups *groups, RunLimit *limit)
{
    const Cycle whole = times.all > functional ? times.all - functional : 0;
    const KernelGroup *longest = groups->items;
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
    const uint64_t all = all_cycles(groups);
    limit->kind = limit_rows[longest->limit.kind].name;
    snprintf(limit->text, sizeof limit->text, "%s That is %.80s, with %.0f%% of the kernels' cycles.",
             limit_text(&longest->limit, text), longest->name,
             all ? 100.0 * (double)longest->cycles / (double)all : 0.0);
}

void report_limit(const WbGpu *gpu, RunLimit *limit)
{
    KernelGroups groups = groups_of(gpu);
    find_limit(run_times(gpu), gpu->untimed.cycles, &groups, limit);
    VEC_FREE(&groups);
}

static void find_limit_of_all(const System *system, const KernelGroups *groups, RunLimit *limit)
{
    Cycle functional = 0;
    FOR_GPUS(gpu, system)
        functional += gpu_world(gpu, gpu->untimed.cycles);
    find_limit(run_times_of_all(system), functional, groups, limit);
}

void report_limit_of_all(const System *system, RunLimit *limit)
{
    KernelGroups groups = groups_of_all(system);
    find_limit_of_all(system, &groups, limit);
    VEC_FREE(&groups);
}

static void put_answer(const System *system, const KernelGroups *groups, FILE *to)
{
    RunLimit limit;
    char sentence[sizeof limit.text + 32];
    find_limit_of_all(system, groups, &limit);
    snprintf(sentence, sizeof sentence, "Limited by %s", limit.text);
    report_wrapped(sentence, 0, to);
}

void report_wrapped(const char *text, unsigned indent, FILE *to)
{
    fprintf(to, "%*s", (int)indent, "");
    terminal_wrap(text, indent, indent, terminal_columns(to), to);
}

/* The first kernel that failed or hangs, and how many did not end. */
static void put_failures(const System *system, FILE *to)
{
    const KernelRecord *first = NULL;
    uint32_t count = 0;
    FOR_GPUS(gpu, system)
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

static uint32_t count_records(const System *system)
{
    uint32_t count = 0;
    FOR_GPUS(gpu, system)
        count += gpu->records.count;
    return count;
}

/* The first line: on which GPU, how long, how much. */
static void put_head(const System *system, FILE *to)
{
    char name[160], kernels[RATIO_TEXT_SIZE], all[RATIO_TEXT_SIZE], time[160] = "", line[512];
    const RunTimes times = run_times_of_all(system);
    const uint64_t instructions = report_total_named(system, "warp_instructions"),
                   launches = report_total_named(system, "launches");
    double seconds = 0;
    FOR_GPUS(gpu, system)
        seconds += gpu->seconds;
    ratio_text(run_microseconds(system->khz, times.kernels), 1, 3, kernels);
    ratio_text(run_microseconds(system->khz, times.all), 1, 3, all);
    const bool is_more = times.all > times.kernels;
    if (count_records(system))
        snprintf(time, sizeof time, "%s us from first launch to last end%s%s%s at %.3f GHz; ", kernels,
                 is_more ? ", " : "", is_more ? all : "", is_more ? " us in all," : "",
                 (double)system->khz / 1e6);
    snprintf(line, sizeof line,
             "warpbeam: %s, %s%" PRIu64 " kernel%s, %" PRIu64 " warp instructions; %.2f s here",
             report_name_gpus(system, name, sizeof name), time, launches, launches == 1 ? "" : "s",
             instructions, seconds);
    report_wrapped(line, 0, to);
}

/* All of them, and the first GPU that has any. */
static uint64_t count_untimed(const System *system, const WbGpu **first)
{
    uint64_t count = 0;
    *first = NULL;
    FOR_GPUS(gpu, system) {
        *first = *first || !gpu->untimed.launches ? *first : gpu;
        count += gpu->untimed.launches;
    }
    return count;
}

static void put_untimed(const System *system, FILE *to)
{
    const WbGpu *gpu;
    const uint64_t launches = count_untimed(system, &gpu);
    if (!launches)
        return;
    const Untimed *untimed = &gpu->untimed;
    const char *pattern = gpu->config.timed_kernels;
    if (count_records(system)) {
        fprintf(to,
                "%" PRIu64
                " of these kernels ran functionally, a cycle for each instruction: not called '%s'.\n",
                launches, pattern);
        return;
    }
    fprintf(to, "No kernel was timed, as none is called '%s'; there were:\n", pattern);
    for (uint32_t i = 0; i < untimed->names.count; i++)
        fprintf(to, "  %s\n", untimed->names.items[i]);
    if (untimed->has_more)
        fputs("  and others\n", to);
}

void report_untimed(const WbGpu *gpu, FILE *to) { put_untimed(gpu->system, to); }

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

/* -- GPUs -- */

/* A row for each GPU: how much of the system's time it had a kernel. */
static void put_gpus(const System *system, FILE *to)
{
    const Cycle all = run_times_of_all(system).kernels;
    if (!report_is_several(system))
        return;
    fprintf(to, "  %-*s %8s %12s %6s %13s  %s\n", NAME_WIDTH, "GPU", "launches", "busy, us", "share",
            "warp instr.", "limited by");
    FOR_GPUS(gpu, system) {
        KernelGroups groups = groups_of(gpu);
        const Cycle busy = gpu_world(gpu, run_times(gpu).busy);
        char name[160], time[RATIO_TEXT_SIZE];
        WbStat instructions = {0}, launches = {0};
        gpu_stat_find(gpu, "warp_instructions", &instructions);
        gpu_stat_find(gpu, "launches", &launches);
        snprintf(name, sizeof name, "%u %.*s", gpu->index, NAME_WIDTH - 4, gpu->config.name);
        fprintf(to, "  %-*s %8" PRIu64 " %12s %5.1f%% %13" PRIu64 "  %s\n", NAME_WIDTH, name, launches.value,
                ratio_text(run_microseconds(system->khz, busy), 1, 2, time),
                all ? 100.0 * (double)busy / (double)all : 0.0, instructions.value,
                groups.count ? limit_rows[groups.items[0].limit.kind].title : "-");
        VEC_FREE(&groups);
    }
}

void report_summary(const WbGpu *of, FILE *to)
{
    const System *system = of->system;
    put_head(system, to);
    put_untimed(system, to);
    FOR_GPUS(gpu, system)
        report_samples(gpu, to);
    report_copies(system, to);
    if (!count_records(system))
        return;
    KernelGroups groups = groups_of_all(system);
    put_failures(system, to);
    put_answer(system, &groups, to);
    put_gpus(system, to);
    report_busiest_link(system, to);
    put_groups(&groups, to);
    report_lines(of, to);
    VEC_FREE(&groups);
}

void report_violations(const WbGpu *of, FILE *to)
{
    uint64_t count = 0, shown = 0;
    FOR_GPUS(gpu, of->system) {
        for (uint32_t i = 0; i < gpu->violations.sentences.count; i++)
            fprintf(to, "warpbeam: %s\n", gpu->violations.sentences.items[i]);
        shown += gpu->violations.sentences.count;
        count += gpu->violations.count;
    }
    if (count > shown)
        fprintf(to, "warpbeam: There are %" PRIu64 " such pairs of blocks in all.\n", count);
}
