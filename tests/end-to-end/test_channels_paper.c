/* The study of channels: its claims are made of made-up runs whose answers are known, lines of code are those
 * that are neither empty nor comments, and the command makes its tables of a tiny input. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness.h"
#include "made_up.h"
#include "papers/channels.h"
#include "papers/paper.h"
#include "shell.h"

typedef struct MadeUp {
    Run runs[CHANNELS_BENCHMARKS][CH_MODES];
    const Run *table[CHANNELS_BENCHMARKS * CH_MODES];
    Results results;
} MadeUp;

/* 1,000 cycles, 200 of them stalled, 4 of those because of deallocation; 10 wavefronts, 100 lines. */
static void make_up(MadeUp *all)
{
    *all = (MadeUp){.results = {.benchmark_count = CHANNELS_BENCHMARKS,
                                .mode_count = CH_MODES,
                                .benchmark = paper_channels.benchmark,
                                .metric = channels_metric,
                                .runs = all->table}};
    for (size_t i = 0; i < CHANNELS_BENCHMARKS * CH_MODES; i++) {
        Run *run = &all->runs[i / CH_MODES][i % CH_MODES];
        uint64_t *counts = run->result.statistics;
        run->result.right = true;
        run->result.cycles = counts[CHS_CYCLES] = 1000;
        counts[CHS_IDLE_SCHEDULING] = 150, counts[CHS_IDLE_YIELDS] = 46, counts[CHS_IDLE_DEALLOCATION] = 4;
        counts[CHS_TASKS] = counts[CHS_YIELDS] = 10, counts[CHS_SWAPS] = 100;
        counts[CHS_SAVED_REGISTERS] = 80000, counts[CHS_SAVED_STACKS] = 8560;
        run->result.samples[CHS_LINES] = 100;
        all->table[i] = run;
    }
}

static Verdict expect_claim(const MadeUp *all, const char *id, const char *published, const char *measured)
{
    return expect_measured(channels_judge, &all->results, id, published, measured);
}

static void test_claims(void **state)
{
    (void)state;
    static MadeUp all;
    make_up(&all);
    all.runs[CHANNELS_SORT][CH_CU1].result.cycles = 2600;
    all.runs[CHANNELS_STRASSEN][CH_CU1].result.cycles = 4000;
    expect_claim(&all, "H1", "2.6 / 4.3", "2.6 / 4.0");
    all.runs[CHANNELS_QUEENS][CH_ALONE].result.statistics[CHS_TASKS] = 4;
    expect_claim(&all, "H3", "1 / 2 / 3 / 4", "100.0 / 250.0 / 100.0 / 100.0");
    all.runs[CHANNELS_FIB][CH_SIMPLE].result.statistics[CHS_IDLE_YIELDS] = 246;
    expect_claim(&all, "H5", "41.5 / 2.9 / 8.9 / 3.4", "40.0 / 20.0 / 20.0 / 20.0");
    all.runs[CHANNELS_QUEENS][CH_PER_LANE].result.statistics[CHS_SWAPS] = 6400;
    expect_claim(&all, "H7", "64", "64.0");
    expect_claim(&all, "H9", "3", "2.0");
    expect_claim(&all, "H10", "9072", "8856.0");
    all.runs[CHANNELS_STRASSEN][CH_FLAT].result.cycles = 500;
    expect_claim(&all, "H11", "1.06 / 0.98", "0.50 / 1.00");
    uint64_t *flat = all.runs[CHANNELS_QUEENS][CH_FLAT].result.statistics;
    flat[CHS_TASKS] = 0, flat[CHS_WARPS] = 2; /* wavefronts that no aggregator dispatched */
    all.runs[CHANNELS_STRASSEN][CH_FLAT].result.samples[CHS_LINES] = 200;
    expect_claim(&all, "H13", "42 / 36 %; 13x / 12.5x", "50.0 / 0.0 %; 1.0x / 5.0x");
    all.runs[CHANNELS_FIB][CH_FOUR_WAY].result.right = false;
    expect_claim(&all, "H12", "1/2/3/4 and 1/2/3/4", "20.0/20.0/20.0/20.0 and -/20.0/20.0/20.0");
}

static void test_statements(void **state)
{
    (void)state;
    static MadeUp all;
    make_up(&all);
    assert_int_equal(expect_claim(&all, "H2", "yes", "yes"), VERDICT_AGREES);
    all.runs[CHANNELS_FIB][CH_CU4].result.cycles = 1100;
    assert_int_equal(expect_claim(&all, "H2", "yes", "no"), VERDICT_DIFFERS);
    assert_int_equal(expect_claim(&all, "H8", "yes", "no"), VERDICT_DIFFERS);
    for (size_t i = 0; i < CHANNELS_BENCHMARKS; i++) {
        all.runs[i][CH_PADDED].result.cycles = 1001;
        const bool is_last = i + 1 == CHANNELS_BENCHMARKS;
        assert_int_equal(expect_claim(&all, "H8", "yes", is_last ? "yes" : "not of all"),
                         is_last ? VERDICT_AGREES : VERDICT_DIFFERS);
    }
    all.runs[CHANNELS_SORT][CH_PADDED].result.right = false;
    assert_int_equal(expect_claim(&all, "H8", "yes", ""), VERDICT_NOT_MEASURED);
}

/* A fifth of a bar is stalled; half the time is half as long. */
static void test_bars(void **state)
{
    (void)state;
    static MadeUp all;
    make_up(&all);
    all.runs[CHANNELS_FIB][CH_CU1].result.statistics[CHS_CYCLES] = 2000;
    Sheet sheet = channels_bars(&all.results, 0);
    assert_int_equal(sheet.cells.count, 3 * 4 * CHANNELS_BENCHMARKS);
    assert_string_equal(sheet.cells.items[2], "######################################################------");
    assert_string_equal(sheet.cells.items[3 * 3 + 1], "8");
    assert_string_equal(sheet.cells.items[3 * 3 + 2], "########################------");
    sheet_free(&sheet);
}

static void test_lines(void **state)
{
    (void)state;
    char path[] = "/tmp/warpbeam_lines_XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    static const char text[] =
        "/* two\n lines */\n\nint a; /* one\n */ int b;\n // none\n  \nint c; // one\n";
    assert_int_equal(write(file, text, sizeof text - 1), sizeof text - 1);
    close(file);
    assert_true(channels_code_lines(path) == 3);
    unlink(path);
    assert_true(channels_code_lines(path) != channels_code_lines(path)); /* not a number */
}

static void test_command(void **state)
{
    (void)state;
    static const char *const said[] = {"16 of 16 runs done: fib", "Figure 15.", "\nH1 ", "not measured",
                                       NULL};
    shell_expect("paper channels --size tiny --only fib --jobs 2", said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_claims), cmocka_unit_test(test_statements), cmocka_unit_test(test_bars),
        cmocka_unit_test(test_lines),  cmocka_unit_test(test_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
