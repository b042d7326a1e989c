/* The study of global synchronization: its claims are judged by made-up runs whose answers are known, and the
 * command makes its tables of tiny inputs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "made_up.h"
#include "papers/gsync.h"
#include "papers/paper.h"
#include "shell.h"

typedef struct MadeUp {
    Run runs[GS_INPUTS][GS_MODES];
    const Run *table[GS_INPUTS * GS_MODES];
    Results results;
} MadeUp;

/* Of a run with global sync: of 10,000 bytes of contexts 1,000 stay as those of the last blocks, 2,000 are kept
 * on chip; of the rest 4,000 are dead registers and 500 are read-only. Half of the blocks that leave go to
 * memory, each with 10 bytes of stacks and 90 of shared memory, 50 of them saved. */
static void make_up_context(uint64_t *counts)
{
    counts[GS_WHOLE] = 10000, counts[GS_LAST] = 1000, counts[GS_LEFT] = 9000;
    counts[GS_MOVED] = 2000, counts[GS_DEAD] = 4000, counts[GS_READ_ONLY] = 400;
    counts[GS_YIELDS_MOVED] = counts[GS_YIELDS_SAVED] = 10;
    counts[GS_SAVED_REGISTERS] = counts[GS_RESTORED_REGISTERS] = 2000;
    counts[GS_SAVED_SHARED] = counts[GS_RESTORED_SHARED] = 500;
    counts[GS_SAVED_STACKS] = counts[GS_RESTORED_STACKS] = 100;
    counts[GS_SYNCS] = 2;
}

/* Global sync takes 4 us, ideal 2, all else 10; repeated launches load 100 sectors, others 60. */
static void make_up(MadeUp *all)
{
    *all = (MadeUp){.results = {.benchmark_count = GS_INPUTS,
                                .mode_count = GS_MODES,
                                .benchmark = paper_gsync.benchmark,
                                .metric = gsync_metric,
                                .runs = all->table,
                                .config = {.context_stack_bytes = 10}}};
    for (size_t b = 0; b < GS_INPUTS; b++)
        for (size_t m = 0; m < GS_MODES; m++) {
            RunResult *result = &all->runs[b][m].result;
            *result = (RunResult){.right = true,
                                  .nanoseconds = m == GS_GSYNC   ? 4000
                                                 : m == GS_IDEAL ? 2000
                                                                 : 10000};
            make_up_context(result->statistics);
            result->samples[GS_WARPS] = 2, result->samples[GS_SHARED_BYTES] = 80;
            result->statistics[GS_LOAD_HITS] = m == GS_REKL ? 100 : 60;
            all->table[b * GS_MODES + m] = &all->runs[b][m];
        }
}

static void deadlock(MadeUp *all, size_t input, GsyncMode mode)
{
    all->runs[input][mode].result = (RunResult){.deadlocked = true};
}

static void expect_claim(const MadeUp *all, const char *id, const char *published, const char *measured)
{
    expect_measured(gsync_judge, &all->results, id, published, measured);
}

static void test_quantities(void **state)
{
    (void)state;
    static MadeUp all;
    make_up(&all);
    all.runs[GS_STENCIL_256][GS_GSYNC].result.nanoseconds = 20000;
    all.runs[GS_BFS_SF][GS_GSYNC].result.nanoseconds = 10000;
    expect_claim(&all, "G1", "1.1-1.8", "0.5-2.5");
    expect_claim(&all, "G2", "2.100", "2.125"); /* (3 x 2.5 + 1) / 4 */
    expect_claim(&all, "G3", "60", "74.0");
    expect_claim(&all, "G4", "80", "74.0");
    expect_claim(&all, "G5", "60", "57.1"); /* 4,000 of 9,000 less 20 blocks of 100 bytes */
    expect_claim(&all, "G6", "1.0000-9.0000", "0.0026-0.0026");
    expect_claim(&all, "G8", "35 / 80", "40.0 / 40.0");
    expect_claim(&all, "G9", "2 / 10", "5.0 / 5.0");
    all.runs[GS_CNN_LARGE][GS_GSYNC].result.statistics[GS_SAVED_SHARED] = 1500;
    expect_claim(&all, "G3", "60", "64.0");
    all.runs[GS_BFS_SF][GS_GSYNC].result.right = false;
    expect_claim(&all, "G2", "2.1", "-");
    all.runs[GS_STENCIL_1024][GS_GSYNC].result.right = false;
    expect_claim(&all, "G1", "1.1-1.8", "---");
    expect_claim(&all, "G3", "60", "-");
}

/* Both barriers that poll have to deadlock at one size, and global sync must not. */
static void test_deadlocks(void **state)
{
    (void)state;
    static MadeUp all;
    make_up(&all);
    expect_claim(&all, "G7", "100", "-"); /* nothing deadlocks */
    for (size_t i = GS_STENCIL_256; i < GS_STENCILS; i++)
        deadlock(&all, i, GS_MUTEX);
    expect_claim(&all, "G7", "100", "-"); /* flags do not */
    for (size_t i = GS_STENCIL_256; i < GS_STENCILS; i++)
        deadlock(&all, i, GS_FLAGS);
    expect_claim(&all, "G7", "100", "100.0");
    deadlock(&all, GS_STENCIL_100, GS_MUTEX);
    expect_claim(&all, "G7", "100", "-");
    deadlock(&all, GS_STENCIL_100, GS_FLAGS);
    expect_claim(&all, "G7", "100", "64.0");
    Sheet sheet = gsync_figure(&all.results, 3);
    assert_string_equal(sheet.cells.items[sheet.column_count + 2], "deadlock");
    sheet_free(&sheet);
    all.runs[GS_STENCIL_1024][GS_GSYNC].result.right = false;
    expect_claim(&all, "G7", "100", "-");
}

static void test_command(void **state)
{
    (void)state;
    static const char *const said[] = {"12 of 12 runs done: cnn", "Figure 24.", "\nG7 ", "not measured", NULL};
    shell_expect("paper gsync --size tiny --only stencil2d-64,cnn --jobs 2", said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quantities),
        cmocka_unit_test(test_deadlocks),
        cmocka_unit_test(test_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
