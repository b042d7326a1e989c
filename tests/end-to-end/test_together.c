/* One problem, every mechanism: all modes of the suite together give the host's result on GPUs of four kinds,
 * with any warp scheduler and any policy of blocks, and the same time with any number of threads. What has no
 * meaning is refused with a sentence. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "shell.h"
#include "together/together.h"

#define FOLDER SOURCE_DIRECTORY "/workloads/together"

/* What the suite needs whatever the GPU, and few SMs, so that blocks have to wait for room. */
static WbGpu *open_gpu(const char *name, const char *mode, const char *policy, const char *threads)
{
    return harness_open(name, (const char *const[]){mode, "sm_count=2", "pending_launches=1048576",
                                                    "launch_depth=0", "preempted_global=1048576", threads,
                                                    policy, NULL});
}

static double run(TogetherMode mode, size_t problem, const char *gpu_name, const char *how,
                  const char *policy, const char *threads)
{
    Host host;
    const TogetherRun wish = {.mode = mode, .size = INPUT_TINY};
    WbGpu *gpu = open_gpu(gpu_name, how, policy, threads);
    if (!together_run(&together_problems[problem], &wish, gpu, FOLDER, &host))
        fail_msg("%s, %s, %s, %s, %s: %s", together_problems[problem].name, together_mode_names[mode],
                 gpu_name, how, policy ? policy : "no policy", host.error);
    const double time = host.total_time;
    host_end(&host);
    wb_gpu_close(gpu);
    return time;
}

#define FOR_ALL_MODES(problem, mode)                                                                         \
    for (size_t problem = 0; problem < TOGETHER_PROBLEMS; problem++)                                         \
        for (TogetherMode mode = 0; mode < TOGETHER_MODES; mode++)                                           \
            if (together_has(&together_problems[problem], mode))

static void test_functional(void **state)
{
    (void)state;
    FOR_ALL_MODES(problem, mode)
        run(mode, problem, "h200", "mode=functional", NULL, NULL);
}

/* A GPU each for the modes in turn: each problem meets all four, and so does each mode. */
static void test_gpus(void **state)
{
    (void)state;
    static const char *const gpus[] = {"gtx480", "k20c", "gtx970", "h200"};
    size_t turn = 0;
    FOR_ALL_MODES(problem, mode)
        run(mode, problem, gpus[turn++ % 4], "mode=cycle", NULL, NULL);
}

/* Pairwise: all modes with all policies, of wave and tree, which have them all between them. */
static void test_policies(void **state)
{
    (void)state;
    static const char *const policies[] = {
        "warp_scheduler=lrr",        "warp_scheduler=two-level", "warp_scheduler=owl",
        "warp_scheduler=saws",       "warp_scheduler=catls",     "warp_scheduler=grr",
        "block_admit=dyncta",        "block_admit=claso",        "block_source=random-order",
        "block_source=block-order"};
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++)
        for (TogetherMode mode = 0; mode < TOGETHER_MODES; mode++)
            if (mode != TOGETHER_CHANNELS || strcmp(policies[i], "block_admit=claso") != 0)
                run(mode, TOGETHER_WAVE, "gtx970", "mode=cycle", policies[i], NULL);
    run(TOGETHER_DTBL, TOGETHER_TREE, "k20c", "mode=cycle", "block_admit=claso", NULL);
    run(TOGETHER_DTBL, TOGETHER_ROWS, "k20c", "mode=cycle", "block_admit=claso", NULL);
}

static void test_threads(void **state)
{
    (void)state;
    static const TogetherMode modes[] = {TOGETHER_DTBL, TOGETHER_LVL, TOGETHER_WS_ORDER, TOGETHER_CHANNELS};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        const double one = run(modes[i], TOGETHER_WAVE, "gtx480", "mode=cycle", NULL, "threads=1");
        const double three = run(modes[i], TOGETHER_WAVE, "gtx480", "mode=cycle", NULL, "threads=3");
        assert_true(one > 0 && one == three);
    }
}

/* Channels and waits at once: both results are right, and both ran in less time than one after the other. */
static void test_side(void **state)
{
    (void)state;
    Host host;
    WbGpu *gpu = open_gpu("gtx970", "mode=cycle", NULL, NULL);
    if (!together_side(INPUT_TINY, gpu, FOLDER, &host))
        fail_msg("%s", host.error);
    const double both = host.total_time;
    host_end(&host);
    wb_gpu_close(gpu);
    const double tree = run(TOGETHER_CHANNELS, TOGETHER_TREE, "gtx970", "mode=cycle", NULL, NULL);
    const double stencil = run(TOGETHER_WS, TOGETHER_STENCIL, "gtx970", "mode=cycle", NULL, NULL);
    assert_true(both >= tree && both >= stencil && both < tree + stencil);
}

/* Modes that a problem lacks are told with a reason, and so is a policy for grids where there is none. */
static void test_refusals(void **state)
{
    (void)state;
    char output[4096], command[512];
    for (size_t problem = 0; problem < TOGETHER_PROBLEMS; problem++)
        for (TogetherMode mode = 0; mode < TOGETHER_MODES; mode++) {
            const char *refusal = together_refusal(&together_problems[problem], mode);
            if (!refusal)
                continue;
            snprintf(command, sizeof command, "%s/bin/warpbeam run together/%s --mode %s 2>&1",
                     shell_build_folder(), together_problems[problem].name, together_mode_names[mode]);
            assert_int_not_equal(shell_run(command, output, sizeof output), 0);
            if (!strstr(output, refusal))
                fail_msg("%s says: %s", command, output);
        }
    snprintf(command, sizeof command,
             "%s/bin/warpbeam run together/tree --mode channels --size tiny --set block_admit=claso 2>&1",
             shell_build_folder());
    assert_int_not_equal(shell_run(command, output, sizeof output), 0);
    assert_non_null(strstr(output, "the tasks of a flow graph have no grid"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functional), cmocka_unit_test(test_gpus),     cmocka_unit_test(test_policies),
        cmocka_unit_test(test_threads),    cmocka_unit_test(test_side),     cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
