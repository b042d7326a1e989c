/* What simulating several GPUs costs, through the command line: workloads that give every GPU as much work,
 * on one GPU, and on several with one thread and with a thread each.
 *
 *   gpus [--rounds N] [--gpus N] [--only TEXT]       3 rounds, 2 GPUs
 *
 * Runs take turns, so that all see the same weather. A row has the least seconds by the clock of a million
 * simulated cycles, from the first launch to the last end, and how many times as much as one GPU's that is. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/timed.h"

enum { WAYS = 3 };

static const char *const rows[][2] = {
    {"multi/stencil2d_weak", "flags"}, {"multi/stencil2d_weak", "hardware"}, {"multi/stencil3d_weak", "flags"},
    {"multi/bfs_weak", "push"},        {"multi/lstm_weak", "flags"},
};
enum { ROWS = sizeof rows / sizeof *rows };

typedef struct Bench {
    char warpbeam[4096], report[64];
    int rounds, gpus;
    const char *only;
} Bench;

typedef struct Cost {
    double seconds; /* of a million cycles */
    double bytes;   /* the most that it had of memory */
} Cost;

static bool read_report(const char *path, Cost *cost)
{
    double wall, bytes;
    json_int_t cycles;
    json_t *report = json_load_file(path, 0, NULL);
    const int bad = json_unpack(report, "{s:{s:I}, s:{s:F, s:F}}", "time", "all_cycles", &cycles, "host",
                                "wall_seconds", &wall, "peak_memory_bytes", &bytes);
    json_decref(report);
    if (bad || cycles <= 0)
        return fprintf(stderr, "gpus: %s is not the report of a run\n", path), false;
    *cost = (Cost){wall * 1e6 / (double)cycles, bytes};
    return true;
}

static bool run(Bench *bench, const char *const *row, int gpus, int threads, Cost *cost)
{
    char gpu_count[16], thread_count[16];
    snprintf(gpu_count, sizeof gpu_count, "%d", gpus);
    snprintf(thread_count, sizeof thread_count, "%d", threads);
    char *words[] = {bench->warpbeam, "run",     (char *)row[0], "--mode",     (char *)row[1],
                     "--gpus",        gpu_count, "--threads",    thread_count, "--quiet",
                     "--stats",       bench->report, NULL};
    Timed timed;
    return timed_run(words, &timed) && read_report(bench->report, cost);
}

static bool print_row(Bench *bench, const char *const *row)
{
    const int ways[WAYS][2] = {{1, 1}, {bench->gpus, 1}, {bench->gpus, bench->gpus}};
    Cost least[WAYS] = {{0}};
    for (int round = 0; round < bench->rounds; round++) {
        for (int way = 0; way < WAYS; way++) {
            Cost cost;
            if (!run(bench, row, ways[way][0], ways[way][1], &cost))
                return false;
            if (round == 0 || cost.seconds < least[way].seconds)
                least[way] = cost;
        }
    }
    for (int way = 0; way < WAYS; way++)
        printf("%-22s %-9s %4d %7d %9.3f %7.2fx %7.0f\n", way ? "" : row[0], way ? "" : row[1], ways[way][0],
               ways[way][1], least[way].seconds, least[way].seconds / least[0].seconds,
               least[way].bytes / 1e6);
    fflush(stdout);
    return true;
}

/* False: an option is not understood. */
static bool read_options(int count, char **arguments, Bench *bench)
{
    for (int i = 1; i < count; i++) {
        if (strcmp(arguments[i], "--rounds") == 0 && i + 1 < count)
            bench->rounds = atoi(arguments[++i]);
        else if (strcmp(arguments[i], "--gpus") == 0 && i + 1 < count)
            bench->gpus = atoi(arguments[++i]);
        else if (strcmp(arguments[i], "--only") == 0 && i + 1 < count)
            bench->only = arguments[++i];
        else
            return false;
    }
    return bench->rounds > 0 && bench->gpus > 1;
}

int main(int argument_count, char **arguments)
{
    static Bench bench = {.rounds = 3, .gpus = 2, .only = "", .report = "/tmp/warpbeam-gpus-XXXXXX"};
    if (!read_options(argument_count, arguments, &bench)) {
        fputs("gpus [--rounds N] [--gpus N] [--only TEXT]\n", stderr);
        return 2;
    }
    const int file = mkstemp(bench.report);
    if (file < 0 || !timed_warpbeam(bench.warpbeam, sizeof bench.warpbeam))
        return perror("gpus"), 1;
    printf("%-32s %4s %7s %9s %8s %7s\n", "", "GPUs", "threads", "s/Mcycle", "ratio", "MB");
    bool ran = true;
    for (size_t i = 0; ran && i < ROWS; i++)
        ran = !strstr(rows[i][0], bench.only) || print_row(&bench, rows[i]);
    close(file);
    unlink(bench.report);
    return !ran;
}
