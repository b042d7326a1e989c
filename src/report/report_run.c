/* What ran, and how long. Kernels of several streams overlap, so the time in which any kernel ran is the
 * length of the union of their intervals: sorted by begin, each adds what it reaches beyond those before
 * it. */
#include "report/report_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/plain_name.h"

/* -- how long -- */

static int by_launch(const void *a, const void *b)
{
    const KernelRecord *const *one = a, *const *other = b;
    return ((*one)->launched > (*other)->launched) - ((*one)->launched < (*other)->launched);
}

RunTimes run_times(const WbGpu *gpu)
{
    RunTimes times = {.all = (Cycle)llround(wb_time(gpu) * (double)gpu->config.clock_khz / 1e6)};
    const size_t count = gpu->records.count, bytes = count * sizeof *gpu->records.items;
    if (!count)
        return times;
    KernelRecord **records = memcpy(xmalloc(bytes), gpu->records.items, bytes);
    qsort(records, count, sizeof *records, by_launch);
    Cycle until = 0;
    for (size_t i = 0; i < count; i++) {
        /* Only the part that no earlier kernel has covered. */
        const Cycle from = records[i]->launched > until ? records[i]->launched : until;
        times.busy += records[i]->ended > from ? records[i]->ended - from : 0;
        until = records[i]->ended > until ? records[i]->ended : until;
    }
    times.kernels = until - records[0]->launched;
    xfree(records);
    return times;
}

Ratio run_microseconds(const WbGpu *gpu, Cycle cycles)
{
    return (Ratio){cycles * 1000, gpu->config.clock_khz};
}

void report_put_time(JsonWriter *json, const WbGpu *gpu)
{
    const RunTimes times = run_times(gpu);
    json_open(json, "time", '{');
    json_put_integer(json, "kernels_cycles", times.kernels);
    json_put_ratio(json, "kernels_us", run_microseconds(gpu, times.kernels));
    json_put_integer(json, "busy_cycles", times.busy);
    json_put_integer(json, "all_cycles", times.all);
    json_put_ratio(json, "all_us", run_microseconds(gpu, times.all));
    json_put_integer(json, "functional_cycles", gpu->untimed.cycles);
    json_put_integer(json, "functional_kernels", gpu->untimed.launches);
    json_close(json);
}

/* -- what -- */

enum { TITLE_WIDTH = 100, TITLE_SIZE = 4096 };

/* "wireframe/sor cdp, tiny"; "program --size 3"; "file.ptx saxpy". */
static char *title_of(const RunInfo *run, char title[TITLE_WIDTH + 1])
{
    char whole[TITLE_SIZE];
    const bool is_workload = strcmp(run->kind, "workload") == 0,
               is_program = strcmp(run->kind, "program") == 0;
    size_t used = (size_t)snprintf(
        whole, sizeof whole, "%s%s%s%s%s", is_workload ? run->what : file_last_part(run->what),
        run->mode ? " " : "", run->mode ? run->mode : "", run->size ? ", " : "", run->size ? run->size : "");
    for (uint32_t i = 0; is_program && i < run->arguments.count && used < sizeof whole; i++)
        used += (size_t)snprintf(whole + used, sizeof whole - used, " %s", run->arguments.items[i]);
    return plain_name_fit(whole, TITLE_WIDTH, title);
}

static void put_some(JsonWriter *json, const char *key, const char *text)
{
    if (text)
        json_put_text(json, key, text);
}

void report_put_run(JsonWriter *json, const WbGpu *gpu)
{
    const RunInfo *run = &gpu->run;
    char title[TITLE_WIDTH + 1];
    json_open(json, "run", '{');
    json_put_text(json, "version", WARPBEAM_VERSION);
    if (run->kind && run->what) {
        json_put_text(json, "title", title_of(run, title));
        json_put_text(json, "kind", run->kind);
        json_put_text(json, "what", run->what);
        put_some(json, "mode", run->mode);
        put_some(json, "size", run->size);
        json_open_line(json, "arguments", '[');
        for (uint32_t i = 0; i < run->arguments.count; i++)
            json_put_text(json, NULL, run->arguments.items[i]);
        json_close(json);
    }
    json_close(json);
}
