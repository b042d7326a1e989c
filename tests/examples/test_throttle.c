/* The example of an admission policy with samples and pauses: right results on all programs, the same for any
 * number of threads and any window, and limits that follow what SMs wait for. */
#include "six_rig.h"

#include <stdlib.h>
#include <string.h>

#include "api/check_policies.h"
#include "api/gpu.h"
#include "grid/inspect.h"

static WbGpu *open_gpu(const char *const *knobs)
{
    static const char *const common[] = {"mode", "cycle", "sm_count", "3", "throttle_interval", "256", NULL};
    WbGpu *gpu = six_open("gtx480", common);
    six_set(gpu, knobs);
    return gpu;
}

static uint64_t statistic(WbGpu *gpu, const char *name)
{
    WbStat stat;
    if (wb_stat_find(gpu, name, &stat) != WB_OK)
        fail_msg("%s", wb_error(gpu));
    return stat.value;
}

static void it_is_the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    static const char *const threads[] = {"1", "2", "4", "1"}, *const windows[] = {"0", "0", "0", "3"};
    char *first = NULL;
    for (uint32_t i = 0; i < 4; i++) {
        const char *const knobs[] = {"block_admit", "throttle", "threads", threads[i],
                                     "window",      windows[i], NULL};
        WbGpu *gpu = open_gpu(knobs);
        six_run_all(gpu, SIX_COUNT);
        const GridStatistics *counts = front_end_counters(gpu->cycle->front_end);
        assert_true(counts->sm_samples > 100);
        assert_true(counts->blocks_paused > 10);
        assert_true(counts->blocks_unpaused > 0 && counts->blocks_unpaused <= counts->blocks_paused);
        assert_int_equal(statistic(gpu, "admit_throttle.paused"), counts->blocks_paused);
        assert_true(statistic(gpu, "admit_throttle.lowered") > 10);
        assert_true(statistic(gpu, "admit_throttle.raised") > 10);
        char *text = harness_report(gpu);
        if (!first)
            first = strdup(text);
        assert_string_equal(text, first);
        free(text);
        wb_gpu_close(gpu);
    }
    free(first);
}

/* What was counted of all programs. */
typedef struct Outcome {
    uint64_t instructions, cycles, paused;
} Outcome;

static Outcome run_with(const char *policy, const char *low, const char *high)
{
    const char *const knobs[] = {"throttle_high", high, "throttle_low", low, "block_admit", policy, NULL};
    WbGpu *gpu = open_gpu(knobs);
    six_run_all(gpu, BFS);
    const Outcome outcome = {statistic(gpu, "warp_instructions"), statistic(gpu, "cycles"),
                             statistic(gpu, "blocks_paused")};
    wb_gpu_close(gpu);
    return outcome;
}

/* A limit that is never lowered is none; one that always is leaves one block to each SM. */
static void limits_follow_the_thresholds(void **state)
{
    (void)state;
    const Outcome free = run_with("always", "20", "50"), loose = run_with("throttle", "99", "100"),
                  tight = run_with("throttle", "0", "1");
    assert_int_equal(loose.instructions, free.instructions);
    assert_int_equal(tight.instructions, free.instructions);
    assert_int_equal(loose.cycles, free.cycles);
    assert_int_equal(loose.paused, 0);
    assert_true(tight.paused > 20);
    assert_true(tight.cycles > free.cycles * 3 / 2);
}

static void thresholds_that_contradict_are_told(void **state)
{
    (void)state;
    const char *const knobs[] = {"block_admit", "throttle", NULL};
    WbGpu *gpu = open_gpu(knobs);
    assert_int_equal(wb_gpu_set(gpu, "throttle_low", "60"), WB_OK);
    assert_int_equal(gpu_check_policies(gpu), WB_ERROR_ARGUMENT);
    if (!strstr(wb_error(gpu), "throttle_low (60) must be less than throttle_high (50)"))
        fail_msg("%s", wb_error(gpu));
    wb_gpu_close(gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_the_same_for_any_number_of_threads),
        cmocka_unit_test(limits_follow_the_thresholds),
        cmocka_unit_test(thresholds_that_contradict_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
