/* The summary of a program: how long, and which kernels that was. */
#include "report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/gpu.h"

enum { SHOWN = 12, NAME_WIDTH = 48 };

/* All launches of one kernel. */
typedef struct KernelGroup {
    const char *name;
    uint64_t launches, cycles, instructions;
    uint32_t first; /* number of its first launch */
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
        groups[i] =
            (KernelGroup){record->name, 1, record_cycles(record), record->warp_instructions, record->number};
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
    }
    qsort(groups, count, sizeof *groups, by_cycles);
    return count;
}

static void put_groups(const KernelGroup *groups, size_t count, FILE *to)
{
    uint64_t all = 0;
    for (size_t i = 0; i < count; i++)
        all += groups[i].cycles;
    fprintf(to, "  %-*s %9s %14s %7s %16s\n", NAME_WIDTH, "kernel", "launches", "cycles", "share",
            "warp instructions");
    for (size_t i = 0; i < count && i < SHOWN; i++)
        fprintf(to, "  %-*.*s %9" PRIu64 " %14" PRIu64 " %6.1f%% %17" PRIu64 "\n", NAME_WIDTH, NAME_WIDTH,
                groups[i].name, groups[i].launches, groups[i].cycles,
                all ? 100.0 * (double)groups[i].cycles / (double)all : 0.0, groups[i].instructions);
    if (count > SHOWN)
        fprintf(to, "  and %zu kernels more\n", count - SHOWN);
}

void report_summary(const WbGpu *gpu, FILE *to)
{
    WbStat instructions = {0}, launches = {0};
    wb_stat_find(gpu, "warp_instructions", &instructions);
    wb_stat_find(gpu, "launches", &launches);
    fprintf(to, "warpbeam: %s, %" PRIu64 " kernels, %" PRIu64 " warp instructions", gpu->config.name,
            launches.value, instructions.value);
    if (gpu->config.mode == MODE_CYCLE)
        fprintf(to, "; simulated time %.3f us", wb_time(gpu) / 1000);
    fprintf(to, "; %.2f s here\n", gpu->seconds);
    if (!gpu->records.count)
        return;
    KernelGroup *groups = xcalloc(gpu->records.count, sizeof *groups);
    const size_t count = make_groups(gpu, groups);
    put_groups(groups, count, to);
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
