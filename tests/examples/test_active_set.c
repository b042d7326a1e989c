/* The example of a warp scheduler with memory: right results on all programs, the same for any number of
 * threads, cycles that add up, and never more warps that take turns than its knob says. */
#include "six_rig.h"

#include <stdlib.h>
#include <string.h>

#include "api/check_policies.h"
#include "api/gpu.h"
#include "report/report.h"
#include "sm/sched/sched.h"
#include "sm/stages.h"

/* Of all schedulers since the GPU was opened, whose reasons for cycles must add up. */
static SchedulerStatistics sum_schedulers(const WbGpu *gpu)
{
    SchedulerStatistics sums = {0};
    for (uint32_t s = 0; s < gpu->cycle->sm_count; s++) {
        Sm *sm = gpu->cycle->sms[s];
        sm_account(sm, gpu->now);
        for (uint32_t i = 0; i < sm->scheduler_count; i++) {
            const uint64_t *counts = (const uint64_t *)&sm->schedulers[i].statistics;
            uint64_t cycles = 0;
            for (size_t row = 0; row < scheduler_statistics.count; row++) {
                cycles += counts[row];
                ((uint64_t *)&sums)[row] += counts[row];
            }
            assert_int_equal(cycles, sm->statistics.active_cycles);
        }
    }
    return sums;
}

/* -- the policy -- */

static void it_is_the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    static const char *const gpus[] = {"gtx480", "titanv"};
    for (size_t g = 0; g < sizeof gpus / sizeof *gpus; g++) {
        char *first = NULL;
        for (uint32_t i = 0; i < 3; i++) {
            static const char *const threads[] = {"1", "2", "4"};
            const char *const knobs[] = {
                "mode",     "cycle", "warp_scheduler",  "active-set", "threads", threads[i],
                "sm_count", "4",     "active_set_size", "4",          NULL};
            WbGpu *gpu = six_open(gpus[g], knobs);
            six_run_all(gpu, SIX_COUNT);
            assert_true(sum_schedulers(gpu).stall_policy > 100);
            char *text = harness_report(gpu);
            assert_non_null(strstr(text, "\"sched_active_set\""));
            if (first)
                assert_string_equal(text, first);
            else
                first = strdup(text);
            free(text);
            wb_gpu_close(gpu);
        }
        free(first);
    }
}

static SchedulerStatistics run_with(const char *policy, const char *active)
{
    const char *const knobs[] = {"mode",     "cycle", "warp_scheduler",  policy, "threads", "1",
                                 "sm_count", "2",     "active_set_size", active, NULL};
    WbGpu *gpu = six_open("gtx480", knobs);
    six_run_all(gpu, BFS);
    const SchedulerStatistics sums = sum_schedulers(gpu);
    wb_gpu_close(gpu);
    return sums;
}

/* With room for all warps of a scheduler all are active as soon as they could issue: then it takes turns. */
static void it_differs_from_taking_turns(void **state)
{
    (void)state;
    const SchedulerStatistics turns = run_with("lrr", "8"), few = run_with("active-set", "2"),
                              all = run_with("active-set", "24");
    assert_int_equal(turns.stall_policy, 0);
    assert_true(few.stall_policy > 1000);
    assert_true(memcmp(&few, &turns, sizeof few) != 0);
    assert_int_equal(few.issued, turns.issued);
    assert_memory_equal(&all, &turns, sizeof all);
}

/* -- a watcher: who has issued and has not waited for long since is active -- */

extern const WarpScheduler sched_active_set;
static WarpSet seen[2][MAX_SCHEDULERS];
static uint32_t largest;
static uint64_t left;

static WarpSet *seen_by(const SchedulerView *view) { return &seen[view->sm->number][view->number]; }

static uint32_t watch_pick(SchedulerView *view)
{
    const uint32_t warp = sched_active_set.pick(view);
    if (warp == SCHED_NOBODY)
        return warp;
    *seen_by(view) |= warp_bit(warp);
    const uint32_t count = (uint32_t)__builtin_popcountll(*seen_by(view));
    largest = count > largest ? count : largest;
    return warp;
}

static void watch_wait(SchedulerView *view, uint32_t warp, Wait wait)
{
    left += *seen_by(view) >> warp & 1;
    *seen_by(view) &= ~warp_bit(warp);
    sched_active_set.wait_begun(view, warp, wait);
}

static void watch_end(SchedulerView *view, uint32_t warp)
{
    *seen_by(view) &= ~warp_bit(warp);
    sched_active_set.warp_went(view, warp);
}

static void never_more_warps_take_turns_than_its_knob_says(void **state)
{
    (void)state;
    for (uint32_t active = 1; active <= 16; active *= 2) {
        char number[8];
        snprintf(number, sizeof number, "%u", active);
        const char *const knobs[] = {"mode",     "cycle", "warp_scheduler",  "active-set", "threads", "1",
                                     "sm_count", "2",     "active_set_size", number,       NULL};
        WbGpu *gpu = six_open("titanv", knobs);
        Host host;
        assert_true(six_run(&six_programs[0], gpu, SOURCE_DIRECTORY "/workloads/six", 32, &host));
        host_end(&host);
        WarpScheduler watcher = sched_active_set;
        watcher.pick = watch_pick;
        watcher.wait_begun = watch_wait;
        watcher.warp_went = watch_end;
        for (uint32_t i = 0; i < 2; i++) {
            policy_detach(gpu->cycle->sms[i]);
            policy_attach(gpu->cycle->sms[i], &watcher);
        }
        memset(seen, 0, sizeof seen);
        largest = 0;
        left = 0;
        six_run_all(gpu, SIX_COUNT);
        assert_int_equal(largest, active);
        assert_true(left > 1000);
        wb_gpu_close(gpu);
    }
}

/* Its title is longer than the column of titles. */
static void the_page_of_a_run_sets_its_counters_off(void **state)
{
    (void)state;
    const char *const knobs[] = {"mode", "cycle", "warp_scheduler", "active-set", "sm_count", "2", NULL};
    WbGpu *gpu = six_open("gtx480", knobs);
    six_run_all(gpu, 1);
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    report_text(gpu, &(ReportOptions){0}, file);
    fclose(file);
    assert_non_null(strstr(text, "\n  sched_active_set entered "));
    free(text);
    wb_gpu_close(gpu);
}

static void knobs_that_contradict_each_other_are_told(void **state)
{
    (void)state;
    const char *const knobs[] = {"mode", "cycle", "active_set_size", "25", NULL};
    WbGpu *gpu = six_open("gtx480", knobs); /* 48 warps, two schedulers */
    assert_int_equal(wb_gpu_set(gpu, "warp_scheduler", "active-set"), WB_OK);
    assert_int_equal(gpu_check_policies(gpu), WB_ERROR_ARGUMENT);
    assert_non_null(
        strstr(wb_error(gpu), "active_set_size (25) is more than the 24 warps that a scheduler has"));
    assert_int_equal(wb_gpu_set(gpu, "active_set_size", "24"), WB_OK);
    assert_int_equal(gpu_check_policies(gpu), WB_OK);
    wb_gpu_close(gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_the_same_for_any_number_of_threads),
        cmocka_unit_test(it_differs_from_taking_turns),
        cmocka_unit_test(never_more_warps_take_turns_than_its_knob_says),
        cmocka_unit_test(the_page_of_a_run_sets_its_counters_off),
        cmocka_unit_test(knobs_that_contradict_each_other_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
