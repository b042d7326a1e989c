/* Several GPUs of one host: one time, addresses that do not overlap, kernels that use each other's memory. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "warpbeam.h"

/* `play` waits until *own is `first`, writes the number behind it to *other, and waits for the one behind that.
 * `put` writes a number a thread, `count` adds up. */
static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry play(.param .u64 own, .param .u64 other, .param .u32 first, .param .u32 last) {\n"
    "  .reg .u64 %a, %b; .reg .u32 %r, %n, %l; .reg .pred %p;\n"
    "  ld.param.u64 %a, [own]; ld.param.u64 %b, [other]; ld.param.u32 %n, [first]; ld.param.u32 %l, [last];\n"
    "Wait: ld.volatile.global.u32 %r, [%a]; setp.ne.u32 %p, %r, %n; @%p bra Wait;\n"
    "  add.u32 %n, %n, 1; st.volatile.global.u32 [%b], %n; add.u32 %n, %n, 1;\n"
    "  setp.lt.u32 %p, %n, %l; @%p bra Wait;\n"
    "  ret;\n}\n"
    ".visible .entry put(.param .u64 to, .param .u32 value) {\n"
    "  .reg .u64 %a; .reg .u32 %v, %t;\n"
    "  ld.param.u64 %a, [to]; ld.param.u32 %v, [value]; mov.u32 %t, %tid.x;\n"
    "  mad.wide.u32 %a, %t, 4, %a; add.u32 %v, %v, %t; st.global.u32 [%a], %v;\n"
    "  ret;\n}\n"
    ".visible .entry count(.param .u64 to, .param .u32 times) {\n"
    "  .reg .u64 %a; .reg .u32 %v, %n; .reg .pred %p;\n"
    "  ld.param.u64 %a, [to]; ld.param.u32 %n, [times];\n"
    "Again: atom.global.add.u32 %v, [%a], 1; sub.u32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra Again;\n"
    "  ret;\n}\n";

enum { MOST = 4 };

typedef struct Rig {
    WbGpu *gpus[MOST];
    WbModule *modules[MOST];
    uint64_t words[MOST]; /* 64 of them on each */
    uint32_t count;
} Rig;

static void open_rig(Rig *rig, const char *const *names, uint32_t count, const char *mode,
                     const char *threads)
{
    static const uint32_t zeros[64];
    *rig = (Rig){.count = count};
    char error[256];
    if (wb_gpus_open(names, count, rig->gpus, error, sizeof error))
        fail_msg("%s", error);
    for (uint32_t i = 0; i < count; i++) {
        WbGpu *gpu = rig->gpus[i];
        assert_int_equal(wb_gpu_set(gpu, "mode", mode) | wb_gpu_set(gpu, "threads", threads), WB_OK);
        assert_int_equal(wb_module_load(gpu, "a.ptx", ptx, sizeof ptx - 1, &rig->modules[i]), WB_OK);
        assert_int_equal(wb_malloc(gpu, sizeof zeros, &rig->words[i]), WB_OK);
        assert_int_equal(wb_copy_to_device(gpu, rig->words[i], zeros, sizeof zeros), WB_OK);
        assert_int_equal(wb_gpu_index(gpu), i);
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < count; k++)
            if (i != k)
                assert_int_equal(wb_peer_enable(rig->gpus[i], rig->gpus[k], true), WB_OK);
}

static void close_rig(Rig *rig)
{
    for (uint32_t i = 0; i < rig->count; i++)
        wb_gpu_close(rig->gpus[i]);
}

static void launch(Rig *rig, uint32_t gpu, const char *name, uint32_t threads, const void *const *arguments)
{
    WbKernel *kernel;
    assert_int_equal(wb_module_kernel(rig->modules[gpu], name, &kernel), WB_OK);
    const WbLaunch how = {
        .grid = {1, 1, 1}, .block = {threads, 1, 1}, .pointers = (void *const *)arguments};
    assert_int_equal(wb_launch(kernel, &how), WB_OK);
}

static void play(Rig *rig, uint32_t gpu, uint32_t other, uint32_t first, uint32_t last)
{
    launch(rig, gpu, "play", 1, (const void *[]){&rig->words[gpu], &rig->words[other], &first, &last});
}

static uint32_t word(Rig *rig, uint32_t gpu, uint32_t at)
{
    uint32_t value;
    assert_int_equal(wb_copy_from_device(rig->gpus[gpu], &value, rig->words[gpu] + 4 * at, sizeof value), WB_OK);
    return value;
}

static const char *const alike[MOST] = {"gtx480", "gtx480", "gtx480", "gtx480"};
static const char *const different[MOST] = {"h200", "titanx", "gtx480", "h200"};

/* Each has its own range, and a pointer says whose it is. */
static void addresses_do_not_overlap(void **state)
{
    (void)state;
    Rig rig;
    open_rig(&rig, alike, MOST, "functional", "1");
    for (uint32_t i = 0; i < MOST; i++)
        assert_int_equal(rig.words[i] >> 40, i);
    close_rig(&rig);
}

static void kernels_store_into_peers(void **state)
{
    (void)state;
    for (uint32_t mode = 0; mode < 2; mode++) {
        Rig rig;
        const uint32_t value = 100;
        open_rig(&rig, alike, 2, mode ? "cycle" : "functional", "1");
        launch(&rig, 0, "put", 32, (const void *[]){&rig.words[1], &value});
        assert_int_equal(wb_wait(rig.gpus[0]), WB_OK);
        for (uint32_t i = 0; i < 32; i++)
            assert_int_equal(word(&rig, 1, i), 100 + i);
        close_rig(&rig);
    }
}

static void atomics_of_all_count(void **state)
{
    (void)state;
    for (uint32_t mode = 0; mode < 2; mode++) {
        Rig rig;
        const uint32_t times = 20;
        open_rig(&rig, alike, MOST, mode ? "cycle" : "functional", "2");
        for (uint32_t i = 0; i < MOST; i++)
            launch(&rig, i, "count", 32, (const void *[]){&rig.words[2], &times});
        for (uint32_t i = 0; i < MOST; i++)
            assert_int_equal(wb_wait(rig.gpus[i]), WB_OK);
        assert_int_equal(word(&rig, 2, 0), MOST * 32 * times);
        close_rig(&rig);
    }
}

/* The time of a ping-pong over flags, of the GPUs with these names. */
static double ping_pong(const char *const *names, const char *mode, const char *threads)
{
    Rig rig;
    const uint32_t one = 1;
    open_rig(&rig, names, 2, mode, threads);
    assert_int_equal(wb_copy_to_device(rig.gpus[0], rig.words[0], &one, sizeof one), WB_OK);
    play(&rig, 1, 0, 2, 40);
    play(&rig, 0, 1, 1, 40);
    if (wb_wait(rig.gpus[1]))
        fail_msg("%s", wb_error(rig.gpus[1]));
    assert_int_equal(wb_wait(rig.gpus[0]), WB_OK);
    assert_int_equal(word(&rig, 1, 0), 40);
    const double time = wb_time(rig.gpus[0]);
    assert_true(time == wb_time(rig.gpus[1]));
    close_rig(&rig);
    return time;
}

static void kernels_of_two_gpus_wait_for_each_other(void **state)
{
    (void)state;
    ping_pong(alike, "functional", "1");
    assert_true(ping_pong(alike, "cycle", "1") > 0);
}

static void times_are_the_same_for_all_numbers_of_threads(void **state)
{
    (void)state;
    const double time = ping_pong(different, "cycle", "1");
    for (uint32_t i = 2; i < 5; i++) {
        const char threads[] = {(char)('0' + i), '\0'};
        assert_true(ping_pong(different, "cycle", threads) == time);
    }
}

static void a_stream_waits_for_an_event_of_another_gpu(void **state)
{
    (void)state;
    for (uint32_t mode = 0; mode < 2; mode++) {
        Rig rig;
        WbEvent *event, *after;
        double first, second;
        const uint32_t times = 200, value = 7;
        open_rig(&rig, different, 2, mode ? "cycle" : "functional", "1");
        assert_int_equal(wb_event_create(rig.gpus[0], &event) | wb_event_create(rig.gpus[1], &after), WB_OK);
        launch(&rig, 0, "count", 32, (const void *[]){&rig.words[0], &times});
        assert_int_equal(wb_event_record(event, NULL), WB_OK);
        assert_int_equal(wb_stream_wait_event(rig.gpus[1], NULL, event), WB_OK);
        launch(&rig, 1, "put", 1, (const void *[]){&rig.words[0], &value});
        assert_int_equal(wb_event_record(after, NULL), WB_OK);
        assert_int_equal(wb_wait(rig.gpus[1]), WB_OK);
        assert_int_equal(wb_event_time(event, &first) | wb_event_time(after, &second), WB_OK);
        assert_true(second > first);
        assert_int_equal(word(&rig, 0, 0), 7);
        wb_event_destroy(event);
        wb_event_destroy(after);
        close_rig(&rig);
    }
}

/* What is in a stream of GPU 1 waits for a gate that the host opens when GPU 0 is done. */
static void a_wait_is_for_one_gpu(void **state)
{
    (void)state;
    for (uint32_t mode = 0; mode < 2; mode++) {
        Rig rig;
        const uint32_t times = 2;
        open_rig(&rig, alike, 2, mode ? "cycle" : "functional", "1");
        WbStream *stream;
        assert_int_equal(wb_stream_create(rig.gpus[1], WB_STREAM_NON_BLOCKING, 0, &stream), WB_OK);
        WbGate *gate;
        assert_int_equal(wb_stream_gate(rig.gpus[1], stream, &gate), WB_OK);
        launch(&rig, 0, "count", 32, (const void *[]){&rig.words[0], &times});
        assert_int_equal(wb_wait(rig.gpus[0]), WB_OK);
        wb_gate_open(gate);
        assert_int_equal(wb_wait(rig.gpus[1]), WB_OK);
        wb_stream_destroy(stream);
        close_rig(&rig);
    }
}

/* Both wait for the other to begin: that is found, and not as long as only one of them waits. */
static void gpus_that_spin_for_each_other_are_found(void **state)
{
    (void)state;
    for (uint32_t mode = 0; mode < 2; mode++) {
        Rig rig;
        open_rig(&rig, alike, 2, mode ? "cycle" : "functional", "1");
        for (uint32_t i = 0; i < 2; i++)
            assert_int_equal(wb_gpu_set(rig.gpus[i], "watchdog_cycles", "20000"), WB_OK);
        play(&rig, 0, 1, 1, 10);
        play(&rig, 1, 0, 1, 10);
        assert_int_equal(wb_wait(rig.gpus[0]), WB_ERROR_DEADLOCK);
        assert_non_null(strstr(wb_error(rig.gpus[0]), "spin"));
        close_rig(&rig);
    }
}

static void kernels_need_leave_to_use_a_peer(void **state)
{
    (void)state;
    for (uint32_t mode = 0; mode < 2; mode++) {
        Rig rig;
        const uint32_t value = 1;
        open_rig(&rig, alike, 2, mode ? "cycle" : "functional", "1");
        assert_int_equal(wb_peer_enable(rig.gpus[0], rig.gpus[1], true), WB_ERROR_ARGUMENT);
        assert_int_equal(wb_peer_enable(rig.gpus[0], rig.gpus[1], false), WB_OK);
        assert_false(wb_peer_is_enabled(rig.gpus[0], rig.gpus[1]));
        launch(&rig, 0, "put", 1, (const void *[]){&rig.words[1], &value});
        assert_int_equal(wb_wait(rig.gpus[0]), WB_ERROR_ADDRESS);
        assert_int_equal(word(&rig, 1, 0), 0);
        close_rig(&rig);
    }
}

static void bad_numbers_of_gpus_are_refused(void **state)
{
    (void)state;
    WbGpu *gpus[2];
    char error[256];
    const char *const names[] = {"gtx480", "gtx48"};
    assert_int_equal(wb_gpus_open(names, 0, gpus, error, sizeof error), WB_ERROR_ARGUMENT);
    assert_int_equal(wb_gpus_open(names, 33, gpus, error, sizeof error), WB_ERROR_ARGUMENT);
    assert_non_null(strstr(error, "33"));
    assert_int_not_equal(wb_gpus_open(names, 2, gpus, error, sizeof error), WB_OK);
    assert_non_null(strstr(error, "gtx48"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_do_not_overlap),
        cmocka_unit_test(kernels_store_into_peers),
        cmocka_unit_test(atomics_of_all_count),
        cmocka_unit_test(kernels_of_two_gpus_wait_for_each_other),
        cmocka_unit_test(times_are_the_same_for_all_numbers_of_threads),
        cmocka_unit_test(a_stream_waits_for_an_event_of_another_gpu),
        cmocka_unit_test(a_wait_is_for_one_gpu),
        cmocka_unit_test(gpus_that_spin_for_each_other_are_found),
        cmocka_unit_test(kernels_need_leave_to_use_a_peer),
        cmocka_unit_test(bad_numbers_of_gpus_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
