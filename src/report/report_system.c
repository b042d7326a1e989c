/* Of several GPUs, counters are added up, files of sources are listed once, and times are the system's. With
 * one GPU all of that is the GPU's own. */
#include "report/report_system.h"

#include <string.h>
#include <sys/resource.h>

#include "report/report_links.h"
#include "report/report_run.h"

const WbGpu *report_described(const System *system)
{
    const WbGpu *first = NULL;
    FOR_GPUS(gpu, system) {
        if (gpu->run.kind)
            return gpu;
        first = first ? first : gpu;
    }
    return first;
}

bool report_shows(const System *system, unsigned component)
{
    FOR_GPUS(gpu, system)
        if (gpu_shows(gpu, component))
            return true;
    return false;
}

const char *report_name_gpus(const System *system, char *text, size_t size)
{
    const char *name = NULL;
    uint32_t count = 0;
    bool alike = true;
    FOR_GPUS(gpu, system) {
        alike = alike && (!name || strcmp(name, gpu->config.name) == 0);
        name = gpu->config.name;
        count++;
    }
    if (!report_is_several(system))
        snprintf(text, size, "%s", name);
    else if (alike)
        snprintf(text, size, "%u x %s", count, name);
    else
        snprintf(text, size, "%u GPUs", count);
    return text;
}

uint64_t report_total(const System *system, size_t index)
{
    uint64_t sum = 0;
    FOR_GPUS(gpu, system)
        sum += gpu_stat_at(gpu, index).value;
    return sum;
}

uint64_t report_total_named(const System *system, const char *name)
{
    uint64_t sum = 0;
    FOR_GPUS(gpu, system) {
        WbStat stat = {0};
        gpu_stat_find(gpu, name, &stat);
        sum += stat.value;
    }
    return sum;
}

/* -- JSON -- */

static bool has_time(const System *system)
{
    FOR_GPUS(gpu, system)
        if (gpu->config.mode == MODE_CYCLE)
            return true;
    return false;
}

static bool has_records(const System *system)
{
    FOR_GPUS(gpu, system)
        if (gpu->records.count)
            return true;
    return false;
}

void report_put_limit(JsonWriter *json, const RunLimit *limit)
{
    json_open(json, "limited_by", '{');
    json_put_text(json, "kind", limit->kind);
    json_put_text(json, "text", limit->text);
    json_close(json);
}

static void put_totals(JsonWriter *json, const System *system)
{
    const WbGpu *any = report_described(system);
    size_t index = 0;
    json_open(json, "totals", '{');
    for (unsigned c = 0; c < components_known; c++)
        for (size_t row = 0; row < components[c].table->count; row++, index++)
            if (report_shows(system, c))
                json_put_integer(json, gpu_stat_at(any, index).name, report_total(system, index));
    json_close(json);
}

/* Of all kernels together: what is divided is added up first, so long ones count more. */
static void add_ratios(Ratio sums[RATIO_COUNT], const WbGpu *gpu)
{
    for (uint32_t i = 0; i < gpu->records.count; i++) {
        const KernelSums kernel = kernel_sums(gpu->records.items[i], &gpu->config);
        for (unsigned row = 0; row < RATIO_COUNT; row++) {
            const Ratio ratio = ratio_rows[row].compute(&kernel);
            sums[row].over += ratio.over;
            sums[row].under += ratio.under;
        }
    }
}

static void put_ratios(JsonWriter *json, const Ratio sums[RATIO_COUNT])
{
    json_open(json, "ratios", '{');
    for (unsigned row = 0; row < RATIO_COUNT; row++)
        json_put_ratio(json, ratio_rows[row].name, sums[row]);
    json_close(json);
}

void report_put_ratios(JsonWriter *json, const WbGpu *gpu)
{
    Ratio sums[RATIO_COUNT] = {0};
    add_ratios(sums, gpu);
    put_ratios(json, sums);
}

static void put_ratios_of_all(JsonWriter *json, const System *system)
{
    Ratio sums[RATIO_COUNT] = {0};
    FOR_GPUS(gpu, system)
        add_ratios(sums, gpu);
    put_ratios(json, sums);
}

void report_put_system(JsonWriter *json, const System *system)
{
    uint32_t open = 0;
    char title[160];
    FOR_GPUS(gpu, system)
        open += gpu != NULL;
    json_open(json, "system", '{');
    json_put_integer(json, "gpu_count", open);
    json_put_text(json, "title", report_name_gpus(system, title, sizeof title));
    json_put_integer(json, "clock_khz", system->khz);
    json_close(json);
    if (has_time(system))
        report_put_time_of_all(json, system);
    if (has_records(system)) {
        RunLimit limit;
        report_limit_of_all(system, &limit);
        report_put_limit(json, &limit);
    }
    put_totals(json, system);
    if (has_records(system))
        put_ratios_of_all(json, system);
    report_put_links(json, system);
    report_put_copies(json, system);
}

/* Whether an earlier GPU has a text of the file. */
static bool is_put(const System *system, const WbGpu *until, const char *name)
{
    FOR_GPUS(gpu, system) {
        if (gpu == until)
            return false;
        for (uint32_t i = 0; i < gpu->sources.files.count; i++)
            if (gpu->sources.files.items[i].text && strcmp(gpu->sources.files.items[i].name, name) == 0)
                return true;
    }
    return false;
}

static bool has_sources(const System *system)
{
    FOR_GPUS(gpu, system)
        if (gpu->sources.files.count)
            return true;
    return false;
}

void report_put_sources(JsonWriter *json, const System *system)
{
    if (!has_sources(system))
        return;
    json_open(json, "sources", '{');
    FOR_GPUS(gpu, system)
        for (uint32_t i = 0; i < gpu->sources.files.count; i++) {
            const char *name = gpu->sources.files.items[i].name, *text = gpu->sources.files.items[i].text;
            if (text && !is_put(system, gpu, name))
                json_put_text(json, name, text);
        }
    json_close(json);
}

/* The most threads that a GPU asks for, and the shortest window: those of the world. Cycles are those of all
 * GPUs together. */
void report_put_host(JsonWriter *json, const System *system)
{
    struct rusage usage = {0};
    uint64_t microseconds = 0, window = 0;
    uint32_t threads = 0;
    getrusage(RUSAGE_SELF, &usage);
    FOR_GPUS(gpu, system) {
        const uint32_t own = cycle_threads(&gpu->config);
        microseconds += (uint64_t)(gpu->seconds * 1e6);
        threads = own > threads ? own : threads;
        window = gpu->config.window && (!window || gpu->config.window < window) ? gpu->config.window : window;
    }
    const uint64_t instructions = report_total_named(system, "warp_instructions"),
                   cycles = report_total_named(system, "cycles");
    json_open(json, "host", '{');
    json_put_ratio(json, "wall_seconds", (Ratio){microseconds, 1000000});
    json_put_integer(json, "threads", threads);
    json_put_integer(json, "window", window);
    json_put_ratio(json, "warp_instructions_per_second", (Ratio){instructions * 1000000, microseconds});
    json_put_ratio(json, "cycles_per_second", (Ratio){cycles * 1000000, microseconds});
    json_put_integer(json, "peak_memory_bytes", (uint64_t)usage.ru_maxrss * 1024);
    json_close(json);
}
