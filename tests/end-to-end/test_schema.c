/* docs/report.schema.json describes every field of every report: it is what the tables say, reports of all
 * kinds of runs obey it, and reports with anything more, less or else do not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grid/event_log.h"
#include "harness.h"
#include "report/report.h"
#include "schema_check.h"
#include "six/six.h"
#include "wireframe/wireframe.h"

enum { REDUCTION = 3 };

static json_t *parse(const char *text)
{
    json_error_t error;
    json_t *value = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!value)
        fail_msg("line %d: %s", error.line, error.text);
    return value;
}

static char *written(void (*write)(FILE *to, const WbGpu *gpu), const WbGpu *gpu)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    write(file, gpu);
    fclose(file);
    return text;
}

static void write_schema(FILE *to, const WbGpu *gpu)
{
    (void)gpu;
    report_schema(to);
}

static void write_json(FILE *to, const WbGpu *gpu)
{
    report_json(gpu, &(ReportOptions){.details = true, .blocks = true}, to);
}

static void write_short_json(FILE *to, const WbGpu *gpu) { report_json(gpu, &(ReportOptions){0}, to); }

static json_t *schema(void)
{
    char *text = written(write_schema, NULL);
    json_t *parsed = parse(text);
    free(text);
    return parsed;
}

static json_t *report_of(const WbGpu *gpu)
{
    char *text = written(write_json, gpu);
    json_t *parsed = parse(text);
    free(text);
    return parsed;
}

static void expect_valid(const WbGpu *gpu, const char *run)
{
    json_t *rules = schema();
    void (*const writers[])(FILE * to, const WbGpu *gpu) = {write_json, write_short_json};
    for (size_t i = 0; i < 2; i++) {
        char *text = written(writers[i], gpu), why[2048];
        json_t *report = parse(text);
        if (!schema_check(rules, report, why, sizeof why))
            fail_msg("%s: %s", run, why);
        json_decref(report);
        free(text);
    }
    json_decref(rules);
}

static WbGpu *run_reduction(const char *const *knobs)
{
    Host host;
    WbGpu *gpu = harness_open("gtx480", knobs);
    if (!six_run(&six_programs[REDUCTION], gpu, SOURCE_DIRECTORY "/workloads/six", 2000, &host))
        fail_msg("%s", host.error);
    host_end(&host);
    return gpu;
}

static WbGpu *run_wavefront(WireframeMode mode)
{
    Host host;
    const WireframeRun run = {.mode = mode, .size = INPUT_TINY, .tiles = 5};
    WbGpu *gpu = harness_open("gtx480", (const char *const[]){"mode=cycle", "profile_lines=true",
                                                              "graph_check=true", "timeline=true", NULL});
    if (!wireframe_run(wireframe_find("sor"), &run, gpu, SOURCE_DIRECTORY "/workloads/wireframe", &host))
        fail_msg("%s", host.error);
    host_end(&host);
    return gpu;
}

static void test_committed(void **state)
{
    (void)state;
    char *text = written(write_schema, NULL), *committed = calloc(1, strlen(text) + 2);
    FILE *file = fopen(SOURCE_DIRECTORY "/docs/report.schema.json", "r");
    assert_non_null(file);
    assert_non_null(committed);
    const size_t size = fread(committed, 1, strlen(text) + 1, file);
    fclose(file);
    if (size != strlen(text) || strcmp(text, committed) != 0)
        fail_msg("docs/report.schema.json is not what `warpbeam list schema` prints.");
    free(text);
    free(committed);
}

static void test_runs(void **state)
{
    (void)state;
    WbGpu *gpu =
        run_reduction((const char *const[]){"mode=cycle", "sample_interval=500", "profile_lines=true", NULL});
    expect_valid(gpu, "sampled");
    wb_gpu_close(gpu);
    gpu = run_reduction((const char *const[]){"mode=cycle", "block_records=false", "record_details=0", NULL});
    expect_valid(gpu, "without records");
    wb_gpu_close(gpu);
    gpu = run_reduction((const char *const[]){"mode=functional", NULL});
    expect_valid(gpu, "functional");
    wb_gpu_close(gpu);
    for (int mode = 0; mode < WIREFRAME_MODES; mode++) {
        gpu = run_wavefront((WireframeMode)mode);
        expect_valid(gpu, "wavefront");
        wb_gpu_close(gpu);
    }
}

/* The report's kernel 0, for whoever breaks it. */
static json_t *kernel_of(json_t *report) { return json_array_get(json_object_get(report, "kernels"), 0); }

static void add_field(json_t *report) { json_object_set_new(kernel_of(report), "more", json_integer(1)); }
static void add_counter(json_t *report)
{
    json_object_set_new(json_object_get(kernel_of(report), "l2"), "more", json_integer(1));
}
static void drop_field(json_t *report) { json_object_del(kernel_of(report), "cycles"); }
static void drop_counter(json_t *report)
{
    json_object_del(json_object_get(kernel_of(report), "sm"), "blocks");
}
static void change_type(json_t *report) { json_object_set_new(kernel_of(report), "name", json_integer(1)); }
static void change_ratio(json_t *report)
{
    json_object_set_new(json_object_get(kernel_of(report), "ratios"), "ipc", json_string("1"));
}
static void change_kind(json_t *report)
{
    json_object_set_new(json_object_get(kernel_of(report), "limited_by"), "kind", json_string("nothing"));
}
static void shorten(json_t *report) { json_array_remove(json_object_get(kernel_of(report), "grid"), 0); }
static void change_item(json_t *report)
{
    json_array_set_new(json_object_get(kernel_of(report), "lines"), 0, json_integer(1));
}
static void change_source(json_t *report)
{
    json_object_set_new(json_object_get(report, "sources"), "file.cu", json_true());
}

static void test_what_is_wrong(void **state)
{
    static void (*const breaks[])(json_t * report) = {add_field,   add_counter,  drop_field,  drop_counter,
                                                      change_type, change_ratio, change_kind, shorten,
                                                      change_item, change_source};
    (void)state;
    WbGpu *gpu = run_reduction((const char *const[]){"mode=cycle", "profile_lines=true", NULL});
    json_t *rules = schema();
    for (size_t i = 0; i < sizeof breaks / sizeof *breaks; i++) {
        char why[2048];
        json_t *report = report_of(gpu);
        assert_true(schema_check(rules, report, why, sizeof why));
        breaks[i](report);
        if (schema_check(rules, report, why, sizeof why))
            fail_msg("change %zu was not seen", i);
        json_decref(report);
    }
    json_decref(rules);
    wb_gpu_close(gpu);
}

static uint64_t number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    assert_true(json_is_integer(value));
    return (uint64_t)json_integer_value(value);
}

/* Edges are those of the wavefront, a level lower each; levels are the block's place along the diagonal. */
static void test_graph(void **state)
{
    (void)state;
    WbGpu *gpu = run_wavefront(WIREFRAME_LVL);
    json_t *report = report_of(gpu);
    const json_t *kernel = kernel_of(report), *graph = json_object_get(kernel, "graph");
    const json_t *levels = json_object_get(graph, "levels"), *edges = json_object_get(graph, "edges");
    const size_t blocks = json_array_size(json_object_get(kernel, "blocks"));
    assert_int_equal(blocks, 25);
    assert_int_equal(json_array_size(levels), blocks);
    assert_true(json_array_size(edges) >= blocks - 1);
    assert_int_equal(number(graph, "first"), 0);
    assert_int_equal(number(graph, "edges_left_out"), 0);
    uint64_t most = 0;
    for (size_t i = 0; i < json_array_size(edges); i++) {
        const json_t *edge = json_array_get(edges, i);
        const size_t parent = (size_t)json_integer_value(json_array_get(edge, 0));
        const size_t child = (size_t)json_integer_value(json_array_get(edge, 1));
        const uint64_t above = (uint64_t)json_integer_value(json_array_get(levels, parent));
        const uint64_t level = (uint64_t)json_integer_value(json_array_get(levels, child));
        const json_t *runs = json_object_get(kernel, "blocks");
        assert_true(parent < blocks && child < blocks && level > above);
        assert_true(number(json_array_get(runs, child), "started") >=
                    number(json_array_get(runs, parent), "ended"));
        most = level > most ? level : most;
    }
    assert_int_equal(number(graph, "level_count"), most + 1);
    json_decref(report);
    wb_gpu_close(gpu);
}

/* Blocks of the kernel, then those of what it launched, launch by launch; each began when it was launched or
 * later. Returns how many ran. */
static uint64_t expect_nested_blocks(const json_t *kernel)
{
    const json_t *launches = json_object_get(kernel, "launches"), *block, *launch = NULL;
    uint64_t ran = 0, expected = 0, at = 0;
    size_t i;
    json_array_foreach(json_object_get(kernel, "blocks"), i, block)
    {
        const json_t *of = json_object_get(block, "launch");
        if (i == 0) {
            assert_null(of);
            ran++;
            continue;
        }
        if (at == expected) {
            launch = json_array_get(launches, number(block, "launch") - 1);
            expected = (uint64_t)json_integer_value(json_array_get(json_object_get(launch, "grid"), 0));
            at = 0;
        }
        assert_int_equal(json_integer_value(of), number(launch, "number"));
        assert_int_equal(number(block, "block"), at++);
        if (number(block, "sm") == NO_SM)
            continue;
        ran++;
        assert_true(number(block, "dispatched") > number(launch, "launched"));
        assert_true(number(block, "dispatched") < number(block, "started"));
        assert_true(number(block, "started") <= number(block, "ended"));
        assert_true(number(block, "ended") <= number(launch, "ended"));
    }
    assert_int_equal(at, expected);
    return ran;
}

/* What a kernel launches has records of its blocks, with a timeline or without. */
static void test_nested(void **state)
{
    (void)state;
    WbGpu *gpu = run_wavefront(WIREFRAME_CDP);
    json_t *report = report_of(gpu);
    const json_t *kernel = kernel_of(report);
    assert_int_equal(json_array_size(json_object_get(kernel, "launches")), 9);
    assert_int_equal(expect_nested_blocks(kernel), 26);
    const json_t *first = json_array_get(json_object_get(kernel, "blocks"), 0);
    assert_true(number(first, "started") <
                number(json_array_get(json_object_get(kernel, "waits"), 0), "left"));
    json_decref(report);
    wb_gpu_close(gpu);
}

static bool stop(void *context, const WbProgress *progress)
{
    return progress->cycles < *(const uint64_t *)context;
}

/* Cut off while launches are open, these are there with what is known of their blocks. */
static void test_interrupted_nested(void **state)
{
    static uint64_t most = 150000;
    (void)state;
    Host host;
    const WireframeRun run = {.mode = WIREFRAME_CDP, .size = INPUT_TINY, .tiles = 5};
    WbGpu *gpu = harness_open("gtx480", (const char *const[]){"mode=cycle", NULL});
    wb_set_progress(gpu, stop, &most, 0);
    assert_false(
        wireframe_run(wireframe_find("sor"), &run, gpu, SOURCE_DIRECTORY "/workloads/wireframe", &host));
    assert_int_equal(host.status, WB_ERROR_INTERRUPTED);
    host_end(&host);
    expect_valid(gpu, "interrupted, nested");
    json_t *report = report_of(gpu);
    const json_t *kernel = kernel_of(report), *launches = json_object_get(kernel, "launches");
    const size_t count = json_array_size(launches);
    assert_true(count > 1 && count < 9);
    assert_int_equal(number(json_array_get(launches, count - 1), "ended"), number(kernel, "ended"));
    assert_true(expect_nested_blocks(kernel) > 2);
    json_decref(report);
    wb_gpu_close(gpu);
}

/* What is known of a kernel that was cut off is a report, too. */
static void test_interrupted(void **state)
{
    static uint64_t most = 1000;
    (void)state;
    Host host;
    WbGpu *gpu = harness_open("gtx480", (const char *const[]){"mode=cycle", "profile_lines=true", NULL});
    wb_set_progress(gpu, stop, &most, 0);
    assert_false(six_run(&six_programs[REDUCTION], gpu, SOURCE_DIRECTORY "/workloads/six", 1000000, &host));
    assert_int_equal(host.status, WB_ERROR_INTERRUPTED);
    host_end(&host);
    expect_valid(gpu, "interrupted");
    json_t *report = report_of(gpu);
    const json_t *kernel = kernel_of(report);
    assert_true(json_is_true(json_object_get(kernel, "interrupted")));
    assert_true(json_array_size(json_object_get(kernel, "lines")) > 0);
    assert_true(number(kernel, "cycles") >= 1000);
    json_decref(report);
    wb_gpu_close(gpu);
}

/* So is what is known of one that hangs: who waits where, why, and how many more there are. */
static void test_hang(void **state)
{
    (void)state;
    static const char text[] = PTX_HEADER ".visible .entry k(.param .u64 out)\n{\n"
                                          ".reg .u32 %t; .reg .pred %p; mov.u32 %t, %tid.x;\n"
                                          "setp.ge.u32 %p, %t, 32; @%p exit; bar.sync 1, 64; ret;\n}\n";
    WbGpu *gpu = harness_open("gtx480", (const char *const[]){"mode=cycle", "timeline=true", NULL});
    uint32_t out[1] = {0};
    assert_int_equal(harness_run(&(HarnessRun){gpu, text, "k", {200, 1, 1}, {64, 1, 1}, 0, out, 1}),
                     WB_ERROR_DEADLOCK);
    expect_valid(gpu, "hang");
    json_t *report = report_of(gpu);
    const json_t *kernel = kernel_of(report), *hang = json_object_get(kernel, "hang");
    const json_t *blocks = json_object_get(hang, "blocks"), *block = json_array_get(blocks, 0);
    const json_t *warps = json_array_get(json_object_get(block, "warps"), 0);
    assert_string_equal(json_string_value(json_object_get(kernel, "status")), "deadlock");
    assert_non_null(strstr(json_string_value(json_object_get(kernel, "failure")), "is deadlocked"));
    assert_non_null(strstr(json_string_value(json_object_get(hang, "cause")), "Not all threads of block"));
    assert_non_null(strstr(json_string_value(json_object_get(hang, "undispatched")), "no SM has enough"));
    assert_int_equal(number(hang, "blocks_on_sms"), 120);
    assert_int_equal(number(hang, "blocks_undispatched"), 80);
    assert_int_equal(json_array_size(blocks), 64);
    assert_int_equal(number(hang, "blocks_left_out"), 56);
    assert_string_equal(json_string_value(json_object_get(block, "state")), "runs");
    assert_string_equal(json_string_value(json_object_get(warps, "lanes")), "0xffffffff");
    assert_non_null(strstr(json_string_value(json_object_get(warps, "waits_for")), "32 of 64"));
    json_decref(report);
    wb_gpu_close(gpu);
}

/* Of a wait off the SMs, in the order of time. */
static void expect_in_order(const json_t *wait)
{
    static const char *const keys[] = {"save_begun", "left", "returned", "restore_begun", "restored"};
    for (size_t i = 1; i < sizeof keys / sizeof *keys; i++)
        assert_true(number(wait, keys[i - 1]) <= number(wait, keys[i]));
    assert_true(number(wait, "save_begun") < number(wait, "restored"));
    assert_true(number(wait, "resumed") <= number(wait, "returned"));
    assert_string_equal(json_string_value(json_object_get(wait, "reason")), "global_sync");
}

/* Blocks that wait for each other, with room for some of them: every wait in place is told, and every time
 * off the SMs with the moves of the context. */
static void test_waits(void **state)
{
    (void)state;
    static const char text[] =
        PTX_HEADER ".extern .func wb_global_sync();\n"
                   ".visible .entry k(.param .u64 out)\n{\n"
                   "bar.sync 0;\ncall wb_global_sync;\ncall wb_global_sync;\nret;\n}\n";
    static const char *const knobs[] = {"mode=cycle", "timeline=true", "sm_count=2", "max_blocks_per_sm=2",
                                        NULL};
    WbGpu *gpu = harness_open("gtx970", knobs);
    uint32_t out[1] = {0};
    harness_run_ok(&(HarnessRun){gpu, text, "k", {9, 1, 1}, {64, 1, 1}, 0, out, 1});
    expect_valid(gpu, "waits");
    json_t *report = report_of(gpu), *row;
    const json_t *kernel = kernel_of(report), *sm = json_object_get(kernel, "sm");
    const json_t *waits = json_object_get(kernel, "waits"), *holds = json_object_get(kernel, "holds");
    size_t i;
    assert_true(json_array_size(waits) >= 5);
    json_array_foreach(waits, i, row) { expect_in_order(row); }
    assert_int_equal(json_array_size(holds), number(sm, "blocks_held"));
    uint64_t cycles = 0;
    json_array_foreach(holds, i, row)
    {
        cycles += number(row, "ended") - number(row, "begun");
        assert_string_equal(json_string_value(json_object_get(row, "reason")), "global_sync");
        assert_non_null(strstr(json_string_value(json_object_get(row, "at")), ".ptx:"));
    }
    assert_true(cycles > 0);
    assert_int_equal(cycles, number(sm, "block_hold_cycles"));
    json_decref(report);
    wb_gpu_close(gpu);
}

/* Of a kernel that hangs, blocks that are off the SMs have been there until it was cut off. */
static void test_open_waits(void **state)
{
    (void)state;
    static const char text[] = PTX_HEADER ".extern .func wb_wait(.param .u32 event, .param .u32 target);\n"
                                          ".visible .entry k(.param .u64 out)\n{\n"
                                          ".param .u32 e; .param .u32 t; .reg .u32 %r;\n"
                                          "mov.u32 %r, %ctaid.x; st.param.b32 [e], %r;\n"
                                          "st.param.b32 [t], 2; call wb_wait, (e, t); ret;\n}\n";
    static const char *const knobs[] = {"mode=cycle", "timeline=true", "sm_count=2", "max_blocks_per_sm=2",
                                        NULL};
    WbGpu *gpu = harness_open("gtx970", knobs);
    uint32_t out[1] = {0};
    assert_int_equal(harness_run(&(HarnessRun){gpu, text, "k", {9, 1, 1}, {64, 1, 1}, 0, out, 1}),
                     WB_ERROR_DEADLOCK);
    expect_valid(gpu, "open waits");
    json_t *report = report_of(gpu), *row;
    const json_t *kernel = kernel_of(report), *waits = json_object_get(kernel, "waits");
    size_t i;
    assert_int_equal(json_array_size(waits), 5);
    json_array_foreach(waits, i, row)
    {
        assert_true(number(row, "left") < number(row, "resumed"));
        assert_int_equal(number(row, "resumed"), number(kernel, "ended"));
        assert_int_equal(number(row, "returned"), number(kernel, "ended"));
        assert_null(json_object_get(row, "restored"));
    }
    assert_int_equal(json_array_size(json_object_get(kernel, "holds")), 9);
    json_decref(report);
    wb_gpu_close(gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_committed),
        cmocka_unit_test(test_runs),
        cmocka_unit_test(test_what_is_wrong),
        cmocka_unit_test(test_graph),
        cmocka_unit_test(test_interrupted),
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_interrupted_nested),
        cmocka_unit_test(test_hang),
        cmocka_unit_test(test_waits),
        cmocka_unit_test(test_open_waits),
    };
    return cmocka_run_group_tests_name("schema", tests, NULL, NULL);
}
