/* Speed of cycle mode: warp instructions a second of the six programs.
 *
 *   speed [gtx480] [titanv] ...    best of several runs on one host thread
 *   speed --peer FILE              beside those of another simulator, measured on this same machine: a table
 * as
 *                                  workloads/six/peer.csv is, with the columns name and warp_inst_per_s
 *   speed --scaling [h200]         several host threads against one, on inputs that fill a large GPU; runs
 *                                  with one and with several take turns, so that both see the same weather
 *
 * Each program runs in a process of its own, whose peak memory is told, and every result is checked. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/csv.h"
#include "common/jobs.h"
#include "six/six.h"

enum { MAX_GPUS = 8 };

typedef struct Options {
    const char *gpus[MAX_GPUS];
    int gpu_count, threads, repetitions;
    bool scaling;
    const char *peer; /* null: nobody was measured here */
} Options;

/* Sizes that keep the 132 SMs of an h200 busy, 0 where a program has none that takes seconds. */
static const int large_sizes[SIX_COUNT] = {2097152, 384, 1024, 4194304, 131072, 0};

/* What one program did: best of its runs with one thread, and with several. */
typedef struct Result {
    bool right;
    double instructions, cycles;
    double rate[2];        /* warp instructions a second by the clock */
    double processor_rate; /* and of processor time of the first thread, which other work does not lengthen */
    char error[2048];
} Result;

typedef struct Total {
    Options options;
    double log_rate, log_ratio; /* of the current GPU, for geometric means */
    double peak;
    int rows;
    bool failed;
} Total;

static WbGpu *open_gpu(const char *name, int threads, Result *result)
{
    WbGpu *gpu;
    char number[16];
    snprintf(number, sizeof number, "%d", threads);
    if (wb_gpu_open(name, &gpu, result->error, sizeof result->error) != WB_OK)
        return NULL;
    if (wb_gpu_set(gpu, "mode", "cycle") == WB_OK && wb_gpu_set(gpu, "threads", number) == WB_OK)
        return gpu;
    snprintf(result->error, sizeof result->error, "%s", wb_error(gpu));
    wb_gpu_close(gpu);
    return NULL;
}

/* One run on a fresh GPU; keeps the rate if it is the best so far. */
static bool run_once(const char *name, const SixProgram *program, int size, int threads, Result *result,
                     double *best)
{
    WbGpu *gpu = open_gpu(name, threads, result);
    if (!gpu)
        return false;
    Host host;
    WbStat stat = {0};
    bool right = six_run(program, gpu, SOURCE_DIRECTORY "/workloads/six", size, &host);
    if (!right)
        snprintf(result->error, sizeof result->error, "%s", host.error);
    wb_stat_find(gpu, "warp_instructions", &stat);
    result->instructions = (double)stat.value;
    result->cycles = (double)host.total_cycles;
    *best = fmax(*best, result->instructions / host.wall);
    result->processor_rate = fmax(result->processor_rate, result->instructions / host.seconds);
    host_end(&host);
    wb_gpu_close(gpu);
    return right;
}

static void work(size_t index, void *context, void *to)
{
    const Options *options = &((const Total *)context)->options;
    const SixProgram *program = &six_programs[index % SIX_COUNT];
    const char *name = options->gpus[index / SIX_COUNT];
    Result *result = to;
    int size = options->scaling ? large_sizes[index % SIX_COUNT] : program->size;
    result->right = true;
    for (int i = 0; size && result->right && i < options->repetitions; i++) {
        if (options->scaling)
            result->right = run_once(name, program, size, 1, result, &result->rate[0]) &&
                            run_once(name, program, size, options->threads, result, &result->rate[1]);
        else
            result->right = run_once(name, program, size, options->threads, result, &result->rate[0]);
    }
}

static void print_heading(const Total *total, const char *gpu)
{
    printf("%-20s %12s %10s %14s %12s", gpu, "warp inst", "cycles", "warp inst/s", "by CPU time");
    if (total->options.scaling)
        printf(" %10d threads %8s", total->options.threads, "ratio");
    else if (total->options.peer)
        printf(" %12s %8s", "peer", "ratio");
    printf(" %8s\n", "MB");
}

static void print_mean(const Total *total)
{
    const double rate = exp(total->log_rate / total->rows), ratio = exp(total->log_ratio / total->rows);
    printf("%-20s %12s %10s %14.0f %12s", "geometric mean, peak", "", "", rate, "");
    if (total->options.scaling)
        printf(" %18s %7.2fx", "", ratio);
    else if (total->options.peer)
        printf(" %12s %7.0fx", "", ratio);
    printf(" %8.0f\n\n", total->peak);
}

static void print_result(Total *total, const char *name, const Result *result, double peak)
{
    double ratio = 1;
    printf("%-20s %12.0f %10.0f %14.0f %12.0f", name, result->instructions, result->cycles, result->rate[0],
           result->processor_rate);
    if (total->options.scaling) {
        ratio = result->rate[1] / result->rate[0];
        printf(" %18.0f %7.2fx", result->rate[1], ratio);
    } else if (total->options.peer) {
        const double other = csv_number(total->options.peer, name, "warp_inst_per_s");
        ratio = result->rate[0] / other;
        printf(" %12.0f %7.0fx", other, ratio);
    }
    printf(" %8.0f\n", peak);
    total->log_rate += log(result->rate[0]);
    total->log_ratio += log(ratio);
    total->peak = fmax(total->peak, peak);
    total->rows++;
}

static void print_end(size_t index, void *context, const JobEnd *end)
{
    Total *total = context;
    const char *gpu = total->options.gpus[index / SIX_COUNT];
    const Result *result = end->result;
    char name[64];
    snprintf(name, sizeof name, "%s/%s", gpu, six_programs[index % SIX_COUNT].name);
    if (index % SIX_COUNT == 0) {
        total->log_rate = total->log_ratio = total->peak = 0;
        total->rows = 0;
        print_heading(total, gpu);
    }
    if (!end->finished || !result->right) {
        printf("%-20s %s\n", name, end->finished ? result->error : end->reason);
        total->failed = true;
    } else if (result->instructions > 0) {
        print_result(total, name, result, end->peak_megabytes);
    }
    if (index % SIX_COUNT == SIX_COUNT - 1)
        print_mean(total);
    fflush(stdout);
}

static void usage(void)
{
    fprintf(stderr, "usage: speed [GPU ...] [--threads N] [--repeat N] [--peer FILE]  (gtx480 titanv, 1, 3)\n"
                    "       speed --scaling [GPU ...] [--threads N] [--repeat N]      (h200, 2, 3)\n");
    exit(2);
}

static int number_of(int argc, char **argv, int *i)
{
    int number = *i + 1 < argc ? atoi(argv[++*i]) : 0;
    if (number < 1)
        usage();
    return number;
}

static Options parse(int argc, char **argv)
{
    Options options = {.repetitions = 3};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--threads"))
            options.threads = number_of(argc, argv, &i);
        else if (!strcmp(argv[i], "--repeat"))
            options.repetitions = number_of(argc, argv, &i);
        else if (!strcmp(argv[i], "--peer") && i + 1 < argc)
            options.peer = argv[++i];
        else if (!strcmp(argv[i], "--scaling"))
            options.scaling = true;
        else if (argv[i][0] != '-' && options.gpu_count < MAX_GPUS)
            options.gpus[options.gpu_count++] = argv[i];
        else
            usage();
    }
    if (!options.threads)
        options.threads = options.scaling ? 2 : 1;
    if (!options.gpu_count && options.scaling)
        options.gpus[options.gpu_count++] = "h200";
    if (!options.gpu_count) {
        options.gpus[options.gpu_count++] = "gtx480";
        options.gpus[options.gpu_count++] = "titanv";
    }
    return options;
}

int main(int argc, char **argv)
{
    Total total = {.options = parse(argc, argv)};
    jobs_run(&(Jobs){
        .count = (size_t)total.options.gpu_count * SIX_COUNT,
        .parallel = 1,
        .work = work,
        .done = print_end,
        .context = &total,
        .result_size = sizeof(Result),
    });
    return total.failed;
}
