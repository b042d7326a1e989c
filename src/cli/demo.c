/* `warpbeam demo`: one wavefront in all ways that keep its order, on the machine of the Wireframe paper.
 *
 * A sweep of successive over-relaxation is cut into tiles, each of which needs those above and to the left of
 * it. The host can launch wave after wave, a kernel can, or one launch can name what each tile needs. */
#include "cli/command.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/gpu.h"
#include "base/nearest.h"
#include "base/terminal.h"
#include "cli/progress.h"
#include "cli/running.h"
#include "papers/paper.h"
#include "registry/registry.h"
#include "report/limit.h"
#include "report/report_run.h"
#include "wireframe/wireframe.h"

enum { PATH_SIZE = 4096 };
/* Columns of the table, which without the last one is 60 wide. */
enum { NAME_WIDTH = 8, ABOUT_WIDTH = 31, WHOLE_WIDTH = 122 };

/* Rows of the table, in its order. */
static const struct {
    WireframeMode mode;
    const char *name, *about;
} ways[] = {
    {WIREFRAME_GLOBAL, "global", "the host launches every wave"},
    {WIREFRAME_CDP, "cdp", "a kernel launches every wave"},
    {WIREFRAME_BARRIERS, "barriers", "one launch, barriers in a graph"},
    {WIREFRAME_LRR, "lrr", "one launch, parents in a graph"},
    {WIREFRAME_LVL, "lvl", "the same, no tile far ahead"},
};
enum { WAYS = sizeof ways / sizeof *ways };

/* The launch overhead that the paper assumes [Wireframe §5.1], and all that reports show. */
static const char *const settings[][2] = {
    {"mode", "cycle"},    {"host_launch_latency_ns", "30000"}, {"kernel_launch_cycles", "283"},
    {"timeline", "true"}, {"profile_lines", "true"},
};

/* In tiles of 60 x 32 cells: the paper's graphs of 1K and 4K nodes [Wireframe §5.2]. */
static const WavefrontShape shapes[INPUT_SIZES] = {[INPUT_SMALL] = {1920, 1024, 32, 32},
                                                   [INPUT_FULL] = {3840, 2048, 64, 64},
                                                   [INPUT_TINY] = {180, 96, 3, 3}};

typedef struct Demo {
    const char *gpu, *threads, *out, *progress; /* null where not given */
    InputSize size;
    char files[WAYS][PATH_SIZE]; /* statistics, where there is a folder for them */
} Demo;

typedef struct Outcome {
    double time; /* simulated microseconds from first launch to last end, as reports have it */
    char limits[128];
} Outcome;

/* -- what limited it -- */

/* Where the slots of all schedulers went, over all kernels and the time between them: the largest two. */
static void find_limits(const WbGpu *gpu, double time, char *text, size_t size)
{
    const GpuConfig *config = &gpu->config;
    const double cycles = time * (double)config->clock_khz / 1e3;
    double all = cycles * (double)config->sm_count * (double)config->schedulers, between = all;
    double slots[LIMIT_COUNT] = {0};
    for (uint32_t i = 0; i < gpu->records.count; i++) {
        const KernelSums sums = kernel_sums(gpu->records.items[i], config);
        const KernelLimit limit = limit_of(gpu->records.items[i], &sums, config);
        for (unsigned kind = 0; kind < LIMIT_COUNT; kind++)
            slots[kind] += (double)limit.slots[kind];
        between -= (double)limit.all;
    }
    struct {
        const char *title;
        double slots;
    } best = {"launches by the host", between}, second = {"", 0};
    for (unsigned kind = 0; kind < LIMIT_COUNT; kind++) {
        if (slots[kind] <= second.slots)
            continue;
        second.title = limit_rows[kind].title;
        second.slots = slots[kind];
        if (second.slots > best.slots) {
            const char *title = best.title;
            const double less = best.slots;
            best.title = second.title, best.slots = second.slots;
            second.title = title, second.slots = less;
        }
    }
    snprintf(text, size, "%s %.0f%%, %s %.0f%%", best.title, 100 * best.slots / all, second.title,
             100 * second.slots / all);
}

/* -- runs -- */

/* Returns as running_open() does. */
static int open_gpu(const Demo *demo, WbGpu **gpu)
{
    int result = gpu_open(demo->gpu, gpu);
    if (result != EXIT_DONE)
        return result;
    if (demo->threads && wb_gpu_set(*gpu, "threads", demo->threads))
        result = misuse("%s", wb_error(*gpu));
    for (size_t i = 0; i < sizeof settings / sizeof *settings && result == EXIT_DONE; i++)
        if (wb_gpu_set(*gpu, settings[i][0], settings[i][1]))
            result = fail("%s", wb_error(*gpu));
    if (result == EXIT_DONE && !progress_start(*gpu, demo->progress))
        result = EXIT_USAGE;
    if (result == EXIT_DONE)
        return EXIT_DONE;
    wb_gpu_close(*gpu);
    *gpu = NULL;
    return result;
}

static int run_way(Demo *demo, size_t way, WbGpu *gpu, Outcome *outcome)
{
    char folder[PATH_SIZE];
    const WireframeBenchmark *benchmark = wireframe_find("sor");
    const WireframeRun run = {.mode = ways[way].mode};
    wb_set_run(gpu, &(WbRunInfo){.kind = "workload",
                                 .what = "demo",
                                 .mode = ways[way].name,
                                 .size = input_size_names[demo->size]});
    Host host = host_begin(gpu, paper_data("workloads/wireframe", folder, sizeof folder), benchmark->file);
    const bool right = host.status == WB_OK && benchmark->run(&host, &run, shapes[demo->size]);
    int result = right ? EXIT_DONE
                       : fail("%s: %s", ways[way].name,
                              host.status ? host.error : "the result is not the one computed on the host.");
    *outcome = (Outcome){.time = 1e3 * (double)run_times(gpu).kernels / (double)gpu->config.clock_khz};
    find_limits(gpu, outcome->time, outcome->limits, sizeof outcome->limits);
    if (result == EXIT_DONE && demo->out) {
        snprintf(demo->files[way], PATH_SIZE, "%s/%s.json", demo->out, ways[way].name);
        if (wb_report(gpu, demo->files[way], WB_REPORT_DETAILS | WB_REPORT_BLOCKS))
            result = fail("%s", wb_error(gpu));
    }
    host_end(&host);
    return result;
}

/* The last column, or where a line has no room for it, a line of its own. */
static void print_limits(const char *text)
{
    if (terminal_is(stdout) && terminal_columns(stdout) < WHOLE_WIDTH) {
        printf("\n%*s", NAME_WIDTH + 1, "");
        terminal_wrap(text, NAME_WIDTH + 1, NAME_WIDTH + 1, terminal_columns(stdout), stdout);
    } else {
        printf("  %s\n", text);
    }
}

static void print_heading(const Demo *demo)
{
    const WavefrontShape shape = shapes[demo->size];
    char text[256];
    snprintf(text, sizeof text,
             "A sweep of successive over-relaxation over %u x %u cells in %u x %u tiles, on %s\n",
             shape.width, shape.height, shape.across, shape.down, demo->gpu);
    terminal_wrap(text, 0, 0, terminal_columns(stdout), stdout);
    printf("\n%-*s %10s %8s", NAME_WIDTH + 1 + ABOUT_WIDTH, "", "time", "speedup");
    print_limits("what limited it");
}

static int run_all(Demo *demo)
{
    Outcome first = {0};
    for (size_t way = 0; way < WAYS; way++) {
        Outcome outcome;
        WbGpu *gpu;
        int result = open_gpu(demo, &gpu);
        if (result != EXIT_DONE)
            return result;
        if (way == 0)
            print_heading(demo);
        result = run_way(demo, way, gpu, &outcome);
        progress_clear();
        wb_gpu_close(gpu);
        if (result != EXIT_DONE)
            return progress_was_interrupted() ? progress_exit_status() : result;
        if (way == 0)
            first = outcome;
        printf("%-*s %-*s %7.0f us %7.2fx", NAME_WIDTH, ways[way].name, ABOUT_WIDTH, ways[way].about,
               outcome.time, first.time / outcome.time);
        print_limits(outcome.limits);
        fflush(stdout);
    }
    printf("\nAll results equal the host's, bit for bit.\n");
    return EXIT_DONE;
}

static int write_report(Demo *demo)
{
    char path[PATH_SIZE + 16], *arguments[WAYS + 4] = {"report"};
    int count = 1;
    for (size_t way = 0; way < WAYS; way++)
        arguments[count++] = demo->files[way];
    snprintf(path, sizeof path, "%s/report.html", demo->out);
    arguments[count++] = "-o";
    arguments[count++] = path;
    return command_report(count, arguments);
}

static void print_next(const Demo *demo)
{
    puts("\nNext:");
    if (demo->out)
        printf("  warpbeam compare %s %s\n", demo->files[0], demo->files[WAYS - 1]);
    static const char *const lines[] = {
        "  warpbeam run wireframe/sw --mode lvl --gpu gtx480    another wavefront; `warpbeam list workloads`",
        "  warpbeam run -- ./program                            your CUDA program",
        "  warpbeam help run                                    and what there is to measure"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        terminal_wrap(lines[i], 0, 6, terminal_columns(stdout), stdout);
}

static int read_size(const char *text, InputSize *size)
{
    char hint[NEAREST_HINT_SIZE];
    Nearest nearest = nearest_to(text);
    for (size_t i = 0; i < INPUT_SIZES; i++) {
        nearest_offer(&nearest, input_size_names[i]);
        if (strcmp(text, input_size_names[i]) == 0) {
            *size = (InputSize)i;
            return EXIT_DONE;
        }
    }
    return misuse("the demo has no size '%s'%s", text, nearest_hint(&nearest, hint, sizeof hint));
}

int command_demo(int argument_count, char **arguments)
{
    Demo demo = {0};
    const char *size = take_option(&argument_count, arguments, "--size");
    const char *gpu = take_option(&argument_count, arguments, "--gpu");
    demo.gpu = gpu ? gpu : "gtx480";
    demo.threads = take_option(&argument_count, arguments, "--threads");
    demo.progress = take_option(&argument_count, arguments, "--progress");
    demo.out = take_option(&argument_count, arguments, "--out");
    int result = check_left_over(argument_count, arguments, 0);
    if (result == EXIT_DONE)
        result = read_size(size ? size : "small", &demo.size);
    if (result == EXIT_DONE && demo.out && mkdir(demo.out, 0777) && access(demo.out, W_OK))
        result = fail("the folder %s can neither be made nor written to.", demo.out);
    if (result == EXIT_DONE)
        result = run_all(&demo);
    if (result == EXIT_DONE && demo.out)
        result = write_report(&demo);
    if (result == EXIT_DONE)
        print_next(&demo);
    return result;
}
