/* Streams in unusual orders: failures that nobody has asked for yet, host functions that call back, streams
 * and modules that go while they are needed, statistics that begin anew in the middle of a kernel. */

/* work: a loop of `rounds`, then *out = value. stray: an access to nothing. forever: a loop without an
 * end. */
static const char text[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry work(.param .u64 out, .param .u32 value, .param .u32 rounds) {\n"
    "  .reg .u64 %a; .reg .u32 %v, %n; .reg .pred %p;\n"
    "  ld.param.u64 %a, [out]; ld.param.u32 %v, [value]; ld.param.u32 %n, [rounds];\n"
    "LOOP: sub.u32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra LOOP;\n"
    "  st.global.u32 [%a], %v; ret; }\n"
    ".visible .entry stray() { .reg .u64 %a; mov.u64 %a, 64; st.global.u32 [%a], 1; ret; }\n"
    ".visible .entry forever() { LOOP: bra LOOP; }\n";

#include "timeline_rig.h"

enum { ROUNDS = 2000 };

static void launch_of(WbModule *from, WbStream *stream, uint32_t word, uint32_t value, uint32_t rounds)
{
    uint64_t out = words + 4 * word;
    void *const pointers[] = {&out, &value, &rounds};
    WbKernel *kernel;
    check(wb_module_kernel(from, "work", &kernel));
    check(wb_stream_launch(stream, kernel,
                           &(WbLaunch){.grid = {1, 1, 1}, .block = {1, 1, 1}, .pointers = pointers}));
}

static void launch(WbStream *stream, uint32_t word, uint32_t value, uint32_t rounds)
{
    launch_of(module, stream, word, value, rounds);
}

static void launch_plain(WbModule *from, WbStream *stream, const char *name)
{
    WbKernel *kernel;
    check(wb_module_kernel(from, name, &kernel));
    check(wb_stream_launch(stream, kernel, &(WbLaunch){.grid = {1, 1, 1}, .block = {1, 1, 1}}));
}

/* The first unload cannot return its failure, and the second one still has to end what uses its module. */
static void modules_go_after_their_kernels(void **state)
{
    (void)state;
    WbModule *first = load(), *second = load();
    launch_plain(first, NULL, "stray");
    wb_module_unload(first);
    launch_of(second, NULL, 3, 7, 10);
    wb_module_unload(second);
    assert_int_equal(wb_wait(gpu), WB_ERROR_ADDRESS);
    check(wb_wait(gpu)); /* told once */
    assert_int_equal(word_at(3), 7);
}

/* The wait that tells of an older failure leaves what it was to wait for in the stream. */
static void waits_that_tell_an_older_failure(void **state)
{
    (void)state;
    WbModule *first = load();
    WbStream *stream = make_stream(0, 0);
    WbEvent *event;
    check(wb_event_create(gpu, &event));
    launch_plain(first, NULL, "stray");
    wb_module_unload(first);
    launch(stream, 0, 5, 10);
    check(wb_event_record(event, stream));
    assert_int_equal(wb_event_wait(event), WB_ERROR_ADDRESS);
    check(wb_event_wait(event));
    assert_int_equal(word_at(0), 5);
    wb_event_destroy(event);
}

static WbStream *called_stream;
static WbStatus status_of_wait;

static void call_back(void *context)
{
    (void)context;
    status_of_wait = wb_wait(gpu);
    launch(called_stream, 1, 9, 10);
}

/* Waiting in a host function would wait for the function itself; what it puts in runs. */
static void host_functions_cannot_wait(void **state)
{
    (void)state;
    called_stream = make_stream(WB_STREAM_NON_BLOCKING, 0);
    status_of_wait = WB_OK;
    check(wb_stream_call(gpu, NULL, call_back, NULL));
    launch(NULL, 0, 1, 10);
    check(wb_wait(gpu));
    assert_int_equal(status_of_wait, WB_ERROR_ARGUMENT);
    assert_int_equal(word_at(0), 1);
    assert_int_equal(word_at(1), 9);
}

static WbGate *gate;
static unsigned turns;

/* Puts a kernel in that is not known before, some times, and opens the gate then. */
static void decide(void *context)
{
    (void)context;
    if (turns-- == 0) {
        wb_gate_open(gate);
        return;
    }
    launch(called_stream, 1, 10 + turns, 10);
    check(wb_stream_call(gpu, called_stream, decide, NULL));
}

static void gates_let_work_come_in_between(void **state)
{
    (void)state;
    WbStream *stream = make_stream(WB_STREAM_NON_BLOCKING, 0);
    called_stream = make_stream(WB_STREAM_NON_BLOCKING, 0);
    turns = 3;
    launch(stream, 0, 1, 10);
    check(wb_stream_call(gpu, stream, decide, NULL));
    check(wb_stream_gate(gpu, stream, &gate));
    launch(stream, 2, 1, 10);
    check(wb_stream_wait(gpu, stream));
    assert_int_equal(wb_record_count(gpu), 5);
    assert_int_equal(word_at(1), 10);
    for (size_t i = 1; i < 5; i++) /* one behind the other, without a way from the host */
        assert_int_equal(record_at(i).launched, record_at(i - 1).ended);
}

static void closed_gates_are_found(void **state)
{
    (void)state;
    WbStream *stream = make_stream(0, 0);
    check(wb_stream_gate(gpu, stream, &gate));
    launch(stream, 0, 1, 10);
    assert_int_equal(wb_wait(gpu), WB_ERROR_DEADLOCK);
    assert_non_null(strstr(wb_error(gpu), "gate"));
    check(wb_wait(gpu));
    assert_int_equal(wb_record_count(gpu), 0);
    check(wb_stream_gate(gpu, stream, &gate)); /* of which another kernel's failure makes an end */
    launch_plain(module, NULL, "stray");
    assert_int_equal(wb_wait(gpu), WB_ERROR_DEADLOCK);
    check(wb_stream_gate(gpu, stream, &gate));
    wb_gate_open(gate);
    launch(stream, 0, 7, 10);
    check(wb_wait(gpu));
    assert_int_equal(word_at(0), 7);
}

/* What the default stream got after the stream's last operation is not the stream's. */
static void a_stream_is_waited_for_alone(void **state)
{
    (void)state;
    WbStream *stream = make_stream(0, 0), *other = make_stream(0, 0);
    launch(stream, 0, 1, 10);
    launch(NULL, 1, 1, ROUNDS);
    launch(other, 2, 1, 10);
    check(wb_stream_wait(gpu, stream));
    assert_true(wb_time(gpu) == (double)record_at(0).ended);
    assert_int_equal(wb_record_count(gpu), 1);
    check(wb_stream_wait(gpu, NULL)); /* the default stream waits for all blocking ones */
    assert_int_equal(record_at(1).launched, record_at(0).ended);
    assert_int_equal(record_at(2).launched, record_at(1).ended);
}

/* The default stream waits for a stream that was destroyed full, and for none that is long empty. */
static void destroyed_streams_still_count(void **state)
{
    (void)state;
    WbStream *empty = make_stream(0, 0), *full = make_stream(0, 0);
    launch(empty, 0, 1, 10);
    check(wb_wait(gpu));
    wb_stream_destroy(empty);
    launch(full, 1, 1, ROUNDS);
    launch(full, 2, 2, 10);
    wb_stream_destroy(full);
    launch(NULL, 2, 3, 10);
    check(wb_wait(gpu));
    assert_int_equal(record_at(3).launched, record_at(2).ended);
    assert_int_equal(word_at(2), 3);
}

/* The statistics of a kernel's second half only, and a record that is the first of the new count. */
static void statistics_begin_anew_inside_a_kernel(void **state)
{
    (void)state;
    WbStat all, of_first, idle, active;
    WbStream *stream = make_stream(0, 0);
    launch(stream, 0, 1, ROUNDS);
    check(wb_wait(gpu));
    check(wb_record_stat(gpu, 0, "warp_instructions", &of_first));
    launch(stream, 0, 2, ROUNDS);
    assert_int_equal(wb_stream_query(gpu, stream), WB_NOT_READY);
    const double since = wb_time(gpu);
    wb_stats_reset(gpu);
    check(wb_wait(gpu));
    assert_int_equal(wb_record_count(gpu), 1);
    check(wb_stat_find(gpu, "warp_instructions", &all));
    assert_true(all.value > 0 && all.value < of_first.value);
    check(wb_stat_find(gpu, "sm.active_cycles", &active));
    check(wb_stat_find(gpu, "sm.idle_cycles", &idle));
    assert_int_equal(active.value + idle.value, 15 * (uint64_t)(wb_time(gpu) - since));
}

static void registers_change_behind_queued_launches(void **state)
{
    (void)state;
    WbKernel *kernel;
    check(wb_module_kernel(module, "work", &kernel));
    launch(NULL, 0, 1, 10);
    check(wb_kernel_set_registers(kernel, 40));
    launch(NULL, 0, 1, 10);
    check(wb_wait(gpu));
    assert_true(record_at(0).registers < 40);
    assert_int_equal(record_at(1).registers, 40);
}

/* The sentence tells of the blocks of the kernel that does not end, not of its neighbours'. */
static void a_limit_is_each_kernels_own(void **state)
{
    (void)state;
    WbStream *one = make_stream(0, 0), *other = make_stream(0, 0);
    check(wb_gpu_set(gpu, "cycle_limit", "60000"));
    launch(one, 0, 1, ROUNDS);
    launch_plain(module, one, "forever"); /* begins when work has ended: it has its own 60000 cycles */
    launch(other, 1, 1, ROUNDS);
    launch(other, 1, 2, ROUNDS);
    launch(other, 1, 3, ROUNDS);
    assert_int_equal(wb_wait(gpu), WB_ERROR_DEADLOCK);
    assert_non_null(strstr(wb_error(gpu), "'forever'"));
    assert_non_null(strstr(wb_error(gpu), "1 is on SMs"));
    assert_true(wb_time(gpu) == (double)(record_at(0).ended + 60000));
    check(wb_gpu_set(gpu, "cycle_limit", "18446744073709551615"));
    launch(one, 0, 4, 10);
    launch(one, 0, 5, 10); /* its limit lies beyond the end of time */
    check(wb_wait(gpu));
    assert_int_equal(word_at(0), 5);
}

/* Priorities, events and the default stream across many streams: each word has the value of the last kernel
 * in its stream. Far more would take minutes if any list were walked for every operation. */
static void many_streams_and_operations(void **state)
{
    (void)state;
    enum { STREAMS = 500, EACH = 40 };
    static WbStream *streams[STREAMS];
    WbEvent *event;
    check(wb_gpu_set(gpu, "mode", "functional"));
    check(wb_event_create(gpu, &event));
    for (int i = 0; i < STREAMS; i++)
        check(wb_stream_create(gpu, 0, -(i % 3), &streams[i]));
    for (uint32_t k = 0; k < EACH; k++) {
        for (uint32_t i = 0; i < STREAMS; i++) {
            launch(streams[i], i, 1000 * k + i, 1);
            check(wb_event_record(event, streams[i]));
            check(wb_stream_wait_event(gpu, streams[(7 * i + 3) % STREAMS], event));
        }
        launch(NULL, 0, 5, 1);
        launch(NULL, 0, 6, 1);
    }
    for (int i = 0; i < STREAMS; i++)
        wb_stream_destroy(streams[i]);
    check(wb_wait(gpu));
    assert_int_equal(word_at(0), 6);
    for (uint32_t i = 1; i < STREAMS; i++)
        assert_int_equal(word_at(i), 1000 * (EACH - 1) + i);
    wb_event_destroy(event);
}

/* [DTBL §2.2]: streams that share a hardware queue wait for each other, those of other queues do not; a queue
 * is not looked at until its head kernel has completed. The default stream is in queue 0. */
static void streams_share_hardware_queues(void **state)
{
    (void)state;
    check(wb_gpu_set(gpu, "hardware_queues", "2"));
    WbStream *const streams[] = {make_stream(WB_STREAM_NON_BLOCKING, 0),
                                 make_stream(WB_STREAM_NON_BLOCKING, 0),
                                 make_stream(WB_STREAM_NON_BLOCKING, 0)};
    for (uint32_t i = 0; i < 3; i++) /* queues 1, 0 and 1 */
        launch(streams[i], i, i + 1, ROUNDS);
    launch(streams[2], 2, 7, ROUNDS);
    check(wb_wait(gpu));
    assert_int_equal(record_at(0).launched, record_at(1).launched);
    assert_int_equal(record_at(2).launched, record_at(0).ended);
    assert_int_equal(record_at(3).launched, record_at(2).ended);
    assert_int_equal(word_at(2), 7);
    /* With queues enough they all begin at once. */
    check(wb_gpu_set(gpu, "hardware_queues", "32"));
    const size_t before = wb_record_count(gpu);
    for (uint32_t i = 0; i < 3; i++)
        launch(streams[i], i, i + 1, ROUNDS);
    check(wb_wait(gpu));
    for (size_t i = 1; i < 3; i++)
        assert_int_equal(record_at(before + i).launched, record_at(before).launched);
}

/* From the call to the start: two launches on their way at once take it once, one behind a wait takes it
 * again, and other operations do not wait for a launch that is still on its way. */
static void launches_take_their_time_to_start(void **state)
{
    (void)state;
    enum { LATENCY = 30000 };
    check(wb_gpu_set(gpu, "host_launch_latency_ns", "30000"));
    check(wb_gpu_set(gpu, "host_launch_ns", "100"));
    WbStream *stream = make_stream(0, 0), *other = make_stream(0, 0);
    WbEvent *event;
    check(wb_event_create(gpu, &event));
    launch(stream, 0, 1, 10);
    launch(stream, 1, 2, ROUNDS);
    check(wb_event_record(event, other)); /* put in later, and there first */
    launch(other, 2, 3, 10);
    check(wb_wait(gpu));
    assert_int_equal(record_at(0).launched, LATENCY);
    assert_int_equal(record_at(1).launched, LATENCY + 200);
    assert_int_equal(record_at(2).launched, record_at(0).ended);
    double time;
    check(wb_event_time(event, &time));
    assert_true(time == 200);
    launch(stream, 0, 1, 10);
    check(wb_wait(gpu));
    assert_int_equal(record_at(3).launched, record_at(2).ended + LATENCY);
    wb_event_destroy(event);
}

static void call_batch(void *context)
{
    const double before = wb_time(gpu);
    wb_batch_begin(gpu);
    launch(called_stream, 2, 3, 10);
    wb_batch_end(gpu);
    *(double *)context = wb_time(gpu) - before;
}

static void launch_batch(void)
{
    wb_batch_begin(gpu);
    launch(make_stream(0, 0), 0, 1, 10);
    launch(make_stream(0, 0), 1, 2, 10);
    wb_batch_end(gpu);
}

/* A batch costs the host once, at its beginning, and a launch behind it its own; a batch of a host function
 * costs nothing. */
static void batches_are_one_call(void **state)
{
    (void)state;
    check(wb_gpu_set(gpu, "host_launch_ns", "5000"));
    check(wb_gpu_set(gpu, "graph_launch_ns", "700"));
    launch_batch();
    assert_true(wb_time(gpu) == 700);
    launch(make_stream(0, 0), 2, 3, 10);
    assert_true(wb_time(gpu) == 5700);
    check(wb_wait(gpu));
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(record_at(i).launched, 700);
    called_stream = make_stream(WB_STREAM_NON_BLOCKING, 0);
    double taken = -1;
    check(wb_stream_call(gpu, NULL, call_batch, &taken));
    check(wb_wait(gpu));
    assert_true(taken == 0);
}

static void without_their_time_batches_are_launches(void **state)
{
    (void)state;
    check(wb_gpu_set(gpu, "host_launch_ns", "5000"));
    launch_batch();
    assert_true(wb_time(gpu) == 10000);
    check(wb_wait(gpu));
    assert_int_equal(record_at(0).launched, 0);
    assert_int_equal(record_at(1).launched, 5000);
}

static WbRecord launch_prepared(bool prepared)
{
    WbKernel *kernel;
    uint64_t out = words;
    const uint32_t one = 1;
    const void *const pointers[] = {&out, &one, &one};
    check(wb_module_kernel(module, "work", &kernel));
    check(wb_launch(kernel, &(WbLaunch){.grid = {1, 1, 1},
                                        .block = {1, 1, 1},
                                        .pointers = (void *const *)pointers,
                                        .prepared = prepared}));
    check(wb_wait(gpu));
    return record_at(wb_record_count(gpu) - 1);
}

/* To the first block; the rest of the kernel is the same. A profiler's pass runs alone. */
static void prepared_kernels_come_sooner(void **state)
{
    (void)state;
    check(wb_gpu_set(gpu, "kernel_launch_cycles", "1000"));
    check(wb_gpu_set(gpu, "kernel_prepared_cycles", "90"));
    launch_prepared(false); /* brings the code */
    const WbRecord alone = launch_prepared(false), prepared = launch_prepared(true);
    assert_int_equal(alone.started - alone.launched, 1000);
    assert_int_equal(prepared.started - prepared.launched, 90);
    assert_int_equal(alone.cycles - prepared.cycles, 910);
    check(wb_gpu_set(gpu, "launch_passes", "2"));
    const WbRecord passed = launch_prepared(true);
    assert_int_equal(passed.started - passed.launched, 1000);
    check(wb_gpu_set(gpu, "launch_passes", "1"));
    check(wb_gpu_set(gpu, "kernel_prepared_cycles", "0"));
    const WbRecord without = launch_prepared(true);
    assert_int_equal(without.started - without.launched, 1000);
}

/* Waits end late, if there was anything to wait for: launches behind them are called late. */
static void waits_take_their_time_to_end(void **state)
{
    (void)state;
    check(wb_gpu_set(gpu, "host_sync_ns", "5000"));
    launch(NULL, 0, 1, 10);
    launch(NULL, 1, 2, 10);
    check(wb_wait(gpu));
    check(wb_wait(gpu));
    assert_int_equal(record_at(1).launched, record_at(0).ended);
    launch(NULL, 0, 1, 10);
    check(wb_stream_wait(gpu, NULL));
    assert_int_equal(record_at(2).launched, record_at(1).ended + 5000);
    assert_true(wb_time(gpu) == (double)record_at(2).ended + 5000);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_gpu, close_gpu)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(modules_go_after_their_kernels),
        TEST(waits_that_tell_an_older_failure),
        TEST(host_functions_cannot_wait),
        TEST(gates_let_work_come_in_between),
        TEST(closed_gates_are_found),
        TEST(a_stream_is_waited_for_alone),
        TEST(destroyed_streams_still_count),
        TEST(statistics_begin_anew_inside_a_kernel),
        TEST(registers_change_behind_queued_launches),
        TEST(a_limit_is_each_kernels_own),
        TEST(many_streams_and_operations),
        TEST(streams_share_hardware_queues),
        TEST(launches_take_their_time_to_start),
        TEST(batches_are_one_call),
        TEST(without_their_time_batches_are_launches),
        TEST(prepared_kernels_come_sooner),
        TEST(waits_take_their_time_to_end),
    };
    return cmocka_run_group_tests_name("timeline edges", tests, NULL, NULL);
}
