/* Policies of warp schedulers in whole runs: those that hold a kernel up are told by name; two that are the
 * same in a case take the same time. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/gpu.h"
#include "sm/sched/sched.h"
#include "sm/stages.h"

static const char source[] = PTX_HEADER
    ".visible .entry k(.param .u64 out) {\n.reg .b64 %rd<3>; .reg .b32 %r<3>;\n"
    "ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd0, %rd1;\n"
    "bar.sync 0; st.global.u32 [%rd1], %r0; ret; }\n";

enum { THREADS = 64 };

/* Runs the kernel on a GPU whose machine was made with the policy of its knob, and has this one now. */
static WbStatus run_with(WbGpu *gpu, const WarpScheduler *policy)
{
    uint32_t out[THREADS] = {0};
    const HarnessRun run = {gpu, source, "k", {1, 1, 1}, {THREADS, 1, 1}, 0, out, THREADS};
    harness_run_ok(&run);
    for (uint32_t i = 0; i < gpu->cycle->sm_count; i++) {
        policy_detach(gpu->cycle->sms[i]);
        policy_attach(gpu->cycle->sms[i], policy);
    }
    return harness_run(&run);
}

static uint32_t nobody(SchedulerView *view)
{
    (void)view;
    return SCHED_NOBODY;
}

static uint32_t nobody_now(SchedulerView *view) { return sched_nobody_before(view, sched_now(view) + 1); }

/* Lets the warps run to their barrier, and then none any more. */
static uint32_t half(SchedulerView *view)
{
    const uint32_t warp = warps_first(view->ready);
    return sched_insn(view, warp)->kind == CLASS_MEMORY ? SCHED_NOBODY : warp;
}

/* Nobody issues before cycle 50,000. */
static uint32_t late(SchedulerView *view)
{
    return sched_now(view) < 50000 ? sched_nobody_before(view, 50000) : warps_first(view->ready);
}

static WbGpu *open_gpu(void)
{
    const char *const knobs[] = {"mode=cycle", "sm_count=2", "watchdog_cycles=3000", NULL};
    return harness_open("titanv", knobs);
}

static void check_told(const WarpScheduler *policy, const char *what)
{
    WbGpu *gpu = open_gpu();
    assert_int_equal(run_with(gpu, policy), WB_ERROR_DEADLOCK);
    const char *text = wb_error(gpu);
    if (!strstr(text, what) || !strstr(text, "kernel 'k'") ||
        !strstr(text,
                "Likely cause: the policy 'stubborn' of the warp schedulers lets no warp issue, though 2 "
                "could. Correct it, or choose another one (knob warp_scheduler).") ||
        !strstr(text, "warps 0-1, lanes 0xffffffff") ||
        !strstr(text, "ready, but the policy of its scheduler lets none issue"))
        fail_msg("%s", text);
    wb_gpu_close(gpu);
}

static void a_policy_that_holds_a_kernel_up_is_named(void **state)
{
    (void)state;
    check_told(&(WarpScheduler){.about = {.name = "stubborn"}, .pick = nobody},
               "nothing can happen any more");
    check_told(&(WarpScheduler){.about = {.name = "stubborn"}, .pick = half}, "nothing can happen any more");
}

static void one_that_is_asked_again_and_again_too(void **state)
{
    (void)state;
    check_told(&(WarpScheduler){.about = {.name = "stubborn"}, .pick = nobody_now},
               "no instruction has been issued, and nothing is under way (knob watchdog_cycles)");
}

static void one_that_waits_for_its_time_is_not_stopped(void **state)
{
    (void)state;
    WbGpu *gpu = open_gpu();
    assert_int_equal(run_with(gpu, &(WarpScheduler){.about = {.name = "late"}, .pick = late}), WB_OK);
    assert_true(gpu->now > 50000);
    wb_gpu_close(gpu);
}

/* Every thread reads words that lie far apart, meets the others of its block, and reads on. */
static const char reads[] =
    PTX_HEADER ".visible .entry reads(.param .u64 out) {\n.reg .pred %p; .reg .b32 %r<6>; .reg .b64 %rd<3>;\n"
               "ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x;\n"
               "mad.lo.u32 %r0, %r1, %r2, %r0; mov.u32 %r3, 0;\n"
               "LOOP: mul.lo.u32 %r4, %r0, 2654435761; add.u32 %r4, %r4, %r3; shr.u32 %r4, %r4, 18;\n"
               "mul.wide.u32 %rd1, %r4, 4; add.u64 %rd1, %rd0, %rd1; ld.global.u32 %r5, [%rd1];\n"
               "mad.lo.u32 %r0, %r5, 3, %r0; bar.sync 0; add.u32 %r3, %r3, 1; setp.lt.u32 %p, %r3, 6;\n"
               "@%p bra LOOP; ret; }\n";

static WbGpu *read_with(const char *policy, const char *way)
{
    static uint32_t words[1 << 14];
    const char *const knobs[] = {"mode=cycle", "sm_count=2", policy, way, NULL};
    WbGpu *gpu = harness_open("c2050", knobs);
    for (uint32_t i = 0; i < 1 << 14; i++)
        words[i] = i * 7;
    harness_run_ok(&(HarnessRun){gpu, reads, "reads", {9, 1, 1}, {512, 1, 1}, 0, words, 1 << 14});
    return gpu;
}

static uint64_t policy_stalls(const WbGpu *gpu)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < gpu->cycle->sm_count; i++)
        for (uint32_t k = 0; k < gpu->cycle->sms[i]->scheduler_count; k++)
            sum += gpu->cycle->sms[i]->schedulers[k].statistics.stall_policy;
    return sum;
}

/* Where a block has 8 warps for each scheduler, fetch groups are blocks. */
static void a_group_alone_is_one_of_warps_or_of_a_block(void **state)
{
    (void)state;
    WbGpu *warps = read_with("warp_scheduler=two-level", "two_level_fills=false");
    WbGpu *blocks = read_with("warp_scheduler=catls", "catls_long_waits=true");
    WbGpu *all = read_with("warp_scheduler=lrr", "mode=cycle");
    assert_int_equal(warps->now, blocks->now);
    assert_int_equal(policy_stalls(warps), policy_stalls(blocks));
    assert_true(policy_stalls(warps) > 100);
    assert_int_equal(policy_stalls(all), 0);
    wb_gpu_close(warps);
    wb_gpu_close(blocks);
    wb_gpu_close(all);
}

/* The upper warps, whose group goes first behind the barrier, spin on a word in shared memory that the lower
 * ones write. */
static const char spins[] = PTX_HEADER
    ".visible .entry spins(.param .u64 out) {\n.shared .align 4 .b8 flag[4];\n"
    ".reg .pred %p<3>; .reg .b32 %r<5>; .reg .b64 %rd<2>;\n"
    "ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, flag; mov.u32 %r2, 0;\n"
    "setp.eq.u32 %p0, %r0, 0; @%p0 st.shared.u32 [%r1], %r2; bar.sync 0;\n"
    "setp.lt.u32 %p1, %r0, 512; @%p1 bra SET;\n"
    "LOOP: ld.volatile.shared.u32 %r3, [%r1]; setp.eq.u32 %p2, %r3, 0; @%p2 bra LOOP; bra DONE;\n"
    "SET: mov.u32 %r3, 7; st.volatile.shared.u32 [%r1], %r3;\n"
    "DONE: mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd0, %rd1; st.global.u32 [%rd1], %r3; ret; }\n";

static void one_that_spins_lets_others_issue(void **state)
{
    (void)state;
    for (size_t i = 0; sched_at(i); i++) {
        char policy[64];
        uint32_t words[1024] = {0};
        snprintf(policy, sizeof policy, "warp_scheduler=%s", sched_at(i)->about.name);
        const char *const knobs[] = {"mode=cycle", "sm_count=1", policy, NULL};
        WbGpu *gpu = harness_open("c2050", knobs);
        harness_run_ok(&(HarnessRun){gpu, spins, "spins", {1, 1, 1}, {1024, 1, 1}, 0, words, 1024});
        for (uint32_t k = 0; k < 1024; k++)
            assert_int_equal(words[k], 7);
        wb_gpu_close(gpu);
    }
}

/* A group that is alone is not left: the watchdog says who keeps those from issuing that could end it. */
static void one_that_starves_warps_is_named(void **state)
{
    (void)state;
    static const char *const knobs[] = {"mode=cycle", "sm_count=1", "watchdog_cycles=3000",
                                        "warp_scheduler=two-level", "two_level_fills=false", NULL};
    uint32_t words[1024] = {0};
    WbGpu *gpu = harness_open("c2050", knobs);
    harness_run_error(&(HarnessRun){gpu, spins, "spins", {1, 1, 1}, {1024, 1, 1}, 0, words, 1024},
                      WB_ERROR_DEADLOCK, "is starved: in the ",
                      "the policy warp_scheduler=two-level has let 16 warps never issue that could", NULL);
    wb_gpu_close(gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_policy_that_holds_a_kernel_up_is_named),
        cmocka_unit_test(one_that_is_asked_again_and_again_too),
        cmocka_unit_test(one_that_waits_for_its_time_is_not_stopped),
        cmocka_unit_test(a_group_alone_is_one_of_warps_or_of_a_block),
        cmocka_unit_test(one_that_spins_lets_others_issue),
        cmocka_unit_test(one_that_starves_warps_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
