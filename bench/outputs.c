/* What outputs cost: processor time of `warpbeam run` with all of them (--stats with --blocks, --detail and
 * --profile-lines, --timeline, --report) against that with none, over workloads of several kinds.
 *
 *   outputs [--rounds N] [--only TEXT] [--scratch FOLDER] [-- PROGRAM [ARGUMENT]...]
 *
 * A CUDA program is one more row; --only leaves out workloads that do not have the text in their names. Runs
 * with outputs and without take turns, so that both see the same weather. A row has the least times, the
 * median of the ratios of neighbours, and the lowest and highest. Where the processor's counters can be read,
 * the ratio of the instructions executed stands beside it: that is the same in any weather. Last comes what
 * files cost however little is simulated, in milliseconds, since a ratio says nothing there. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/timed.h"

enum { MOST_WORDS = 64, MOST_ROUNDS = 99 };

/* What to run, by words behind `warpbeam run`. */
static const char *const rows[][6] = {
    {"wireframe/sor", "--gpu", "gtx480", "--mode", "global"},
    {"wireframe/sor", "--gpu", "gtx480", "--mode", "lvl"},
    {"wireframe/sor", "--gpu", "gtx480", "--mode", "cdp"},
    {"dtbl/bfs_citation", "--gpu", "k20c", "--mode", "dtbl"},
    {"dtbl/regx_string", "--gpu", "k20c", "--mode", "dtbl"},
    {"six/matmul", "--gpu", "titanv"},
    {"six/bfs", "--gpu", "gtx480"},
    {"correlation/matmul16", "--gpu", "h200", "--size", "full"},
};
enum { ROWS = sizeof rows / sizeof *rows };
static const char *const next_to_nothing[] = {"demo/sum", "--gpu", "gtx480", NULL};

static const char *const outputs[] = {"--blocks", "--detail", "--profile-lines"};
static const char *const files[][2] = {
    {"--stats", "s.json"}, {"--timeline", "t.json"}, {"--report", "r.html"}};

typedef struct Bench {
    char warpbeam[4096], paths[3][4096];
    int rounds;
    const char *only;
    char **program; /* ended by null; null: none */
} Bench;

/* Words of a row, or of the program where `row` is null; outputs stand before a program's name. */
static void fill_words(Bench *bench, const char *const *row, bool with, char **words)
{
    size_t count = 0;
    words[count++] = bench->warpbeam;
    words[count++] = "run";
    words[count++] = "--progress=never";
    words[count++] = "--threads=1"; /* what they do besides waits */
    for (size_t i = 0; with && i < 3; i++) {
        words[count++] = (char *)outputs[i];
        words[count++] = (char *)files[i][0];
        words[count++] = bench->paths[i];
    }
    for (size_t i = 0; row && i < 6 && row[i]; i++)
        words[count++] = (char *)row[i];
    if (!row) {
        words[count++] = "--quiet";
        words[count++] = "--";
    }
    for (char **word = bench->program; !row && *word && count < MOST_WORDS; word++)
        words[count++] = *word;
    words[count] = NULL;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Least costs without outputs and with them, and the ratios of neighbours, smallest first. */
typedef struct Pair {
    Timed least[2];
    double ratios[MOST_ROUNDS];
} Pair;

static bool measure(Bench *bench, const char *const *row, Pair *pair)
{
    char *words[2][MOST_WORDS + 1];
    Timed cost[2];
    for (int with = 0; with < 2; with++)
        fill_words(bench, row, with, words[with]);
    for (int round = 0; round < bench->rounds; round++) {
        for (int i = 0; i < 2; i++) {
            const int with = (round + i) % 2;
            if (!timed_run(words[with], &cost[with]))
                return false;
            if (round == 0 || cost[with].seconds < pair->least[with].seconds)
                pair->least[with] = cost[with];
        }
        pair->ratios[round] = cost[1].seconds / cost[0].seconds;
    }
    qsort(pair->ratios, (size_t)bench->rounds, sizeof *pair->ratios, by_size);
    return true;
}

static bool print_row(Bench *bench, const char *const *row)
{
    static Pair pair;
    char name[64];
    if (!measure(bench, row, &pair))
        return false;
    snprintf(name, sizeof name, "%s %s", row ? row[0] : bench->program[0], row && row[3] ? row[4] : "");
    printf("%-30s %8.3f %8.3f  %5.3f  (%.3f to %.3f)", name, pair.least[0].seconds, pair.least[1].seconds,
           pair.ratios[bench->rounds / 2], pair.ratios[0], pair.ratios[bench->rounds - 1]);
    if (pair.least[0].instructions > 0)
        printf("  instructions %5.3f", pair.least[1].instructions / pair.least[0].instructions);
    putchar('\n');
    fflush(stdout);
    return true;
}

static bool print_constant(Bench *bench)
{
    static Pair pair;
    if (!measure(bench, next_to_nothing, &pair))
        return false;
    printf("files of a run that simulates next to nothing: %.0f ms\n",
           1e3 * (pair.least[1].seconds - pair.least[0].seconds));
    return true;
}

/* False: an option is not understood. */
static bool read_options(int count, char **arguments, Bench *bench, const char **scratch)
{
    for (int i = 1; i < count; i++) {
        if (strcmp(arguments[i], "--") == 0) {
            bench->program = arguments + i + 1;
            return *bench->program;
        }
        if (strcmp(arguments[i], "--rounds") == 0 && i + 1 < count)
            bench->rounds = atoi(arguments[++i]);
        else if (strcmp(arguments[i], "--only") == 0 && i + 1 < count)
            bench->only = arguments[++i];
        else if (strcmp(arguments[i], "--scratch") == 0 && i + 1 < count)
            *scratch = arguments[++i];
        else
            return false;
    }
    return bench->rounds > 0 && bench->rounds <= MOST_ROUNDS;
}

int main(int argument_count, char **arguments)
{
    static Bench bench = {.rounds = 5, .only = ""};
    const char *scratch = "/tmp";
    char folder[512];
    if (!read_options(argument_count, arguments, &bench, &scratch)) {
        fputs("outputs [--rounds 1 to 99] [--only TEXT] [--scratch FOLDER] [-- PROGRAM [ARGUMENT]...]\n",
              stderr);
        return 2;
    }
    snprintf(folder, sizeof folder, "%s/warpbeam-outputs-XXXXXX", scratch);
    if (!timed_warpbeam(bench.warpbeam, sizeof bench.warpbeam) || !mkdtemp(folder)) {
        perror(folder);
        return 1;
    }
    for (size_t i = 0; i < 3; i++)
        snprintf(bench.paths[i], sizeof bench.paths[i], "%s/%s", folder, files[i][1]);
    printf("%-30s %8s %8s  %5s\n", "seconds of processor time", "none", "all", "ratio");
    bool ran = true;
    for (size_t i = 0; ran && i < ROWS; i++)
        ran = !strstr(rows[i][0], bench.only) || print_row(&bench, rows[i]);
    if (ran && bench.program)
        ran = print_row(&bench, NULL);
    ran = ran && print_constant(&bench);
    for (size_t i = 0; i < 3; i++)
        unlink(bench.paths[i]);
    rmdir(folder);
    return !ran;
}
