/* What links of a simulated system cost, beside what others measured on real ones
 * (bench/links/published.csv).
 *
 *   links [GPU] [--only TEXT] [--threads N] [--set KNOB=VALUE]...      h200; all measures; 1
 *
 * Times of what is repeated are slopes: of two runs that differ in how often or how much, so that launches do
 * not count. An all-reduce counts from when the kernels of all GPUs have begun to the end of the last one, as
 * where each has a host's thread of its own and graphs launch them. A deviation of more than 15% is marked.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/csv.h"
#include "multi/multi.h"

#define DIRECTORY SOURCE_DIRECTORY "/workloads/multi"
#define PUBLISHED SOURCE_DIRECTORY "/bench/links/published.csv"

enum { KIB = 1 << 10, MIB = 1 << 20 };

/* How a measure is made of runs: nanoseconds or microseconds of a step, bytes in a nanosecond, or microseconds
 * of kernels, alone or between a copy of their input and a copy of their result. */
typedef enum Kind { A_STEP, A_COPY, BYTES, KERNELS, COPIED } Kind;

typedef struct Measure {
    const char *what;
    const char *figure; /* published; null: none is */
    const char *program;
    MultiRun run;    /* of two runs the shorter one */
    uint32_t longer; /* steps or bytes of the other */
    uint32_t gpus;
    Kind kind;
    double scale; /* what the figure counts of a step, or of a byte */
} Measure;

static const char *const units[] = {
    [A_STEP] = "ns", [A_COPY] = "us", [BYTES] = "GB/s", [KERNELS] = "us", [COPIED] = "us"};

#define REDUCE_AS(way, name, size, bytes, count, kind, note)                                                 \
    {                                                                                                        \
        "All-reduce by " name ", " size ", " #count " GPUs" note, "allreduce_" way "_" size "_" #count,      \
            name, {.mode = MULTI_PUSH, .side = bytes}, 0, count, kind, 1                                     \
    }
#define REDUCE(way, name, size, bytes, count) REDUCE_AS(way, name, size, bytes, count, KERNELS, "")
/* As vLLM calls PyTorch: symmetric memory is filled before, and the result is copied out of it. */
#define REDUCE_COPIED(size, bytes, count)                                                                    \
    REDUCE_AS("two_shot_torch", "twoshot", size, bytes, count, COPIED, ", copied")

static const Measure measures[] = {
    {"Load from a peer's memory",
     "peer_load_latency",
     "chase",
     {.mode = MULTI_READ, .steps = 64},
     192,
     2,
     A_STEP,
     1},
    {"Load from the host's memory",
     "host_load_latency",
     "chase",
     {.mode = MULTI_READ, .steps = 64, .flags = MULTI_FLAGS_HOST},
     192,
     2,
     A_STEP,
     1},
    {"Flag to a peer, half a ping-pong, pushed",
     "nccl_ll_step",
     "pingpong",
     {.mode = MULTI_PUSH, .steps = 8},
     40,
     2,
     A_STEP,
     0.5},
    {"Flag to a peer, half a ping-pong, polled there",
     NULL,
     "pingpong",
     {.mode = MULTI_FLAGS, .steps = 8},
     40,
     2,
     A_STEP,
     0.5},
    {"Flag to a peer through host memory, half",
     NULL,
     "pingpong",
     {.mode = MULTI_FLAGS, .steps = 8, .flags = MULTI_FLAGS_HOST},
     40,
     2,
     A_STEP,
     0.5},
    {"Copy from a peer",
     "peer_copy_read",
     "peer",
     {.mode = MULTI_COPY, .side = 8 * MIB},
     24 * MIB,
     2,
     BYTES,
     1},
    {"Copies both ways between two GPUs",
     "peer_copy_both_ways",
     "peer_all",
     {.mode = MULTI_COPY, .side = 8 * MIB},
     24 * MIB,
     2,
     BYTES,
     2},
    {"Copy through the host",
     "peer_copy_through_host",
     "peer",
     {.mode = MULTI_COPY, .side = 8 * MIB, .flags = MULTI_FLAGS_HOST},
     24 * MIB,
     2,
     BYTES,
     1},
    {"Copy of 16 bytes, behind another",
     "peer_copy_call_latency",
     "peer",
     {.mode = MULTI_COPY, .side = 16, .steps = 20},
     120,
     2,
     A_COPY,
     1e-3},
    {"Copy of 16 bytes through the host",
     "peer_copy_call_latency_through_host",
     "peer",
     {.mode = MULTI_COPY, .side = 16, .steps = 20, .flags = MULTI_FLAGS_HOST},
     120,
     2,
     A_COPY,
     1e-3},
    {"Kernel that reads a peer's memory",
     NULL,
     "peer",
     {.mode = MULTI_READ, .side = 4 * MIB},
     12 * MIB,
     2,
     BYTES,
     1},
    {"Kernels that read from neighbours, 4 GPUs, each",
     NULL,
     "peer_all",
     {.mode = MULTI_READ, .side = 4 * MIB},
     12 * MIB,
     4,
     BYTES,
     1},
    {"Kernel that writes a peer's memory",
     NULL,
     "peer",
     {.mode = MULTI_WRITE, .side = 4 * MIB},
     12 * MIB,
     2,
     BYTES,
     1},
    {"All-reduce in a ring, 8 GPUs, bus bandwidth",
     "allreduce_ring_bus",
     "ring",
     {.mode = MULTI_PUSH, .side = 16 * MIB},
     32 * MIB,
     8,
     BYTES,
     2 * 7.0 / 8},
    REDUCE("one_shot", "oneshot", "512KiB", 512 * KIB, 4),
    REDUCE("one_shot", "oneshot", "1MiB", MIB, 4),
    REDUCE("one_shot", "oneshot", "2MiB", 2 * MIB, 4),
    REDUCE("one_shot", "oneshot", "4MiB", 4 * MIB, 4),
    REDUCE("one_shot", "oneshot", "1MiB", MIB, 6),
    REDUCE("one_shot", "oneshot", "4MiB", 4 * MIB, 6),
    REDUCE("two_shot", "twoshot", "512KiB", 512 * KIB, 4),
    REDUCE("two_shot", "twoshot", "1MiB", MIB, 4),
    REDUCE("two_shot", "twoshot", "4MiB", 4 * MIB, 4),
    REDUCE_COPIED("512KiB", 512 * KIB, 4),
    REDUCE_COPIED("1MiB", MIB, 4),
    REDUCE_COPIED("4MiB", 4 * MIB, 4),
    REDUCE_COPIED("1MiB", MIB, 8),
    REDUCE_COPIED("4MiB", 4 * MIB, 8),
};

enum { MOST_SETTINGS = 8, MOST_NAME = 64 };

typedef struct Bench {
    const char *gpu, *only, *threads;
    const char *settings[MOST_SETTINGS]; /* KNOB=VALUE, of all GPUs */
    size_t setting_count;
} Bench;

/* What a run took, in nanoseconds. */
typedef struct Times {
    double run, kernels;
} Times;

static bool set_one(const Bench *bench, WbGpu *gpu)
{
    bool right =
        wb_gpu_set(gpu, "mode", "cycle") == WB_OK && wb_gpu_set(gpu, "threads", bench->threads) == WB_OK;
    for (size_t i = 0; right && i < bench->setting_count; i++) {
        const char *value = strchr(bench->settings[i], '=');
        char name[MOST_NAME];
        snprintf(name, sizeof name, "%.*s", (int)(value - bench->settings[i]), bench->settings[i]);
        right = wb_gpu_set(gpu, name, value + 1) == WB_OK;
    }
    if (!right)
        fprintf(stderr, "%s\n", wb_error(gpu));
    return right;
}

static bool set_all(const Bench *bench, WbGpu *const *gpus, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!set_one(bench, gpus[i]))
            return false;
    return true;
}

static bool run_once(const Bench *bench, const Measure *measure, const MultiRun *run, Times *times)
{
    const char *names[MULTI_GPUS];
    WbGpu *gpus[MULTI_GPUS];
    char error[2048];
    for (uint32_t i = 0; i < measure->gpus; i++)
        names[i] = bench->gpu;
    if (wb_gpus_open(names, measure->gpus, gpus, error, sizeof error) != WB_OK) {
        fprintf(stderr, "%s\n", error);
        return false;
    }
    Host host = {0};
    bool right = set_all(bench, gpus, measure->gpus);
    if (right) {
        right = multi_run(multi_find(measure->program), run, gpus, measure->gpus, DIRECTORY, &host);
        if (!right)
            fprintf(stderr, "%s\n", host.error);
        *times = (Times){host.total_time, right ? multi_together(gpus, measure->gpus) : 0};
        host_end(&host);
    }
    for (uint32_t i = measure->gpus; i-- > 0;)
        wb_gpu_close(gpus[i]);
    return right;
}

/* Nanoseconds of a copy on a GPU behind another, as the difference of three and one. */
static bool time_copy(const Bench *bench, size_t bytes, double *value)
{
    WbGpu *gpu;
    char error[2048];
    uint64_t from = 0, to = 0;
    double times[2] = {0};
    if (wb_gpu_open(bench->gpu, &gpu, error, sizeof error) != WB_OK)
        return fprintf(stderr, "%s\n", error), false;
    bool right =
        set_one(bench, gpu) && wb_malloc(gpu, bytes, &from) == WB_OK && wb_malloc(gpu, bytes, &to) == WB_OK;
    for (uint32_t i = 0; right && i < 2; i++) {
        const WbCopy copy = {.destination = {.address = to},
                             .source = {.address = from},
                             .width = bytes,
                             .height = 1,
                             .depth = 1};
        const double begun = wb_time(gpu);
        for (uint32_t k = 0; right && k < 1 + 2 * i; k++)
            right = wb_stream_copy(gpu, NULL, &copy) == WB_OK;
        right = right && wb_wait(gpu) == WB_OK;
        times[i] = wb_time(gpu) - begun;
    }
    *value = (times[1] - times[0]) / 2;
    wb_gpu_close(gpu);
    return right;
}

static bool take(const Bench *bench, const Measure *measure, double *value)
{
    MultiRun longer = measure->run;
    Times times[2] = {{0}};
    if (!run_once(bench, measure, &measure->run, &times[0]))
        return false;
    if (measure->kind == KERNELS || measure->kind == COPIED) {
        double copy = 0;
        const bool right = measure->kind == KERNELS || time_copy(bench, measure->run.side, &copy);
        *value = (times[0].kernels + 2 * copy) / 1e3;
        return right;
    }
    *(measure->kind == BYTES ? &longer.side : &longer.steps) = measure->longer;
    if (!run_once(bench, measure, &longer, &times[1]))
        return false;
    const double more = measure->kind == BYTES ? (double)(longer.side - measure->run.side)
                                               : (double)(longer.steps - measure->run.steps);
    const double time = times[1].run - times[0].run;
    *value = (measure->kind == BYTES ? more / time : time / more) * measure->scale;
    return true;
}

static void show(const Measure *measure, double value)
{
    const double published = measure->figure ? csv_number(PUBLISHED, measure->figure, "value") : NAN;
    const double deviation = (value / published - 1) * 100;
    if (isnan(published))
        printf("%-48s %8.1f %-5s %8s\n", measure->what, value, units[measure->kind], "-");
    else
        printf("%-48s %8.1f %-5s %8.1f %+6.0f%%%s %s\n", measure->what, value, units[measure->kind],
               published, deviation, fabs(deviation) > 15 ? " !" : "  ", measure->figure);
    fflush(stdout);
}

static bool read_options(int argument_count, char **arguments, Bench *bench)
{
    for (int i = 1; i < argument_count; i++) {
        if (strcmp(arguments[i], "--only") == 0 && i + 1 < argument_count)
            bench->only = arguments[++i];
        else if (strcmp(arguments[i], "--threads") == 0 && i + 1 < argument_count)
            bench->threads = arguments[++i];
        else if (strcmp(arguments[i], "--set") == 0 && i + 1 < argument_count &&
                 strchr(arguments[i + 1], '=') && bench->setting_count < MOST_SETTINGS)
            bench->settings[bench->setting_count++] = arguments[++i];
        else if (arguments[i][0] != '-')
            bench->gpu = arguments[i];
        else
            return fprintf(stderr, "links [GPU] [--only TEXT] [--threads N] [--set KNOB=VALUE]...\n"), false;
    }
    return true;
}

int main(int argument_count, char **arguments)
{
    Bench bench = {.gpu = "h200", .threads = "1"};
    if (!read_options(argument_count, arguments, &bench))
        return 2;
    printf("%-48s %8s %-5s %8s %7s\n", "", "measured", "", "others", "");
    bool all = true;
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++) {
        double value;
        if (bench.only && !strstr(measures[i].what, bench.only))
            continue;
        if (take(&bench, &measures[i], &value))
            show(&measures[i], value);
        else
            all = false;
    }
    return all ? 0 : 1;
}
