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

/* When a kernel was there. */
typedef struct Span {
    Cycle begin, end;
} Span;
typedef VEC(Span) Spans;

static int by_begin(const void *a, const void *b)
{
    const Span *one = a, *other = b;
    return (one->begin > other->begin) - (one->begin < other->begin);
}

/* Sorts them, and frees them. */
static RunTimes times_of(Spans *spans, Cycle all)
{
    RunTimes times = {.all = all};
    if (!spans->count)
        return times;
    qsort(spans->items, spans->count, sizeof *spans->items, by_begin);
    Cycle until = 0;
    for (uint32_t i = 0; i < spans->count; i++) {
        const Span *span = &spans->items[i];
        /* Only the part that no earlier kernel has covered. */
        const Cycle from = span->begin > until ? span->begin : until;
        times.busy += span->end > from ? span->end - from : 0;
        until = span->end > until ? span->end : until;
    }
    times.kernels = until - spans->items[0].begin;
    VEC_FREE(spans);
    return times;
}

static Cycle all_cycles(const WbGpu *gpu, uint64_t khz)
{
    return (Cycle)llround(wb_time(gpu) * (double)khz / 1e6);
}

RunTimes run_times(const WbGpu *gpu)
{
    Spans spans = {0};
    for (uint32_t i = 0; i < gpu->records.count; i++)
        VEC_PUSH(&spans, ((Span){gpu->records.items[i]->launched, gpu->records.items[i]->ended}));
    return times_of(&spans, all_cycles(gpu, gpu->config.clock_khz));
}

RunTimes run_times_of_all(const System *system)
{
    Spans spans = {0};
    Cycle all = 0;
    FOR_GPUS(gpu, system) {
        all = all_cycles(gpu, system->khz);
        for (uint32_t i = 0; i < gpu->records.count; i++)
            VEC_PUSH(&spans, ((Span){gpu_world(gpu, gpu->records.items[i]->launched),
                                     gpu_world(gpu, gpu->records.items[i]->ended)}));
    }
    return times_of(&spans, all);
}

Ratio run_microseconds(uint64_t khz, Cycle cycles) { return (Ratio){cycles * 1000, khz}; }

/* `functional`: cycles of kernels without timing. */
static void put_time(JsonWriter *json, const RunTimes *times, uint64_t khz, Cycle functional,
                     uint64_t launches)
{
    json_open(json, "time", '{');
    json_put_integer(json, "kernels_cycles", times->kernels);
    json_put_ratio(json, "kernels_us", run_microseconds(khz, times->kernels));
    json_put_integer(json, "busy_cycles", times->busy);
    json_put_integer(json, "all_cycles", times->all);
    json_put_ratio(json, "all_us", run_microseconds(khz, times->all));
    json_put_integer(json, "functional_cycles", functional);
    json_put_integer(json, "functional_kernels", launches);
    json_close(json);
}

void report_put_time(JsonWriter *json, const WbGpu *gpu)
{
    const RunTimes times = run_times(gpu);
    put_time(json, &times, gpu->config.clock_khz, gpu->untimed.cycles, gpu->untimed.launches);
}

void report_put_time_of_all(JsonWriter *json, const System *system)
{
    const RunTimes times = run_times_of_all(system);
    Cycle functional = 0;
    uint64_t launches = 0;
    FOR_GPUS(gpu, system) {
        functional += gpu_world(gpu, gpu->untimed.cycles);
        launches += gpu->untimed.launches;
    }
    put_time(json, &times, system->khz, functional, launches);
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
