/* What threads bring where users come in: `warpbeam run` of workloads, and of a CUDA program, with several
 * numbers of host threads.
 *
 *   threads [--rounds N] [--most N] [--only TEXT] [-- PROGRAM [ARGUMENT]...]
 *
 * Runs with 1, 2, 4 ... threads take turns, so that all see the same weather. A row has the least seconds by
 * the clock, how many times as fast as one thread that is, and processor time over that by the clock: how
 * many processors were busy. `--most` is the number of processors unless given. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/timed.h"
#include "sim/team.h"

enum { MOST_WORDS = 64, MOST_STEPS = 8 };

/* What to run, by words behind `warpbeam run`: large GPUs that are full, a small one, short kernels, and a
 * nearly empty GPU. */
static const char *const rows[][6] = {
    {"correlation/matmul16", "--gpu", "h200", "--size", "full"},
    {"correlation/spmv_csr", "--gpu", "h200", "--size", "full"},
    {"six/nbody", "--gpu", "titanv"},
    {"wireframe/sw", "--gpu", "gtx480", "--mode", "lvl"},
    {"six/bfs", "--gpu", "gtx480"},
    {"wireframe/sor", "--gpu", "h200", "--size", "tiny"},
};
enum { ROWS = sizeof rows / sizeof *rows };

typedef struct Bench {
    char warpbeam[4096];
    int rounds, most;
    const char *only;
    char **program; /* ended by null; null: none */
} Bench;

static bool run(Bench *bench, const char *const *row, int threads, Timed *cost)
{
    char *words[MOST_WORDS + 1], number[16];
    size_t count = 0;
    snprintf(number, sizeof number, "%d", threads);
    words[count++] = bench->warpbeam;
    words[count++] = "run";
    words[count++] = "--threads";
    words[count++] = number;
    for (size_t i = 0; row && i < 6 && row[i]; i++)
        words[count++] = (char *)row[i];
    if (!row)
        words[count++] = "--quiet";
    if (!row)
        words[count++] = "--";
    for (char **word = bench->program; !row && *word && count < MOST_WORDS; word++)
        words[count++] = *word;
    words[count] = NULL;
    return timed_run(words, cost);
}

static bool print_row(Bench *bench, const char *const *row)
{
    Timed least[MOST_STEPS] = {0};
    char name[64];
    for (int round = 0; round < bench->rounds; round++) {
        for (int step = 0; 1 << step <= bench->most; step++) {
            Timed cost;
            if (!run(bench, row, 1 << step, &cost))
                return false;
            if (round == 0 || cost.wall < least[step].wall)
                least[step] = cost;
        }
    }
    snprintf(name, sizeof name, "%s %s", row ? row[0] : bench->program[0], row ? row[2] : "");
    for (int step = 0; 1 << step <= bench->most; step++)
        printf("%-32s %7d %9.3f %6.2fx %6.2f\n", step ? "" : name, 1 << step, least[step].wall,
               least[0].wall / least[step].wall, least[step].seconds / least[step].wall);
    fflush(stdout);
    return true;
}

/* False: an option is not understood. */
static bool read_options(int count, char **arguments, Bench *bench)
{
    for (int i = 1; i < count; i++) {
        if (strcmp(arguments[i], "--") == 0) {
            bench->program = arguments + i + 1;
            return *bench->program;
        }
        if (strcmp(arguments[i], "--rounds") == 0 && i + 1 < count)
            bench->rounds = atoi(arguments[++i]);
        else if (strcmp(arguments[i], "--most") == 0 && i + 1 < count)
            bench->most = atoi(arguments[++i]);
        else if (strcmp(arguments[i], "--only") == 0 && i + 1 < count)
            bench->only = arguments[++i];
        else
            return false;
    }
    return bench->rounds > 0 && bench->most > 0 && bench->most < 1 << MOST_STEPS;
}

int main(int argument_count, char **arguments)
{
    static Bench bench = {.rounds = 3, .only = ""};
    bench.most = (int)team_processors();
    if (!read_options(argument_count, arguments, &bench)) {
        fputs("threads [--rounds N] [--most N] [--only TEXT] [-- PROGRAM [ARGUMENT]...]\n", stderr);
        return 2;
    }
    if (!timed_warpbeam(bench.warpbeam, sizeof bench.warpbeam))
        return 1;
    printf("%-32s %7s %9s %7s %6s\n", "", "threads", "seconds", "ratio", "busy");
    bool ran = true;
    for (size_t i = 0; ran && i < ROWS; i++)
        ran = !strstr(rows[i][0], bench.only) || print_row(&bench, rows[i]);
    if (ran && bench.program)
        ran = print_row(&bench, NULL);
    return !ran;
}
