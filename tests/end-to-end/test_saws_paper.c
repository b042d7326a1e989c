/* The study of synchronization-aware scheduling: its claims are judged by made-up runs whose answers are known,
 * and the command makes its tables of tiny inputs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "made_up.h"
#include "papers/paper.h"
#include "papers/saws.h"
#include "shell.h"

typedef struct MadeUp {
    Run runs[SAWS_BENCHMARKS][SM_MODES];
    const Run *table[SAWS_BENCHMARKS * SM_MODES];
    Results results;
} MadeUp;

/* Cycles, p1 and p2 of every benchmark. */
static const struct {
    uint64_t cycles, p1, p2;
} made_up[SM_MODES] = {
    [SM_1_GTO] = {900, 0, 100},    [SM_1_CATLS] = {950, 0, 100},    [SM_2_GTO] = {1000, 60, 40},
    [SM_2_CATLS] = {1100, 90, 30}, [SM_2_SAWS] = {800, 45, 45},     [SM_2_UNTOGGLED] = {1000, 50, 40},
    [SM_4_GTO] = {1000, 60, 40},   [SM_4_CATLS] = {1000, 60, 40},   [SM_4_SAWS] = {500, 60, 40},
    [SM_OWN_GTO] = {1000, 60, 40}, [SM_OWN_CATLS] = {1000, 60, 40}, [SM_OWN_SAWS] = {1000, 60, 40},
};

/* Benchmarks without barriers take 900 cycles with two schedulers. */
static void make_up(MadeUp *all)
{
    *all = (MadeUp){.results = {.benchmark_count = SAWS_BENCHMARKS,
                                .mode_count = SM_MODES,
                                .benchmark = paper_saws.benchmark,
                                .metric = saws_metric,
                                .runs = all->table}};
    for (size_t b = 0; b < SAWS_BENCHMARKS; b++)
        for (size_t m = 0; m < SM_MODES; m++) {
            RunResult *result = &all->runs[b][m].result;
            *result = (RunResult){.right = true, .cycles = made_up[m].cycles};
            result->statistics[SS_P1] = made_up[m].p1;
            result->statistics[SS_P2] = made_up[m].p2;
            if (m == SM_2_GTO && !saws_benchmarks[b].has_barriers)
                result->cycles = 750;
            all->table[b * SM_MODES + m] = &all->runs[b][m];
        }
}

static size_t number_of(const char *benchmark)
{
    size_t number = 0;
    while (strcmp(paper_saws.benchmark(number), benchmark) != 0)
        number++;
    return number;
}

static void expect_claim(const MadeUp *all, const char *id, const char *published, const char *measured)
{
    expect_measured(saws_judge, &all->results, id, published, measured);
}

static void test_claims(void **state)
{
    (void)state;
    static MadeUp all;
    make_up(&all);
    expect_claim(&all, "A1", "9", "25.0");
    expect_claim(&all, "A2", "10", "37.5");
    expect_claim(&all, "A3", "15 / 17", "10.0 / 25.0");
    expect_claim(&all, "A4", "85 / 90 / 92", "60.0 / 75.0 / 50.0");
    expect_claim(&all, "A5", "7 / 9", "0.0 / 25.0");
    expect_claim(&all, "A6", "7 / 9", "10.0 / 13.6");
    expect_claim(&all, "A7", "2", "20.0");
    /* Nothing waits at barriers of a single warp; that is no missing run. */
    for (size_t m = 0; m < SM_MODES; m++) {
        RunResult *result = &all.runs[number_of("nw")][m].result;
        result->statistics[SS_P1] = result->statistics[SS_P2] = 0;
    }
    expect_claim(&all, "A3", "15 / 17", "10.0 / 25.0");
    expect_claim(&all, "A4", "85 / 90 / 92", "60.0 / 75.0 / 50.0");
    all.runs[number_of("nw")][SM_2_SAWS].result.right = false;
    expect_claim(&all, "A1", "9", "-");
    expect_claim(&all, "A3", "15 / 17", "- / -");
    expect_claim(&all, "A6", "7 / 9", "10.0 / 13.6");
}

/* A figure's row of a benchmark, or its last one. */
static const char *cell(const Sheet *sheet, const char *row, uint32_t column)
{
    for (uint32_t i = 0; i < sheet->cells.count; i += sheet->column_count)
        if (strcmp(sheet->cells.items[i], row) == 0)
            return sheet->cells.items[i + column];
    fail_msg("no row %s", row);
    return NULL;
}

/* Figures 49 and 50 share the benchmarks out; figure 54 is in percent of what barriers take with GTO. */
static void test_figures(void **state)
{
    (void)state;
    static MadeUp all;
    make_up(&all);
    all.runs[number_of("sad")][SM_2_SAWS].result.statistics[SS_P1] = 195;
    Sheet sheets[SAWS_FIGURES];
    for (size_t i = 0; i < SAWS_FIGURES; i++)
        sheets[i] = saws_figure(&all.results, i);
    assert_string_equal(cell(&sheets[0], "mriq", 3), "0.8");
    assert_string_equal(cell(&sheets[1], "sgemm", 1), "-10.0");
    assert_string_equal(cell(&sheets[1], "sgemm", 3), "GTO -18, CATLS -11");
    assert_string_equal(cell(&sheets[2], "average", 1), "20.0");
    assert_int_equal(sheets[1].cells.count / sheets[1].column_count +
                         sheets[2].cells.count / sheets[2].column_count,
                     SAWS_BENCHMARKS + 2);
    assert_string_equal(sheets[4].name, "figure54");
    assert_string_equal(cell(&sheets[4], "sad", 5), "195.0");
    assert_string_equal(cell(&sheets[4], "average", 5), "55.0"); /* fourteen of 45 */
    assert_string_equal(cell(&sheets[4], "average", 1), "60.0");
    for (size_t i = 0; i < SAWS_FIGURES; i++)
        sheet_free(&sheets[i]);
}

static void test_command(void **state)
{
    (void)state;
    static const char *const said[] = {"17 of 17 runs done: sp", "Figure 54.", "\nA7 ", "not measured", NULL};
    shell_expect("paper saws --size tiny --only sp,mriq --jobs 2", said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_claims),
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
