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
                             .argument_count = strcmp(name, "stores") == 0};
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_longer_after_a_flush),
        cmocka_unit_test(brings_code),
        cmocka_unit_test(brings_parameters),
        cmocka_unit_test(waits_for_parameters),
        cmocka_unit_test(waits_for_code_after_a_flush),
        cmocka_unit_test(ends_behind_late_stores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
