/* The study of CLASO: its claims and tables are made of made-up runs whose answers are known, and the command
 * makes them of a tiny input. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "made_up.h"
#include "papers/claso.h"
#include "papers/paper.h"
#include "shell.h"

typedef struct MadeUp {
    Run runs[CLASO_BENCHMARKS][CL_MODES];
    const Run *table[CLASO_BENCHMARKS * CL_MODES];
    Results results;
} MadeUp;

/* 1,000 instructions in 1,000 cycles; 100 of 1,000 cycles of SMs are idle, 300 conflicts, a quarter of 80
 * requests behind one of the same SM, and SMs differ by the benchmark's number. CLASO10 upon LRR takes 800
 * cycles with 20 idle ones and 360 conflicts, CLASO20 upon all others 500. */
static RunResult make_up_run(size_t benchmark, size_t mode)
{
    RunResult result = {.right = true, .cycles = 1000};
    uint64_t *counts = result.statistics;
    counts[CL_INSTRUCTIONS] = 1000, counts[CL_IDLE] = 100, counts[CL_BUSY] = 900;
    counts[CL_RESULT] = counts[CL_SHARED] = counts[CL_MEMORY] = 100;
    counts[CL_ROW_HITS] = 50, counts[CL_ROW_MISSES] = 20, counts[CL_ROW_CONFLICTS] = 10;
    counts[CL_SAME_CORE] = 20;
    result.samples[CL_INTERVALS] = 10, result.samples[CL_DIFFERENCE] = (double)benchmark;
    if (mode == CL_LRR_C10)
        result.cycles = 800, counts[CL_IDLE] = 20, counts[CL_MEMORY] = 160;
    else if (mode == CL_TL_C20 || mode == CL_OWL_C20 || mode == CL_DYNCTA_C20)
        result.cycles = 500;
    return result;
}

static void make_up(MadeUp *all)
{
    *all = (MadeUp){.results = {.benchmark_count = CLASO_BENCHMARKS,
                                .mode_count = CL_MODES,
                                .benchmark = paper_claso.benchmark,
                                .metric = claso_metric,
                                .runs = all->table}};
    knob_defaults(&config_knobs, &all->results.config);
    all->results.config.sm_count = 14;
    all->results.config.concurrent_kernels = 16;
    for (size_t b = 0; b < CLASO_BENCHMARKS; b++)
        for (size_t m = 0; m < CL_MODES; m++) {
            all->runs[b][m].result = make_up_run(b, m);
            all->table[b * CL_MODES + m] = &all->runs[b][m];
        }
}

static void expect_claim(const MadeUp *all, const char *id, const char *published, const char *measured)
{
    expect_measured(claso_judge, &all->results, id, published, measured);
}

static void test_claims(void **state)
{
    (void)state;
    static MadeUp all;
    char middle[32];
    make_up(&all);
    expect_claim(&all, "C1", "8.4", "25.0");
    expect_claim(&all, "C3", "26.1", "25.0");
    expect_claim(&all, "C4", "52.4", "80.0");
    expect_claim(&all, "C5", "92.5", "80.0");
    expect_claim(&all, "C6", "7.4", "100.0");
    expect_claim(&all, "C14", "5.1", "100.0");
    expect_claim(&all, "C10", "30", "25.0");
    expect_claim(&all, "C15", "-80 / +23", "-80.0 / 20.0");
    snprintf(middle, sizeof middle, "%d.0", (CLASO_BENCHMARKS - 1) / 2);
    expect_claim(&all, "C11", "1.2", middle);
    /* The best of all benchmarks and variants; averages need all of them. */
    all.runs[CLASO_NUMBER_st][CL_LRR_C20].result.cycles = 250;
    all.runs[CLASO_NUMBER_mc][CL_OWL_C10].result.cycles = 200;
    expect_claim(&all, "C2", "26.6", "300.0");
    expect_claim(&all, "C9", "18.3", "400.0");
    all.runs[CLASO_NUMBER_st][CL_LRR_C20].result.right = false;
    expect_claim(&all, "C2", "26.6", "-");
    expect_claim(&all, "C1", "8.4", "-");
    expect_claim(&all, "C8", "3.5", "100.0");
}

/* A cell of the row, by its column. */
static const char *cell(const Sheet *sheet, size_t row, size_t column)
{
    return sheet->cells.items[row * sheet->column_count + column];
}

static void test_tables(void **state)
{
    (void)state;
    static MadeUp all;
    make_up(&all);
    all.runs[CLASO_NUMBER_sp][CL_GRID + 1].result.statistics[CL_IDLE] = 300;
    Sheet sheet = claso_figure(&all.results, 1);
    assert_int_equal(sheet.column_count, 5);
    assert_string_equal(sheet.columns[4], "sp");
    assert_string_equal(cell(&sheet, 1, 0), "45");
    assert_string_equal(cell(&sheet, 0, 4), "10.0");
    assert_string_equal(cell(&sheet, 1, 4), "25.0");
    sheet_free(&sheet);
    double *samples = all.runs[CLASO_NUMBER_sp][CL_LRR].result.samples;
    samples[CL_ROW_COUNT] = 2, samples[CL_ROW_CYCLES] = 600, samples[CL_SHOWN_SMS] = 3;
    samples[claso_profile_at(CL_BLOCKS_ISSUED, 1, 2)] = 7;
    sheet = claso_figure(&all.results, 3);
    assert_int_equal(sheet.cells.count, 8);
    assert_string_equal(cell(&sheet, 0, 0), "600");
    assert_string_equal(cell(&sheet, 1, 0), "1000"); /* the last row ends with the run */
    assert_string_equal(cell(&sheet, 1, 3), "7");
    sheet_free(&sheet);
    sheet = claso_figure(&all.results, CLASO_FIGURES - 1);
    assert_string_equal(cell(&sheet, 0, 1), "7680"); /* 16 kernels x 15 registers of 32 bits */
    sheet_free(&sheet);
}

static void test_command(void **state)
{
    (void)state;
    static const char *const said[] = {"19 of 19 runs done: st", "Figure 11.", "\nC1 ", "not measured", NULL};
    shell_expect("paper claso --size tiny --only st --jobs 2", said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_claims),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
