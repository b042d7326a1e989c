/* The event unit, an example of a unit beside the SMs: blocks wait for signals of others in both modes, the
 * same in every cycle for any number of threads and any window, and see what was stored before the signal. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/report.h"

#define CALLS                                                                                                \
    ".extern .func wb_event_wait(.param .b32 event, .param .b32 signals);\n"                                 \
    ".extern .func wb_event_signal(.param .b32 event, .param .b32 signals);\n"
#define CALL(function, event, signals)                                                                       \
    "{ .param .b32 e; .param .b32 s; st.param.b32 [e], " event "; st.param.b32 [s], " signals ";\n"          \
    "  call " function ", (e, s); }\n"

/* Block b waits for block b + 1, takes its word and adds one. Its first thread has read the word before, so
 * that a copy of it is in the L1; the others wait at the barrier. */
static const char chain[] = PTX_HEADER CALLS
    ".visible .entry k(.param .u64 out) {\n"
    ".reg .u64 %a; .reg .u32 %b, %n, %t, %v, %w; .reg .pred %p, %q;\n"
    "ld.param.u64 %a, [out]; mov.u32 %b, %ctaid.x; mov.u32 %n, %nctaid.x; mov.u32 %t, %tid.x;\n"
    "mad.wide.u32 %a, %b, 4, %a; add.u32 %w, %b, 1; setp.eq.u32 %q, %w, %n; setp.ne.u32 %p, %t, 0;\n"
    "@%p bra meet;\n"
    "mov.u32 %v, 0;\n"
    "@%q bra store;\n"
    "ld.global.u32 %v, [%a + 4];\n" CALL("wb_event_wait", "%w", "1")
    "ld.global.u32 %v, [%a + 4];\n"
    "store: add.u32 %v, %v, 1; st.global.u32 [%a], %v; membar.gl;\n" CALL("wb_event_signal", "%b", "1")
    "meet: bar.sync 0; ret; }\n";

enum { BLOCKS = 24 };

static WbGpu *open_gpu(const char *mode, const char *threads, const char *window)
{
    char settings[4][40];
    snprintf(settings[0], sizeof settings[0], "mode=%s", mode);
    snprintf(settings[1], sizeof settings[1], "threads=%s", threads);
    snprintf(settings[2], sizeof settings[2], "window=%s", window);
    const char *const knobs[] = {settings[0],  settings[1],           settings[2],
                                 "sm_count=4", "events_present=true", NULL};
    return harness_open("titanv", knobs);
}

static void run_chain(WbGpu *gpu)
{
    uint32_t out[BLOCKS + 1] = {0};
    harness_run_ok(&(HarnessRun){gpu, chain, "k", {BLOCKS, 1, 1}, {64, 1, 1}, 0, out, BLOCKS + 1});
    for (uint32_t i = 0; i < BLOCKS; i++)
        assert_int_equal(out[i], BLOCKS - i);
}

static uint64_t stat(const WbGpu *gpu, const char *name)
{
    WbStat found;
    assert_int_equal(wb_stat_find(gpu, name, &found), WB_OK);
    return found.value;
}

static void blocks_wait_for_signals(void **state)
{
    (void)state;
    static const char *const modes[] = {"functional", "cycle"};
    for (unsigned i = 0; i < 2; i++) {
        WbGpu *gpu = open_gpu(modes[i], "1", "0");
        run_chain(gpu);
        assert_int_equal(stat(gpu, "unit_events.signals"), BLOCKS);
        assert_int_equal(stat(gpu, "unit_events.waits"), BLOCKS - 1);
        assert_true(stat(gpu, "unit_events.waits_held") > 0);
        wb_stats_reset(gpu);
        assert_int_equal(stat(gpu, "unit_events.signals"), 0);
        wb_gpu_close(gpu);
    }
}

/* As one text, in either form. */
static char *report_of(const WbGpu *gpu, bool is_csv)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    if (is_csv)
        report_csv(gpu, file);
    else
        report_text(gpu, &(ReportOptions){0}, file);
    fclose(file);
    return text;
}

static void counters_are_in_tables_and_texts(void **state)
{
    (void)state;
    WbGpu *gpu = open_gpu("cycle", "1", "0");
    run_chain(gpu);
    char *csv = report_of(gpu, true), *text = report_of(gpu, false);
    assert_non_null(strstr(csv, ",unit_events.signals,unit_events.waits,"));
    assert_non_null(strstr(text, "unit_events   signals 24, waits 23,"));
    free(csv);
    free(text);
    wb_gpu_close(gpu);
}

/* Reports hold every cycle and every counter. */
static void threads_and_windows_change_nothing(void **state)
{
    (void)state;
    static const char *const runs[][2] = {{"1", "0"}, {"2", "0"}, {"4", "0"}, {"1", "1"}, {"2", "7"}};
    char *first = NULL;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        WbGpu *gpu = open_gpu("cycle", runs[i][0], runs[i][1]);
        run_chain(gpu);
        harness_same_report(gpu, "\"unit_events\"", &first);
        wb_gpu_close(gpu);
    }
    free(first);
}

/* A signal goes to the unit and the answer comes from it: for every link of the chain the kernel's time grows
 * by twice what the knob does. */
static void the_latency_is_that_of_the_knob(void **state)
{
    (void)state;
    static const char *const latencies[] = {"400", "500"};
    uint64_t cycles[2];
    for (unsigned i = 0; i < 2; i++) {
        WbGpu *gpu = open_gpu("cycle", "1", "0");
        assert_int_equal(wb_gpu_set(gpu, "events_latency", latencies[i]), WB_OK);
        run_chain(gpu);
        cycles[i] = stat(gpu, "cycles");
        wb_gpu_close(gpu);
    }
    assert_int_equal(cycles[1] - cycles[0], (BLOCKS - 1) * 2 * 100);
}

static const char nobody_signals[] = PTX_HEADER CALLS
    ".visible .entry k(.param .u64 out) { .reg .u32 %b; mov.u32 %b, %ctaid.x;\n"
    CALL("wb_event_wait", "%b", "2") "ret; }\n";

static void a_wait_that_nobody_ends_is_told(void **state)
{
    (void)state;
    static const char *const modes[] = {"functional", "cycle"};
    for (unsigned i = 0; i < 2; i++) {
        WbGpu *gpu = open_gpu(modes[i], "1", "0");
        uint32_t out[1] = {0};
        const HarnessRun run = {gpu, nobody_signals, "k", {2, 1, 1}, {1, 1, 1}, 0, out, 1};
        harness_run_error(&run, WB_ERROR_DEADLOCK, "signals of", "event 0, which has had 0 of 2", NULL);
        const char *const count = i ? "2 wait there for signals" : "2 wait in place for signals";
        harness_run_error(&run, WB_ERROR_DEADLOCK, count, "waits for signals of an event", NULL);
        wb_gpu_close(gpu);
    }
}

/* Block 0 waits for a signal and then sets a word; block 1 has given the signal and reads the word until it is
 * set. The signal takes long: meanwhile one waits and the other spins, and that is no hang. */
static const char slow_signal[] = PTX_HEADER CALLS
    ".visible .entry k(.param .u64 out) {\n"
    ".reg .u64 %a; .reg .u32 %b, %v; .reg .pred %p;\n"
    "ld.param.u64 %a, [out]; mov.u32 %b, %ctaid.x; setp.ne.u32 %p, %b, 0; @%p bra signals;\n"
    CALL("wb_event_wait", "7", "1") "st.volatile.global.u32 [%a], 1; ret;\n"
    "signals:\n" CALL("wb_event_signal", "7", "1")
    "again: ld.volatile.global.u32 %v, [%a]; setp.eq.u32 %p, %v, 0; @%p bra again; ret; }\n";

static void a_signal_on_its_way_is_no_hang(void **state)
{
    (void)state;
    WbGpu *gpu = open_gpu("cycle", "1", "0");
    assert_int_equal(wb_gpu_set(gpu, "events_latency", "100000"), WB_OK);
    assert_int_equal(wb_gpu_set(gpu, "watchdog_cycles", "2000"), WB_OK);
    uint32_t out[1] = {0};
    harness_run_ok(&(HarnessRun){gpu, slow_signal, "k", {2, 1, 1}, {1, 1, 1}, 0, out, 1});
    assert_int_equal(out[0], 1);
    wb_gpu_close(gpu);
}

static const char only_signals[] = PTX_HEADER CALLS
    ".visible .entry k(.param .u64 out) {\n" CALL("wb_event_signal", "0", "2") "ret; }\n";

/* Neither signals that have come, nor one that was on its way when its kernel ended. */
static void a_kernel_finds_no_signals_of_those_before(void **state)
{
    (void)state;
    static const char *const runs[][2] = {{"functional", "100"}, {"cycle", "100"}, {"cycle", "100000"}};
    for (unsigned i = 0; i < 3; i++) {
        WbGpu *gpu = open_gpu(runs[i][0], "1", "0");
        assert_int_equal(wb_gpu_set(gpu, "events_latency", runs[i][1]), WB_OK);
        uint32_t out[1] = {0};
        harness_run_ok(&(HarnessRun){gpu, only_signals, "k", {1, 1, 1}, {1, 1, 1}, 0, out, 1});
        harness_run_error(&(HarnessRun){gpu, nobody_signals, "k", {1, 1, 1}, {1, 1, 1}, 0, out, 1},
                          WB_ERROR_DEADLOCK, "event 0, which has had 0 of 2", NULL);
        wb_gpu_close(gpu);
    }
}

static void the_same_kernel_waits_again(void **state)
{
    (void)state;
    static const char *const modes[] = {"functional", "cycle"};
    for (unsigned i = 0; i < 2; i++) {
        WbGpu *gpu = open_gpu(modes[i], "1", "0");
        run_chain(gpu);
        const uint64_t held = stat(gpu, "unit_events.waits_held");
        run_chain(gpu);
        assert_int_equal(stat(gpu, "unit_events.waits_held"), 2 * held);
        wb_gpu_close(gpu);
    }
}

/* One kernel runs all the while. Of those in the other stream, the second begins when the signal is old. */
static const char beside[] = PTX_HEADER CALLS
    ".visible .entry all_the_while() {\n" CALL("wb_event_signal", "1", "1") CALL("wb_event_wait", "2", "1")
    "ret; }\n"
    ".visible .entry sees() {\n" CALL("wb_event_wait", "1", "1") "ret; }\n"
    ".visible .entry lets_go() {\n" CALL("wb_event_signal", "2", "1") "ret; }\n";

static void launch_into(WbGpu *gpu, WbModule *module, WbStream *stream, const char *name)
{
    WbKernel *kernel;
    assert_int_equal(wb_module_kernel(module, name, &kernel), WB_OK);
    if (wb_stream_launch(stream, kernel, &(WbLaunch){.grid = {1, 1, 1}, .block = {1, 1, 1}}) != WB_OK)
        fail_msg("%s", wb_error(gpu));
}

static void kernels_beside_each_other_share_events(void **state)
{
    (void)state;
    static const char *const modes[] = {"functional", "cycle"};
    for (unsigned i = 0; i < 2; i++) {
        WbGpu *gpu = open_gpu(modes[i], "1", "0");
        WbModule *module;
        WbStream *streams[2];
        assert_int_equal(wb_module_load(gpu, "beside.ptx", beside, strlen(beside), &module), WB_OK);
        for (unsigned s = 0; s < 2; s++)
            assert_int_equal(wb_stream_create(gpu, 0, 0, &streams[s]), WB_OK);
        launch_into(gpu, module, streams[0], "all_the_while");
        launch_into(gpu, module, streams[1], "sees");
        launch_into(gpu, module, streams[1], "sees");
        launch_into(gpu, module, streams[1], "lets_go");
        if (wb_wait(gpu) != WB_OK)
            fail_msg("%s", wb_error(gpu));
        assert_int_equal(stat(gpu, "unit_events.waits"), 3);
        wb_gpu_close(gpu);
    }
}

/* How often the GPU's timeline has a slice of that name. */
static uint32_t count_slices(WbGpu *gpu, const char *name)
{
    char path[] = "/tmp/wb_events_XXXXXX", line[4096];
    uint32_t count = 0;
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(wb_timeline(gpu, path), WB_OK); /* another file has its name now */
    FILE *text = fopen(path, "r");
    assert_non_null(text);
    while (fgets(line, sizeof line, text))
        for (const char *at = line; (at = strstr(at, name)); at++)
            count++;
    fclose(text);
    remove(path);
    return count;
}

/* Waits that have ended, and those in which a kernel is cut off. */
static void timelines_say_what_blocks_wait_for(void **state)
{
    (void)state;
    for (unsigned hangs = 0; hangs < 2; hangs++) {
        WbGpu *gpu = open_gpu("cycle", "1", "0");
        assert_int_equal(wb_gpu_set(gpu, "timeline", "true"), WB_OK);
        uint32_t out[1] = {0};
        if (hangs)
            harness_run_error(&(HarnessRun){gpu, nobody_signals, "k", {2, 1, 1}, {1, 1, 1}, 0, out, 1},
                              WB_ERROR_DEADLOCK, "signals of", NULL);
        else
            run_chain(gpu);
        const uint64_t held = stat(gpu, "sm.blocks_held"); /* the signal may be there when the call is over */
        assert_in_range(held, hangs ? 2 : BLOCKS - 4, hangs ? 2 : BLOCKS - 1);
        assert_int_equal(count_slices(gpu, "\"waits for signals of an event\""), held);
        wb_gpu_close(gpu);
    }
}

static void a_gpu_without_the_unit_says_so(void **state)
{
    (void)state;
    static const char *const modes[] = {"functional", "cycle"};
    for (unsigned i = 0; i < 2; i++) {
        WbGpu *gpu = open_gpu(modes[i], "1", "0");
        assert_int_equal(wb_gpu_set(gpu, "events_present", "false"), WB_OK);
        uint32_t out[1] = {0};
        const HarnessRun run = {gpu, nobody_signals, "k", {2, 1, 1}, {1, 1, 1}, 0, out, 1};
        harness_run_error(&run, WB_ERROR_UNSUPPORTED, "wb_event_wait", "events_present", NULL);
        char *report = harness_report(gpu), *csv = report_of(gpu, true);
        assert_null(strstr(report, "unit_events"));
        assert_null(strstr(csv, "unit_events"));
        free(report);
        free(csv);
        wb_gpu_close(gpu);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_wait_for_signals),
        cmocka_unit_test(counters_are_in_tables_and_texts),
        cmocka_unit_test(threads_and_windows_change_nothing),
        cmocka_unit_test(the_latency_is_that_of_the_knob),
        cmocka_unit_test(a_wait_that_nobody_ends_is_told),
        cmocka_unit_test(a_signal_on_its_way_is_no_hang),
        cmocka_unit_test(a_kernel_finds_no_signals_of_those_before),
        cmocka_unit_test(the_same_kernel_waits_again),
        cmocka_unit_test(kernels_beside_each_other_share_events),
        cmocka_unit_test(timelines_say_what_blocks_wait_for),
        cmocka_unit_test(a_gpu_without_the_unit_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
