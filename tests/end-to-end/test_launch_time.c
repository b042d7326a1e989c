/* What a launch takes besides its blocks: after a flush, with code and parameters brought, with late stores. */
#include <string.h>

#include "harness.h"

static const char *const text = PTX_HEADER ".visible .entry nothing()\n"
                                           "{\n"
                                           "ret;\n"
                                           "}\n"
                                           ".visible .entry stores(.param .u64 data)\n"
                                           "{\n"
                                           ".reg .u64 %d<2>;\n"
                                           "ld.param.u64 %d1, [data]; st.global.u32 [%d1], 7; ret;\n"
                                           "}\n"
                                           ".visible .entry lines(.param .u64 data)\n"
                                           "{\n"
                                           ".reg .u64 %d<3>; .reg .u32 %r<2>;\n"
                                           "ld.param.u64 %d1, [data]; mov.u32 %r1, %tid.x;\n"
                                           "mul.wide.u32 %d2, %r1, 4; add.s64 %d1, %d1, %d2;\n"
                                           "st.global.u32 [%d1], 7; ret;\n"
                                           "}\n"
                                           /* So many blocks store, the first one long behind the others. */
                                           ".visible .entry some_store(.param .u64 data, .param .u32 n)\n"
                                           "{\n"
                                           ".reg .u64 %d<3>; .reg .u32 %r<5>; .reg .pred %p<3>;\n"
                                           "ld.param.u64 %d1, [data]; ld.param.u32 %r1, [n];\n"
                                           "mov.u32 %r2, %ctaid.x; mov.u32 %r3, 0;\n"
                                           "setp.ge.u32 %p1, %r2, %r1; @%p1 ret;\n"
                                           "setp.ne.u32 %p2, %r2, 0; @%p2 bra S;\n"
                                           "L: add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 500; @%p1 bra L;\n"
                                           "S: mov.u32 %r4, %tid.x; mul.wide.u32 %d2, %r4, 4;\n"
                                           "add.s64 %d1, %d1, %d2; st.global.u32 [%d1], 7; ret;\n"
                                           "}\n";

typedef struct Bench {
    WbGpu *gpu;
    WbModule *module;
    uint64_t data;
} Bench;

static void ok(const Bench *bench, WbStatus status)
{
    if (status)
        fail_msg("%s", wb_error(bench->gpu));
}

static Bench bench_open(const char *knob, const char *other)
{
    const char *const knobs[] = {"mode=cycle", "sm_count=1", "kernel_end_cycles=20", knob, other, NULL};
    Bench bench = {.gpu = harness_open("gtx480", knobs)};
    ok(&bench, wb_module_load(bench.gpu, "launch_time.ptx", text, strlen(text), &bench.module));
    ok(&bench, wb_malloc(bench.gpu, 256, &bench.data));
    return bench;
}

static uint64_t cycles_of(const Bench *bench, const char *name)
{
    const WbArgument argument = WB_ARG(bench->data);
    const WbLaunch launch = {.grid = {1, 1, 1},
                             .block = {32, 1, 1},
                             .arguments = &argument,
                             .argument_count = strcmp(name, "nothing") != 0};
    WbKernel *kernel;
    WbRecord record;
    ok(bench, wb_module_kernel(bench->module, name, &kernel));
    ok(bench, wb_launch(kernel, &launch));
    ok(bench, wb_wait(bench->gpu));
    ok(bench, wb_record_at(bench->gpu, wb_record_count(bench->gpu) - 1, &record));
    return record.cycles;
}

static uint64_t cycles_with(const char *knob, const char *other, const char *name)
{
    Bench bench = bench_open(knob, other);
    const uint64_t cycles = cycles_of(&bench, name);
    wb_gpu_close(bench.gpu);
    return cycles;
}

/* Also before there is a machine; and the launch behind it takes what it always does. */
static void takes_longer_after_a_flush(void **state)
{
    (void)state;
    for (int first = 0; first < 2; first++) {
        Bench bench = bench_open("kernel_flushed_cycles=137", "threads=1");
        const uint64_t warm = first ? cycles_with("kernel_flushed_cycles=137", "threads=1", "nothing")
                                    : cycles_of(&bench, "nothing");
        ok(&bench, wb_gpu_flush(bench.gpu));
        assert_int_equal(cycles_of(&bench, "nothing"), warm + 137);
        assert_int_equal(cycles_of(&bench, "nothing"), warm);
        wb_gpu_close(bench.gpu);
    }
}

static void brings_code(void **state)
{
    (void)state;
    const uint64_t near = cycles_with("icache_miss_latency=400", "launch_prefetch=true", "nothing");
    assert_int_equal(cycles_with("icache_miss_latency=400", "launch_prefetch=false", "nothing"), near + 400);
    assert_int_equal(cycles_with("icache_miss_latency=900", "launch_prefetch=true", "nothing"), near);
}

static void brings_parameters(void **state)
{
    (void)state;
    const uint64_t near = cycles_with("const_miss_latency=400", "launch_prefetch=true", "stores");
    assert_int_equal(cycles_with("const_miss_latency=900", "launch_prefetch=true", "stores"), near);
    assert_true(cycles_with("const_miss_latency=900", "launch_prefetch=false", "stores") >= near + 900);
}

static uint64_t after_a_flush(const char *knob, const char *name)
{
    Bench bench = bench_open(knob, "launch_prefetch=true");
    cycles_of(&bench, name);
    ok(&bench, wb_gpu_flush(bench.gpu));
    const uint64_t cycles = cycles_of(&bench, name);
    wb_gpu_close(bench.gpu);
    return cycles;
}

/* They are near, and come when they are read first. */
static void waits_for_parameters(void **state)
{
    (void)state;
    const uint64_t near = cycles_with("launch_parameter_cycles=0", "launch_prefetch=true", "stores");
    assert_int_equal(cycles_with("launch_parameter_cycles=72", "launch_prefetch=true", "stores"), near + 72);
    const uint64_t flushed = after_a_flush("launch_parameter_flushed_cycles=0", "stores");
    assert_int_equal(after_a_flush("launch_parameter_flushed_cycles=70", "stores"), flushed + 70);
    const uint64_t none = after_a_flush("launch_parameter_flushed_cycles=0", "nothing");
    assert_int_equal(after_a_flush("launch_parameter_flushed_cycles=70", "nothing"), none);
}

static void waits_for_code_after_a_flush(void **state)
{
    (void)state;
    const uint64_t none = after_a_flush("launch_code_flushed_cycles=0", "nothing");
    assert_int_equal(after_a_flush("launch_code_flushed_cycles=330", "nothing"), none + 330);
    const uint64_t kept = cycles_with("launch_code_flushed_cycles=330", "launch_prefetch=true", "nothing");
    assert_int_equal(kept, cycles_with("launch_code_flushed_cycles=0", "launch_prefetch=true", "nothing"));
}

/* The store is on its way when its block ends, and comes later than the end's own time. */
static void ends_behind_late_stores(void **state)
{
    (void)state;
    const uint64_t soon = cycles_with("kernel_drain_cycles=500", "block_end_waits=false", "stores");
    assert_int_equal(cycles_with("kernel_drain_cycles=501", "block_end_waits=false", "stores"), soon + 1);
    const uint64_t none = cycles_with("kernel_drain_cycles=500", "block_end_waits=false", "nothing");
    assert_int_equal(cycles_with("kernel_drain_cycles=501", "block_end_waits=false", "nothing"), none);
}

static void flushes_late_lines(void **state)
{
    (void)state;
    const uint64_t soon = cycles_with("kernel_flush_cycles=5000", "block_end_waits=false", "lines");
    assert_int_equal(cycles_with("kernel_flush_cycles=5001", "block_end_waits=false", "lines"), soon + 1);
    static const char *const others[] = {"nothing", "stores"};
    for (size_t i = 0; i < 2; i++) {
        const uint64_t none = cycles_with("kernel_flush_cycles=0", "block_end_waits=false", others[i]);
        assert_int_equal(cycles_with("kernel_flush_cycles=5000", "block_end_waits=false", others[i]), none);
    }
    /* Where blocks' ends wait, no store is late. */
    const uint64_t waits = cycles_with("kernel_flush_cycles=0", "block_end_waits=true", "lines");
    assert_int_equal(cycles_with("kernel_flush_cycles=5000", "block_end_waits=true", "lines"), waits);
}

/* What an SM has stored for one kernel does not make the next one longer. */
static void forgets_lines(void **state)
{
    (void)state;
    Bench bench = bench_open("kernel_flush_cycles=5000", "block_end_waits=false");
    const uint64_t first = cycles_of(&bench, "stores");
    cycles_of(&bench, "lines");
    assert_int_equal(cycles_of(&bench, "stores"), first);
    wb_gpu_close(bench.gpu);
}

static uint64_t cycles_of_some(uint32_t storing, uint32_t blocks)
{
    /* 70 MHz beside 700: word takes ten cycles. */
    const char *const knobs[] = {"mode=cycle",
                                 "sm_count=4",
                                 "kernel_flush_cycles=5000",
                                 "block_end_khz=70000",
                                 "block_end_waits=false",
                                 NULL};
    Bench bench = {.gpu = harness_open("gtx480", knobs)};
    ok(&bench, wb_module_load(bench.gpu, "launch_time.ptx", text, strlen(text), &bench.module));
    ok(&bench, wb_malloc(bench.gpu, 256, &bench.data));
    const WbArgument arguments[] = {WB_ARG(bench.data), WB_ARG(storing)};
    const WbLaunch launch = {
        .grid = {blocks, 1, 1}, .block = {32, 1, 1}, .arguments = arguments, .argument_count = 2};
    WbKernel *kernel;
    WbRecord record;
    ok(&bench, wb_module_kernel(bench.module, "some_store", &kernel));
    ok(&bench, wb_launch(kernel, &launch));
    ok(&bench, wb_wait(bench.gpu));
    ok(&bench, wb_record_at(bench.gpu, 0, &record));
    wb_gpu_close(bench.gpu);
    return record.cycles;
}

/* Each SM takes one turn to answer, however many of its blocks have stored. */
static void each_storing_sm_answers(void **state)
{
    (void)state;
    const uint64_t one = cycles_of_some(1, 4);
    for (uint32_t sms = 2; sms <= 4; sms++)
        assert_int_equal(cycles_of_some(sms, 4), one + 10 * (sms - 1));
    assert_int_equal(cycles_of_some(8, 8), cycles_of_some(4, 8));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_longer_after_a_flush),
        cmocka_unit_test(brings_code),
        cmocka_unit_test(brings_parameters),
        cmocka_unit_test(waits_for_parameters),
        cmocka_unit_test(waits_for_code_after_a_flush),
        cmocka_unit_test(ends_behind_late_stores),
        cmocka_unit_test(flushes_late_lines),
        cmocka_unit_test(forgets_lines),
        cmocka_unit_test(each_storing_sm_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
