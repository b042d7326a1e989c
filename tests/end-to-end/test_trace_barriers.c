/* Barriers in timelines: where warps of a block waited for each other, how much of it is shown where there is
 * too much, and that it is shown by the rules of the format though barriers may overlap. */
#include "trace_rules.h"

/* met: three barriers; warps come to each one after the other. many: 1000. pairs: warps 0 and 1 meet at
 * barrier 1, and warps 2 and 3 at barrier 2 while those still do. stuck: warp 0 waits for one that does not
 * come. */
static const char ptx[] =
    PTX_HEADER ".visible .entry met(.param .u64 out)\n{ .reg .u32 %r<4>; .reg .pred %p;\n"
               "mov.u32 %r1, %tid.x; mov.u32 %r2, 0; mov.u32 %r3, 0;\n"
               "L: add.u32 %r2, %r2, 1; setp.lt.u32 %p, %r2, %r1; @%p bra L;\nbar.sync 0;\n"
               "mov.u32 %r2, 0; add.u32 %r3, %r3, 1; setp.lt.u32 %p, %r3, 3; @%p bra L; ret; }\n"
               ".visible .entry many(.param .u64 out)\n{ .reg .u32 %r; .reg .pred %p; mov.u32 %r, 0;\n"
               "L: bar.sync 0; add.u32 %r, %r, 1; setp.lt.u32 %p, %r, 1000; @%p bra L; ret; }\n"
               ".visible .entry pairs(.param .u64 out)\n{ .reg .u32 %r<5>; .reg .pred %p, %q;\n"
               "mov.u32 %r1, %tid.x; shr.u32 %r1, %r1, 5; and.b32 %r2, %r1, 1; shl.b32 %r2, %r2, 1; shr.u32 "
               "%r3, %r1, 1;\n"
               "add.u32 %r2, %r2, %r3; mul.lo.u32 %r2, %r2, 200; mov.u32 %r4, 0;\n"
               "L: add.u32 %r4, %r4, 1; setp.lt.u32 %p, %r4, %r2; @%p bra L;\n"
               "add.u32 %r3, %r3, 1; bar.sync %r3, 64; ret; }\n"
               ".visible .entry stuck(.param .u64 out)\n{ .reg .u32 %r; .reg .pred %p; mov.u32 %r, %tid.x;\n"
               "setp.lt.u32 %p, %r, 32; @%p bra W; L: bra L; W: bar.sync 3; ret; }\n";

static WbGpu *run(const char *kernel, uint32_t blocks, uint32_t threads, unsigned times,
                  const char *const *knobs)
{
    uint32_t out = 0;
    WbGpu *gpu = harness_open("gtx480", knobs);
    const HarnessRun one = {.gpu = gpu,
                            .ptx = ptx,
                            .kernel = kernel,
                            .grid = {blocks, 1, 1},
                            .block = {threads, 1, 1},
                            .out = &out,
                            .words = 1};
    while (times--)
        harness_run_ok(&one);
    return gpu;
}

static const char *const all[] = {"mode=cycle", "timeline=true", NULL};

static const json_t *slice(const json_t *timeline, const char *name)
{
    size_t i;
    const json_t *event;
    json_array_foreach(events_of(timeline), i,
                       event) if (is_phase(event, 'X') &&
                                  strcmp(text(event, "name"), name) == 0) return event;
    fail_msg("there is no %s", name);
    return NULL;
}

/* Slices that need not give way to others have the times of their barriers; blocks know how many they
 * have. */
static void check_times(const WbGpu *gpu, const json_t *timeline)
{
    const uint64_t khz = gpu->config.clock_khz;
    uint64_t wanted = 0;
    size_t i;
    const json_t *event;
    json_array_foreach(events_of(timeline), i, event)
    {
        const json_t *values = json_object_get(event, "args"),
                     *shown = json_object_get(values, "barriers_shown");
        wanted += shown ? (uint64_t)json_integer_value(shown) : 0;
        if (!is_phase(event, 'X') || strcmp(text(event, "name"), "barrier 0") != 0)
            continue;
        assert_int_equal(ns(event, "ts"), number(values, "arrived") * 1000000 / khz);
        assert_int_equal(ns(event, "ts") + ns(event, "dur"), number(values, "released") * 1000000 / khz);
    }
    assert_int_equal(count(timeline, SMS, 'X', "barrier 0"), wanted);
}

static void test_barriers(void **state)
{
    enum { BLOCKS = 3, WARPS = 4, TIMES = 3 };
    (void)state;
    WbGpu *gpu = run("met", BLOCKS, 32 * WARPS, 1, all);
    json_t *timeline = timeline_of(gpu);
    uint64_t waited = 0;
    size_t i;
    const json_t *event;
    check_rules(timeline);
    check_times(gpu, timeline);
    assert_int_equal(count(timeline, SMS, 'X', "barrier 0"), BLOCKS * TIMES);
    assert_int_equal(BLOCKS * TIMES * WARPS, statistic(gpu, "barriers"));
    json_array_foreach(events_of(timeline), i, event)
    {
        const json_t *values = json_object_get(event, "args");
        if (!is_phase(event, 'X') || strcmp(text(event, "name"), "barrier 0") != 0)
            continue;
        const uint64_t length = number(values, "released") - number(values, "arrived");
        assert_int_equal(number(values, "warps"), WARPS);
        assert_int_equal(number(values, "longest_wait"), length);
        assert_true(length > 32 * (WARPS - 1)); /* the last warp goes round its loop so much longer */
        assert_non_null(strstr(text(values, "at"), ":8"));
        waited += length;
    }
    /* Of each barrier's warps one waits all the time, and the others less. */
    assert_true(waited < statistic(gpu, "sm.barrier_wait_cycles"));
    assert_true(waited * WARPS > statistic(gpu, "sm.barrier_wait_cycles"));
    assert_int_equal(number(get(slice(timeline, "met (0,0,0)"), "args"), "barriers"), TIMES);
    json_decref(timeline);
    wb_gpu_close(gpu);
}

/* The second barrier's slice begins where that of the first ends; its arguments tell when it really did. */
static void test_overlap(void **state)
{
    (void)state;
    WbGpu *gpu = run("pairs", 1, 128, 1, all);
    json_t *timeline = timeline_of(gpu);
    const json_t *one = slice(timeline, "barrier 1"), *other = slice(timeline, "barrier 2");
    const json_t *first = get(one, "args"), *second = get(other, "args");
    check_rules(timeline);
    assert_true(number(second, "arrived") > number(first, "arrived"));
    assert_true(number(second, "arrived") < number(first, "released"));
    assert_true(number(second, "released") > number(first, "released"));
    assert_int_equal(ns(other, "ts"), ns(one, "ts") + ns(one, "dur"));
    assert_int_equal(number(first, "warps") + number(second, "warps"), 4);
    json_decref(timeline);
    wb_gpu_close(gpu);
}

static unsigned stride_of(const json_t *timeline, const char *what)
{
    unsigned stride = 0;
    assert_int_equal(sscanf(text(get(get(timeline, "otherData"), "sampled"), what), "1 of %u", &stride), 1);
    return stride;
}

/* Of blocks with many barriers, of many blocks, of many kernels: no more than a quarter of all events. */
static void test_bound(void **state)
{
    enum { EVENTS = 1000, BLOCKS = 40, MOST = 64 };
    static const char *const few[] = {"mode=cycle", "timeline=true", "timeline_events=1000", NULL};
    static const char *const threads[] = {"mode=cycle", "timeline=true", "timeline_events=1000", "threads=4",
                                          NULL};
    (void)state;
    WbGpu *gpu = run("many", BLOCKS, 32, 1, few), *other = run("many", BLOCKS, 32, 1, threads);
    json_t *timeline = timeline_of(gpu);
    char *written = timeline_text(gpu), *same = timeline_text(other);
    const unsigned blocks = stride_of(timeline, "blocks_with_barriers"),
                   of_block = stride_of(timeline, "barriers");
    check_rules(timeline);
    check_times(gpu, timeline);
    assert_string_equal(written, same);
    assert_true(1000 / of_block <= MOST && 1000 / of_block > MOST / 2 - 1);
    assert_true(blocks > 1 && BLOCKS / blocks >= 2);
    const size_t shown = count(timeline, SMS, 'X', "barrier 0");
    assert_true(shown <= EVENTS / 4 && shown > EVENTS / 16);
    assert_int_equal(number(get(slice(timeline, "many (0,0,0)"), "args"), "barriers"), 1000);
    assert_int_equal(number(get(slice(timeline, "barrier 0"), "args"), "number") % of_block, 0);
    json_decref(timeline);
    free(written), free(same);
    wb_gpu_close(gpu);
    wb_gpu_close(other);
    gpu = run("met", 1, 64, 100, few);
    timeline = timeline_of(gpu);
    check_rules(timeline);
    assert_int_equal(stride_of(timeline, "kernels_with_barriers"), 2);
    assert_true(gpu->kept.barriers > EVENTS / 8 && gpu->kept.barriers <= EVENTS / 4);
    json_decref(timeline);
    wb_gpu_close(gpu);
}

static bool stop_in_time(void *context, const WbProgress *progress)
{
    (void)context;
    return progress->cycles < 20000;
}

/* Of a kernel that is cut off, a barrier at which warps wait is shown until then. */
static void test_cut_off(void **state)
{
    uint32_t out = 0;
    (void)state;
    WbGpu *gpu = harness_open(
        "gtx480", (const char *const[]){"mode=cycle", "timeline=true", "watchdog_cycles=0", NULL});
    const HarnessRun stuck = {.gpu = gpu,
                              .ptx = ptx,
                              .kernel = "stuck",
                              .grid = {1, 1, 1},
                              .block = {64, 1, 1},
                              .out = &out,
                              .words = 1};
    wb_set_progress(gpu, stop_in_time, NULL, 0);
    assert_int_equal(harness_run(&stuck), WB_ERROR_INTERRUPTED);
    json_t *timeline = timeline_of(gpu);
    const json_t *barrier = slice(timeline, "barrier 3");
    check_rules(timeline);
    assert_null(json_object_get(get(barrier, "args"), "released"));
    assert_int_equal(number(get(barrier, "args"), "warps"), 1);
    assert_int_equal(ns(barrier, "ts") + ns(barrier, "dur"),
                     gpu->records.items[0]->ended * 1000000 / gpu->config.clock_khz);
    json_decref(timeline);
    wb_gpu_close(gpu);
}

typedef struct Looks {
    long seen, stop; /* it is stopped at that one; 0: never */
} Looks;

static bool stop_at_look(void *context, const WbProgress *progress)
{
    (void)progress;
    Looks *looks = context;
    return ++looks->seen != looks->stop;
}

/* Wherever a kernel is stopped, also when word of its end has just come, no block counts twice. */
static void test_every_look(void **state)
{
    (void)state;
    Looks looks = {0};
    uint64_t whole = 0;
    for (long last = 1; looks.stop <= last; looks.stop++) {
        uint32_t out = 0;
        WbGpu *gpu = harness_open("gtx480", all);
        const HarnessRun one = {.gpu = gpu,
                                .ptx = ptx,
                                .kernel = "met",
                                .grid = {1, 1, 1},
                                .block = {64, 1, 1},
                                .out = &out,
                                .words = 1};
        looks.seen = 0;
        wb_set_progress(gpu, stop_at_look, &looks, 0);
        harness_run(&one);
        const KernelRecord *record = gpu->records.count ? gpu->records.items[0] : NULL;
        if (!looks.stop) {
            last = looks.seen;
            whole = record->warp_instructions;
        }
        assert_true(!record || record->warp_instructions <= whole);
        assert_true(!record || record->log->stays.count <= 1);
        wb_gpu_close(gpu);
    }
    assert_true(whole > 0 && looks.stop > 3);
}

/* Less room than the first kernel alone has taken. */
static void test_lower_bound(void **state)
{
    (void)state;
    WbGpu *gpu = run("many", 1, 64, 1, all);
    assert_int_equal(wb_gpu_set(gpu, "timeline_events", "1000"), WB_OK);
    uint32_t out = 0;
    harness_run_ok(&(HarnessRun){gpu, ptx, "many", {1, 1, 1}, {64, 1, 1}, 0, &out, 1});
    json_t *timeline = timeline_of(gpu);
    check_rules(timeline);
    json_decref(timeline);
    wb_gpu_close(gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_barriers),   cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_bound),      cmocka_unit_test(test_cut_off),
        cmocka_unit_test(test_every_look), cmocka_unit_test(test_lower_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
