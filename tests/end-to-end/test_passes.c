/* Launches in several passes: memory is as if each ran once, the last pass counts, and caches keep what the ones
 * before have left. */
#include "harness.h"

#include <stdlib.h>
#include <string.h>

/* Every thread adds 1 to its word of `device` and of `mapped`. */
static const char text[] =
    PTX_HEADER ".visible .entry count(.param .u64 device, .param .u64 mapped)\n"
               "{\n"
               ".reg .b64 %a, %b, %o; .reg .b32 %i, %x;\n"
               "ld.param.u64 %a, [device];\n"
               "ld.param.u64 %b, [mapped];\n"
               "mov.u32 %i, %tid.x;\n"
               "mul.wide.u32 %o, %i, 4;\n"
               "add.s64 %a, %a, %o;\n"
               "add.s64 %b, %b, %o;\n"
               "ld.global.u32 %x, [%a];\n"
               "add.u32 %x, %x, 1;\n"
               "st.global.u32 [%a], %x;\n"
               "ld.global.u32 %x, [%b];\n"
               "add.u32 %x, %x, 1;\n"
               "st.global.u32 [%b], %x;\n"
               "ret;\n"
               "}\n";

enum { WORDS = 256, LAUNCHES = 3 };

typedef struct Run {
    uint32_t words[WORDS], mapped[WORDS];
    size_t records;
    uint64_t cycles[LAUNCHES], fetches[LAUNCHES], launches, instructions;
} Run;

static uint64_t total(WbGpu *gpu, const char *name)
{
    WbStat stat;
    assert_int_equal(wb_stat_find(gpu, name, &stat), WB_OK);
    return stat.value;
}

/* The first word is 5 at first, the others 0. */
static void launch_all(WbGpu *gpu, Run *run)
{
    WbModule *module;
    WbKernel *kernel;
    uint64_t device;
    void *mapped;
    const uint32_t first = 5;
    assert_int_equal(wb_module_load(gpu, "count.ptx", text, sizeof text - 1, &module), WB_OK);
    assert_int_equal(wb_module_kernel(module, "count", &kernel), WB_OK);
    assert_int_equal(wb_malloc(gpu, sizeof run->words, &device), WB_OK);
    assert_int_equal(wb_host_alloc(gpu, sizeof run->mapped, WB_MEMORY_HOST, &mapped), WB_OK);
    assert_int_equal(wb_copy_to_device(gpu, device, &first, sizeof first), WB_OK);
    void *pointers[] = {&device, &mapped};
    const WbLaunch one = {.grid = {1, 1, 1}, .block = {WORDS, 1, 1}, .pointers = pointers};
    for (int i = 0; i < LAUNCHES; i++)
        assert_int_equal(wb_launch(kernel, &one), WB_OK);
    assert_int_equal(wb_wait(gpu), WB_OK);
    assert_int_equal(wb_copy_from_device(gpu, run->words, device, sizeof run->words), WB_OK);
    memcpy(run->mapped, mapped, sizeof run->mapped);
}

static Run run_with(const char *passes, const char *mode, const char *timed)
{
    WbGpu *gpu = harness_open("h200",
                              (const char *const[]){mode, timed, "l2_keeps_copies=false", passes, NULL});
    Run run = {0};
    launch_all(gpu, &run);
    run.records = wb_record_count(gpu);
    run.launches = total(gpu, "launches");
    run.instructions = total(gpu, "warp_instructions");
    for (size_t i = 0; i < run.records; i++) {
        WbRecord record;
        WbStat stat;
        assert_int_equal(wb_record_at(gpu, i, &record), WB_OK);
        assert_int_equal(wb_record_stat(gpu, i, "l2.fetches", &stat), WB_OK);
        run.cycles[i] = record.cycles;
        run.fetches[i] = stat.value;
    }
    wb_gpu_close(gpu);
    return run;
}

static void test_memory_is_as_of_one(void **state)
{
    (void)state;
    static const char *const passes[] = {"launch_passes=1", "launch_passes=2", "launch_passes=5"};
    for (int i = 0; i < 3; i++) {
        const Run run = run_with(passes[i], "mode=cycle", "timed_kernels=*");
        assert_int_equal(run.words[0], 5 + LAUNCHES);
        for (int word = 1; word < WORDS; word++)
            assert_int_equal(run.words[word], LAUNCHES);
        for (int word = 0; word < WORDS; word++)
            assert_int_equal(run.mapped[word], LAUNCHES);
    }
}

static void test_last_pass_counts(void **state)
{
    (void)state;
    const Run once = run_with("launch_passes=1", "mode=cycle", "timed_kernels=*"),
              thrice = run_with("launch_passes=3", "mode=cycle", "timed_kernels=*");
    assert_int_equal(once.records, LAUNCHES);
    assert_int_equal(thrice.records, LAUNCHES);
    assert_int_equal(thrice.launches, LAUNCHES);
    assert_int_equal(thrice.instructions, once.instructions);
    assert_true(once.fetches[0] > 0 && thrice.fetches[0] == 0);
    assert_true(thrice.cycles[0] < once.cycles[0]);
}

static void test_without_timing_once(void **state)
{
    (void)state;
    const Run run = run_with("launch_passes=3", "mode=functional", "timed_kernels=*");
    assert_int_equal(run.launches, LAUNCHES);
    assert_int_equal(run.words[0], 5 + LAUNCHES);
    const Run left_out = run_with("launch_passes=3", "mode=cycle", "timed_kernels=none");
    assert_int_equal(left_out.launches, LAUNCHES);
    assert_int_equal(left_out.words[0], 5 + LAUNCHES);
}

/* What a kernel has allocated cannot be put back: it runs once. */
static void test_allocating_once(void **state)
{
    (void)state;
    static const char allocates[] =
        PTX_HEADER ".extern .func (.param .b64 r) malloc (.param .b64 size);\n"
                   ".visible .entry take(.param .u64 out)\n"
                   "{\n"
                   ".reg .b64 %a, %p; .reg .b32 %x;\n"
                   "ld.param.u64 %a, [out];\n"
                   "{ .param .b64 s; .param .b64 r; st.param.b64 [s], 64; call.uni (r), malloc, (s);\n"
                   "ld.param.b64 %p, [r]; }\n"
                   "st.global.u64 [%a], %p;\n"
                   "ld.global.u32 %x, [%a+8]; add.u32 %x, %x, 1; st.global.u32 [%a+8], %x;\n"
                   "ret;\n"
                   "}\n";
    WbGpu *gpu = harness_open("h200", (const char *const[]){"mode=cycle", "launch_passes=3", NULL});
    WbModule *module;
    WbKernel *kernel;
    uint64_t out;
    uint32_t words[3];
    assert_int_equal(wb_module_load(gpu, "take.ptx", allocates, sizeof allocates - 1, &module), WB_OK);
    assert_int_equal(wb_module_kernel(module, "take", &kernel), WB_OK);
    assert_int_equal(wb_malloc(gpu, sizeof words, &out), WB_OK);
    void *pointers[] = {&out};
    const WbLaunch one = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .pointers = pointers};
    for (uint32_t i = 1; i <= 2; i++) {
        assert_int_equal(wb_launch(kernel, &one), WB_OK);
        assert_int_equal(wb_wait(gpu), WB_OK);
        assert_int_equal(wb_copy_from_device(gpu, words, out, sizeof words), WB_OK);
        assert_int_equal(words[2], i);
        assert_int_equal(wb_record_count(gpu), i);
        assert_int_equal(total(gpu, "launches"), i);
    }
    wb_gpu_close(gpu);
}

static void test_several_gpus_are_refused(void **state)
{
    (void)state;
    WbGpu *gpus[2];
    assert_int_equal(wb_gpus_open((const char *const[]){"h200", "h200"}, 2, gpus, NULL, 0), WB_OK);
    WbModule *module;
    WbKernel *kernel;
    assert_int_equal(wb_gpu_set(gpus[0], "mode", "cycle"), WB_OK);
    assert_int_equal(wb_gpu_set(gpus[0], "launch_passes", "2"), WB_OK);
    assert_int_equal(wb_module_load(gpus[0], "count.ptx", text, sizeof text - 1, &module), WB_OK);
    assert_int_equal(wb_module_kernel(module, "count", &kernel), WB_OK);
    uint64_t nowhere[2] = {0};
    void *pointers[] = {&nowhere[0], &nowhere[1]};
    const WbLaunch one = {.grid = {1, 1, 1}, .block = {WORDS, 1, 1}, .pointers = pointers};
    assert_int_equal(wb_launch(kernel, &one), WB_ERROR_ARGUMENT);
    assert_non_null(strstr(wb_error(gpus[0]), "launch_passes"));
    wb_gpu_close(gpus[0]);
    wb_gpu_close(gpus[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_is_as_of_one),
        cmocka_unit_test(test_last_pass_counts),
        cmocka_unit_test(test_without_timing_once),
        cmocka_unit_test(test_allocating_once),
        cmocka_unit_test(test_several_gpus_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
