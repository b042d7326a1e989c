/* wb_wait, wb_signal and wb_signal_each: random graphs end in both modes, whatever the counters on chip, or
 * the sentence names the event whose signal is missing; and what programs may do wrong is told. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event_graphs.h"

#define CALLS                                                                                                \
    ".extern .func wb_wait(.param .b32 event, .param .b32 target);\n"                                        \
    ".extern .func wb_signal(.param .b32 event, .param .b32 target);\n"                                      \
    ".extern .func wb_signal_each(.param .b32 event, .param .b32 target);\n"                                 \
    ".extern .func wb_global_sync();\n"
#define CALL(function, event, target)                                                                        \
    "{ .param .b32 e; .param .b32 t; st.param.b32 [e], " event "; st.param.b32 [t], " target ";\n"           \
    "  call " function ", (e, t); }\n"
#define KERNEL(body)                                                                                         \
    PTX_HEADER CALLS ".visible .entry k(.param .u64 out) {\n"                                                \
                     ".reg .u32 %b, %t, %w; .reg .u64 %o; .reg .pred %p;\n"                                  \
                     "mov.u32 %b, %ctaid.x; mov.u32 %t, %tid.x; shr.u32 %w, %t, 5;\n" body "ret; }\n"

static uint64_t stat(const WbGpu *gpu, const char *name)
{
    WbStat found;
    assert_int_equal(wb_stat_find(gpu, name, &found), WB_OK);
    return found.value;
}

static WbGpu *open_functional(void)
{
    static const char *const knobs[] = {"mode=functional", NULL};
    return harness_open("gtx970", knobs);
}

static void run_graphs(WbGpu *gpu, const EventGraphs *graphs, uint32_t threads)
{
    harness_run_ok(&(HarnessRun){gpu, event_graphs_ptx, "k", {graphs->blocks, 1, 1}, {threads, 1, 1}, 0,
                                 graphs->table, graphs->words});
    assert_int_equal(graphs->table[0], 0); /* no word was looked at before it was there */
}

static void ten_thousand_graphs_end(void **state)
{
    (void)state;
    WbGpu *gpu = open_functional();
    uint64_t rounds = 0, waits = 0, signals = 0, recycled = 0;
    for (uint32_t launch = 0; launch < 10; launch++) {
        EventGraphs graphs;
        const EventShape shape = {1000, 2 + launch % 6, 3 + launch, 100 + launch, NOTHING_LEFT_OUT};
        event_graphs_make(&graphs, &shape, NULL);
        run_graphs(gpu, &graphs, 1);
        rounds += graphs.rounds;
        waits += graphs.waits;
        signals += graphs.signals;
        recycled += graphs.recycled;
        event_graphs_free(&graphs);
    }
    assert_true(recycled > rounds / 4);
    assert_int_equal(stat(gpu, "unit_wait_signal.waits"), waits);
    assert_int_equal(stat(gpu, "unit_wait_signal.signals"), signals);
    assert_int_equal(stat(gpu, "unit_wait_signal.broadcasts"), rounds);
    assert_int_equal(stat(gpu, "unit_wait_signal.blocks_woken"), waits);
    assert_int_equal(stat(gpu, "unit_wait_signal.events_left"), 0);
    wb_gpu_close(gpu);
}


/* Four counters on chip for hundreds of events. */
static WbGpu *open_cycle(const char *threads, const char *window)
{
    char settings[2][40];
    snprintf(settings[0], sizeof settings[0], "threads=%s", threads);
    snprintf(settings[1], sizeof settings[1], "window=%s", window);
    const char *const knobs[] = {"mode=cycle", settings[0], settings[1], "wait_signal_counters=4", NULL};
    return harness_open("gtx970", knobs);
}

static void graphs_end_in_time_with_four_counters(void **state)
{
    (void)state;
    WbGpu *gpu = open_cycle("1", "0");
    EventGraphs graphs;
    const EventShape shape = {400, 6, 8, 7, NOTHING_LEFT_OUT};
    event_graphs_make(&graphs, &shape, NULL);
    run_graphs(gpu, &graphs, 40);
    const uint64_t misses = stat(gpu, "unit_wait_signal.misses"), hits = stat(gpu, "unit_wait_signal.hits"),
                   joined = stat(gpu, "unit_wait_signal.misses_joined");
    assert_int_equal(stat(gpu, "unit_wait_signal.waits"), graphs.waits);
    assert_int_equal(stat(gpu, "unit_wait_signal.signals"), graphs.signals);
    assert_int_equal(stat(gpu, "unit_wait_signal.broadcasts"), graphs.rounds);
    assert_int_equal(stat(gpu, "unit_wait_signal.blocks_woken"), graphs.waits);
    assert_int_equal(hits + misses + joined, graphs.waits + graphs.signals);
    assert_true(misses >= graphs.events);
    assert_true(stat(gpu, "unit_wait_signal.evictions_counting") > 0);
    assert_true(stat(gpu, "unit_wait_signal.evictions_signalled") > 0);
    assert_true(stat(gpu, "unit_wait_signal.write_backs") > 0);
    assert_int_equal(stat(gpu, "unit_wait_signal.output_peak"), 1);
    event_graphs_free(&graphs);
    wb_gpu_close(gpu);
}

/* Reports hold every cycle and every counter. */
static void threads_and_windows_change_nothing(void **state)
{
    (void)state;
    static const char *const runs[][2] = {{"1", "0"}, {"2", "0"}, {"3", "0"},
                                          {"8", "0"}, {"1", "1"}, {"2", "7"}};
    char *first = NULL;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        WbGpu *gpu = open_cycle(runs[i][0], runs[i][1]);
        assert_int_equal(wb_gpu_set(gpu, "max_blocks_per_sm", "1"), WB_OK); /* so that blocks have to leave */
        assert_int_equal(wb_gpu_set(gpu, "context_local", "false"), WB_OK);
        EventGraphs graphs;
        const EventShape shape = {12, 5, 5, 3, NOTHING_LEFT_OUT};
        event_graphs_make(&graphs, &shape, NULL);
        run_graphs(gpu, &graphs, 40);
        assert_true(stat(gpu, "yields_saved") > 0);
        event_graphs_free(&graphs);
        harness_same_report(gpu, "\"unit_wait_signal\"", &first);
        wb_gpu_close(gpu);
    }
    free(first);
}

/* One signal less: those who wait for it are told, and how many are missing. */
static void check_missing(WbGpu *gpu, uint32_t seed)
{
    EventGraphs graphs;
    uint32_t event = 0;
    char name[40];
    const EventShape shape = {1, 5, 4, seed, seed % 2};
    event_graphs_make(&graphs, &shape, &event);
    snprintf(name, sizeof name, "Event %u of kernel 'k' has had", event);
    harness_run_error(&(HarnessRun){gpu, event_graphs_ptx, "k", {graphs.blocks, 1, 1}, {32, 1, 1}, 0,
                                    graphs.table, graphs.words},
                      WB_ERROR_DEADLOCK, name, ": 1 is missing; block (", " waits for it at ", NULL);
    event_graphs_free(&graphs);
}

static void a_missing_signal_is_named(void **state)
{
    (void)state;
    WbGpu *functional = open_functional(), *timed = open_cycle("1", "0");
    for (uint32_t seed = 0; seed < 200; seed++)
        check_missing(functional, seed);
    for (uint32_t seed = 0; seed < 10; seed++)
        check_missing(timed, seed);
    wb_gpu_close(functional);
    wb_gpu_close(timed);
}

/* -- time -- */

/* A kernel that calls five times and stores how many cycles each call has taken. */
#define MEASURE(call)                                                                                        \
    KERNEL("ld.param.u64 %o, [out]; mov.u32 %t, 0;\n"                                                        \
           "next: mov.u32 %b, %clock;\n" call " mov.u32 %w, %clock; sub.u32 %w, %w, %b;\n"                   \
           "st.global.u32 [%o], %w; add.u64 %o, %o, 4; add.u32 %t, %t, 1;\n"                                 \
           "setp.lt.u32 %p, %t, 5; @%p bra next;\n")

static void measure_calls(const char *kernel, const char *latency, uint32_t cycles[5])
{
    char setting[2][48];
    snprintf(setting[0], sizeof setting[0], "wait_signal_latency=%s", latency);
    snprintf(setting[1], sizeof setting[1], "global_sync_latency=%s", latency);
    const char *const knobs[] = {"mode=cycle", "machine_code=ptx", setting[0], setting[1], NULL};
    WbGpu *gpu = harness_open("gtx970", knobs);
    harness_run_ok(&(HarnessRun){gpu, kernel, "k", {1, 1, 1}, {32, 1, 1}, 0, cycles, 5});
    wb_gpu_close(gpu);
}

/* A global sync of one block has the network's cycles alone. A wait that is over at once has one more for the
 * input queue and one for the output queue. */
static void a_wait_takes_the_way_and_a_cycle_in_each_queue(void **state)
{
    (void)state;
    uint32_t sync[5] = {0}, wait[5] = {0}, farther[5] = {0};
    measure_calls(MEASURE("call wb_global_sync;\n"), "20", sync);
    measure_calls(MEASURE(CALL("wb_wait", "5", "1")), "20", wait);
    measure_calls(MEASURE(CALL("wb_wait", "5", "1")), "33", farther);
    for (unsigned i = 2; i < 5; i++) {
        assert_int_equal(wait[i], sync[i] + 2);
        assert_int_equal(farther[i], wait[i] + 2 * 13);
    }
    assert_true(wait[0] > wait[2] + 50); /* its counter comes from memory */
}

/* -- launches and their events -- */

/* Every block signals to event 3, and block 0 waits for all of them; so the target is one more than the
 * blocks. Then it signals to event 4 as often, for which nobody waits. */
static const char gather[] =
    KERNEL("mov.u32 %t, %nctaid.x; add.u32 %t, %t, 1;\n" CALL("wb_signal", "3", "%t")
           "setp.ne.u32 %p, %b, 0; @%p ret;\n" CALL("wb_wait", "3", "%t")
           "add.u32 %t, %t, 7;\n"
           "next: setp.eq.u32 %p, %w, 5; @%p bra done; add.u32 %w, %w, 1;\n" CALL("wb_signal", "4", "%t")
           "bra next; done:\n");

/* Kernels side by side use the same events with targets of their own, and so do those that come later. */
static void launches_have_events_of_their_own(void **state)
{
    (void)state;
    for (unsigned timed = 0; timed < 2; timed++) {
        WbGpu *gpu = timed ? open_cycle("1", "0") : open_functional();
        WbModule *module;
        WbKernel *kernel;
        WbStream *streams[3];
        uint64_t none = 0;
        WbArgument argument = WB_ARG(none);
        if (wb_module_load(gpu, "test.ptx", gather, strlen(gather), &module) != WB_OK)
            fail_msg("%s", wb_error(gpu));
        assert_int_equal(wb_module_kernel(module, "k", &kernel), WB_OK);
        for (unsigned i = 0; i < 3; i++)
            assert_int_equal(wb_stream_create(gpu, 0, 0, &streams[i]), WB_OK);
        for (unsigned i = 0; i < 6; i++) {
            const WbLaunch launch = {.grid = {2 + i, 1, 1},
                                     .block = {32, 1, 1},
                                     .arguments = &argument,
                                     .argument_count = 1};
            assert_int_equal(wb_stream_launch(streams[i % 3], kernel, &launch), WB_OK);
        }
        if (wb_wait(gpu) != WB_OK)
            fail_msg("%s", wb_error(gpu));
        assert_int_equal(stat(gpu, "unit_wait_signal.broadcasts"), 6);
        assert_int_equal(stat(gpu, "unit_wait_signal.signals"), 2 + 3 + 4 + 5 + 6 + 7 + 6 * 5);
        assert_int_equal(stat(gpu, "unit_wait_signal.events_left"), 6);
        assert_int_equal(stat(gpu, "unit_wait_signal.signals_left"), 30);
        wb_module_unload(module);
        wb_gpu_close(gpu);
    }
}

/* A launch ends while counters of its last signals are on their way from memory. They come, also into
 * another world of threads, and the next launch has its time. */
static uint64_t launch_twice(const char *threads)
{
    WbGpu *gpu = open_cycle("1", "0");
    uint32_t out[1] = {0};
    const HarnessRun run = {gpu, gather, "k", {9, 1, 1}, {32, 1, 1}, 0, out, 1};
    harness_run_ok(&run);
    assert_int_equal(wb_gpu_set(gpu, "threads", threads), WB_OK);
    for (unsigned i = 0; i < 8; i++)
        harness_run_ok(&run);
    assert_int_equal(stat(gpu, "unit_wait_signal.broadcasts"), 9);
    assert_int_equal(stat(gpu, "unit_wait_signal.signals_left"), 9 * 5);
    WbStat cycles;
    assert_int_equal(wb_stat_find(gpu, "cycles", &cycles), WB_OK);
    wb_gpu_close(gpu);
    return cycles.value;
}

static void counters_come_after_the_end_of_their_launch(void **state)
{
    (void)state;
    assert_int_equal(launch_twice("1"), launch_twice("2"));
}

/* -- what programs may do wrong -- */

typedef struct Wrong {
    const char *kernel;
    uint32_t blocks;
    WbStatus status;
    const char *parts[4]; /* of the sentence */
} Wrong;

static const Wrong wrongs[] = {
    /* a target of its own: block 0 is first in both modes, as its message is */
    {KERNEL("add.u32 %t, %b, 2;\n" CALL("wb_signal", "7", "%t")), 2, WB_ERROR_EXECUTION,
     {"kernel 'k', test.ptx:",
      "block (1,0,0): a signal gives event 7 the target 3, but block (0,0,0) gave it 2 at",
      "of which 1 has come", NULL}},
    {KERNEL("add.u32 %t, %b, 2;\n" CALL("wb_wait", "7", "%t")), 2, WB_ERROR_EXECUTION,
     {"block (1,0,0): wb_wait gives event 7 the target 3, but block (0,0,0) gave it 2 at", NULL}},
    {KERNEL(CALL("wb_wait", "7", "0")), 1, WB_ERROR_EXECUTION,
     {"kernel 'k', test.ptx:", "block (0,0,0)", "event 7 has target 0", NULL}},
    {KERNEL(CALL("wb_signal", "1048576", "2")), 1, WB_ERROR_EXECUTION,
     {"block (0,0,0)",
      "there is no event 1048576: events of 20 bits (knob wait_signal_event_bits) go up to 1048575", NULL}},
    {KERNEL(CALL("wb_signal_each", "3", "65536")), 1, WB_ERROR_EXECUTION,
     {"block (0,0,0)", "the counter of event 3 overflows before it reaches the target 65536",
      "wait_signal_counter_bits) go up to 65535", NULL}},
    {KERNEL(CALL("wb_wait", "%w", "1")), 1, WB_ERROR_EXECUTION,
     {"block (0,0,0)", "this warp calls wb_wait with event ", NULL}},
    {KERNEL(CALL("wb_wait", "%t", "1")), 1, WB_ERROR_EXECUTION,
     {"thread (1,0,0)",
      "this thread calls wb_wait with event 1 and target 1, another thread of its warp with event 0", NULL}},
    {KERNEL("setp.lt.u32 %p, %t, 3; @!%p bra done;\n" CALL("wb_wait", "5", "1") "done: bar.sync 0;\n"), 1,
     WB_ERROR_EXECUTION,
     {"kernel 'k', test.ptx:", "block (0,0,0)", "calls 'wb_wait' in divergent code", NULL}},
    {KERNEL("setp.lt.u32 %p, %t, 3; @!%p bra done;\n" CALL("wb_signal", "5", "2") "done: bar.sync 0;\n"), 1,
     WB_ERROR_EXECUTION,
     {"kernel 'k', test.ptx:", "block (0,0,0)", "calls 'wb_signal' in divergent code", NULL}},
    /* block 1 ends without a signal */
    {KERNEL("setp.ne.u32 %p, %b, 0; @%p ret;\n" CALL("wb_wait", "9", "2")), 2, WB_ERROR_DEADLOCK,
     {"Event 9 of kernel 'k' has had 1 of its 2 calls, 1 wait and 0 signals: 1 is missing; block (0,0,0) "
      "waits for it at test.ptx:",
      NULL}},
};

static void what_is_wrong_is_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * (sizeof wrongs / sizeof *wrongs); i++) {
        const Wrong *wrong = &wrongs[i / 2];
        uint32_t out[1] = {0};
        WbGpu *gpu = i % 2 ? open_cycle("1", "0") : open_functional();
        const HarnessRun run = {gpu, wrong->kernel, "k", {wrong->blocks, 1, 1}, {64, 1, 1}, 0, out, 1};
        harness_run_error(&run, wrong->status, wrong->parts[0], wrong->parts[1], wrong->parts[2],
                          wrong->parts[3]);
        wb_gpu_close(gpu);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_thousand_graphs_end),
        cmocka_unit_test(graphs_end_in_time_with_four_counters),
        cmocka_unit_test(threads_and_windows_change_nothing),
        cmocka_unit_test(a_missing_signal_is_named),
        cmocka_unit_test(a_wait_takes_the_way_and_a_cycle_in_each_queue),
        cmocka_unit_test(launches_have_events_of_their_own),
        cmocka_unit_test(counters_come_after_the_end_of_their_launch),
        cmocka_unit_test(what_is_wrong_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
