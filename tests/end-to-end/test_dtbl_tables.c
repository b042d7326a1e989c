/* The DTBL study's tables beside its figures: inputs, levels that the paper implies, and claims judged again
 * by other choices; from runs whose numbers are made up. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "papers/dtbl.h"

typedef struct MadeUp {
    Run runs[DTBL_BENCHMARKS][DTBL_MODES];
    const Run *table[DTBL_BENCHMARKS * DTBL_MODES];
    Results results;
} MadeUp;

/* Groups are as fast as flat, records in lines twice as fast; benchmarks 3, 5 and 7 are far off: groups are 4
 * times as fast or as slow as flat. Half of all warps are resident, of ideal groups three quarters. */
static void make_up(MadeUp *all)
{
    *all = (MadeUp){.results = {.benchmark_count = DTBL_BENCHMARKS,
                                .mode_count = DTBL_MODES,
                                .benchmark = paper_dtbl.benchmark,
                                .metric = dtbl_metric,
                                .runs = all->table,
                                .size = INPUT_TINY,
                                .config = {.warp_width = 32, .sm_count = 13, .max_threads_per_sm = 2048}}};
    for (size_t b = 0; b < DTBL_BENCHMARKS; b++)
        for (size_t m = 0; m < DTBL_MODES; m++) {
            RunResult *result = &all->runs[b][m].result;
            *result = (RunResult){.right = true, .cycles = m == DTBL_LINES ? 500 : 1000};
            if (m == DTBL_DTBL && (b == 3 || b == 5 || b == 7))
                result->cycles = b == 7 ? 4000 : 250;
            result->statistics[DTBL_RESIDENT_WARPS] =
                result->cycles * 13 * 64 * (m == DTBL_DTBL_IDEAL ? 3 : 2) / 4;
            all->table[b * DTBL_MODES + m] = &all->runs[b][m];
        }
}

/* The cell of the row that begins with that text. */
static const char *cell(const Sheet *sheet, const char *row, const char *column)
{
    for (uint32_t i = 0; i < sheet->cells.count; i += sheet->column_count)
        for (uint32_t c = 0; c < sheet->column_count; c++)
            if (strcmp(sheet->cells.items[i], row) == 0 && strcmp(sheet->columns[c], column) == 0)
                return sheet->cells.items[i + c];
    fail_msg("%s has no %s of %s", sheet->name, column, row);
    return "";
}

static void test_choices(void **state)
{
    (void)state;
    static MadeUp all;
    make_up(&all);
    Sheet sheet = dtbl_choices(&all.results);
    assert_string_equal(cell(&sheet, "D1", "as above"), "1.33 agrees"); /* (13 + 4 + 4 + 1/4) / 16 */
    assert_string_equal(cell(&sheet, "D1", "without outliers"), "1.00 differs");
    assert_string_equal(cell(&sheet, "D1", "lines"), "2.00 differs");
    assert_string_equal(cell(&sheet, "D1", "fallback"), "1.00 differs");
    assert_string_equal(cell(&sheet, "D12", "fallback"), "");
    assert_string_equal(cell(&sheet, "D21", "without outliers"), "");
    assert_string_equal(cell(&sheet, "left out", "published"), paper_dtbl.benchmark(3));
    sheet_free(&sheet);
}

static void test_levels(void **state)
{
    (void)state;
    static MadeUp all;
    make_up(&all);
    Sheet sheet = dtbl_levels(&all.results);
    const char *row = "occupancy, CDPI to DTBLI";
    assert_string_equal(cell(&sheet, row, "implied lower"), "74.6"); /* 17.9 / 0.24 */
    assert_string_equal(cell(&sheet, row, "implied higher"), "92.5");
    assert_string_equal(cell(&sheet, row, "measured lower"), "50.0");
    assert_string_equal(cell(&sheet, row, "measured higher"), "75.0");
    sheet_free(&sheet);
}

/* Rows only of benchmarks that were asked for. */
static void test_inputs(void **state)
{
    (void)state;
    static MadeUp all;
    make_up(&all);
    for (size_t m = 0; m < DTBL_MODES; m++)
        all.table[m] = NULL;
    Sheet sheet = dtbl_inputs(&all.results);
    assert_int_equal(sheet.cells.count, (DTBL_BENCHMARKS - 1) * sheet.column_count);
    assert_string_equal(cell(&sheet, "bfs_citation", "longest list"), "114");
    assert_string_equal(cell(&sheet, "clr_citation", "threads"), "1024");
    assert_string_equal(cell(&sheet, "clr_citation", "made"), "by chance");
    sheet_free(&sheet);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choices),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_inputs),
    };
    return cmocka_run_group_tests_name("dtbl_tables", tests, NULL, NULL);
}
