/* Launches in cycle mode through the C API: results, records, statistics, errors, launches that never end. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "api/gpu.h"

static const char *const source =
    ".version 9.0\n.target sm_90\n.address_size 64\n"
    /* out[i] = i + add, in blocks of any size */
    ".visible .entry fill(.param .u64 out, .param .u32 add)\n{\n"
    ".reg .b32 %r<8>; .reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd0, [out]; ld.param.u32 %r4, [add];\n"
    "mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;\n"
    "mad.lo.u32 %r3, %r0, %r1, %r2; add.u32 %r5, %r3, %r4;\n"
    "mul.wide.u32 %rd1, %r3, 4; add.u64 %rd2, %rd0, %rd1; st.global.u32 [%rd2], %r5; ret;\n}\n"
    /* the last warp of a block does not come to its barrier */
    ".visible .entry stuck()\n{\n.reg .b32 %r<4>; .reg .pred %p<2>;\n"
    "mov.u32 %r0, %tid.x; setp.ge.u32 %p0, %r0, 32; @%p0 bra other;\n"
    "bar.sync 1, 64; ret;\nother: bar.sync 2, 64; ret;\n}\n"
    ".visible .entry forever()\n{\nagain: bra again;\n}\n"
    ".visible .entry barriers()\n{\nbar.sync 0; bar.sync 3; ret;\n}\n"
    ".visible .entry wild()\n{\n.reg .b64 %rd<2>;\nmov.u64 %rd0, 64; st.global.u32 [%rd0], 1; ret;\n}\n";

static WbGpu *gpu;
static WbModule *module;

static int open_gpu(void **state)
{
    (void)state;
    char error[512];
    if (wb_gpu_open("gtx480", &gpu, error, sizeof error) != WB_OK)
        fail_msg("%s", error);
    assert_int_equal(wb_gpu_set(gpu, "mode", "cycle"), WB_OK);
    if (wb_module_load(gpu, "test.ptx", source, strlen(source), &module) != WB_OK)
        fail_msg("%s", wb_error(gpu));
    return 0;
}

static int close_gpu(void **state)
{
    (void)state;
    wb_gpu_close(gpu);
    return 0;
}

static WbStatus run(const char *name, uint32_t blocks, uint32_t threads, const WbArgument *arguments,
                    uint32_t count)
{
    WbKernel *kernel;
    assert_int_equal(wb_module_kernel(module, name, &kernel), WB_OK);
    const WbLaunch launch = {
        .grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .arguments = arguments, .argument_count = count};
    const WbStatus status = wb_launch(kernel, &launch);
    return status == WB_OK ? wb_wait(gpu) : status;
}

static void fill(uint32_t blocks, uint32_t threads, uint32_t add)
{
    uint64_t out;
    static uint32_t result[1 << 16];
    const size_t bytes = (size_t)blocks * threads * sizeof *result;
    assert_true(bytes <= sizeof result);
    assert_int_equal(wb_malloc(gpu, bytes, &out), WB_OK);
    const WbArgument arguments[] = {WB_ARG(out), WB_ARG(add)};
    if (run("fill", blocks, threads, arguments, 2) != WB_OK)
        fail_msg("%s", wb_error(gpu));
    assert_int_equal(wb_copy_from_device(gpu, result, out, bytes), WB_OK);
    for (uint32_t i = 0; i < blocks * threads; i++)
        assert_int_equal(result[i], i + add);
    assert_int_equal(wb_free(gpu, out), WB_OK);
}

static uint64_t total(const char *name)
{
    WbStat stat;
    if (wb_stat_find(gpu, name, &stat) != WB_OK)
        fail_msg("there is no statistic %s", name);
    return stat.value;
}

static uint64_t of_kernel(size_t index, const char *name)
{
    WbStat stat;
    if (wb_record_stat(gpu, index, name, &stat) != WB_OK)
        fail_msg("there is no statistic %s of kernel %zu", name, index);
    return stat.value;
}

static void results_and_records(void **state)
{
    (void)state;
    fill(100, 64, 5);
    fill(7, 100, 9);
    assert_int_equal(wb_record_count(gpu), 2);
    WbRecord records[2];
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(wb_record_at(gpu, i, &records[i]), WB_OK);
        assert_string_equal(records[i].name, "fill");
        assert_true(records[i].launched <= records[i].started && records[i].started < records[i].ended);
        assert_int_equal(records[i].cycles, records[i].ended - records[i].launched);
    }
    assert_int_equal(records[0].grid.x, 100);
    assert_int_equal(records[1].block.x, 100);
    /* Time goes on from launch to launch. */
    assert_int_equal(records[0].launched, 0);
    assert_int_equal(records[1].launched, records[0].ended);
    assert_int_equal(of_kernel(0, "blocks_ended"), 100);
    assert_int_equal(of_kernel(1, "blocks_ended"), 7);
    assert_int_equal(of_kernel(1, "blocks"), 7);
    assert_int_equal(of_kernel(0, "thread_instructions"), 100 * 64 * 11);
    assert_int_equal(total("cycles"), records[0].cycles + records[1].cycles);
    assert_int_equal(total("sm.blocks"), 107);
    assert_int_equal(total("launches"), 2);
    assert_int_equal(wb_record_at(gpu, 2, &records[0]), WB_ERROR_ARGUMENT);
    WbStat stat;
    assert_int_equal(wb_record_stat(gpu, 0, "cycle", &stat), WB_ERROR_NOT_FOUND);
}

/* Each SM is active or idle in every cycle of a kernel; each scheduler's active cycles are accounted for. */
static void cycles_add_up(void **state)
{
    (void)state;
    fill(40, 96, 1);
    fill(3, 32, 1);
    for (uint32_t k = 0; k < 2; k++) {
        const KernelRecord *record = gpu->records.items[k];
        const ComponentRecord *sms = &record->components[COMPONENT_SM];
        const ComponentRecord *schedulers = &record->components[COMPONENT_SCHEDULER];
        const size_t rows = sm_statistics.count, scheduler_rows = scheduler_statistics.count;
        assert_int_equal(sms->count, 15);
        const uint32_t each = schedulers->count / sms->count;
        for (uint32_t i = 0; i < sms->count; i++) {
            const SmStatistics *sm = (const SmStatistics *)(sms->values + i * rows);
            assert_int_equal(sm->active_cycles + sm->idle_cycles, record_cycles(record));
            for (uint32_t s = 0; s < each; s++) {
                uint64_t sum = 0;
                for (size_t row = 0; row < scheduler_rows; row++)
                    sum += schedulers->values[(i * each + s) * scheduler_rows + row];
                assert_int_equal(sum, sm->active_cycles);
            }
        }
    }
}

static void every_block_has_a_record(void **state)
{
    (void)state;
    fill(300, 32, 2);
    const KernelRecord *record = gpu->records.items[0];
    assert_int_equal(record->block_count, 300);
    for (uint32_t i = 0; i < 300; i++) {
        const BlockRecord *block = &record->blocks[i];
        assert_in_range(block->sm, 0, 14);
        assert_true(block->dispatched >= record->started);
        assert_int_equal(block->started, block->dispatched + gpu->config.block_launch_cycles);
        assert_true(block->ended > block->started && block->ended < record->ended);
    }
    assert_int_equal(wb_gpu_set(gpu, "block_records", "false"), WB_OK);
    assert_int_equal(wb_gpu_set(gpu, "record_details", "2"), WB_OK);
    fill(300, 32, 2);
    fill(300, 32, 2);
    record = gpu->records.items[1];
    assert_null(record->blocks);
    assert_non_null(record->components[COMPONENT_SM].values);
    record = gpu->records.items[2];
    assert_null(record->components[COMPONENT_SM].values);
    assert_int_equal(of_kernel(2, "sm.blocks"), 300);
}

/* Neither threads nor windows are part of the machine. */
static void the_same_again_however_it_is_run(void **state)
{
    static const char *const ways[][2] = {{"1", "0"}, {"2", "0"}, {"3", "0"}, {"1", "1"}, {"2", "3"}};
    static uint64_t values[512];
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        close_gpu(state);
        open_gpu(state);
        assert_int_equal(wb_gpu_set(gpu, "threads", ways[i][0]), WB_OK);
        assert_int_equal(wb_gpu_set(gpu, "window", ways[i][1]), WB_OK);
        fill(500, 64, 3);
        fill(20, 256, 3);
        assert_in_range(wb_stat_count(gpu), 1, 512);
        for (size_t k = 0; k < wb_stat_count(gpu); k++) {
            WbStat stat;
            assert_int_equal(wb_stat_at(gpu, k, &stat), WB_OK);
            if (i && stat.value != values[k])
                fail_msg("%s is %llu with %s threads in windows of %s, not %llu", stat.name,
                         (unsigned long long)stat.value, ways[i][0], ways[i][1],
                         (unsigned long long)values[k]);
            values[k] = stat.value;
        }
    }
}

static void resetting_drops_records(void **state)
{
    (void)state;
    fill(10, 32, 1);
    wb_stats_reset(gpu);
    assert_int_equal(wb_record_count(gpu), 0);
    assert_int_equal(total("cycles"), 0);
    assert_int_equal(total("thread_instructions"), 0);
    fill(10, 32, 1);
    assert_int_equal(wb_record_count(gpu), 1);
    assert_int_equal(total("blocks_dispatched"), 10);
}

static void knobs_may_change_between_launches(void **state)
{
    (void)state;
    fill(10, 32, 1);
    assert_int_equal(wb_gpu_set(gpu, "kernel_launch_cycles", "5000"), WB_OK);
    fill(10, 32, 1);
    WbRecord records[2];
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(wb_record_at(gpu, i, &records[i]), WB_OK);
    assert_int_equal(records[1].launched, records[0].ended);
    assert_int_equal(records[1].started, records[1].launched + 5000);
    assert_int_equal(wb_gpu_set(gpu, "mode", "functional"), WB_OK);
    fill(10, 32, 1);
    assert_int_equal(wb_record_count(gpu), 2);
    assert_int_equal(total("launches"), 3);
    assert_int_equal(total("blocks"), 30);
}

static void expect_failure(WbStatus got, WbStatus wanted, const char *const *texts, size_t count)
{
    if (got != wanted)
        fail_msg("%s, not %s: %s", wb_status_name(got), wb_status_name(wanted), wb_error(gpu));
    for (size_t i = 0; i < count; i++)
        if (!strstr(wb_error(gpu), texts[i]))
            fail_msg("'%s' is not in: %s", texts[i], wb_error(gpu));
}
#define EXPECT_FAILURE(got, wanted, ...)                                                                     \
    expect_failure((got), (wanted), (const char *const[]){__VA_ARGS__},                                      \
                   sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static void failures_name_the_culprit(void **state)
{
    (void)state;
    EXPECT_FAILURE(run("wild", 3, 32, NULL, 0), WB_ERROR_ADDRESS, "wild", "0x40");
    fill(10, 32, 1);
    EXPECT_FAILURE(run("stuck", 2, 64, NULL, 0), WB_ERROR_DEADLOCK, "'stuck' is deadlocked",
                   "0 of its 2 blocks have ended", "block (0,0,0) on SM", "block (1,0,0) on SM",
                   "waits at barrier 1", "waits at barrier 2");
    fill(10, 32, 1);
    assert_int_equal(wb_gpu_set(gpu, "cycle_limit", "10000"), WB_OK);
    EXPECT_FAILURE(run("forever", 1000, 32, NULL, 0), WB_ERROR_DEADLOCK, "'forever' has run 10000 cycles",
                   "knob cycle_limit", "have not been dispatched", "on SM 0", "blocks more");
    fill(10, 32, 1);
    assert_int_equal(wb_record_count(gpu), 6); /* also of those that did not end */
}

static void unknown_policies_are_told(void **state)
{
    (void)state;
    EXPECT_FAILURE(wb_gpu_set(gpu, "warp_scheduler", "gtoo"), WB_ERROR_NOT_FOUND, "warp_scheduler",
                   "did you mean gto?");
    EXPECT_FAILURE(wb_gpu_set(gpu, "block_place", "loose-round-robbin"), WB_ERROR_NOT_FOUND,
                   "did you mean loose-round-robin?");
    fill(10, 32, 1);
}

static void barriers_limit_residency(void **state)
{
    (void)state;
    assert_int_equal(wb_gpu_set(gpu, "barriers_per_sm", "9"), WB_OK);
    assert_int_equal(run("barriers", 100, 64, NULL, 0), WB_OK);
    WbRecord record;
    assert_int_equal(wb_record_at(gpu, 0, &record), WB_OK);
    assert_int_equal(record.blocks_per_sm, 2);
    assert_int_equal(wb_gpu_set(gpu, "barriers_per_sm", "3"), WB_OK);
    EXPECT_FAILURE(run("barriers", 1, 64, NULL, 0), WB_ERROR_LAUNCH, "does not fit on an SM", "4 barriers");
}

int main(void)
{
#define WITH_GPU(test) cmocka_unit_test_setup_teardown(test, open_gpu, close_gpu)
    const struct CMUnitTest tests[] = {
        WITH_GPU(results_and_records),       WITH_GPU(cycles_add_up),
        WITH_GPU(every_block_has_a_record),  WITH_GPU(the_same_again_however_it_is_run),
        WITH_GPU(resetting_drops_records),   WITH_GPU(knobs_may_change_between_launches),
        WITH_GPU(failures_name_the_culprit), WITH_GPU(unknown_policies_are_told),
        WITH_GPU(barriers_limit_residency),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
