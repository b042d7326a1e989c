/* Timelines: files that keep to the rules of the Trace Event Format, show what the machine counted, are the
 * same for any number of threads, stay within their bound, and change nothing of what they watch. */
#include <math.h>

#include "dtbl/dtbl.h"
#include "six/six.h"
#include "trace_rules.h"
#include "wireframe/wireframe.h"

enum { MATMUL = 1, REDUCTION = 3, STREAM_BYTES = 4096 };

/* -- runs -- */

typedef void Work(WbGpu *gpu);

static void run_six(WbGpu *gpu)
{
    static const struct {
        int program, size;
    } runs[] = {{MATMUL, 64}, {REDUCTION, 20000}};
    for (size_t i = 0; i < 2; i++) {
        Host host;
        if (!six_run(&six_programs[runs[i].program], gpu, SOURCE_DIRECTORY "/workloads/six", runs[i].size,
                     &host))
            fail_msg("%s", host.error);
        host_end(&host);
    }
}

/* Many blocks, which do little. */
static void run_many(WbGpu *gpu)
{
    Host host;
    if (!six_run(&six_programs[0], gpu, SOURCE_DIRECTORY "/workloads/six", 400000, &host))
        fail_msg("%s", host.error);
    host_end(&host);
}

static void run_wireframe(WbGpu *gpu, WireframeMode mode)
{
    Host host;
    const WireframeRun how = {.mode = mode, .size = INPUT_TINY};
    if (!wireframe_run(wireframe_find("sor"), &how, gpu, SOURCE_DIRECTORY "/workloads/wireframe", &host))
        fail_msg("%s", host.error);
    host_end(&host);
}

static void run_graph(WbGpu *gpu) { run_wireframe(gpu, WIREFRAME_LVL); }
static void run_nested(WbGpu *gpu) { run_wireframe(gpu, WIREFRAME_CDP); }

static void run_groups(WbGpu *gpu)
{
    Host host;
    const DtblRun how = {.mode = LAUNCH_DTBL, .size = INPUT_TINY, .least = 3};
    if (!dtbl_run(dtbl_find("bht"), &how, gpu, SOURCE_DIRECTORY "/workloads/dtbl", &host))
        fail_msg("%s", host.error);
    host_end(&host);
}

/* What `work` leaves on a GPU that keeps a timeline; further knobs are ended by null. */
static WbGpu *run(const char *name, Work *work, const char *const *knobs)
{
    WbGpu *gpu = harness_open(name, (const char *const[]){"mode=cycle", "timeline=true", NULL});
    for (; *knobs; knobs++) {
        char key[64];
        const char *equals = strchr(*knobs, '=');
        snprintf(key, sizeof key, "%.*s", (int)(equals - *knobs), *knobs);
        if (wb_gpu_set(gpu, key, equals + 1) != WB_OK)
            fail_msg("%s", wb_error(gpu));
    }
    work(gpu);
    return gpu;
}

static const char *const no_knobs[] = {NULL};

/* -- what is shown -- */

/* Stays have the times of the report's blocks, on tracks of their SMs. */
static void check_stays(const WbGpu *gpu, const json_t *timeline)
{
    size_t i;
    const json_t *event;
    const uint64_t khz = gpu->config.clock_khz;
    json_array_foreach(events_of(timeline), i, event)
    {
        const json_t *values = json_object_get(event, "args");
        if (number(event, "pid") != SMS || !is_phase(event, 'X') || !json_object_get(values, "dispatched"))
            continue;
        const KernelRecord *record = gpu->records.items[number(values, "kernel")];
        const BlockRecord *block = &record->blocks[number(values, "block")];
        assert_int_equal(number(values, "dispatched"), block->dispatched);
        assert_int_equal(number(values, "ended"), block->ended);
        assert_int_equal(ns(event, "ts"), block->dispatched * 1000000 / khz);
        assert_int_equal(ns(event, "ts") + ns(event, "dur"), block->ended * 1000000 / khz);
        assert_int_equal((number(event, "tid") - SMS * 10000000 - 1) / 1024, block->sm);
    }
}

static void test_kernels(void **state)
{
    (void)state;
    WbGpu *gpu = run("gtx480", run_six, no_knobs);
    json_t *timeline = timeline_of(gpu);
    uint64_t blocks = 0;
    for (uint32_t i = 0; i < gpu->records.count; i++)
        blocks += gpu->records.items[i]->block_count;
    check_rules(timeline);
    check_stays(gpu, timeline);
    assert_int_equal(count(timeline, SMS, 'X', ")"), blocks);
    assert_int_equal(count(timeline, KERNELS, 'X', ""),
                     gpu->records.count + count(timeline, KERNELS, 'X', "starts"));
    assert_int_equal(count(timeline, KERNELS, 'X', "matmul"), 1);
    assert_true(count(timeline, COUNTERS, 'C', "IPC") > 10);
    assert_true(count(timeline, COUNTERS, 'C', "L2 hit rate, %") > 10);
    assert_int_equal(count(timeline, COUNTERS, 'C', "ready blocks of the graph"), 0);
    assert_int_equal(count(timeline, LAUNCHES, 'X', ""), 0);
    json_decref(timeline);
    wb_gpu_close(gpu);
}

static void test_streams_and_copies(void **state)
{
    (void)state;
    static const char ptx[] =
        PTX_HEADER ".visible .entry wait(.param .u64 out)\n{ .reg .u32 %r<2>; .reg .pred %p;\n"
                   "mov.u32 %r1, 0;\nL: add.u32 %r1, %r1, 1; setp.lt.u32 %p, %r1, 100;\n"
                   "@%p bra L; ret; }\n";
    char bytes[STREAM_BYTES] = {0};
    WbGpu *gpu = harness_open("gtx480", (const char *const[]){"mode=cycle", "timeline=true", NULL});
    WbModule *module;
    WbKernel *kernel;
    WbStream *streams[2];
    uint64_t memory;
    assert_int_equal(wb_module_load(gpu, "wait.ptx", ptx, sizeof ptx - 1, &module), WB_OK);
    assert_int_equal(wb_module_kernel(module, "wait", &kernel), WB_OK);
    assert_int_equal(wb_malloc(gpu, sizeof bytes, &memory), WB_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(wb_stream_create(gpu, WB_STREAM_NON_BLOCKING, 0, &streams[i]), WB_OK);
        const WbCopy copy = {.destination = {.address = memory},
                             .source = {.address = (uint64_t)(uintptr_t)bytes, .is_host = true},
                             .width = sizeof bytes,
                             .height = 1,
                             .depth = 1};
        const WbFill fill = {.address = memory, .width = 64, .height = 1, .depth = 1, .element_bytes = 1};
        const WbLaunch launch = {.grid = {4, 1, 1},
                                 .block = {32, 1, 1},
                                 .arguments = &(WbArgument){&memory, sizeof memory},
                                 .argument_count = 1};
        assert_int_equal(wb_stream_copy(gpu, streams[i], &copy), WB_OK);
        assert_int_equal(wb_stream_fill(gpu, streams[i], &fill), WB_OK);
        assert_int_equal(wb_stream_launch(streams[i], kernel, &launch), WB_OK);
    }
    assert_int_equal(wb_wait(gpu), WB_OK);
    json_t *timeline = timeline_of(gpu);
    check_rules(timeline);
    assert_int_equal(count(timeline, COPIES, 'X', "copy of 4096 bytes to the device"), 2);
    assert_int_equal(count(timeline, COPIES, 'X', "fill of 64 bytes on the device"), 2);
    assert_int_equal(count(timeline, KERNELS, 'X', "wait"), 2);
    assert_int_equal(count(timeline, KERNELS, 'M', "thread_name"), 2);
    assert_int_equal(count(timeline, SMS, 'X', ""), 8);
    json_decref(timeline);
    wb_gpu_close(gpu);
}

/* Blocks launch kernels, leave their SM for them, and come back. */
static void test_waits(void **state)
{
    (void)state;
    WbGpu *gpu = run("gtx480", run_nested, no_knobs);
    json_t *timeline = timeline_of(gpu);
    const uint64_t waits = statistic(gpu, "blocks_suspended"), kernels = statistic(gpu, "device_kernels");
    assert_true(waits > 0 && kernels > 0);
    check_rules(timeline);
    assert_int_equal(count(timeline, SMS, 'X', ")"), statistic(gpu, "blocks_dispatched") + waits);
    assert_int_equal(count(timeline, SMS, 'X', "saved"), waits);
    assert_int_equal(count(timeline, SMS, 'X', "restored"), waits);
    assert_int_equal(count(timeline, WAITS, 'X', " waits"), waits);
    assert_int_equal(count(timeline, WAITS, 't', "returns"), waits);
    assert_int_equal(count(timeline, LAUNCHES, 'X', "pending"), kernels);
    assert_int_equal(count(timeline, LAUNCHES, 't', "launches"), kernels);
    assert_int_equal(count(timeline, SMS, 'f', "launches"), kernels);
    assert_int_equal(count(timeline, SMS, 'f', "returns"), waits);
    json_decref(timeline);
    wb_gpu_close(gpu);
}

/* The report tells of launches and waits, too. */
static void test_report(void **state)
{
    (void)state;
    WbGpu *gpu = run("k20c", run_groups, no_knobs);
    char *written = harness_report(gpu);
    strcpy(strrchr(written, ']') + 1, "}"); /* the host's part is cut off, and the comma before it stays */
    json_t *report = json_loads(written, 0, NULL);
    assert_non_null(report);
    uint64_t launches = 0, groups = 0;
    size_t i, l;
    const json_t *kernel, *launch;
    json_array_foreach(get(report, "kernels"), i, kernel)
    {
        assert_int_equal(number(kernel, "launch_count"), json_array_size(get(kernel, "launches")));
        json_array_foreach(get(kernel, "launches"), l, launch)
        {
            launches++;
            groups += strcmp(text(launch, "kind"), "group") == 0;
            assert_int_equal(number(launch, "number"), l + 1);
            assert_true(number(launch, "launched") >= number(kernel, "started"));
            assert_true(number(launch, "started") > number(launch, "launched"));
            assert_true(number(launch, "ended") > number(launch, "started"));
            assert_true(number(launch, "ended") <= number(kernel, "ended"));
        }
        assert_int_equal(json_array_size(get(kernel, "waits")), 0);
    }
    assert_true(groups > 0);
    assert_int_equal(groups, statistic(gpu, "groups_joined"));
    assert_int_equal(launches, statistic(gpu, "device_groups"));
    json_decref(report);
    free(written);
    wb_gpu_close(gpu);
}

/* A matrix of n x n tiles has 2 n (n - 1) edges along its sides and (n - 1)^2 across. */
static void test_dependencies(void **state)
{
    (void)state;
    WbGpu *gpu = run("gtx480", run_graph, no_knobs);
    json_t *timeline = timeline_of(gpu);
    const double side = sqrt((double)gpu->records.items[0]->block_count);
    const double edges = (side - 1) * (2 * side + side - 1);
    check_rules(timeline);
    assert_int_equal(count(timeline, SMS, 's', "is waited for by"), (size_t)edges);
    assert_int_equal(count(timeline, SMS, 'f', "is waited for by"), (size_t)edges);
    assert_true(count(timeline, COUNTERS, 'C', "ready blocks of the graph") > 10);
    json_decref(timeline);
    wb_gpu_close(gpu);
}

static void test_same_bytes(void **state)
{
    static Work *const works[] = {run_six, run_nested, run_groups, run_graph};
    static const char *const others[][3] = {{"threads=4"}, {"window=1"}};
    (void)state;
    for (size_t w = 0; w < sizeof works / sizeof *works; w++) {
        WbGpu *gpu = run("k20c", works[w], no_knobs);
        char *expected = timeline_text(gpu);
        wb_gpu_close(gpu);
        for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
            gpu = run("k20c", works[w], others[i]);
            char *found = timeline_text(gpu);
            assert_string_equal(found, expected);
            free(found);
            wb_gpu_close(gpu);
        }
        free(expected);
    }
}

/* With few events allowed, every so many blocks are shown, and there are no more events than that. */
static void test_bound(void **state)
{
    static const char *const few[] = {"timeline_events=1000", NULL};
    static Work *const works[] = {run_many, run_six, run_nested, run_groups, run_graph};
    (void)state;
    for (size_t w = 0; w < sizeof works / sizeof *works; w++) {
        WbGpu *gpu = run("k20c", works[w], few);
        json_t *timeline = timeline_of(gpu);
        size_t events = 0, i;
        const json_t *event;
        unsigned stride = 0;
        const json_t *sampled = get(get(timeline, "otherData"), "sampled");
        assert_int_equal(sscanf(text(sampled, "blocks"), "1 of %u", &stride), 1);
        check_rules(timeline);
        json_array_foreach(events_of(timeline), i, event)
        {
            events += !is_phase(event, 'M');
            if (works[w] == run_many && number(event, "pid") == SMS && is_phase(event, 'X'))
                assert_int_equal(number(get(event, "args"), "block") % stride, 0);
        }
        assert_true(events <= 1000);
        assert_int_equal(number(sampled, "left_out"), 0);
        if (works[w] == run_many)
            assert_true(stride > 1 && count(timeline, SMS, 'X', ")") > 0);
        json_decref(timeline);
        wb_gpu_close(gpu);
    }
}

/* So long that samples have to be joined, of kernels that have ended and of one that runs: they still sum to
 * what was counted. */
static void test_joined_samples(void **state)
{
    (void)state;
    WbGpu *gpu = run("gtx480", run_nested, no_knobs);
    const Cycle interval = gpu->kept.interval;
    run_nested(gpu);
    assert_true(gpu->kept.interval > interval);
    uint64_t samples = 0;
    for (uint32_t i = 0; i < gpu->records.count; i++) {
        const KernelRecord *record = gpu->records.items[i];
        const Series *series = record->series;
        uint64_t instructions = 0, dispatched = 0;
        samples += series->ends.count;
        assert_int_equal(series->ends.items[series->ends.count - 1], record->ended);
        for (uint32_t s = 0; s < series->ends.count; s++) {
            instructions += series_value(series, s, SERIES_EXEC_warp_instructions);
            dispatched += series_value(series, s, SERIES_FRONT_END_blocks_dispatched);
            assert_true(s == 0 || s + 1 == series->ends.count ||
                        series->ends.items[s] - series->ends.items[s - 1] == gpu->kept.interval);
        }
        assert_int_equal(instructions, record->warp_instructions);
        assert_int_equal(dispatched, record->log->block_count);
    }
    assert_true(samples > 500 && samples <= 1000 + gpu->records.count);
    wb_gpu_close(gpu);
}

/* A GPU with a timeline counts what one without does. */
static void test_changes_nothing(void **state)
{
    static Work *const works[] = {run_six, run_nested};
    (void)state;
    for (size_t w = 0; w < 2; w++) {
        WbGpu *gpu = run("gtx480", works[w], no_knobs);
        WbGpu *plain = harness_open("gtx480", (const char *const[]){"mode=cycle", NULL});
        works[w](plain);
        assert_int_equal(wb_stat_count(gpu), wb_stat_count(plain));
        for (size_t i = 0; i < wb_stat_count(gpu); i++) {
            WbStat one, other;
            assert_int_equal(wb_stat_at(gpu, i, &one), WB_OK);
            assert_int_equal(wb_stat_at(plain, i, &other), WB_OK);
            if (one.value != other.value)
                fail_msg("%s", one.name);
        }
        wb_gpu_close(plain);
        wb_gpu_close(gpu);
    }
}

static bool stop_in_time(void *context, const WbProgress *progress)
{
    (void)context;
    return progress->cycles < 100000;
}

/* Of a kernel that is cut off, blocks that were on SMs are shown until then. */
static void test_interrupted(void **state)
{
    static const char ptx[] = PTX_HEADER ".visible .entry endless(.param .u64 out)\n{ L: bra L; }\n";
    uint32_t out = 0;
    (void)state;
    WbGpu *gpu = harness_open(
        "gtx480", (const char *const[]){"mode=cycle", "timeline=true", "watchdog_cycles=0", NULL});
    const HarnessRun endless = {.gpu = gpu,
                                .ptx = ptx,
                                .kernel = "endless",
                                .grid = {4, 1, 1},
                                .block = {32, 1, 1},
                                .out = &out,
                                .words = 1};
    wb_set_progress(gpu, stop_in_time, NULL, 0);
    assert_int_equal(harness_run(&endless), WB_ERROR_INTERRUPTED);
    json_t *timeline = timeline_of(gpu);
    check_rules(timeline);
    check_stays(gpu, timeline);
    assert_int_equal(gpu->records.count, 1);
    assert_int_equal(count(timeline, SMS, 'X', ")"), 4);
    size_t i;
    const json_t *event;
    json_array_foreach(events_of(timeline), i, event)
    {
        if (is_phase(event, 'X') && strcmp(text(event, "name"), "starts"))
            assert_int_equal(number(get(event, "args"), "ended"), gpu->records.items[0]->ended);
        if (is_phase(event, 'X') && strcmp(text(event, "name"), "endless") == 0)
            assert_true(json_is_true(get(get(event, "args"), "interrupted")));
    }
    json_decref(timeline);
    wb_gpu_close(gpu);
}

static void test_errors(void **state)
{
    (void)state;
    WbGpu *gpu = harness_open("gtx480", (const char *const[]){"mode=cycle", NULL});
    assert_int_equal(wb_timeline(NULL, "/tmp/x"), WB_ERROR_ARGUMENT);
    assert_int_equal(wb_timeline(gpu, "/tmp/x"), WB_ERROR_ARGUMENT);
    assert_non_null(strstr(wb_error(gpu), "knob timeline"));
    assert_int_equal(wb_gpu_set(gpu, "timeline", "true"), WB_OK);
    assert_int_equal(wb_timeline(gpu, NULL), WB_ERROR_ARGUMENT);
    assert_int_equal(wb_timeline(gpu, "/nowhere/at/all.json"), WB_ERROR_NOT_FOUND);
    json_t *timeline = timeline_of(gpu); /* nothing has run: an empty one */
    check_rules(timeline);
    json_decref(timeline);
    wb_gpu_close(gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels),         cmocka_unit_test(test_streams_and_copies),
        cmocka_unit_test(test_waits),           cmocka_unit_test(test_report),
        cmocka_unit_test(test_dependencies),    cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_bound),           cmocka_unit_test(test_joined_samples),
        cmocka_unit_test(test_changes_nothing), cmocka_unit_test(test_interrupted),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
