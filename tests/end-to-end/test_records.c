/* What is kept of kernels: little of many, and no more samples than there is room for. */
#include "harness.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/gpu.h"

static const char kernels[] =
    PTX_HEADER ".visible .entry count(.param .u64 out)\n"
               "{\n"
               ".reg .b64 %a; .reg .b32 %i; .reg .pred %p;\n"
               "ld.param.u64 %a, [out];\n"
               "ld.global.u32 %i, [%a];\n"
               "AGAIN:\n"
               "add.u32 %i, %i, 1;\n"
               "st.global.u32 [%a+4], %i;\n"
               "setp.lt.u32 %p, %i, 3000;\n"
               "@%p bra AGAIN;\n"
               "ret;\n"
               "}\n";

static WbKernel *load(WbGpu *gpu, uint32_t first, uint64_t *words)
{
    WbModule *module;
    WbKernel *kernel;
    assert_int_equal(wb_module_load(gpu, "count.ptx", kernels, sizeof kernels - 1, &module), WB_OK);
    assert_int_equal(wb_module_kernel(module, "count", &kernel), WB_OK);
    assert_int_equal(wb_malloc(gpu, 8, words), WB_OK);
    assert_int_equal(wb_copy_to_device(gpu, *words, &first, sizeof first), WB_OK);
    return kernel;
}

static void launch(WbGpu *gpu, WbKernel *kernel, uint64_t words)
{
    void *pointers[] = {&words};
    const WbLaunch one = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .pointers = pointers};
    assert_int_equal(wb_launch(kernel, &one), WB_OK);
    assert_int_equal(wb_wait(gpu), WB_OK);
}

/* Whose bytes are counted, behind some that come first. The address sanitizer's malloc counts none, and there
 * they take long. */
#ifdef __SANITIZE_ADDRESS__
enum { FIRST_LAUNCHES = 10, LAUNCHES = 40 };
#else
enum { FIRST_LAUNCHES = 100, LAUNCHES = 1000 };
#endif
enum { ALL_LAUNCHES = FIRST_LAUNCHES + LAUNCHES };

static uint64_t total(WbGpu *gpu, const char *name)
{
    WbStat stat;
    assert_int_equal(wb_stat_find(gpu, name, &stat), WB_OK);
    return stat.value;
}

/* Bytes that a launch leaves behind. */
static size_t bytes_a_launch(WbGpu *gpu)
{
    uint64_t words;
    WbKernel *kernel = load(gpu, 5000, &words);
    for (int i = 0; i < FIRST_LAUNCHES; i++)
        launch(gpu, kernel, words);
    const size_t before = mallinfo2().uordblks;
    for (int i = 0; i < LAUNCHES; i++)
        launch(gpu, kernel, words);
    const size_t after = mallinfo2().uordblks;
    return after > before ? (after - before) / LAUNCHES : 0;
}

static void test_little_is_kept(void **state)
{
    (void)state;
    WbGpu *gpu = harness_open("h200", (const char *const[]){"mode=cycle", "sm_count=66", "record_details=0",
                                                            "block_records=false", NULL});
    assert_in_range(bytes_a_launch(gpu), 0, 1300);
    assert_int_equal(wb_record_count(gpu), ALL_LAUNCHES);
    const uint64_t instructions = total(gpu, "warp_instructions");
    WbStat stat;
    assert_int_equal(wb_record_stat(gpu, LAUNCHES, "warp_instructions", &stat), WB_OK);
    assert_int_equal(stat.value * ALL_LAUNCHES, instructions);
    wb_gpu_close(gpu);

    gpu = harness_open("h200", (const char *const[]){"mode=cycle", "sm_count=66", "record_details=0",
                                                     "block_records=false", "kernel_records=false", NULL});
    assert_in_range(bytes_a_launch(gpu), 0, 60);
    assert_int_equal(wb_record_count(gpu), 0);
    assert_int_equal(total(gpu, "launches"), ALL_LAUNCHES);
    assert_int_equal(total(gpu, "warp_instructions"), instructions);
    wb_gpu_close(gpu);
}

static void check_series(const KernelRecord *record)
{
    const Series *series = record->series;
    const uint32_t room = (1 << 24) / series->width;
    const Cycle cycles = record_cycles(record);
    assert_true(cycles > 2 * room);
    assert_true(series->ends.count <= room + 1);
    assert_true(series->ends.count * 2 > room);
    assert_int_equal(series->interval & (series->interval - 1), 0);
    assert_int_equal((cycles + series->interval - 1) / series->interval, series->ends.count);
    uint64_t instructions = 0;
    for (uint32_t i = 0; i < series->ends.count; i++)
        instructions += series_core_value(series, i, CORE_INSTRUCTIONS, 0);
    assert_int_equal(instructions, record->warp_instructions);
}

/* So many samples take long under the address sanitizer: there one run looks at them, in memory alone. */
#ifdef __SANITIZE_ADDRESS__
enum { COMPARES_THREADS = false };
#else
enum { COMPARES_THREADS = true };
#endif

/* Without room for a sample a cycle there is one for every few, which still add up. */
static void test_samples_are_bounded(void **state)
{
    (void)state;
    char *reports[2] = {NULL};
    for (int threads = COMPARES_THREADS ? 1 : 2; threads <= 2; threads++) {
        const char *const knobs[] = {"mode=cycle", "sm_count=1024", "sample_interval=1",
                                     threads == 1 ? "threads=1" : "threads=2", NULL};
        WbGpu *gpu = harness_open("h200", knobs);
        uint64_t words;
        WbKernel *kernel = load(gpu, 0, &words);
        launch(gpu, kernel, words);
        check_series(gpu->records.items[0]);
        if (COMPARES_THREADS)
            reports[threads - 1] = harness_report(gpu);
        wb_gpu_close(gpu);
    }
    if (COMPARES_THREADS)
        assert_string_equal(reports[0], reports[1]);
    free(reports[0]);
    free(reports[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_little_is_kept),
        cmocka_unit_test(test_samples_are_bounded),
    };
    return cmocka_run_group_tests_name("records", tests, NULL, NULL);
}
