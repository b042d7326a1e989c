/* Progress of a simulation: what the user's function is told, that it changes nothing, and that it can stop
 * what runs. */

/* work: a loop of `rounds` over a word of its block, which then holds the number of rounds. */
static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                           ".visible .entry work(.param .u64 out, .param .u32 rounds) {\n"
                           "  .reg .u64 %a, %o; .reg .u32 %b, %v, %n; .reg .pred %p;\n"
                           "  ld.param.u64 %a, [out]; ld.param.u32 %n, [rounds]; mov.u32 %b, %ctaid.x;\n"
                           "  rem.u32 %b, %b, 256; mul.wide.u32 %o, %b, 4; add.u64 %a, %a, %o;\n"
                           "LOOP: ld.global.u32 %v, [%a]; add.u32 %v, %v, 1; st.global.u32 [%a], %v;\n"
                           "  sub.u32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra LOOP;\n"
                           "  ret; }\n"
                           ".visible .entry forever() { LOOP: bra LOOP; }\n";

#include "timeline_rig.h"

#include <stdio.h>
#include <stdlib.h>

#include "report/report.h"

/* What the function has seen, and after how many calls it says stop. */
static struct {
    uint64_t calls, stop_after;
    WbProgress first, last;
    char kernel[16];
    WbStatus of_wait;
    char snapshot[2048];
} seen;

static bool watch(void *context, const WbProgress *progress)
{
    assert_ptr_equal(context, &seen);
    assert_true(progress->blocks_ended <= progress->blocks);
    assert_true(progress->launches_done <= progress->launches_known);
    assert_true(!seen.calls ||
                (progress->cycles >= seen.last.cycles && progress->seconds >= seen.last.seconds &&
                 progress->warp_instructions >= seen.last.warp_instructions));
    if (!seen.calls)
        seen.first = *progress;
    seen.last = *progress;
    if (progress->kernel)
        snprintf(seen.kernel, sizeof seen.kernel, "%s", progress->kernel);
    wb_snapshot(gpu, seen.snapshot, sizeof seen.snapshot);
    seen.of_wait = wb_wait(gpu);
    return ++seen.calls != seen.stop_after;
}

static void look_on(uint64_t stop_after)
{
    memset(&seen, 0, sizeof seen);
    seen.stop_after = stop_after;
    wb_set_progress(gpu, watch, &seen, 0);
}

static void launch(const char *name, uint32_t blocks, uint32_t rounds)
{
    WbKernel *kernel;
    void *const pointers[] = {&words, &rounds};
    check(wb_module_kernel(module, name, &kernel));
    check(wb_launch(kernel, &(WbLaunch){.grid = {blocks, 1, 1}, .block = {32, 1, 1}, .pointers = pointers}));
}

/* The report without what it says of the host; the caller frees it. */
static char *report(void)
{
    char *all;
    size_t size;
    FILE *to = open_memstream(&all, &size);
    report_json(gpu, &(ReportOptions){.details = true, .blocks = true}, to);
    fclose(to);
    char *host = strstr(all, "\"host\"");
    assert_non_null(host);
    const char *rest = host + strcspn(host, "}");
    memmove(host, rest, strlen(rest) + 1);
    return all;
}

static char *run_and_report(const char *threads, bool is_watched)
{
    check(wb_gpu_set(gpu, "threads", threads));
    if (is_watched)
        look_on(0);
    launch("work", 300, 20);
    launch("work", 40, 300);
    check(wb_wait(gpu));
    char *text_of_it = report();
    close_gpu(NULL);
    open_gpu(NULL);
    return text_of_it;
}

static void watching_changes_nothing(void **state)
{
    (void)state;
    char *plain = run_and_report("1", false), *watched = run_and_report("1", true);
    assert_true(seen.calls >= 4);
    assert_string_equal(seen.kernel, "work");
    char *threaded = run_and_report("3", true), *alone = run_and_report("3", false);
    assert_string_equal(plain, watched);
    assert_string_equal(plain, threaded);
    assert_string_equal(plain, alone);
    free(plain);
    free(watched);
    free(threaded);
    free(alone);
}

static void the_function_is_told_how_far_it_is(void **state)
{
    (void)state;
    look_on(0);
    for (int i = 0; i < 5; i++)
        launch("work", 30, 10);
    check(wb_wait(gpu));
    assert_int_equal(seen.first.launches_known, 5);
    assert_true(seen.last.launches_done >= 4);
    assert_int_equal(seen.first.blocks, 30);
    assert_true(seen.last.cycles > seen.first.cycles);
    assert_true(seen.last.warp_instructions > seen.first.warp_instructions);
    assert_int_equal(seen.of_wait, WB_ERROR_ARGUMENT);
    wb_set_progress(gpu, NULL, NULL, 0);
    const uint64_t calls = seen.calls;
    launch("work", 1, 1);
    check(wb_wait(gpu));
    assert_int_equal(seen.calls, calls);
}

static void a_machine_that_is_stopped_leaves_its_records(void **state)
{
    (void)state;
    launch("work", 1, 10);
    check(wb_wait(gpu));
    check(wb_gpu_set(gpu, "watchdog_cycles", "0"));
    look_on(6);
    launch("forever", 2000, 0);
    launch("work", 1, 10);
    assert_int_equal(wb_wait(gpu), WB_ERROR_INTERRUPTED);
    assert_non_null(strstr(wb_error(gpu), "interrupted"));
    assert_non_null(strstr(wb_error(gpu), "'forever', when 0 of 2000 blocks"));
    assert_non_null(strstr(wb_error(gpu), "1 launch queued behind it"));
    assert_int_equal(wb_record_count(gpu), 2);
    assert_false(record_at(0).interrupted);
    const WbRecord cut = record_at(1);
    assert_true(cut.interrupted);
    assert_string_equal(cut.name, "forever");
    assert_int_equal(cut.ended, seen.last.cycles);
    assert_true(cut.cycles && cut.warp_instructions > 1000 && cut.started < cut.ended);
    WbStat stat;
    check(wb_stat_find(gpu, "warp_instructions", &stat));
    assert_true(stat.value > cut.warp_instructions);
    assert_non_null(strstr(seen.snapshot, "kernel 'forever': 0 of 2000 blocks ended"));
    assert_non_null(strstr(seen.snapshot, "a cycle"));
    free(report());
    look_on(0);
    launch("work", 1, 10);
    check(wb_wait(gpu));
    assert_int_equal(word_at(0), 2 * 10 * 1);
}

static void functional_mode_stops_too(void **state)
{
    (void)state;
    check(wb_gpu_set(gpu, "mode", "functional"));
    check(wb_gpu_set(gpu, "watchdog_cycles", "0"));
    look_on(3);
    launch("forever", 7, 0);
    assert_int_equal(wb_wait(gpu), WB_ERROR_INTERRUPTED);
    assert_non_null(strstr(wb_error(gpu), "'forever', when 0 of 7 blocks"));
    assert_int_equal(seen.calls, 3);
    assert_true(seen.last.warp_instructions > seen.first.warp_instructions);
    assert_non_null(strstr(seen.snapshot, "functionally"));
    look_on(0);
    launch("work", 1, 10);
    check(wb_wait(gpu));
    assert_int_equal(word_at(0), 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(watching_changes_nothing, open_gpu, close_gpu),
        cmocka_unit_test_setup_teardown(the_function_is_told_how_far_it_is, open_gpu, close_gpu),
        cmocka_unit_test_setup_teardown(a_machine_that_is_stopped_leaves_its_records, open_gpu, close_gpu),
        cmocka_unit_test_setup_teardown(functional_mode_stops_too, open_gpu, close_gpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
