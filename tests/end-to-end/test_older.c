/* The measurements of older GPUs measure what they say: with a knob set to a value that no configuration has,
 * the figure follows it, in cycle mode. What is published is read whole, and bad rows are named. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <math.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "micro/older.h"

#define MICRO SOURCE_DIRECTORY "/workloads/micro"

/* The figure on a GPU with a knob changed. */
static double measure_on(const char *gpu_name, const char *name, const char *knob, const char *value)
{
    char error[2048];
    WbGpu *gpu;
    if (wb_gpu_open(gpu_name, &gpu, error, sizeof error) != WB_OK)
        fail_msg("%s", error);
    assert_int_equal(wb_gpu_set(gpu, "mode", "cycle"), WB_OK);
    if (knob && wb_gpu_set(gpu, knob, value) != WB_OK)
        fail_msg("%s", wb_error(gpu));
    const MicroGpu properties = {.sm_count = 15, .clock_khz = 700000};
    const Micro *micro = older_find(name);
    assert_non_null(micro);
    Host host;
    double figure;
    if (!older_run(micro, gpu, MICRO, &properties, &host, &figure))
        fail_msg("%s: %s", name, host.error);
    host_end(&host);
    wb_gpu_close(gpu);
    return figure;
}

static double measure(const char *name, const char *knob, const char *value)
{
    return measure_on("gtx480", name, knob, value);
}

static void test_each(void **state)
{
    const Micro *micro = *state;
    const double figure = measure(micro->name, NULL, NULL);
    assert_true(isfinite(figure) && figure > 0);
}

/* What a knob does to the figure of a measurement. */
typedef struct Follows {
    const char *name, *knob, *value;
    double figure, tolerance;
} Follows;

static const Follows follows[] = {
    {"iadd_latency", "int_latency", "23", 23, 0.3},
    {"imad_latency", "int_multiply_latency", "23", 23, 0.3},
    {"idiv_latency", "int_divide_latency", "77", 77, 0.3},
    {"fadd_latency", "fp32_latency", "23", 23, 0.3},
    {"fdiv_latency", "fp32_divide_latency", "77", 77, 0.3},
    {"sin_latency", "sfu_latency", "29", 29, 0.3},
    {"dfma_latency", "fp64_latency", "31", 31, 0.3},
    {"shared_latency", "shared_latency", "61", 61, 0.5},
    {"l1_latency", "l1_latency", "61", 61, 0.5},
    {"l1_local_latency", "l1_latency", "61", 61, 1},
    {"constant_latency", "const_latency", "17", 17, 0.3},
    {"texture_latency", "texture_fetch_latency", "30", 70, 0.5},
    {"barrier_warp", "barrier_interval", "3", 3, 0.1},
    {"atomic_same", "l2_atomic_request", "1700", 17, 0.3},
    {"dfma_rate", "fp64_lanes", "2", 2, 0.05},
    {"ex2_rate", "sfu_lanes", "4", 4, 0.1},
    {"l1_bandwidth", "l1_bytes_per_cycle", "32", 32, 1},
    {"shared_bandwidth", "shared_banks", "16", 62, 4},
};

static void test_follows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof follows / sizeof *follows; i++) {
        const Follows *row = &follows[i];
        const double figure = measure(row->name, row->knob, row->value);
        if (fabs(figure - row->figure) > row->tolerance)
            fail_msg("%s with %s=%s is %g, not about %g", row->name, row->knob, row->value, figure,
                     row->figure);
    }
}

/* Loads behind L1 have what the ways between take besides; a change of a knob changes them by as much. */
static void test_farther_loads(void **state)
{
    (void)state;
    const double l2 = measure("l2_latency", NULL, NULL), dram = measure("dram_latency", NULL, NULL);
    assert_true(fabs(measure("l2_latency", "l2_latency", "76") - l2 - 20) < 2);
    assert_true(fabs(measure("dram_latency", "crossbar_latency", "50") - dram - 20) < 6);
    assert_true(dram > l2 + 50);
    const double constant = measure("constant_15_latency", "const_miss_latency", "100");
    assert_true(fabs(constant - 108) < 1);
}

/* Sums share the work with products' pipe where there is one; before Volta they do not. */
static void test_sums(void **state)
{
    (void)state;
    assert_true(fabs(measure_on("titanx", "iadd_latency", NULL, NULL) - 6) < 0.3);
    const double volta = measure_on("titanv", "iadd_latency", NULL, NULL);
    assert_true(volta > 4.2 && volta < 4.8); /* 4 and 5 in turn */
}

static void test_published(void **state)
{
    (void)state;
    static Published rows[PUBLISHED_MOST];
    char error[512] = "";
    const size_t count = published_read(MICRO "/published.csv", rows, error, sizeof error);
    if (!count)
        fail_msg("%s", error);
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        const Published *row = &rows[i];
        WbGpu *gpu;
        if (wb_gpu_open(row->gpu, &gpu, error, sizeof error) != WB_OK)
            fail_msg("%s: %s", row->name, error);
        wb_gpu_close(gpu);
        /* Nothing was cut off, and every figure says where it is from. */
        assert_true(strlen(row->name) < sizeof row->name - 1);
        assert_in_range(strlen(row->printed), 1, sizeof row->printed - 2);
        assert_in_range(strlen(row->card), 1, sizeof row->card - 2);
        assert_in_range(strlen(row->source), 1, sizeof row->source - 2);
        assert_true(strlen(row->why) < sizeof row->why - 1);
        found |= !strcmp(row->name, "titanv/dram_latency") && row->value == 362 && row->seen &&
                 !strcmp(row->source, "Arafa 2019");
    }
    assert_true(found);
}

/* The error for a file with this row. */
static void expect_error(const char *row, const char *error_part)
{
    char path[] = "/tmp/published_XXXXXX", error[512] = "";
    const int descriptor = mkstemp(path);
    FILE *file = fdopen(descriptor, "w");
    assert_non_null(file);
    fprintf(file, "# a comment\nname,value,printed,card,source,seen,why\n%s", row);
    fclose(file);
    static Published rows[PUBLISHED_MOST];
    assert_int_equal(published_read(path, rows, error, sizeof error), 0);
    if (!strstr(error, error_part))
        fail_msg("'%s' does not say '%s'", error, error_part);
    unlink(path);
}

static void test_bad_rows(void **state)
{
    (void)state;
    expect_error("", "there is no row");
    expect_error("k20c/l2_latency,188,188,Kepler,Arafa,yes\n", ":3: the row has not seven fields");
    expect_error("k20c/l2_latency,188,188,Kepler,Arafa,yes,a,b\n", ":3: the row has not seven fields");
    expect_error("k20c/l3_latency,188,188,Kepler,Arafa,yes,\n", "names no property");
    expect_error("l2_latency,188,188,Kepler,Arafa,yes,\n", "names no property");
    expect_error("k20c/l2_latency,much,188,Kepler,Arafa,yes,\n", "no positive number");
    expect_error("k20c/l2_latency,-1,188,Kepler,Arafa,yes,\n", "no positive number");
    expect_error("k20c/l2_latency,188,188,Kepler,Arafa,maybe,\n", "neither yes nor no");
    static Published rows[PUBLISHED_MOST];
    char error[512] = "";
    assert_int_equal(published_read("no such file", rows, error, sizeof error), 0);
    assert_string_equal(error, "no such file: cannot be read.");
}

int main(void)
{
    struct CMUnitTest tests[OLDER_COUNT + 5] = {0};
    size_t count = 0;
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(test_follows);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(test_farther_loads);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(test_sums);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(test_published);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(test_bad_rows);
    for (size_t i = 0; i < OLDER_COUNT; i++)
        tests[count++] =
            (struct CMUnitTest){older_micros[i].name, test_each, NULL, NULL, (void *)&older_micros[i]};
    return cmocka_run_group_tests_name("older", tests, NULL, NULL);
}
