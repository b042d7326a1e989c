/* How close simulated time is to what was measured: prints our figures beside those that are shipped as data,
 * and writes them as tables into a Markdown file.
 *
 *   micro        latencies, throughputs and barriers, one property each
 *   launch       empty kernels of many shapes, and one kernel for each class of instruction
 *   correlation  fifteen ordinary kernels
 *   polybench    the kernels of PolyBench's programs, with caches as copies and earlier kernels left them
 *   peer         the six programs, against another simulator's cycles
 *
 * Every row runs in a process of its own on a GPU of its own, so that its figure does not hang on which
 * others run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/gpu.h"
#include "common/csv.h"
#include "common/jobs.h"
#include "common/markdown.h"
#include "correlation/correlation.h"
#include "launch/launch.h"
#include "micro/micro.h"
#include "polybench/polybench.h"
#include "six/six.h"

#define WORKLOADS SOURCE_DIRECTORY "/workloads"

typedef enum Set { SET_MICRO, SET_LAUNCH, SET_CORRELATION, SET_POLYBENCH, SET_PEER, SET_COUNT } Set;

static const char *const set_names[SET_COUNT] = {"micro", "launch", "correlation", "polybench", "peer"};
static const char *const peer_gpus[] = {"gtx480", "titanv"};

enum {
    PEER_GPUS = 2,
    WORST_ROWS = 3,
    MAX_KNOBS = 32,
    MAX_ROWS = MICRO_COUNT + LAUNCH_COUNT + CORRELATION_COUNT + POLYBENCH_KERNELS + PEER_GPUS * SIX_COUNT
};

typedef struct Options {
    const char *gpu, *only, *write;
    const char *knobs[MAX_KNOBS]; /* name=value */
    int knob_count, threads, jobs;
    unsigned limit;
    bool functional, sets[SET_COUNT];
} Options;

/* What a job finds out. */
typedef struct Result {
    bool right;
    double value, instructions, seconds;
    char error[2048];
} Result;

typedef struct Row {
    Set set;
    size_t index; /* in the table of its set */
    char name[48];
    const char *unit, *note;
    double expected; /* NAN: not measured */
    double expected_instructions;
    Result result;
} Row;

typedef struct Run {
    Options options;
    Row rows[MAX_ROWS];
    size_t count;
} Run;

/* -- the rows -- */

static void data_path(char *path, size_t size, const Run *run, Set set)
{
    if (set == SET_PEER)
        snprintf(path, size, "%s", WORKLOADS "/six/peer.csv");
    else
        snprintf(path, size, "%s/%s/%s.csv", WORKLOADS, set_names[set], run->options.gpu);
}

static void add_row(Run *run, Set set, size_t index, const char *name, const char *unit, const char *note)
{
    const Options *options = &run->options;
    if (!options->sets[set] || (options->only && !strstr(name, options->only)))
        return;
    char path[1024];
    data_path(path, sizeof path, run, set);
    Row *row = &run->rows[run->count++];
    *row = (Row){.set = set, .index = index, .unit = unit, .note = note};
    snprintf(row->name, sizeof row->name, "%s", name);
    row->expected = csv_number(path, name, set == SET_MICRO ? "value" : "cycles");
    row->expected_instructions = set == SET_MICRO ? NAN : csv_number(path, name, "warp_inst");
}

static void add_rows(Run *run)
{
    for (size_t i = 0; i < MICRO_COUNT; i++)
        add_row(run, SET_MICRO, i, micros[i].name, micros[i].unit, micros[i].note);
    for (size_t i = 0; i < LAUNCH_COUNT; i++)
        add_row(run, SET_LAUNCH, i, launch_cases[i].name, "cycles", NULL);
    for (size_t i = 0; i < CORRELATION_COUNT; i++)
        add_row(run, SET_CORRELATION, i, correlation_kernels[i].name, "cycles", NULL);
    for (size_t i = 0; i < POLYBENCH_KERNELS; i++)
        add_row(run, SET_POLYBENCH, i, polybench_kernels[i].name, "cycles", NULL);
    for (size_t i = 0; i < PEER_GPUS * SIX_COUNT; i++) {
        char name[48];
        snprintf(name, sizeof name, "%s/%s", peer_gpus[i / SIX_COUNT], six_programs[i % SIX_COUNT].name);
        add_row(run, SET_PEER, i, name, "cycles", NULL);
    }
}

/* -- running one, in its own process -- */

static bool set_knob(WbGpu *gpu, const char *assignment, Result *result)
{
    char name[64];
    const char *equals = strchr(assignment, '=');
    snprintf(name, sizeof name, "%.*s", equals ? (int)(equals - assignment) : 0, assignment);
    if (wb_gpu_set(gpu, name, equals ? equals + 1 : "") == WB_OK)
        return true;
    snprintf(result->error, sizeof result->error, "%s", wb_error(gpu));
    return false;
}

static WbGpu *open_gpu(const Options *options, const char *name, Result *result)
{
    WbGpu *gpu;
    char threads[32];
    snprintf(threads, sizeof threads, "threads=%d", options->threads);
    if (wb_gpu_open(name, &gpu, result->error, sizeof result->error) != WB_OK)
        return NULL;
    bool set = options->functional || (set_knob(gpu, "mode=cycle", result) && set_knob(gpu, threads, result));
    for (int i = 0; set && i < options->knob_count; i++)
        set = set_knob(gpu, options->knobs[i], result);
    if (set)
        return gpu;
    wb_gpu_close(gpu);
    return NULL;
}

/* A kernel's figures are means over its launches, behind which its program ends. */
static bool run_polybench(const PolybenchKernel *kernel, WbGpu *gpu, Host *host, Result *result)
{
    PolybenchRun run;
    if (!polybench_run(polybench_program(kernel->program), kernel->launches, true, gpu,
                       WORKLOADS "/polybench", host, &run))
        return false;
    const PolybenchLaunch mean = polybench_mean(&run, kernel->name);
    result->value = mean.cycles;
    result->instructions = mean.instructions;
    return true;
}

static bool run_row(const Row *row, WbGpu *gpu, Host *host, Result *result)
{
    bool right = false;
    if (row->set == SET_MICRO) {
        MicroGpu properties = {
            .sm_count = (uint32_t)gpu->config.sm_count,
            .clock_khz = (double)gpu->config.clock_khz,
            .empty_launch_us = csv_number(WORKLOADS "/micro/h200.csv", "empty_launch", "value"),
            .launch_interval_us = csv_number(WORKLOADS "/micro/h200.csv", "launch_interval", "value"),
        };
        return micro_run(&micros[row->index], gpu, WORKLOADS "/micro", &properties, host, &result->value);
    }
    if (row->set == SET_POLYBENCH)
        return run_polybench(&polybench_kernels[row->index], gpu, host, result);
    if (row->set == SET_LAUNCH)
        right = launch_run(&launch_cases[row->index], gpu, WORKLOADS "/launch", host);
    if (row->set == SET_CORRELATION) {
        *host = host_begin(gpu, WORKLOADS "/correlation", "correlation.ptx");
        host->measured_size = host->cold = true;
        right = correlation_kernels[row->index].run(host) && host->status == WB_OK;
        if (!right && host->status == WB_OK)
            snprintf(host->error, sizeof host->error, "the result is wrong");
    }
    if (row->set == SET_PEER) {
        const SixProgram *program = &six_programs[row->index % SIX_COUNT];
        right = six_run(program, gpu, WORKLOADS "/six", program->size, host);
    }
    result->value = (double)host->total_cycles;
    return right;
}

static void work(size_t index, void *context, void *to)
{
    const Run *run = context;
    const Row *row = &run->rows[index];
    Result *result = to;
    const char *name = row->set == SET_PEER ? peer_gpus[row->index / SIX_COUNT] : run->options.gpu;
    WbGpu *gpu = open_gpu(&run->options, name, result);
    if (!gpu)
        return;
    Host host;
    WbStat stat = {0};
    result->right = run_row(row, gpu, &host, result);
    if (!result->right)
        snprintf(result->error, sizeof result->error, "%s", host.error);
    /* What was issued: machine instructions where the configuration makes them of PTX. */
    if (wb_stat_find(gpu, "scheduler.issued", &stat) != WB_OK || !stat.value)
        wb_stat_find(gpu, "warp_instructions", &stat);
    if (row->set != SET_POLYBENCH)
        result->instructions = (double)stat.value;
    result->seconds = host.wall;
    host_end(&host);
    wb_gpu_close(gpu);
}

/* -- figures -- */

/* How far ours is from what was measured, in percent of the latter. */
static double error_of(const Row *row) { return 100 * (row->result.value / row->expected - 1); }
static double ratio_of(const Row *row) { return row->result.value / row->expected; }
static bool is_comparable(const Row *row) { return row->result.right && row->expected > 0; }

static double correlation_of(const Run *run, Set set, bool logarithms)
{
    double n = 0, sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0;
    for (size_t i = 0; i < run->count; i++) {
        const Row *row = &run->rows[i];
        if (row->set != set || !is_comparable(row))
            continue;
        double x = logarithms ? log(row->expected) : row->expected;
        double y = logarithms ? log(row->result.value) : row->result.value;
        n++, sx += x, sy += y, sxx += x * x, syy += y * y, sxy += x * y;
    }
    return (n * sxy - sx * sy) / sqrt((n * sxx - sx * sx) * (n * syy - sy * sy));
}

static double mean_absolute_error(const Run *run, Set set)
{
    double sum = 0, n = 0;
    for (size_t i = 0; i < run->count; i++)
        if (run->rows[i].set == set && is_comparable(&run->rows[i]))
            sum += fabs(error_of(&run->rows[i])), n++;
    return sum / n;
}

/* Rows whose error is at most `percent`. */
static int rows_within(const Run *run, Set set, double percent)
{
    int n = 0;
    for (size_t i = 0; i < run->count; i++)
        n += run->rows[i].set == set && is_comparable(&run->rows[i]) &&
             fabs(error_of(&run->rows[i])) <= percent;
    return n;
}

static int rows_within_factor(const Run *run, Set set, double factor)
{
    int n = 0;
    for (size_t i = 0; i < run->count; i++) {
        const Row *row = &run->rows[i];
        n += row->set == set && is_comparable(row) && fabs(log(ratio_of(row))) <= log(factor);
    }
    return n;
}

static int rows_of(const Run *run, Set set)
{
    int n = 0;
    for (size_t i = 0; i < run->count; i++)
        n += run->rows[i].set == set;
    return n;
}

/* The row furthest from what was measured among those nearer than `below`, by the ratio; null: none. */
static const Row *worst_row(const Run *run, Set set, double below)
{
    const Row *worst = NULL;
    for (size_t i = 0; i < run->count; i++) {
        const Row *row = &run->rows[i];
        if (row->set != set || !is_comparable(row) || fabs(log(ratio_of(row))) >= below)
            continue;
        if (!worst || fabs(log(ratio_of(row))) > fabs(log(ratio_of(worst))))
            worst = row;
    }
    return worst;
}

static void summarize(const Run *run, Set set, FILE *out)
{
    int rows = rows_of(run, set);
    if (set == SET_PEER) {
        fprintf(out, "%d of %d within a factor of 2.", rows_within_factor(run, set, 2), rows);
    } else {
        fprintf(out, "%d of %d within 5%%, %d within 10%%; mean absolute error %.1f%%.",
                rows_within(run, set, 5), rows, rows_within(run, set, 10), mean_absolute_error(run, set));
    }
    if (set == SET_CORRELATION || set == SET_POLYBENCH || set == SET_PEER)
        fprintf(out, " Correlation of cycles %.4f, of their logarithms %.4f.",
                correlation_of(run, set, false), correlation_of(run, set, true));
    const Row *worst = worst_row(run, set, INFINITY);
    for (int i = 0; worst && i < WORST_ROWS; i++) {
        fprintf(out, "%s %s %+.0f%%", i ? "," : " Furthest off:", worst->name, error_of(worst));
        worst = worst_row(run, set, fabs(log(ratio_of(worst))));
    }
    fprintf(out, ".\n");
}

/* -- text -- */

typedef struct Figure {
    char text[32];
} Figure;

/* Four digits, or all of those before the point. */
static Figure figure(double value)
{
    Figure figure;
    snprintf(figure.text, sizeof figure.text, fabs(value) >= 1000 ? "%.0f" : "%.4g", value);
    return figure;
}

/* Our instructions over those that were counted; empty where none were. */
static Figure instructions_of(const Row *row)
{
    Figure ratio = {""};
    if (row->expected_instructions > 0)
        snprintf(ratio.text, sizeof ratio.text, "%.2f",
                 row->result.instructions / row->expected_instructions);
    return ratio;
}

static void print_row(const Row *row)
{
    printf("%-22s %-7s %12s ", row->name, row->unit, figure(row->expected).text);
    if (row->result.right)
        printf("%12s %+7.1f%% %9s %8.2f\n", figure(row->result.value).text, error_of(row),
               instructions_of(row).text, row->result.seconds);
    else
        printf("%12s  %s\n", "-", row->result.error);
}

static void done(size_t index, void *context, const JobEnd *end)
{
    Run *run = context;
    Row *row = &run->rows[index];
    if (end->finished)
        memcpy(&row->result, end->result, sizeof row->result);
    else
        snprintf(row->result.error, sizeof row->result.error, "%s", end->reason);
    if (index == 0 || run->rows[index - 1].set != row->set)
        printf("%s%-22s %-7s %12s %12s %8s %9s %8s\n", index ? "\n" : "", set_names[row->set], "unit",
               "measured", "ours", "error", "warp inst", "seconds");
    print_row(row);
    if (index + 1 == run->count || run->rows[index + 1].set != row->set)
        summarize(run, row->set, stdout);
    fflush(stdout);
}

/* -- Markdown -- */

static void write_row(const Row *row, FILE *out)
{
    fprintf(out, "| %s | %s | %s | ", row->name, row->unit, figure(row->expected).text);
    if (row->result.right)
        fprintf(out, "%s | %+.1f%% |", figure(row->result.value).text, error_of(row));
    else
        fprintf(out, "failed | |");
    if (row->set != SET_MICRO)
        fprintf(out, " %s |", row->result.right ? instructions_of(row).text : "");
    fprintf(out, "\n");
}

static void write_table(const Run *run, Set set, FILE *out)
{
    fprintf(out, "\nMade by `bench/fidelity %s", set_names[set]);
    if (set != SET_PEER)
        fprintf(out, " --gpu %s", run->options.gpu);
    for (int i = 0; i < run->options.knob_count; i++)
        fprintf(out, " --knob %s", run->options.knobs[i]);
    fprintf(out, " --write`.\n");
    summarize(run, set, out);
    fprintf(out, "\n| | unit | %s | ours | error |%s\n", set == SET_PEER ? "peer" : "measured",
            set == SET_MICRO ? "" : " warp instructions, ours / theirs |");
    fprintf(out, "|---|---|---:|---:|---:|%s\n", set == SET_MICRO ? "" : "---:|");
    for (size_t i = 0; i < run->count; i++)
        if (run->rows[i].set == set)
            write_row(&run->rows[i], out);
    fprintf(out, "\n");
}

/* What is said beside the table about single rows. */
static void write_notes(const Run *run, Set set, FILE *out)
{
    const char *last = NULL;
    for (size_t i = 0; i < run->count; i++) {
        const Row *row = &run->rows[i];
        if (row->set != set || !row->note)
            continue;
        bool again = last && !strcmp(last, row->note);
        fprintf(out, again ? ", %s" : "%s- %s", again ? row->name : last ? "\n" : "", row->name);
        last = row->note;
        bool more = i + 1 < run->count && run->rows[i + 1].note && !strcmp(run->rows[i + 1].note, last);
        if (!more)
            fprintf(out, ": %s", row->note);
    }
    if (last)
        fprintf(out, "\n\n");
}

static bool write_tables(const Run *run)
{
    static const char opening[] =
        "# Fidelity\n\nHow close simulated time is to what was measured. `build/bench/fidelity --write` "
        "makes "
        "all tables anew and keeps the text\noutside of them; `build/bench/fidelity --help` tells how to run "
        "one part, one row or changed knobs. Where the measured\nnumbers come from stands at the head of "
        "each "
        "`.csv` file in `workloads/`. An error is ours over theirs less one;\neach row runs on a GPU of its "
        "own, with empty caches.\n";
    static const char *const headings[SET_COUNT] = {
        "## Single properties of an H200 (`workloads/micro`)",
        "## Launches and classes of instructions on an H200 (`workloads/launch`)",
        "## Ordinary kernels on an H200 (`workloads/correlation`)",
        "## Programs of PolyBench on an H200 (`workloads/polybench`)",
        "## The six programs against GPGPU-Sim 4.2 (`workloads/six`)",
    };
    for (Set set = 0; set < SET_COUNT; set++) {
        if (!run->options.sets[set])
            continue;
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        write_table(run, set, out);
        write_notes(run, set, out);
        fclose(out);
        Error error = {0};
        markdown_replace(run->options.write, set_names[set], opening, headings[set], text, &error);
        free(text);
        if (error.status != WB_OK) {
            fprintf(stderr, "%s\n", error.text);
            return false;
        }
    }
    return true;
}

/* -- options -- */

static void usage(void)
{
    fprintf(stderr, "usage: fidelity [micro] [launch] [correlation] [polybench] [peer] [options]\n"
                    "  --gpu NAME         configuration for all but peer (h200)\n"
                    "  --only SUBSTRING   only rows whose name contains it\n"
                    "  --knob NAME=VALUE  changes a knob; may be given several times\n"
                    "  --threads N        host threads of a simulation (1)\n"
                    "  --jobs N           rows at once, each in a process of its own (1)\n"
                    "  --limit SECONDS    ends a row that takes longer (600)\n"
                    "  --functional       only checks that results are right; figures mean nothing\n"
                    "  --write [FILE]     puts the tables into FILE (docs/FIDELITY.md)\n");
    exit(2);
}

static bool parse_set(Options *options, const char *name)
{
    for (Set set = 0; set < SET_COUNT; set++)
        if (!strcmp(name, set_names[set]))
            return options->sets[set] = true;
    return false;
}

/* The value that follows option i, which is skipped. */
static const char *value_of(int argc, char **argv, int *i)
{
    if (*i + 1 >= argc)
        usage();
    return argv[++*i];
}

static Options parse(int argc, char **argv)
{
    Options options = {.gpu = "h200", .threads = 1, .jobs = 1, .limit = 600};
    bool any = false;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--gpu"))
            options.gpu = value_of(argc, argv, &i);
        else if (!strcmp(argv[i], "--only"))
            options.only = value_of(argc, argv, &i);
        else if (!strcmp(argv[i], "--knob") && options.knob_count < MAX_KNOBS)
            options.knobs[options.knob_count++] = value_of(argc, argv, &i);
        else if (!strcmp(argv[i], "--threads"))
            options.threads = atoi(value_of(argc, argv, &i));
        else if (!strcmp(argv[i], "--jobs"))
            options.jobs = atoi(value_of(argc, argv, &i));
        else if (!strcmp(argv[i], "--limit"))
            options.limit = (unsigned)atoi(value_of(argc, argv, &i));
        else if (!strcmp(argv[i], "--functional"))
            options.functional = true;
        else if (!strcmp(argv[i], "--write"))
            options.write =
                i + 1 < argc && argv[i + 1][0] != '-' ? argv[++i] : SOURCE_DIRECTORY "/docs/FIDELITY.md";
        else if (parse_set(&options, argv[i]))
            any = true;
        else
            usage();
    }
    for (Set set = 0; !any && set < SET_COUNT; set++)
        options.sets[set] = true;
    if (options.jobs < 1 || (options.write && (options.only || options.functional)))
        usage();
    return options;
}

int main(int argc, char **argv)
{
    static Run run;
    run.options = parse(argc, argv);
    add_rows(&run);
    const Jobs jobs = {
        .count = run.count,
        .parallel = run.options.jobs,
        .limit = run.options.limit,
        .work = work,
        .done = done,
        .context = &run,
        .result_size = sizeof(Result),
    };
    jobs_run(&jobs);
    bool right = true;
    for (size_t i = 0; i < run.count; i++)
        right &= run.rows[i].result.right;
    if (run.options.write)
        right &= write_tables(&run);
    return !right;
}
