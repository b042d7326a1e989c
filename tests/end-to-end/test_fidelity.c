/* Figures of bench/fidelity: of made-up rows, whose answers are known, of a measured file, and of a kernel. */
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fidelity/expression.h"
#include "fidelity/print.h"
#include "fidelity/summary.h"
#include "fidelity/values.h"

static void near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9 * (1 + fabs(expected))))
        fail_msg("%.12g, not %.12g", value, expected);
}

/* -- expressions -- */

static double find_letter(void *context, const char *name)
{
    (void)context;
    return !strcmp(name, "a.one") ? 1 : !strcmp(name, "b") ? 2 : !strcmp(name, "c") ? 4 : NAN;
}

static double value_of(const char *text) { return expression_value(text, find_letter, NULL); }

static void test_expressions(void **state)
{
    (void)state;
    near(value_of("a.one + b * c - 3"), 6);
    near(value_of("100 * (a.one + b) / (c + 2)"), 50);
    near(value_of("c / b / b"), 1);
    near(value_of("missing | b"), 2);
    near(value_of("(b - 2) / (b - 2) | a.one + missing | c"), 4);
    near(value_of("b | missing"), 2);
    static const char *const none[] = {"missing", "b + missing", "b / (b - 2)", "", "b c", "(b"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (!isnan(value_of(none[i])))
            fail_msg("'%s' is %g", none[i], value_of(none[i]));
}

/* -- figures -- */

static const Set one_set = {.name = "one", .has_counters = true, .is_correlated = true, .data = "x.csv"};
static const Set other_set = {.name = "other", .data = "x.csv"};

/* A row with cycles and bytes from DRAM. */
static Row made_up(const char *name, const char *class, Half half, double theirs, double ours)
{
    Row row = {.set = &one_set, .class = class, .half = half, .unit = "cycles", .expected = theirs};
    snprintf(row.name, sizeof row.name, "%s", name);
    for (CounterNumber i = 0; i < COUNTER_COUNT; i++)
        row.counters[i] = row.outcome.counters[i] = NAN;
    row.outcome.right = true;
    row.outcome.value = row.outcome.counters[COUNTER_cycles] = ours;
    row.counters[COUNTER_cycles] = theirs;
    row.expected_instructions = NAN;
    return row;
}

/* Seen: +10%, -50%, +100%, one that failed; unseen: +4%, -20%; and a row of another set. */
static void fill(Run *run)
{
    VEC_PUSH(&run->rows, made_up("a", "x", HALF_SEEN, 100, 110));
    VEC_PUSH(&run->rows, made_up("b", "x", HALF_SEEN, 200, 100));
    VEC_PUSH(&run->rows, made_up("c", "y", HALF_SEEN, 1000, 2000));
    VEC_PUSH(&run->rows, made_up("d", "x", HALF_UNSEEN, 50, 52));
    VEC_PUSH(&run->rows, made_up("e", "y", HALF_UNSEEN, 10, 8));
    Row wrong = made_up("f", "y", HALF_SEEN, 10, 9000), other = made_up("g", NULL, HALF_NONE, 1, 3);
    wrong.outcome.right = false;
    other.set = &other_set;
    VEC_PUSH(&run->rows, wrong);
    VEC_PUSH(&run->rows, other);
}

static void check_mean(const Run *run, Selection selection, size_t rows, size_t points, double mean)
{
    Points found = points_of(run, selection), counted = points_of_counter(run, selection, COUNTER_cycles);
    assert_int_equal(rows_of(run, selection), rows);
    assert_int_equal(found.count, points);
    near(figures_of(&found, (Scale){0}).mean_error, mean);
    near(figures_of(&counted, counters[COUNTER_cycles].scale).mean_error, mean);
    VEC_FREE(&found);
    VEC_FREE(&counted);
}

static void test_selections(void **state)
{
    (void)state;
    Run run = {0};
    fill(&run);
    check_mean(&run, (Selection){.set = &one_set}, 6, 5, (10 + 50 + 100 + 4 + 20) / 5.0);
    check_mean(&run, (Selection){.set = &one_set, .half = HALF_SEEN}, 4, 3, 160 / 3.0);
    check_mean(&run, (Selection){.set = &one_set, .half = HALF_UNSEEN}, 2, 2, 12);
    check_mean(&run, (Selection){.set = &one_set, .class = "x"}, 3, 3, 64 / 3.0);
    check_mean(&run, (Selection){.set = &one_set, .class = "x", .half = HALF_SEEN}, 2, 2, 30);
    check_mean(&run, (Selection){.set = &one_set, .class = "y", .half = HALF_UNSEEN}, 1, 1, 20);
    Points none = points_of_counter(&run, (Selection){.set = &one_set}, COUNTER_dram_reads);
    assert_int_equal(none.count, 0); /* nobody measured it */
    assert_true(isnan(figures_of(&none, (Scale){0}).mean_error));
    none = points_of_counter(&run, (Selection){.set = &other_set}, COUNTER_cycles);
    assert_int_equal(none.count, 0); /* the set has no counters */
    rows_free(&run);
}

static void test_figures(void **state)
{
    (void)state;
    Run run = {0};
    fill(&run);
    Points points = points_of(&run, (Selection){.set = &one_set});
    const Figures figures = figures_of(&points, (Scale){0});
    assert_int_equal(figures_within(&points, (Scale){0}, 5), 1);
    assert_int_equal(figures_within(&points, (Scale){0}, 10), 2);
    assert_int_equal(figures_within_factor(&points, 2), 5);
    assert_int_equal(figures_within_factor(&points, 1.9), 3);
    /* Half is as far as twice: the first of both is named, and what is as far as another is left out. */
    assert_string_equal(figures.worst[0]->row->name, "b");
    assert_string_equal(figures.worst[1]->row->name, "e");
    assert_string_equal(figures.worst[2]->row->name, "a");
    VEC_FREE(&points);
    rows_free(&run);
}

static void test_correlation(void **state)
{
    (void)state;
    Points points = {0};
    for (int i = 1; i <= 4; i++)
        VEC_PUSH(&points, ((Point){NULL, i, i * i}));
    Figures figures = figures_of(&points, (Scale){0});
    near(figures.correlation, 25 / sqrt(5 * 129)); /* of 1, 2, 3, 4 and 1, 4, 9, 16 */
    near(figures.log_correlation, 1);
    VEC_PUSH(&points, ((Point){NULL, 5, 0})); /* has no logarithm */
    figures = figures_of(&points, (Scale){0});
    near(figures.log_correlation, 1);
    VEC_FREE(&points);
    VEC_PUSH(&points, ((Point){NULL, 3, 3}));
    assert_true(isnan(figures_of(&points, (Scale){0}).correlation));
    VEC_FREE(&points);
}

static void test_scales(void **state)
{
    (void)state;
    const Scale ratio = {false, 1000}, plain = {false, 0}, points = {true, 0};
    near(point_error(ratio, &(Point){NULL, 10, 510}), 50);
    near(point_error(ratio, &(Point){NULL, 2000, 1000}), -50);
    near(point_error(points, &(Point){NULL, 30, 25.5}), -4.5);
    assert_true(point_is_comparable(ratio, &(Point){NULL, 0, 1}));
    assert_false(point_is_comparable(plain, &(Point){NULL, 0, 1}));
    assert_true(point_is_comparable(points, &(Point){NULL, 0, 1}));
    assert_false(point_is_comparable(points, &(Point){NULL, NAN, 1}));
    assert_false(point_is_comparable(ratio, &(Point){NULL, 5, NAN}));
}

/* -- texts -- */

static void test_summary(void **state)
{
    (void)state;
    Run run = {0};
    char *text = NULL;
    size_t size = 0;
    fill(&run);
    FILE *out = open_memstream(&text, &size);
    print_summary(&run, &one_set, out);
    summary_write(&run, &one_set, false, out);
    fclose(out);
    static const char *const wanted[] = {
        "The seen half: 0 of 4 within 5%, 1 within 10%; mean absolute error 53.3%.",
        "Furthest off: b -50%, a +10%.\n",
        "The unseen half: 1 of 2 within 5%, 1 within 10%; mean absolute error 12.0%.",
        "\n| x | 2 | 30.0% | 1 |  | 1 | 4.0% | 1 |  |\n",
        "\n| y | 1 | 100.0% | 0 |  | 1 | 20.0% | 0 |  |\n",
        "\n| cycles | 3 | 53.3% | 1 |",
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!strstr(text, wanted[i]))
            fail_msg("'%s' is not in:\n%s", wanted[i], text);
    assert_null(strstr(text, "e -20%")); /* unseen rows are not named */
    free(text);
    rows_free(&run);
}

/* A path of a file that is there, and empty. */
static void temporary(char path[64])
{
    snprintf(path, 64, "/tmp/test_fidelity_XXXXXX");
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
}

static void test_values(void **state)
{
    (void)state;
    Run run = {0};
    char path[64], text[1024] = "";
    fill(&run);
    temporary(path);
    assert_true(values_write(&run, path));
    FILE *file = fopen(path, "r");
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    unlink(path);
    assert_string_equal(text, "set,class,half,name,counter,unit,theirs,ours,error\n"
                              "one,x,seen,a,cycles,cycles,100,110,10\n"
                              "one,x,seen,b,cycles,cycles,200,100,-50\n"
                              "one,y,seen,c,cycles,cycles,1000,2000,100\n"
                              "one,x,unseen,d,cycles,cycles,50,52,4\n"
                              "one,y,unseen,e,cycles,cycles,10,8,-20\n");
    rows_free(&run);
}

/* -- both sides -- */

static void test_measured(void **state)
{
    (void)state;
    char path[64];
    double values[COUNTER_COUNT];
    temporary(path);
    FILE *file = fopen(path, "w");
    fprintf(file,
            "# made up\nname,cycles,active_cycles,l1_ld_sectors,l1_ld_hit_sectors,l2_hit_pct,red_global,"
            "atom_global,dram_read_B\nother,1,1,1,1,1,1,1,1\nwanted,500,300,400,100,97.5,7,8,\n");
    fclose(file);
    counters_read(path, "wanted", values);
    near(values[COUNTER_cycles], 500);
    near(values[COUNTER_active_cycles], 300);
    near(values[COUNTER_l1_load_sectors], 400);
    near(values[COUNTER_l1_load_hits], 25);
    near(values[COUNTER_l2_hits], 97.5);
    near(values[COUNTER_global_atomics], 15);
    assert_true(isnan(values[COUNTER_dram_reads]));
    assert_true(isnan(values[COUNTER_instructions]));
    counters_read(path, "missing", values);
    for (CounterNumber i = 0; i < COUNTER_COUNT; i++)
        assert_true(isnan(values[i]));
    unlink(path);
}

/* The first line of the file that is no comment, with commas at both ends. */
static void read_header(const char *name, char *header, size_t size)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/workloads/%s", SOURCE_DIRECTORY, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    header[0] = ',';
    do
        assert_non_null(fgets(header + 1, (int)size - 2, file));
    while (header[1] == '#');
    strcpy(header + strcspn(header, "\r\n"), ",");
    fclose(file);
}

static double find_in_header(void *context, const char *name)
{
    char wanted[80];
    snprintf(wanted, sizeof wanted, ",%s,", name);
    return strstr(context, wanted) ? 1 : NAN;
}

/* Every counter is made of columns that a measured file has. */
static void test_columns(void **state)
{
    (void)state;
    char header[8192];
    read_header("suite/h200-seen.csv", header, sizeof header);
    for (CounterNumber i = 0; i < COUNTER_COUNT; i++)
        if (isnan(expression_value(counters[i].theirs, find_in_header, header)))
            fail_msg("%s: there are no columns for '%s'", counters[i].name, counters[i].theirs);
}

/* Thread t of 64 loads word t, adds 1 and stores it. */
static const char kernel[] =
    PTX_HEADER ".visible .entry step(.param .u64 out)\n{\n"
               ".reg .b64 %a, %o; .reg .b32 %t, %v;\n"
               "ld.param.u64 %a, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 4; add.u64 %a, %a, %o;\n"
               "ld.global.u32 %v, [%a]; add.u32 %v, %v, 1; st.global.u32 [%a], %v; ret;\n}\n";

/* Every name is one of the simulator's, and the values are those of what ran. */
static void test_simulated(void **state)
{
    (void)state;
    static const char *const knobs[] = {"mode=cycle", "l2_keeps_copies=false", NULL};
    uint32_t words[64] = {0};
    double values[COUNTER_COUNT], of_record[COUNTER_COUNT];
    WbGpu *gpu = harness_open("h200", knobs);
    const HarnessRun run = {gpu, kernel, "step", {1, 1, 1}, {64, 1, 1}, 0, words, 64};
    harness_run_ok(&run);
    counters_take(gpu, true, 0, 1234, values);
    for (CounterNumber i = 0; i < COUNTER_COUNT; i++)
        if (!isfinite(values[i]))
            fail_msg("%s: '%s' has no value", counters[i].name, counters[i].ours);
    near(values[COUNTER_cycles], 1234);
    near(values[COUNTER_global_loads], 2);
    near(values[COUNTER_global_stores], 2);
    near(values[COUNTER_l1_load_sectors], 8);
    near(values[COUNTER_l1_store_sectors], 8);
    near(values[COUNTER_l1_load_hits], 0);
    near(values[COUNTER_l2_read_sectors], 8);
    near(values[COUNTER_l2_write_sectors], 8);
    near(values[COUNTER_dram_reads], 256);
    assert_true(values[COUNTER_active_warps] > 0 && values[COUNTER_active_warps] <= 2);
    near(values[COUNTER_occupancy], 100 * values[COUNTER_active_warps] / 64);
    assert_true(values[COUNTER_stall_memory] > 50); /* most of a warp's time is the load */
    counters_take(gpu, false, 0, 1234, of_record);
    assert_memory_equal(values, of_record, sizeof values);
    wb_gpu_close(gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expressions), cmocka_unit_test(test_selections), cmocka_unit_test(test_figures),
        cmocka_unit_test(test_correlation), cmocka_unit_test(test_scales),     cmocka_unit_test(test_summary),
        cmocka_unit_test(test_values),      cmocka_unit_test(test_measured),   cmocka_unit_test(test_columns),
        cmocka_unit_test(test_simulated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
