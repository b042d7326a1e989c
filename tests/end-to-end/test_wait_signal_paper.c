/* The study of wait and signal: its claims are judged by made-up runs whose answers are known, and the command
 * makes its tables of tiny inputs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "made_up.h"
#include "papers/paper.h"
#include "papers/wait_signal.h"
#include "shell.h"

typedef struct MadeUp {
    Run runs[WAIT_SIGNAL_BENCHMARKS][WAIT_SIGNAL_MODES];
    const Run *table[WAIT_SIGNAL_BENCHMARKS * WAIT_SIGNAL_MODES];
    Results results;
} MadeUp;

/* Repeated launches take 10 us, wait and signal 5, in order 4, PeerWave 8 with an interval of 2; grouped events
 * 5, all else 10, virtual ones 4. Flags deadlock. */
static double made_up_time(size_t mode)
{
    for (size_t i = 0; i < WAIT_SIGNAL_SWEEP; i++)
        if ((int)mode == wait_signal_sweep[i].virtual || (int)mode == wait_signal_sweep[i].grouped)
            return (int)mode == wait_signal_sweep[i].virtual ? 4000 : 5000;
    return mode == RUN_WAIT_SIGNAL ? 5000 : mode == RUN_TB_ORDER ? 4000 : mode == RUN_PEERWAVE_2 ? 8000 : 10000;
}

static void make_up(MadeUp *all)
{
    *all = (MadeUp){.results = {.benchmark_count = WAIT_SIGNAL_BENCHMARKS,
                                .mode_count = WAIT_SIGNAL_MODES,
                                .benchmark = paper_wait_signal.benchmark,
                                .metric = wait_signal_metric,
                                .runs = all->table}};
    for (size_t b = 0; b < WAIT_SIGNAL_BENCHMARKS; b++)
        for (size_t m = 0; m < WAIT_SIGNAL_MODES; m++) {
            const bool deadlocked = m == RUN_FLAGS && wait_signal_benchmarks[b].kind == KIND_WAVES;
            all->runs[b][m].result =
                (RunResult){.right = !deadlocked, .deadlocked = deadlocked, .nanoseconds = made_up_time(m)};
            all->table[b * WAIT_SIGNAL_MODES + m] = &all->runs[b][m];
        }
}

static void expect_claim(const MadeUp *all, const char *id, const char *published, const char *measured,
                         Verdict verdict)
{
    const Verdict judged = expect_measured(wait_signal_judge, &all->results, id, published, measured);
    if (judged != verdict)
        fail_msg("%s %s", id, verdict_names[judged]);
}

static void test_claims(void **state)
{
    (void)state;
    static MadeUp all;
    make_up(&all);
    expect_claim(&all, "S5", "1.9-2.1", "2.0-2.0", VERDICT_AGREES);
    expect_claim(&all, "S6", "2.0-2.5", "2.5-2.5", VERDICT_DIFFERS);
    all.runs[3][RUN_WAIT_SIGNAL].result.nanoseconds = 20000;
    expect_claim(&all, "S5", "1.2-2.1", "0.5-2.0", VERDICT_DIFFERS);
    all.runs[3][RUN_WAIT_SIGNAL].result.right = false;
    expect_claim(&all, "S5", "1.2-2.1", "---", VERDICT_NOT_MEASURED);
    expect_claim(&all, "S8", "yes", "yes", VERDICT_AGREES);
}

/* 12 wavefronts of 2.5 and, over PeerWave, 2; 20 graphs of 2, of which 12 have flags that take as long as
 * repeated launches, as have the others. */
static void test_average(void **state)
{
    (void)state;
    static MadeUp all;
    make_up(&all);
    for (size_t b = 0; b < WAIT_SIGNAL_BENCHMARKS; b++)
        if (wait_signal_benchmarks[b].kind != KIND_WAVES)
            for (int mode = RUN_PEERWAVE_1; mode < RUN_VIRTUAL_1; mode++)
                all.runs[b][mode].result.right = false;
    expect_claim(&all, "S7", "2.00x / 31%", "2.19x / 100.0%", VERDICT_DIFFERS);
    all.runs[0][RUN_REKL].result.right = false;
    expect_claim(&all, "S7", "2.0x / 31%", "-x / -%", VERDICT_NOT_MEASURED);
}

/* One number of counters with which sharing events is no slower decides. */
static void test_events(void **state)
{
    (void)state;
    static MadeUp all;
    make_up(&all);
    for (size_t b = 0; b < WAIT_SIGNAL_BENCHMARKS; b++)
        if (wait_signal_benchmarks[b].kind == KIND_EVENTS) {
            all.runs[b][wait_signal_sweep[2].grouped].result.nanoseconds = 4000;
            expect_claim(&all, "S8", "yes", "not at all of them", VERDICT_DIFFERS);
            all.runs[b][wait_signal_sweep[1].virtual].result.right = false;
            expect_claim(&all, "S8", "yes", "", VERDICT_NOT_MEASURED);
        }
    for (uint32_t part = 1; part <= 8; part *= 2) {
        const uint32_t counters = wait_signal_counters(63, part), group = wait_signal_group(63, counters);
        assert_true(lud_events(63, group) <= counters);
        assert_true(group == 1 || lud_events(63, group - 1) > counters);
    }
}

static void test_deadlocks(void **state)
{
    (void)state;
    static MadeUp all;
    make_up(&all);
    Sheet sheet = wait_signal_figure(&all.results, 4);
    assert_string_equal(sheet.name, "figure45");
    assert_string_equal(sheet.cells.items[2], "deadlock");
    assert_string_equal(sheet.cells.items[3], "1.25");
    sheet_free(&sheet);
}

static void test_command(void **state)
{
    (void)state;
    static const char *const said[] = {"15 of 15 runs done: lud-2", "Figure 45.", "\nS8 ", "not measured", NULL};
    shell_expect("paper wait-signal --size tiny --only sat-1,lud-2 --jobs 2", said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_claims),    cmocka_unit_test(test_average), cmocka_unit_test(test_events),
        cmocka_unit_test(test_deadlocks), cmocka_unit_test(test_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
