/* The study of all mechanisms: its tables are made of made-up runs whose answers are known, and the command
 * makes them and a page of a tiny input. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "papers/paper.h"
#include "papers/together.h"
#include "shell.h"

typedef struct MadeUp {
    Run runs[TOGETHER_PROBLEMS][TG_MODES];
    const Run *table[TOGETHER_PROBLEMS * TG_MODES];
    Results results;
} MadeUp;

static double *time_of(MadeUp *all, size_t problem, TogetherMode mode, TogetherColumn column)
{
    return &all->runs[problem][mode * TG_COLUMNS + column].result.nanoseconds;
}

/* All runs that there are take 100 us, by the host 200. */
static void make_up(MadeUp *all)
{
    *all = (MadeUp){.results = {.benchmark_count = TOGETHER_PROBLEMS,
                                .mode_count = TG_MODES,
                                .benchmark = paper_together.benchmark,
                                .runs = all->table}};
    for (size_t problem = 0; problem < TOGETHER_PROBLEMS; problem++)
        for (TogetherMode mode = 0; mode < TOGETHER_MODES; mode++)
            for (TogetherColumn column = 0; column < TG_COLUMNS; column++) {
                const size_t at = (size_t)mode * TG_COLUMNS + (size_t)column;
                if (!together_runs(problem, mode, column))
                    continue;
                all->runs[problem][at].result =
                    (RunResult){.right = true, .nanoseconds = mode == TOGETHER_HOST ? 2e5 : 1e5};
                all->table[problem * TG_MODES + at] = &all->runs[problem][at];
            }
}

static const char *cell(const Sheet *sheet, size_t row, size_t column)
{
    const char *text = sheet->cells.items[row * sheet->column_count + column];
    return text ? text : "-";
}

static void expect_cell(const Sheet *sheet, size_t row, size_t column, const char *text)
{
    if (strcmp(cell(sheet, row, column), text) != 0)
        fail_msg("%s, row %zu, column %zu: '%s', not '%s'", sheet->name, row, column,
                 cell(sheet, row, column), text);
}

/* What may run is what the problem has, but for channels with a policy for grids and for the long search. */
static void test_runs(void **state)
{
    (void)state;
    assert_true(together_runs(TOGETHER_TREE, TOGETHER_CHANNELS, TG_SAWS));
    assert_false(together_runs(TOGETHER_TREE, TOGETHER_CHANNELS, TG_CLASO));
    assert_true(together_runs(TOGETHER_GRAPH, TOGETHER_CHANNELS, TG_H200));
    assert_false(together_runs(TOGETHER_GRAPH, TOGETHER_CHANNELS, TG_LRR));
    assert_false(together_runs(TOGETHER_GRAPH, TOGETHER_LRR, TG_H200));
}

static void test_answer(void **state)
{
    (void)state;
    static MadeUp all;
    make_up(&all);
    *time_of(&all, TOGETHER_WAVE, TOGETHER_WS, TG_K20C) = 5e4;
    *time_of(&all, TOGETHER_WAVE, TOGETHER_LVL, TG_K20C) = 8e4;
    all.runs[TOGETHER_WAVE][TOGETHER_GSYNC * TG_COLUMNS + TG_K20C].result =
        (RunResult){.right = false, .nanoseconds = 1};
    Sheet sheet = together_figure(&all.results, 0);
    expect_cell(&sheet, 0, 0, "wave");
    expect_cell(&sheet, 0, 3, "ws 4.00");
    expect_cell(&sheet, 1, 3, "lvl 2.50");
    expect_cell(&sheet, 2, 3, "cdp 2.00"); /* the first of equals */
    sheet_free(&sheet);
    sheet = together_figure(&all.results, 1);
    expect_cell(&sheet, 0, TOGETHER_WS, "2.38"); /* 2, 4, 2, 2 */
    expect_cell(&sheet, 2, TOGETHER_LRR, "-");
    sheet_free(&sheet);
    sheet = together_figure(&all.results, 2);
    expect_cell(&sheet, TOGETHER_LRR, 1, "2"); /* problems */
    expect_cell(&sheet, TOGETHER_WS, 4, "4.00");
    sheet_free(&sheet);
}

/* The mechanism is twice as fast, the policy makes the host 1.25 times as fast, both together are thrice. */
static void test_pairs(void **state)
{
    (void)state;
    static MadeUp all;
    make_up(&all);
    *time_of(&all, TOGETHER_WAVE, TOGETHER_HOST, TG_CLASO) = 1.6e5;
    *time_of(&all, TOGETHER_WAVE, TOGETHER_LRR, TG_CLASO) = 2e5 / 3;
    Sheet sheet = together_pairs(&all.results);
    expect_cell(&sheet, 0, 0, "DATS (LRR) with CLASO: wave");
    expect_cell(&sheet, 0, 1, "2.00");
    expect_cell(&sheet, 0, 2, "1.25");
    expect_cell(&sheet, 0, 3, "2.50");
    expect_cell(&sheet, 0, 4, "3.00");
    sheet_free(&sheet);
    Run *side = &all.runs[TOGETHER_STENCIL][TG_SIDE + TG_H200];
    side->result = (RunResult){.right = true, .nanoseconds = 1.6e5};
    all.table[TOGETHER_STENCIL * TG_MODES + TG_SIDE + TG_H200] = side;
    sheet = together_side_by_side(&all.results);
    expect_cell(&sheet, 3, 3, "200.0");
    expect_cell(&sheet, 3, 5, "1.25");
    expect_cell(&sheet, 0, 4, "-");
    sheet_free(&sheet);
}

/* Keys are measured, the rest is computed: the graph buffer is that of the Wireframe paper with its forgotten
 * fields, 1,033 keys of four bytes come upon what waits and signals need. */
static void test_hardware(void **state)
{
    (void)state;
    static MadeUp all;
    make_up(&all);
    all.runs[TOGETHER_WAVE][TOGETHER_WS_ORDER * TG_COLUMNS + TG_K20C].result.statistics[TGS_KEYS] = 1033;
    Sheet sheet = together_hardware(&all.results);
    expect_cell(&sheet, TOGETHER_HOST, 1, "0");
    const int without = atoi(cell(&sheet, TOGETHER_WS, 2)), with = atoi(cell(&sheet, TOGETHER_WS_ORDER, 2));
    assert_true(without > 0 && with == without + 4 * 1033);
    assert_string_equal(cell(&sheet, TOGETHER_WS_ORDER, 1), cell(&sheet, TOGETHER_WS, 1));
    sheet_free(&sheet);
    sheet = together_policy_state(&all.results);
    expect_cell(&sheet, 0, 1, "0");
    expect_cell(&sheet, 3, 1, "1024"); /* CLASO on gtx480: 16 kernels x (15 SMs + 1) x 4 bytes */
    sheet_free(&sheet);
}

static void test_command(void **state)
{
    (void)state;
    static const char *const said[] = {"54 of 54 runs done: rows", "The answer", "Bytes on the chip", NULL};
    char page[] = "/tmp/warpbeam_together_XXXXXX", command[256], output[256];
    const int file = mkstemp(page);
    assert_true(file >= 0);
    close(file);
    snprintf(command, sizeof command, "paper together --size tiny --only rows --jobs 2 --html %s", page);
    shell_expect(command, said);
    snprintf(command, sizeof command, "grep -c '<svg' %s && grep -q 'id=\"answer\"' %s && rm %s", page, page,
             page);
    assert_int_equal(shell_run(command, output, sizeof output), 0);
    assert_int_equal(atoi(output), 8); /* overview, five problems, policies and pairs */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs),     cmocka_unit_test(test_answer),  cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_hardware), cmocka_unit_test(test_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
