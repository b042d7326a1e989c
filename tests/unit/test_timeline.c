/* Streams, events, copies and host memory of the C API: what waits for what, and when it happens. */

/* work: a loop of `rounds`, then *out = value. add: *out += value, after the same loop. meet: the barrier of
 * a grid as nvcc writes it, then each block stores how many blocks it saw. */
static const char text[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry work(.param .u64 out, .param .u32 value, .param .u32 rounds) {\n"
    "  .reg .u64 %a; .reg .u32 %v, %n; .reg .pred %p;\n"
    "  ld.param.u64 %a, [out]; ld.param.u32 %v, [value]; ld.param.u32 %n, [rounds];\n"
    "LOOP: sub.u32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra LOOP;\n"
    "  st.global.u32 [%a], %v; ret; }\n"
    ".visible .entry add(.param .u64 out, .param .u32 value, .param .u32 rounds) {\n"
    "  .reg .u64 %a; .reg .u32 %v, %n, %o; .reg .pred %p;\n"
    "  ld.param.u64 %a, [out]; ld.param.u32 %v, [value]; ld.param.u32 %n, [rounds];\n"
    "LOOP: sub.u32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra LOOP;\n"
    "  ld.global.u32 %o, [%a]; add.u32 %o, %o, %v; st.global.u32 [%a], %o; ret; }\n"
    ".visible .entry time(.param .u64 out) {\n"
    "  .reg .u64 %a, %t; ld.param.u64 %a, [out]; mov.u64 %t, %globaltimer; st.global.u64 [%a], %t; ret; }\n"
    ".visible .entry workspace(.param .u64 out) {\n"
    "  .reg .u64 %a; .reg .u32 %h, %l; ld.param.u64 %a, [out]; mov.u32 %h, %envreg1; mov.u32 %l, %envreg2;\n"
    "  st.global.u32 [%a], %l; st.global.u32 [%a+4], %h; ret; }\n"
    ".visible .entry stray() { .reg .u64 %a; mov.u64 %a, 64; st.global.u32 [%a], 1; ret; }\n";

#include "timeline_rig.h"

enum { ROUNDS = 2000 };

/* Of the test on several threads. Threads meet every few cycles, which takes long under the sanitizers, and more
 * meetings of a kind find no more. */
#if defined __SANITIZE_THREAD__ || defined __SANITIZE_ADDRESS__
enum { CROSSING_ROUNDS = 100 };
static const char *const crossing_threads[] = {"2", "3"};
#else
enum { CROSSING_ROUNDS = ROUNDS };
static const char *const crossing_threads[] = {"2", "3", "8"};
#endif

static WbKernel *kernel(const char *name)
{
    WbKernel *found;
    check(wb_module_kernel(module, name, &found));
    return found;
}

static void launch(WbStream *stream, const char *name, uint32_t word, uint32_t value, uint32_t rounds)
{
    uint64_t out = words + 4 * word;
    void *const pointers[] = {&out, &value, &rounds};
    check(wb_stream_launch(stream, kernel(name),
                           &(WbLaunch){.grid = {1, 1, 1}, .block = {1, 1, 1}, .pointers = pointers}));
}

static void kernels_of_two_streams_overlap(void **state)
{
    (void)state;
    WbStream *one = make_stream(0, 0), *other = make_stream(0, 0);
    launch(one, "work", 0, 1, ROUNDS);
    launch(other, "work", 1, 2, ROUNDS);
    launch(one, "work", 2, 3, ROUNDS);
    check(wb_wait(gpu));
    assert_int_equal(wb_record_count(gpu), 3);
    const WbRecord first = record_at(0), second = record_at(1), third = record_at(2);
    assert_int_equal(first.launched, second.launched);
    assert_true(second.launched < first.ended);
    assert_int_equal(third.launched, first.ended);
    assert_true(!first.alone && !second.alone);
    assert_int_equal(word_at(0) + 10 * word_at(1) + 100 * word_at(2), 321);
    /* The machine's own counters count every instruction once, though the kernels' records overlap. */
    WbStat all, alone;
    check(wb_stat_find(gpu, "warp_instructions", &all));
    check(wb_record_stat(gpu, 2, "warp_instructions", &alone));
    assert_int_equal(all.value, 3 * alone.value);
    assert_int_equal(first.warp_instructions, alone.value);
    assert_int_equal(second.warp_instructions, alone.value);
    assert_int_equal(second.thread_instructions,
                     alone.value - 1); /* of one thread; the last branch is not taken */
    wb_stream_destroy(one);
    wb_stream_destroy(other);
}

/* Both kernels add to one word without atomics: only in order is the sum right, and only then are both
 * visible. */
static void one_stream_is_in_order(void **state)
{
    (void)state;
    WbStream *stream = make_stream(WB_STREAM_NON_BLOCKING, 0);
    for (uint32_t i = 1; i <= 4; i++)
        launch(stream, "add", 0, i, 10);
    check(wb_stream_wait(gpu, stream));
    assert_int_equal(word_at(0), 10);
}

/* A kernel of `blocks` blocks, by which its record is found again. */
static void launch_rounds(WbStream *stream, uint32_t blocks, uint32_t rounds)
{
    uint64_t out = words;
    uint32_t value = 1;
    void *const pointers[] = {&out, &value, &rounds};
    check(wb_stream_launch(stream, kernel("work"),
                           &(WbLaunch){.grid = {blocks, 1, 1}, .block = {1, 1, 1}, .pointers = pointers}));
}

static void launch_blocks(WbStream *stream, uint32_t blocks)
{
    launch_rounds(stream, blocks, ROUNDS);
}

static WbRecord record_of(uint32_t blocks)
{
    for (size_t i = 0; i < wb_record_count(gpu); i++) {
        if (record_at(i).grid.x == blocks)
            return record_at(i);
    }
    fail_msg("no kernel of %u blocks has run", blocks);
    return (WbRecord){0};
}

static void the_default_stream_waits_for_blocking_ones(void **state)
{
    (void)state;
    WbStream *blocking = make_stream(0, 0), *apart = make_stream(WB_STREAM_NON_BLOCKING, 0);
    launch_blocks(blocking, 1);
    launch_blocks(apart, 2);
    launch_blocks(NULL, 3);
    launch_blocks(blocking, 4);
    launch_blocks(apart, 5);
    check(wb_wait(gpu));
    assert_int_equal(record_of(1).launched, 0);
    assert_int_equal(record_of(2).launched, 0);
    assert_int_equal(record_of(3).launched, record_of(1).ended);
    assert_int_equal(record_of(4).launched, record_of(3).ended);
    assert_int_equal(record_of(5).launched, record_of(2).ended);
}

static void events_order_streams_and_tell_time(void **state)
{
    (void)state;
    WbStream *one = make_stream(0, 0), *other = make_stream(0, 0);
    WbEvent *begin, *middle, *end, *never;
    check(wb_event_create(gpu, &begin));
    check(wb_event_create(gpu, &middle));
    check(wb_event_create(gpu, &end));
    check(wb_event_create(gpu, &never));
    check(wb_event_record(begin, one));
    launch(one, "work", 0, 5, ROUNDS);
    check(wb_event_record(middle, one));
    check(wb_stream_wait_event(gpu, other, middle));
    check(wb_stream_wait_event(gpu, other, never));
    launch(other, "add", 0, 7, 10);
    check(wb_event_record(end, other));
    double from, to, last;
    assert_int_equal(wb_event_time(end, &last), WB_NOT_READY);
    assert_int_equal(wb_event_time(never, &last), WB_ERROR_ARGUMENT);
    check(wb_event_wait(middle));
    check(wb_event_time(begin, &from));
    check(wb_event_time(middle, &to));
    assert_true(to - from == (double)record_at(0).cycles);
    assert_true(wb_time(gpu) == to); /* the host waited so long, and the second kernel has not begun */
    assert_int_equal(wb_record_count(gpu), 1);
    check(wb_event_wait(end));
    check(wb_event_time(end, &last));
    assert_true(last - to == (double)record_at(1).cycles);
    assert_int_equal(word_at(0), 12);
    wb_event_destroy(begin);
    wb_event_destroy(middle);
    wb_event_destroy(end);
    wb_event_destroy(never);
}

static void an_event_keeps_its_first_record_for_those_who_wait(void **state)
{
    (void)state;
    WbStream *one = make_stream(0, 0), *other = make_stream(0, 0);
    WbEvent *event;
    check(wb_event_create(gpu, &event));
    launch(one, "work", 0, 1, 10);
    check(wb_event_record(event, one));
    check(wb_stream_wait_event(gpu, other, event));
    launch(one, "work", 1, 1, ROUNDS);
    check(wb_event_record(event, one));
    launch(other, "work", 2, 1, 10);
    wb_event_destroy(event); /* what was recorded and waited for still holds */
    check(wb_wait(gpu));
    assert_int_equal(record_at(1).launched, record_at(0).ended);
    assert_int_equal(record_at(2).launched, record_at(0).ended);
}

static void queries_let_time_pass(void **state)
{
    (void)state;
    WbStream *stream = make_stream(0, 0);
    check(wb_stream_query(gpu, stream));
    launch(stream, "work", 0, 1, ROUNDS);
    unsigned asked = 0;
    WbStatus status;
    while ((status = wb_stream_query(gpu, stream)) == WB_NOT_READY)
        asked++;
    check(status);
    assert_true(asked > 3);
    /* Each let at most a microsecond pass, and the last one no more than was needed. */
    assert_true(asked <= record_at(0).cycles / 1000 + 1);
    assert_true(wb_time(gpu) == (double)record_at(0).ended);
}

static void copies_take_their_time_and_share_an_engine(void **state)
{
    (void)state;
    static uint8_t bytes[64000];
    uint64_t device;
    double start, to, back;
    check(wb_gpu_set(gpu, "host_copy_rate", "1000")); /* a byte a nanosecond */
    check(wb_gpu_set(gpu, "host_copy_latency_ns", "500"));
    check(wb_malloc(gpu, sizeof bytes, &device));
    WbStream *one = make_stream(0, 0), *other = make_stream(0, 0);
    WbEvent *first, *second, *third;
    check(wb_event_create(gpu, &first));
    check(wb_event_create(gpu, &second));
    check(wb_event_create(gpu, &third));
    memset(bytes, 3, sizeof bytes);
    const WbCopy copy = {.destination = {.address = device, .row_pitch = 640},
                         .source = {.address = (uintptr_t)bytes, .is_host = true, .row_pitch = 640},
                         .width = 320,
                         .height = 100,
                         .depth = 1,
                         .reads_now = true};
    WbCopy return_copy = {
        .destination = copy.source, .source = copy.destination, .width = 320, .height = 1, .depth = 1};
    check(wb_event_record(first, one));
    check(wb_stream_copy(gpu, one, &copy));
    memset(bytes, 9, sizeof bytes); /* too late for the copy, which has read its source */
    check(wb_event_record(second, one));
    check(wb_stream_copy(gpu, other, &return_copy));
    check(wb_event_record(third, other));
    check(wb_wait(gpu));
    check(wb_event_time(first, &start));
    check(wb_event_time(second, &to));
    check(wb_event_time(third, &back));
    assert_true(to - start == 500 + 32000);
    assert_true(back - start == to - start + 500 + 320); /* gtx480 has one engine for both ways */
    check(wb_copy_from_device(gpu, bytes, device, sizeof bytes));
    assert_int_equal(bytes[0], 3);
    assert_int_equal(bytes[320], 0); /* between two rows */
    assert_int_equal(bytes[640 * 99 + 319], 3);
    const WbFill fill = {.address = device,
                         .row_pitch = 8,
                         .width = 2,
                         .height = 3,
                         .depth = 1,
                         .value = 0x01020304,
                         .element_bytes = 2};
    check(wb_stream_fill(gpu, NULL, &fill));
    check(wb_wait(gpu));
    check(wb_copy_from_device(gpu, bytes, device, 24));
    const uint8_t expected[] = {4, 3, 4, 3, 3, 3, 3, 3, 4, 3, 4, 3};
    assert_memory_equal(bytes, expected, sizeof expected);
    wb_event_destroy(first);
    wb_event_destroy(second);
    wb_event_destroy(third);
}

static void bad_copies_are_refused_when_put_in(void **state)
{
    (void)state;
    uint8_t byte;
    WbCopy copy = {.destination = {.address = words},
                   .source = {.address = (uintptr_t)&byte, .is_host = true},
                   .width = 4097,
                   .height = 1,
                   .depth = 1};
    assert_int_equal(wb_stream_copy(gpu, NULL, &copy), WB_ERROR_ARGUMENT);
    assert_non_null(strstr(wb_error(gpu), "destination"));
    copy.width = 8, copy.height = 2, copy.destination.row_pitch = 4;
    assert_int_equal(wb_stream_copy(gpu, NULL, &copy), WB_ERROR_ARGUMENT);
    assert_non_null(strstr(wb_error(gpu), "no box"));
    const WbFill fill = {.address = words + 1, .width = 1, .height = 1, .depth = 1, .element_bytes = 4};
    assert_int_equal(wb_stream_fill(gpu, NULL, &fill), WB_ERROR_ARGUMENT);
    check(wb_wait(gpu));
}

static void note(void *context) { *(double *)context = wb_time(gpu); }

static void host_functions_run_in_their_turn(void **state)
{
    (void)state;
    WbStream *stream = make_stream(0, 0);
    double when = -1;
    launch(stream, "work", 0, 1, ROUNDS);
    check(wb_stream_call(gpu, stream, note, &when));
    launch(stream, "work", 1, 1, 10);
    assert_true(when == -1);
    check(wb_wait(gpu));
    assert_true(when == (double)record_at(0).ended);
}

/* One SM with room for one block: the kernel of high priority comes first though it was launched last. */
static void priority_decides_who_gets_a_place(void **state)
{
    (void)state;
    check(wb_gpu_set(gpu, "sm_count", "1"));
    check(wb_gpu_set(gpu, "max_blocks_per_sm", "1"));
    launch_blocks(make_stream(0, 0), 4);
    launch_blocks(make_stream(0, -1), 3);
    check(wb_wait(gpu));
    assert_int_equal(record_of(3).launched, record_of(4).launched);
    assert_true(record_of(3).ended * 2 < record_of(4).ended);
}

static void only_so_many_kernels_at_once(void **state)
{
    (void)state;
    check(wb_gpu_set(gpu, "concurrent_kernels", "2"));
    for (uint32_t i = 0; i < 3; i++)
        launch(make_stream(0, 0), "work", i, 1, ROUNDS);
    check(wb_wait(gpu));
    assert_int_equal(record_at(0).launched, record_at(1).launched);
    assert_int_equal(record_at(2).launched, record_at(0).ended);
}

static void launches_cost_the_host_time(void **state)
{
    (void)state;
    check(wb_gpu_set(gpu, "host_launch_ns", "5000"));
    launch(make_stream(0, 0), "work", 0, 1, 10);
    launch(make_stream(0, 0), "work", 1, 1, 10);
    check(wb_wait(gpu));
    assert_int_equal(record_at(0).launched, 0);
    assert_int_equal(record_at(1).launched, 5000);
    assert_true(wb_time(gpu) >= 10000);
}

static void cooperative_launches_fit_or_are_refused(void **state)
{
    (void)state;
    uint64_t out = words, workspace = 1;
    void *const pointers[] = {&out};
    WbLaunch wide = {.grid = {15 * 8, 1, 1}, .block = {32, 1, 1}, .pointers = pointers, .cooperative = true};
    check(wb_launch(kernel("workspace"), &wide));
    check(wb_copy_from_device(gpu, &workspace, words, 8));
    WbAddress found;
    check(wb_address_find(gpu, workspace, &found));
    assert_int_equal(found.memory, WB_MEMORY_VARIABLE);
    wide.grid.x++;
    assert_int_equal(wb_launch(kernel("workspace"), &wide), WB_ERROR_TOO_LARGE);
    wide.cooperative = false;
    check(wb_launch(kernel("workspace"), &wide));
    check(wb_copy_from_device(gpu, &workspace, words, 8));
    assert_int_equal(workspace, 0);
}

static void a_failure_drops_what_is_left(void **state)
{
    (void)state;
    WbStream *stream = make_stream(0, 0), *other = make_stream(0, 0);
    WbEvent *event;
    check(wb_event_create(gpu, &event));
    launch(other, "work", 0, 1, ROUNDS);
    check(wb_stream_launch(stream, kernel("stray"), &(WbLaunch){.grid = {1, 1, 1}, .block = {1, 1, 1}}));
    launch(stream, "work", 1, 1, 10);
    check(wb_event_record(event, stream));
    assert_int_equal(wb_stream_wait(gpu, stream), WB_ERROR_ADDRESS);
    assert_non_null(strstr(wb_error(gpu), "1 launch queued behind it"));
    check(wb_event_query(event));
    assert_int_equal(word_at(1), 0);
    launch(stream, "work", 1, 4, 10); /* the GPU works again */
    check(wb_wait(gpu));
    assert_int_equal(word_at(1), 4);
    wb_event_destroy(event);
}

static void host_memory_is_reached_at_its_own_address(void **state)
{
    (void)state;
    uint32_t *pinned, *managed, own[200] = {0};
    uint64_t total, before, after;
    check(wb_memory_size(gpu, &total, &before));
    check(wb_host_alloc(gpu, 8, WB_MEMORY_HOST, (void **)&pinned));
    check(wb_host_alloc(gpu, 100000, WB_MEMORY_MANAGED, (void **)&managed));
    check(wb_memory_size(gpu, &total, &after));
    assert_int_equal(before - after, 100000);
    check(wb_host_register(gpu, &own[100], 4));
    uint64_t places[] = {(uintptr_t)pinned, (uintptr_t)(managed + 9), (uintptr_t)&own[100]};
    uint32_t value = 77, rounds = 1;
    for (int i = 0; i < 3; i++) {
        void *const pointers[] = {&places[i], &value, &rounds};
        check(wb_launch(kernel("work"),
                        &(WbLaunch){.grid = {1, 1, 1}, .block = {1, 1, 1}, .pointers = pointers}));
    }
    check(wb_wait(gpu));
    assert_int_equal(pinned[0] + managed[9] + own[100], 3 * 77);
    WbAddress found;
    check(wb_address_find(gpu, places[1], &found));
    assert_int_equal(found.memory, WB_MEMORY_MANAGED);
    assert_int_equal(found.base, (uintptr_t)managed);
    assert_int_equal(wb_host_register(gpu, &own[100], 4), WB_ERROR_ARGUMENT); /* it is already */
    assert_int_equal(wb_host_free(gpu, &own[100]), WB_ERROR_ARGUMENT);
    assert_int_equal(wb_host_unregister(gpu, pinned), WB_ERROR_ARGUMENT);
    check(wb_host_unregister(gpu, &own[100]));
    check(wb_host_free(gpu, pinned));
    check(wb_host_free(gpu, managed));
    void *const gone[] = {&places[0], &value, &rounds};
    check(wb_launch(kernel("work"), &(WbLaunch){.grid = {1, 1, 1}, .block = {1, 1, 1}, .pointers = gone}));
    assert_int_equal(wb_wait(gpu), WB_ERROR_ADDRESS);
}

/* Only kernels that the pattern names are timed; the others happen all the same. */
static void untimed_kernels_leave_no_record(void **state)
{
    (void)state;
    check(wb_gpu_set(gpu, "timed_kernels", "ad?"));
    launch(NULL, "work", 0, 30, 10);
    launch(NULL, "add", 0, 4, 10);
    check(wb_wait(gpu));
    assert_int_equal(wb_record_count(gpu), 1);
    assert_string_equal(record_at(0).name, "add");
    assert_int_equal(word_at(0), 34);
}

static void simulated_time_goes_on_in_functional_mode(void **state)
{
    (void)state;
    uint64_t first, second, out = words;
    void *const pointers[] = {&out};
    const WbLaunch one = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .pointers = pointers};
    check(wb_gpu_set(gpu, "mode", "functional"));
    check(wb_launch(kernel("time"), &one));
    check(wb_copy_from_device(gpu, &first, words, 8));
    launch(NULL, "work", 8, 1, 100);
    check(wb_launch(kernel("time"), &one));
    check(wb_copy_from_device(gpu, &second, words, 8));
    assert_true(second > first + 300);
    assert_true(wb_time(gpu) >= (double)second);
}

/* Streams whose kernels, copies and events get in each other's way; leaves what was recorded in `times`. */
static size_t run_crossing_streams(const char *threads, uint64_t *times)
{
    check(wb_gpu_set(gpu, "threads", threads));
    WbStream *streams[3] = {make_stream(0, 0), make_stream(0, -1), make_stream(WB_STREAM_NON_BLOCKING, 0)};
    WbEvent *event;
    check(wb_event_create(gpu, &event));
    for (uint32_t i = 0; i < 12; i++) {
        WbStream *stream = streams[i % 3];
        launch_rounds(stream, 20 + 7 * i, CROSSING_ROUNDS);
        if (i % 4 == 1)
            check(wb_event_record(event, stream));
        if (i % 4 == 2)
            check(wb_stream_wait_event(gpu, streams[(i + 2) % 3], event));
        const WbCopy copy = {.destination = {.address = words + 2048},
                             .source = {.address = words},
                             .width = 512,
                             .height = 1,
                             .depth = 1};
        check(wb_stream_copy(gpu, stream, &copy));
    }
    launch_rounds(NULL, 5, CROSSING_ROUNDS);
    check(wb_wait(gpu));
    size_t count = 0;
    for (size_t i = 0; i < wb_record_count(gpu); i++) {
        const WbRecord record = record_at(i);
        WbStat stalls;
        check(wb_record_stat(gpu, i, "scheduler.stall_memory", &stalls));
        const uint64_t seen[] = {record.grid.x, record.launched, record.started, record.ended, stalls.value};
        memcpy(times + count, seen, sizeof seen);
        count += sizeof seen / sizeof *seen;
    }
    for (size_t i = 0; i < wb_stat_count(gpu); i++) {
        WbStat stat;
        check(wb_stat_at(gpu, i, &stat));
        times[count++] = stat.value;
    }
    wb_event_destroy(event);
    return count;
}

static void overlap_is_the_same_on_any_number_of_threads(void **state)
{
    static uint64_t expected[4096], found[4096];
    const size_t count = run_crossing_streams("1", expected);
    for (size_t i = 0; i < sizeof crossing_threads / sizeof *crossing_threads; i++) {
        close_gpu(state);
        open_gpu(state);
        assert_int_equal(run_crossing_streams(crossing_threads[i], found), count);
        assert_memory_equal(found, expected, count * sizeof *found);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_gpu, close_gpu)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(kernels_of_two_streams_overlap),
        TEST(one_stream_is_in_order),
        TEST(the_default_stream_waits_for_blocking_ones),
        TEST(events_order_streams_and_tell_time),
        TEST(an_event_keeps_its_first_record_for_those_who_wait),
        TEST(queries_let_time_pass),
        TEST(copies_take_their_time_and_share_an_engine),
        TEST(bad_copies_are_refused_when_put_in),
        TEST(host_functions_run_in_their_turn),
        TEST(priority_decides_who_gets_a_place),
        TEST(only_so_many_kernels_at_once),
        TEST(launches_cost_the_host_time),
        TEST(cooperative_launches_fit_or_are_refused),
        TEST(a_failure_drops_what_is_left),
        TEST(host_memory_is_reached_at_its_own_address),
        TEST(untimed_kernels_leave_no_record),
        TEST(simulated_time_goes_on_in_functional_mode),
        TEST(overlap_is_the_same_on_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
