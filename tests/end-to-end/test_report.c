/* Reports: valid JSON with everything in it, counters that add up, the same bytes for any number of threads,
 * samples that sum to the totals and change nothing. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/gpu.h"
#include "harness.h"
#include "report/json.h"
#include "report/report.h"
#include "six/six.h"

enum { MATMUL = 1, REDUCTION = 3, BFS = 4 };
/* Threads meet every few cycles: under the thread sanitizer fewer cycles show as much, and the other tests no
 * more than those that compare numbers of threads. */
#ifdef __SANITIZE_THREAD__
enum { ONLY_THREADS = true };
enum { MATMUL_SIZE = 32, REDUCTION_SIZE = 4000, BFS_SIZE = 200 };
#else
enum { ONLY_THREADS = false };
enum { MATMUL_SIZE = 64, REDUCTION_SIZE = 20000, BFS_SIZE = 600 };
#endif
static const ReportOptions everything = {.details = true, .blocks = true};

static void run_program(WbGpu *gpu, int index, int size)
{
    Host host;
    if (!six_run(&six_programs[index], gpu, SOURCE_DIRECTORY "/workloads/six", size, &host))
        fail_msg("%s: %s", six_programs[index].name, host.error);
    host_end(&host);
}

/* A GPU on which kernels with barriers, atomics, divergence and several launches have run. */
static WbGpu *run_all(const char *name, const char *const *knobs)
{
    WbGpu *gpu = harness_open(name, (const char *const[]){"mode=cycle", NULL});
    for (; knobs && *knobs; knobs++) {
        char key[64];
        const char *equals = strchr(*knobs, '=');
        snprintf(key, sizeof key, "%.*s", (int)(equals - *knobs), *knobs);
        if (wb_gpu_set(gpu, key, equals + 1) != WB_OK)
            fail_msg("%s", wb_error(gpu));
    }
    run_program(gpu, MATMUL, MATMUL_SIZE);
    run_program(gpu, REDUCTION, REDUCTION_SIZE);
    run_program(gpu, BFS, BFS_SIZE);
    return gpu;
}

typedef void ReportFn(const WbGpu *gpu, const ReportOptions *options, FILE *to);

/* A report as text; the caller frees it. */
static char *write_report(ReportFn *report, const WbGpu *gpu, const ReportOptions *options)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    report(gpu, options, file);
    const size_t size = (size_t)ftell(file);
    char *text = calloc(1, size + 1);
    assert_non_null(text);
    rewind(file);
    assert_int_equal(fread(text, 1, size, file), size);
    fclose(file);
    return text;
}

static json_t *parse(const char *text)
{
    json_error_t error;
    json_t *report = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!report)
        fail_msg("line %d: %s", error.line, error.text);
    return report;
}

static json_t *report_of(const WbGpu *gpu)
{
    char *text = write_report(report_json, gpu, &everything);
    json_t *report = parse(text);
    free(text);
    return report;
}

static json_t *get(const json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    if (!value)
        fail_msg("there is no '%s'", key);
    return value;
}

static uint64_t number(const json_t *object, const char *key)
{
    const json_t *value = get(object, key);
    assert_true(json_is_integer(value));
    return (uint64_t)json_integer_value(value);
}

static void test_required_keys(void **state)
{
    static const char *const kernel_keys[] = {"name",
                                              "grid",
                                              "block",
                                              "cycles",
                                              "warp_instructions",
                                              "thread_instructions",
                                              "launched",
                                              "started",
                                              "ended",
                                              "ratios",
                                              "scheduler_shares",
                                              "details",
                                              "blocks",
                                              "memory_accesses_by_sm",
                                              "dram_accesses_by_sm"};
    static const char *const host_keys[] = {"wall_seconds", "threads", "window", "peak_memory_bytes",
                                            "warp_instructions_per_second"};
    (void)state;
    WbGpu *gpu = run_all("gtx480", NULL);
    json_t *report = report_of(gpu), *kernels = get(report, "kernels");
    assert_string_equal(json_string_value(get(report, "gpu")), "gtx480");
    const json_t *config = get(report, "config");
    assert_int_equal(number(config, "sm_count"), 15);
    assert_string_equal(json_string_value(get(config, "mode")), "cycle");
    assert_int_equal(json_object_size(config), config_knobs.count - 2);
    assert_null(json_object_get(config, "threads"));
    assert_int_equal(json_array_size(kernels), wb_record_count(gpu));
    assert_true(json_array_size(kernels) > 4);
    assert_string_equal(json_string_value(get(json_array_get(kernels, 0), "name")), "matmul");
    uint64_t instructions = 0;
    for (size_t i = 0; i < json_array_size(kernels); i++) {
        const json_t *kernel = json_array_get(kernels, i);
        for (size_t k = 0; k < sizeof kernel_keys / sizeof *kernel_keys; k++)
            get(kernel, kernel_keys[k]);
        for (unsigned c = 0; c < COMPONENT_FIRST_POLICY; c++)
            assert_int_equal(json_object_size(get(kernel, components[c].name)), components[c].table->count);
        for (unsigned c = COMPONENT_FIRST_POLICY; c < components_known; c++)
            assert_null(json_object_get(kernel, components[c].name)); /* none of them is in use */
        assert_int_equal(json_object_size(get(kernel, "ratios")), RATIO_COUNT);
        assert_int_equal(number(kernel, "number"), i);
        assert_int_equal(number(kernel, "cycles"), number(kernel, "ended") - number(kernel, "launched"));
        instructions += number(kernel, "warp_instructions");
    }
    assert_true(instructions > 0);
    assert_int_equal(number(get(report, "totals"), "warp_instructions"), instructions);
    for (size_t i = 0; i < sizeof host_keys / sizeof *host_keys; i++)
        get(get(report, "host"), host_keys[i]);
    json_decref(report);
    wb_gpu_close(gpu);
}

/* Every scheduler's cycles, by reason, are those in which its SM had a block; with those in which it had none
 * they are the kernel's. */
static void check_cycles(const json_t *kernel)
{
    const json_t *sms = get(get(kernel, "details"), "sm"), *all = get(get(kernel, "details"), "scheduler");
    const size_t each = json_array_size(all) / json_array_size(sms);
    assert_true(each > 0);
    for (size_t i = 0; i < json_array_size(sms); i++) {
        const json_t *sm = json_array_get(sms, i);
        const uint64_t active = number(sm, "active_cycles");
        assert_int_equal(active + number(sm, "idle_cycles"), number(kernel, "cycles"));
        for (size_t k = 0; k < each; k++) {
            const json_t *value, *scheduler = json_array_get(all, i * each + k);
            const char *key;
            uint64_t sum = 0;
            json_object_foreach((json_t *)scheduler, key, value) sum += (uint64_t)json_integer_value(value);
            assert_int_equal(sum, active);
        }
    }
}

/* What the sums say is what the parts say. */
static void check_sums(const json_t *kernel)
{
    for (unsigned c = 0; c < COMPONENT_FIRST_POLICY; c++) {
        const json_t *parts = get(get(kernel, "details"), components[c].name);
        for (size_t row = 0; row < components[c].table->count; row++) {
            const char *name = components[c].table->rows[row].name;
            uint64_t sum = 0;
            for (size_t i = 0; i < json_array_size(parts); i++)
                sum += number(json_array_get(parts, i), name);
            assert_int_equal(sum, number(get(kernel, components[c].name), name));
        }
    }
}

/* Each request that an SM sent was looked up, answered and taken in once. */
static void check_conservation(const json_t *kernel)
{
    const json_t *accesses = get(kernel, "memory_accesses_by_sm"), *l2 = get(kernel, "l2");
    uint64_t sum = 0;
    for (size_t i = 0; i < json_array_size(accesses); i++)
        sum += (uint64_t)json_integer_value(json_array_get(accesses, i));
    assert_true(sum > 0);
    assert_int_equal(sum, number(l2, "loads") + number(l2, "stores") + number(l2, "atomics"));
    assert_int_equal(sum, number(get(kernel, "request_out"), "packets"));
    assert_int_equal(sum, number(get(kernel, "reply_in"), "packets"));
    assert_int_equal(sum, number(l2, "replies"));
}

static uint64_t array_sum(const json_t *values)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < json_array_size(values); i++)
        sum += (uint64_t)json_integer_value(json_array_get(values, i));
    return sum;
}

/* Each request of the DRAM was for an SM, and to the dispatcher all SMs have the same cycles. */
static void check_shares_of_sms(const json_t *kernel)
{
    const json_t *dram = get(kernel, "dram"), *loads = get(get(kernel, "details"), "load");
    assert_int_equal(array_sum(get(kernel, "dram_accesses_by_sm")),
                     number(dram, "row_hits") + number(dram, "row_misses") + number(dram, "row_conflicts"));
    for (size_t i = 0; i < json_array_size(loads); i++) {
        const json_t *sm = json_array_get(loads, i);
        const uint64_t active = number(json_array_get(get(get(kernel, "details"), "sm"), i), "active_cycles");
        uint64_t blocks = 0;
        for (size_t b = 0; b < json_array_size(get(kernel, "blocks")); b++)
            blocks += number(json_array_get(get(kernel, "blocks"), b), "sm") == i;
        assert_int_equal(number(sm, "blocks_started"), blocks);
        assert_int_equal(number(sm, "busy_cycles") + number(sm, "idle_cycles"),
                         number(json_array_get(loads, 0), "busy_cycles") +
                             number(json_array_get(loads, 0), "idle_cycles"));
        /* It has a block from dispatch on, and until word of the end has come. */
        assert_true(number(sm, "busy_cycles") > active || !active);
    }
}

static void check_blocks(const json_t *kernel, uint64_t sm_count)
{
    const json_t *blocks = get(kernel, "blocks"), *grid = get(kernel, "grid");
    uint64_t count = 1;
    for (size_t i = 0; i < 3; i++)
        count *= (uint64_t)json_integer_value(json_array_get(grid, i));
    assert_int_equal(json_array_size(blocks), count);
    for (size_t i = 0; i < count; i++) {
        const json_t *block = json_array_get(blocks, i);
        assert_int_equal(number(block, "block"), i);
        assert_int_equal(number(block, "kernel"), number(kernel, "number"));
        assert_true(number(block, "sm") < sm_count);
        assert_true(number(block, "dispatched") >= number(kernel, "started"));
        assert_true(number(block, "dispatched") <= number(block, "started"));
        assert_true(number(block, "started") < number(block, "ended"));
        assert_true(number(block, "ended") < number(kernel, "ended"));
    }
    assert_int_equal(number(get(kernel, "front_end"), "blocks_dispatched"), count);
    assert_int_equal(number(get(kernel, "front_end"), "blocks_ended"), count);
    assert_int_equal(number(get(kernel, "sm"), "blocks"), count);
}

static void test_counters_add_up(void **state)
{
    static const char *const gpus[] = {"gtx480", "titanv"};
    (void)state;
    for (size_t g = 0; g < sizeof gpus / sizeof *gpus; g++) {
        WbGpu *gpu = run_all(gpus[g], NULL);
        json_t *report = report_of(gpu), *kernels = get(report, "kernels");
        for (size_t i = 0; i < json_array_size(kernels); i++) {
            const json_t *kernel = json_array_get(kernels, i);
            check_cycles(kernel);
            check_sums(kernel);
            check_conservation(kernel);
            check_shares_of_sms(kernel);
            check_blocks(kernel, number(get(report, "config"), "sm_count"));
        }
        json_decref(report);
        wb_gpu_close(gpu);
    }
}

/* All that stands before the host's part, which is the last. */
static char *deterministic_part(const WbGpu *gpu)
{
    char *text = write_report(report_json, gpu, &everything), *host = strstr(text, "\n  \"host\"");
    assert_non_null(host);
    *host = '\0';
    return text;
}

static void test_same_bytes(void **state)
{
    static const char *const settings[][3] = {
        {"threads=2"}, {"threads=3"}, {"threads=8"}, {"window=1"}, {"threads=2", "window=3"}, {"threads=1"},
    };
    (void)state;
    WbGpu *gpu = run_all("gtx480", NULL);
    char *expected = deterministic_part(gpu);
    wb_gpu_close(gpu);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        gpu = run_all("gtx480", settings[i]);
        char *text = deterministic_part(gpu);
        if (strcmp(text, expected) != 0)
            fail_msg("%s: the report differs", settings[i][0]);
        free(text);
        wb_gpu_close(gpu);
    }
    free(expected);
}

static void check_series(const json_t *kernel, const json_t *unsampled, uint64_t interval)
{
    const json_t *series = get(kernel, "series"), *ends = get(series, "ends");
    const size_t count = json_array_size(ends);
    const uint64_t cycles = number(kernel, "cycles");
    assert_int_equal(count, (cycles + interval - 1) / interval);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(json_integer_value(json_array_get(ends, i)),
                         i + 1 < count ? (i + 1) * interval : cycles);
    for (uint32_t row = 0; row < SERIES_ROWS; row++) {
        char name[80];
        series_row_name(row, name, sizeof name);
        if (series_row_is_link(row)) { /* the GPU is alone */
            assert_null(json_object_get(series, name));
            continue;
        }
        const char *dot = strchr(name, '.');
        const json_t *values = get(series, name), *sums;
        if (dot)
            name[dot - name] = '\0';
        assert_int_equal(json_array_size(values), count);
        if (strncmp(name, "unit_", 5) == 0 && !json_object_get(unsampled, name)) {
            assert_int_equal(array_sum(values), 0); /* a unit that the kernel has not used */
            continue;
        }
        sums = get(unsampled, dot ? name : strncmp(name, "blocks_", 7) == 0 ? "front_end" : "exec");
        assert_int_equal(array_sum(values), number(sums, dot ? dot + 1 : name));
    }
    static const char *const by_sm[] = {"memory_accesses_by_sm", "dram_accesses_by_sm"};
    for (size_t k = 0; k < sizeof by_sm / sizeof *by_sm; k++) {
        const json_t *cores = get(series, by_sm[k]);
        for (size_t i = 0; i < json_array_size(cores); i++)
            assert_int_equal(array_sum(json_array_get(cores, i)),
                             json_integer_value(json_array_get(get(unsampled, by_sm[k]), i)));
    }
    const json_t *started = get(series, "blocks_started_by_sm");
    for (size_t i = 0; i < json_array_size(started); i++)
        assert_int_equal(array_sum(json_array_get(started, i)),
                         number(json_array_get(get(get(unsampled, "details"), "load"), i), "blocks_started"));
    const json_t *warps = get(series, "resident_warp_cycles_by_sm");
    uint64_t all = 0;
    for (size_t i = 0; i < json_array_size(warps); i++)
        all += array_sum(json_array_get(warps, i));
    assert_int_equal(all, number(get(unsampled, "sm"), "resident_warp_cycles"));
}

/* Without what only sampled runs have, their report is the same. */
static void drop_samples(json_t *report)
{
    json_object_del(report, "host");
    json_object_del(get(report, "config"), "sample_interval");
    for (size_t i = 0; i < json_array_size(get(report, "kernels")); i++)
        json_object_del(json_array_get(get(report, "kernels"), i), "series");
}

static void test_samples_change_nothing(void **state)
{
    static const struct {
        uint64_t interval;
        const char *knobs[3];
    } runs[] = {
        {100, {"sample_interval=100"}},
        {1777, {"sample_interval=1777"}},
        {1000, {"sample_interval=1000", "threads=2"}},
        {1000000, {"sample_interval=1000000"}},
    };
    (void)state;
    WbGpu *gpu = run_all("gtx480", NULL);
    json_t *plain = report_of(gpu);
    wb_gpu_close(gpu);
    assert_null(json_object_get(json_array_get(get(plain, "kernels"), 0), "series"));
    drop_samples(plain);
    for (size_t r = 0; r < sizeof runs / sizeof *runs; r++) {
        gpu = run_all("gtx480", runs[r].knobs);
        json_t *report = report_of(gpu);
        for (size_t i = 0; i < json_array_size(get(report, "kernels")); i++)
            check_series(json_array_get(get(report, "kernels"), i), json_array_get(get(plain, "kernels"), i),
                         runs[r].interval);
        drop_samples(report);
        assert_true(json_equal(report, plain));
        json_decref(report);
        wb_gpu_close(gpu);
    }
    json_decref(plain);
}

static void test_ratios(void **state)
{
    static const struct {
        Ratio ratio;
        uint64_t scale;
        unsigned digits;
        const char *text;
    } cases[] = {
        {{1, 3}, 1, 6, "0.333333"},
        {{2, 3}, 1, 6, "0.666667"},
        {{1, 3}, 100, 1, "33.3"},
        {{7, 2}, 1, 0, "4"},
        {{999999, 1000000}, 1, 2, "1.00"},
        {{0, 5}, 1, 2, "0.00"},
        {{5, 0}, 1, 2, "-"},
        {{UINT64_MAX, 1}, 1, 6, "18446744073709551615.000000"},
    };
    (void)state;
    char text[RATIO_TEXT_SIZE], formula[RATIO_FORMULA_SIZE];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(ratio_text(cases[i].ratio, cases[i].scale, cases[i].digits, text), cases[i].text);
    assert_string_equal(ratio_formula(&ratio_rows[RATIO_ipc], formula), "exec.warp_instructions / cycles");
    WbGpu *gpu = run_all("gtx480", NULL);
    json_t *report = report_of(gpu);
    const json_t *matmul = json_array_get(get(report, "kernels"), 0), *ratios = get(matmul, "ratios");
    const double ipc = (double)number(matmul, "warp_instructions") / (double)number(matmul, "cycles");
    assert_true(json_real_value(get(ratios, "ipc")) > ipc - 1e-6);
    assert_true(json_real_value(get(ratios, "ipc")) < ipc + 1e-6);
    assert_true(json_is_null(get(ratios, "l2_atomic_hit_rate")));
    for (unsigned i = 0; i < RATIO_COUNT; i++) {
        const json_t *value = get(ratios, ratio_rows[i].name);
        if (ratio_is_share(&ratio_rows[i]) && !json_is_null(value))
            assert_true(json_real_value(value) >= 0 && json_real_value(value) <= 1);
    }
    double shares = 0;
    const char *key;
    const json_t *value;
    json_object_foreach(get(matmul, "scheduler_shares"), key, value) shares += json_real_value(value);
    assert_true(shares > 0.99999 && shares < 1.00001);
    json_decref(report);
    wb_gpu_close(gpu);
}

static void test_json_writer(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    JsonWriter json = json_begin(file);
    json_open(&json, NULL, '{');
    json_put_text(&json, "text", "a \"b\" \\ \n\x01 \xc3\xa9");
    json_open(&json, "empty", '[');
    json_close(&json);
    json_open_line(&json, "line", '[');
    json_open_line(&json, NULL, '{');
    json_put_integer(&json, "a", 1);
    json_put_boolean(&json, "b", true);
    json_close(&json);
    json_put_ratio(&json, NULL, (Ratio){1, 0});
    json_close(&json);
    json_open(&json, "deep", '{');
    json_put_integer(&json, "most", INT64_MAX);
    json_close(&json);
    json_close(&json);
    fclose(file);
    assert_string_equal(text, "{\n  \"text\": \"a \\\"b\\\" \\\\ \\n\\u0001 \xc3\xa9\",\n  \"empty\": [],\n"
                              "  \"line\": [{\"a\": 1, \"b\": true}, null],\n"
                              "  \"deep\": {\n    \"most\": 9223372036854775807\n  }\n}\n");
    json_t *report = parse(text);
    assert_string_equal(json_string_value(get(report, "text")), "a \"b\" \\ \n\x01 \xc3\xa9");
    json_decref(report);
    free(text);
}

static void expect_parts(const char *text, const char *const *parts)
{
    for (; *parts; parts++)
        if (!strstr(text, *parts))
            fail_msg("'%s' is not in the report:\n%s", *parts, text);
}

/* The answers come first. */
static void expect_order(const char *text, const char *first, const char *second, const char *third)
{
    const char *const places[] = {strstr(text, first), strstr(text, second), strstr(text, third)};
    assert_true(places[0] && places[0] < places[1] && places[1] < places[2]);
}

static void test_text(void **state)
{
    (void)state;
    WbGpu *gpu = run_all("gtx480", NULL);
    char *text = write_report(report_text, gpu, &(ReportOptions){0});
    expect_parts(text,
                 (const char *const[]){" us from first launch to last end", "Limited by ", "limited by\n",
                                       "matmul  grid", " cycles at ", "occupancy ", "schedulers", "issued ",
                                       "L1  ", "L2  ", "GB/s of ", "rows hit", "barriers", NULL});
    assert_null(strstr(text, "dispatched"));
    assert_null(strstr(text, "reduction  grid")); /* of many kernels only the longest launch has its page */
    expect_order(text, " us from first launch", "Limited by ", "matmul  grid");
    free(text);
    text = write_report(report_text, gpu, &everything);
    expect_parts(text, (const char *const[]){"dispatched", "idle      instr.", "reduction  grid", NULL});
    free(text);
    wb_gpu_close(gpu);

    gpu = harness_open("gtx480", NULL); /* functional mode has counts and no cycles */
    run_program(gpu, MATMUL, 64);
    text = write_report(report_text, gpu, &everything);
    expect_parts(text, (const char *const[]){"counts:", "warp_instructions", NULL});
    free(text);
    json_t *report = report_of(gpu);
    assert_int_equal(json_array_size(get(report, "kernels")), 0);
    assert_true(number(get(report, "totals"), "warp_instructions") > 0);
    json_decref(report);
    wb_gpu_close(gpu);
}

static void test_api(void **state)
{
    (void)state;
    char path[] = P_tmpdir "/warpbeam-report-XXXXXX";
    const int handle = mkstemp(path);
    assert_true(handle >= 0);
    close(handle);
    WbGpu *gpu = harness_open("gtx480", (const char *const[]){"mode=cycle", "record_details=0", NULL});
    run_program(gpu, REDUCTION, 2000);
    assert_int_equal(wb_report(gpu, path, WB_REPORT_DETAILS), WB_OK);
    json_t *report = json_load_file(path, 0, NULL);
    assert_non_null(report);
    const json_t *kernel = json_array_get(get(report, "kernels"), 0);
    assert_int_equal(json_array_size(get(get(kernel, "details"), "sm")), 0); /* none were kept */
    assert_null(json_object_get(kernel, "blocks"));
    json_decref(report);
    unlink(path);
    assert_int_equal(wb_report(gpu, "/nowhere/report.json", 0), WB_ERROR_NOT_FOUND);
    assert_non_null(strstr(wb_error(gpu), "/nowhere/report.json"));
    assert_int_equal(wb_report(gpu, NULL, 0), WB_ERROR_ARGUMENT);
    assert_int_equal(wb_report(NULL, path, 0), WB_ERROR_ARGUMENT);
    wb_gpu_close(gpu);
}

/* docs/STATISTICS.md has a row for every counter and every ratio, as it is declared: it ends with what
 * `warpbeam list statistics --markdown` prints. */
static void test_documented(void **state)
{
    static char page[1 << 17], row[1024];
    (void)state;
    FILE *file = fopen(SOURCE_DIRECTORY "/docs/STATISTICS.md", "r");
    assert_non_null(file);
    const size_t size = fread(page, 1, sizeof page - 1, file);
    fclose(file);
    assert_true(size < sizeof page - 1);
    for (unsigned c = 0; c < components_known; c++)
        for (size_t i = 0; i < components[c].table->count; i++) {
            const Stat *stat = &components[c].table->rows[i];
            snprintf(row, sizeof row, "| `%s` | %s | %s |", stat->name, stat->unit, stat->description);
            if (!strstr(page, row))
                fail_msg("docs/STATISTICS.md lacks the row of %s%s:\n%s", components[c].prefix, stat->name,
                         row);
        }
    for (unsigned i = 0; i < RATIO_COUNT; i++) {
        char formula[RATIO_FORMULA_SIZE];
        snprintf(row, sizeof row, "| `%s` | %s | %s | `%s` |", ratio_rows[i].name, ratio_rows[i].unit,
                 ratio_rows[i].description, ratio_formula(&ratio_rows[i], formula));
        if (!strstr(page, row))
            fail_msg("docs/STATISTICS.md lacks the row of the ratio %s:\n%s", ratio_rows[i].name, row);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_required_keys), cmocka_unit_test(test_counters_add_up),
        cmocka_unit_test(test_same_bytes),    cmocka_unit_test(test_samples_change_nothing),
        cmocka_unit_test(test_ratios),        cmocka_unit_test(test_json_writer),
        cmocka_unit_test(test_text),          cmocka_unit_test(test_api),
        cmocka_unit_test(test_documented),
    };
    const struct CMUnitTest of_threads[] = {cmocka_unit_test(test_same_bytes),
                                            cmocka_unit_test(test_samples_change_nothing)};
    return ONLY_THREADS ? cmocka_run_group_tests_name("report", of_threads, NULL, NULL)
                        : cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
