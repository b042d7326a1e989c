/* The same work gives the same results and the same statistics to the last digit; programs without races
 * give the same results however their blocks and warps take turns. */
#include "kernels.h"

#include <stdio.h>
#include <string.h>

enum { WORDS = 4096, LAUNCHES = 8, STATISTICS = 512 };

/* What a run leaves: the memory after each launch, and all counters at the end. */
typedef struct Outcome {
    uint32_t memory[LAUNCHES][WORDS];
    uint64_t statistics[STATISTICS];
    size_t statistic_count;
} Outcome;

typedef struct Launched {
    const char *file, *kernel;
    uint32_t blocks, threads, shared, number; /* number: a third argument of 4 bytes, where it has one */
    bool has_number, takes_two;
} Launched;

/* Kernels that read one array and write another, or use one array (takes_two false). */
static const Launched launches[LAUNCHES] = {
    {"functions.sm_90-rdc.ptx", "recursion", 1, 64, 0, 0, false, false},
    {"functions.clang.ptx", "virtuals", 1, 64, 0, 0, false, false},
    {"math.sm_90-lines.ptx", "floats", 1, 128, 0, 128, true, true},
    {"warp.sm_90-rdc.ptx", "tiles", 1, 96, 0, 0, false, true},
    {"warp.sm_80-debug.ptx", "large_tiles", 1, 128, 0, 0, false, true},
    {"atomics.sm_75.ptx", "histogram", 9, 100, 0, 3000, true, true},
    {"half.sm_90-rdc.ptx", "bfloats", 2, 64, 0, 0, false, false},
    {"atomics.sm_80-debug.ptx", "naive_lock", 3, 32, 0, 0, false, true},
};

static uint64_t array(Kernels *kernels, uint32_t seed, uint32_t limit)
{
    static uint32_t words[WORDS];
    for (int i = 0; i < WORDS; i++)
        words[i] = limit ? kernels_random(&seed) % limit : 0;
    return kernels_upload(kernels, words, sizeof words);
}

static void run_one(WbGpu *gpu, const Launched *what, uint32_t *memory)
{
    Kernels kernels = {.gpu = gpu, .variant = what->file};
    char path[512];
    snprintf(path, sizeof path, SOURCE_DIRECTORY "/tests/end-to-end/kernels/%s", what->file);
    if (wb_module_load_file(gpu, path, &kernels.module) != WB_OK)
        fail_msg("%s", wb_error(gpu));
    bool locks = !strcmp(what->kernel, "naive_lock"), pairs = !strcmp(what->kernel, "bfloats");
    bool floats = pairs || !strcmp(what->kernel, "floats"); /* any bits are a number, or none */
    uint64_t in = array(&kernels, 7, locks ? 0 : floats ? UINT32_MAX : 1000);
    uint64_t other = array(&kernels, 9, UINT32_MAX), out = array(&kernels, 0, 0);
    uint32_t number = pairs ? 128 : what->number;
    WbArgument arguments[4] = {WB_ARG(in), WB_ARG(out), WB_ARG(number)};
    uint32_t count = what->takes_two ? 2 + what->has_number : 1;
    if (pairs) {
        memcpy(arguments, (WbArgument[]){WB_ARG(in), WB_ARG(other), WB_ARG(out), WB_ARG(number)},
               sizeof arguments);
        count = 4;
    } else if (!what->takes_two) {
        arguments[0] = WB_ARG(out);
    }
    kernels_run(&kernels, what->kernel, (KernelsShape){what->blocks, what->threads, what->shared}, arguments,
                count);
    kernels_download(&kernels, out, memory, WORDS * sizeof *memory);
    wb_module_unload(kernels.module);
}

static void run_all(const char *gpu_name, const char *const *knobs, Outcome *outcome)
{
    WbGpu *gpu = harness_open(gpu_name, knobs);
    memset(outcome, 0, sizeof *outcome);
    for (int i = 0; i < LAUNCHES; i++)
        run_one(gpu, &launches[i], outcome->memory[i]);
    outcome->statistic_count = wb_stat_count(gpu);
    assert_in_range(outcome->statistic_count, 1, STATISTICS);
    for (size_t i = 0; i < outcome->statistic_count; i++) {
        WbStat stat;
        assert_int_equal(wb_stat_at(gpu, i, &stat), WB_OK);
        outcome->statistics[i] = stat.value;
    }
    wb_gpu_close(gpu);
}

static void compare_memory(const Outcome *a, const Outcome *b, const char *how)
{
    for (int i = 0; i < LAUNCHES; i++)
        for (int k = 0; k < WORDS; k++)
            if (a->memory[i][k] != b->memory[i][k])
                fail_msg("%s: %s gives 0x%x at word %d, not 0x%x", how, launches[i].kernel, b->memory[i][k],
                         k, a->memory[i][k]);
}

static Outcome first, second;

static void test_same_twice(void **state)
{
    (void)state;
    run_all("h200", NULL, &first);
    for (int i = 0; i < LAUNCHES; i++) { /* each has written something */
        uint32_t any = 0;
        for (int k = 0; k < WORDS; k++)
            any |= first.memory[i][k];
        assert_int_not_equal(any, 0);
    }
    run_all("h200", NULL, &second);
    compare_memory(&first, &second, "run again");
    assert_int_equal(first.statistic_count, second.statistic_count);
    assert_memory_equal(first.statistics, second.statistics, sizeof first.statistics);
}

static void test_any_turns(void **state)
{
    static const char *const settings[][3] = {
        {"functional_turn=1"},
        {"functional_turn=3", "functional_resident_blocks=1"},
        {"functional_turn=100", "functional_resident_blocks=2"},
        {"functional_turn=1000000", "functional_resident_blocks=1"},
        {"functional_turn=17", "functional_resident_blocks=1000"},
    };
    (void)state;
    run_all("h200", NULL, &first);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        run_all("h200", settings[i], &second);
        compare_memory(&first, &second, settings[i][0]);
    }
}

/* A launch's counters do not depend on what ran before it. */
static void test_statistics_start_over(void **state)
{
    (void)state;
    static uint32_t memory[WORDS];
    uint64_t values[2][STATISTICS] = {{0}};
    WbGpu *gpu = harness_open("h200", NULL);
    for (int run = 0; run < 2; run++) {
        wb_stats_reset(gpu);
        run_one(gpu, &launches[5], memory);
        for (size_t i = 0; i < wb_stat_count(gpu); i++) {
            WbStat stat;
            assert_int_equal(wb_stat_at(gpu, i, &stat), WB_OK);
            values[run][i] = stat.value;
        }
        run_one(gpu, &launches[0], memory);
    }
    assert_memory_equal(values[0], values[1], sizeof values[0]);
    wb_gpu_close(gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_twice),
        cmocka_unit_test(test_any_turns),
        cmocka_unit_test(test_statistics_start_over),
    };
    return cmocka_run_group_tests_name("determinism", tests, NULL, NULL);
}
