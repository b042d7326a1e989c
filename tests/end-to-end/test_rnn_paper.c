/* The study of recurrent networks: its claims are judged by made-up runs whose answers are known, and the
 * command makes its tables of tiny networks. */
#include <math.h>
#include <string.h>

#include "harness.h"
#include "made_up.h"
#include "papers/paper.h"
#include "papers/rnn.h"
#include "shell.h"

typedef struct MadeUp {
    Run runs[RN_INPUTS][RN_MODES];
    const Run *table[RN_INPUTS * RN_MODES];
    Results results;
} MadeUp;

/* Streams take 40 us, the thesis's own form 10, persistent 12, hardware 5, all else 20. SMs have a block in 80 of
 * 100 cycles; of their four schedulers' 400 cycles 40 issue, 140 wait for their blocks' own work. */
static void make_up(MadeUp *all)
{
    *all = (MadeUp){.results = {.benchmark_count = RN_INPUTS,
                                .mode_count = RN_MODES,
                                .benchmark = paper_rnn.benchmark,
                                .metric = rnn_metric,
                                .runs = all->table,
                                .config = {.schedulers = 4},
                                .size = INPUT_SMALL}};
    for (size_t b = 0; b < RN_INPUTS; b++)
        for (size_t m = 0; m < RN_MODES; m++) {
            RunResult *result = &all->runs[b][m].result;
            *result = (RunResult){.right = true,
                                  .nanoseconds = m == RN_STREAM       ? 40000
                                                 : m == RN_PERSISTENT ? 12000
                                                 : m == RN_SPLIT      ? 10000
                                                 : m == RN_HARDWARE   ? 5000
                                                                      : 20000};
            result->statistics[RN_ACTIVE] = 80, result->statistics[RN_IDLE] = 20;
            result->statistics[RN_ISSUED] = 40, result->statistics[RN_BRANCH] = 20;
            result->statistics[RN_RESULT] = 120, result->statistics[RN_ATOMICS] = 60;
            result->samples[RN_KERNELS] = 3, result->samples[RN_PASSES] = 2, result->samples[RN_BLOCKS] = 20;
            result->samples[RN_CELL_CYCLES] = 30, result->samples[RN_WAVE_CYCLES] = 10;
            all->table[b * RN_MODES + m] = &all->runs[b][m];
        }
}

static void expect_claim(const MadeUp *all, const char *id, const char *published, const char *measured)
{
    expect_measured(rnn_judge, &all->results, id, published, measured);
}

static void test_claims(void **state)
{
    (void)state;
    static MadeUp all;
    make_up(&all);
    expect_claim(&all, "R1", "37", "20.0");
    expect_claim(&all, "R3", "50", "45.0");
    all.runs[RN_PHASED][RN_PERSISTENT].result.nanoseconds = 32000; /* 220% in one of 20 */
    expect_claim(&all, "R1", "37", "30.0");
    all.runs[RN_GRU_LONG][RN_PERSISTENT].result.statistics[RN_RESULT] = 200;
    expect_claim(&all, "R3", "50", "46.0");
    all.runs[RN_GRU_LONG][RN_PERSISTENT].result.right = false;
    expect_claim(&all, "R1", "37", "-");
    expect_claim(&all, "R3", "50", "-");
    expect_claim(&all, "R4", "1", "-"); /* there is none */
}

/* Of an LSTM of four layers: 8 matrices of 128 x 128 a layer; 4 sequences of 100 steps of 128 values come in,
 * and each layer makes two such. A GRU has 6 matrices and one result; groups halve the matrices. */
static void test_memory(void **state)
{
    (void)state;
    static MadeUp all;
    const double matrix = 128 * 128 * 4, sequence = 4 * 100 * 128 * 4;
    const RnnMemory lstm = rnn_memory(RN_LSTM);
    assert_true(lstm.weights == 4 * 8 * matrix);
    assert_true(lstm.inputs == sequence);
    assert_true(lstm.outputs == 4 * 2 * sequence);
    assert_true(rnn_memory(RN_GROUPED).weights == 4 * 4 * matrix);
    assert_true(rnn_memory(RN_GRU_8L).weights == 8 * 6 * matrix);
    assert_true(rnn_memory(RN_GRU_8L).outputs == 8 * sequence);
    assert_true(rnn_memory(RN_BASIC_H256).weights == 4 * 2 * 4 * matrix);
    assert_true(rnn_memory(RN_BASIC_LONG).inputs == 2.5 * sequence);
    const double share = 100 * (32 * matrix) / (32 * matrix + 9 * sequence);
    assert_true(fabs(rnn_weight_share(RN_LSTM) - share) < 1e-9);
    make_up(&all);
    double sum = 0;
    for (int i = 0; i < RN_INPUTS; i++)
        sum += rnn_weight_share((RnnInput)i);
    char mean[32];
    snprintf(mean, sizeof mean, "%.1f", sum / RN_INPUTS);
    expect_claim(&all, "R2", "68", mean);
    for (size_t m = 0; m < RN_MODES; m++) /* not asked for */
        all.table[RN_GROUPED * RN_MODES + m] = NULL;
    expect_claim(&all, "R2", "68", "-");
}

static void expect_cell(const MadeUp *all, const char *table, const char *column, const char *text)
{
    for (size_t i = 0; i < RNN_FIGURES; i++) {
        Sheet sheet = rnn_figure(&all->results, i);
        for (uint32_t c = 0; c < sheet.column_count && strcmp(sheet.name, table) == 0; c++)
            if (strcmp(sheet.columns[c], column) == 0) {
                assert_string_equal(sheet.cells.items[c], text); /* of the first row */
                sheet_free(&sheet);
                return;
            }
        sheet_free(&sheet);
    }
    fail_msg("no table %s has a column %s", table, column);
}

static void test_tables(void **state)
{
    (void)state;
    static MadeUp all;
    make_up(&all);
    all.runs[RN_BASIC_2L][RN_PERSISTENT].result.nanoseconds = 6000;
    all.runs[RN_BASIC][RN_H200 + RN_SPLIT].result.nanoseconds = 30000;
    expect_cell(&all, "passes", "arrays", "2");
    expect_cell(&all, "figure12", "cells", "80");
    expect_cell(&all, "figure12", "a cell, PT-rnn", "0.15");
    expect_cell(&all, "figure12", "a step, arrays", "0.87"); /* 20 + 4 - 1 */
    expect_cell(&all, "figure12", "at once, stream", "3.00");
    expect_cell(&all, "figure12", "barriers, PT-rnn", "3");
    expect_cell(&all, "wavefront", "PT-rnn", "2.00");
    expect_cell(&all, "wavefront", "steps of a wavefront", "1.10"); /* 23 over 21 */
    expect_cell(&all, "figure15", "SMs with a block", "80.0");
    expect_cell(&all, "figure15", "utilized", "45.0");
    expect_cell(&all, "figure15", "issued", "10.0");
    expect_cell(&all, "figure32", "wait-signal", "4.00");
    expect_cell(&all, "figure32", "wait-signal over PT-rnn", "20");
    expect_cell(&all, "hardware", "over wait-signal", "100");
    expect_cell(&all, "h200-hardware", "over wait-signal", "50");
}

static void test_command(void **state)
{
    (void)state;
    static const char *const said[] = {
        "6 of 6 runs done: basic-2l", "Figure 13.", "Figure 32.", "\nR1 ", "not measured", NULL};
    shell_expect("paper rnn --size tiny --only basic-2l --jobs 2", said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_claims),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
