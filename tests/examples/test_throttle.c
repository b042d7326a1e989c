/* The example of an admission policy with samples and pauses: right results on all programs, the same for any
 * number of threads and any window, and limits that follow what SMs wait for. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/gpu.h"
#include "grid/inspect.h"
#include "report/report.h"
#include "six/six.h"

static const int sizes[SIX_COUNT] = {16384, 64, 64, 16384, 512, 256};

/* Of bfs, races that do no harm decide how many instructions it takes. */
enum { BFS = 4 };

static WbGpu *open_gpu(const char *const *knobs)
{
    WbGpu *gpu;
    char error[512];
    if (wb_gpu_open("gtx480", &gpu, error, sizeof error) != WB_OK)
        fail_msg("%s", error);
    static const char *const common[] = {"mode", "cycle", "sm_count", "3", "throttle_interval", "256", NULL};
    for (const char *const *knob = common; *knob; knob += 2)
        assert_int_equal(wb_gpu_set(gpu, knob[0], knob[1]), WB_OK);
    for (; *knobs; knobs += 2)
        if (wb_gpu_set(gpu, knobs[0], knobs[1]) != WB_OK)
            fail_msg("%s", wb_error(gpu));
    return gpu;
}

static void run_all(WbGpu *gpu, size_t without)
{
    for (size_t i = 0; i < SIX_COUNT; i++) {
        Host host;
        if (i == without)
            continue;
        if (!six_run(&six_programs[i], gpu, SOURCE_DIRECTORY "/workloads/six", sizes[i], &host))
            fail_msg("%s: %s", six_programs[i].name, host.error);
        host_end(&host);
    }
}

/* All but what the host did. */
static char *report_of(const WbGpu *gpu)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    report_json(gpu, &(ReportOptions){.details = true, .blocks = true}, file);
    fclose(file);
    char *host = strstr(text, "\n  \"host\"");
    assert_non_null(host);
    *host = '\0';
    return text;
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
        run_all(gpu, SIX_COUNT);
        const GridStatistics *counts = front_end_counters(gpu->cycle->front_end);
        assert_true(counts->sm_samples > 100);
        assert_true(counts->blocks_paused > 10);
        assert_true(counts->blocks_unpaused > 0 && counts->blocks_unpaused <= counts->blocks_paused);
        assert_int_equal(statistic(gpu, "admit_throttle.paused"), counts->blocks_paused);
        assert_true(statistic(gpu, "admit_throttle.lowered") > 10);
        assert_true(statistic(gpu, "admit_throttle.raised") > 10);
        char *text = report_of(gpu);
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
    run_all(gpu, BFS);
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
    assert_int_equal(wb_gpu_set(gpu, "throttle_low", "60"), WB_ERROR_ARGUMENT);
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
