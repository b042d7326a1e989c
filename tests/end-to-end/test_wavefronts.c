/* SAT, SOR and LUD of the suite sync/ on a few tiles: whoever sees to it that tiles come after those that
 * they need, results are, bit by bit, those computed without the GPU; where blocks poll that have no place for
 * those that they wait for, the run says so instead of hanging. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/gpu.h"
#include "harness.h"
#include "sync/sync.h"

#define DIRECTORY SOURCE_DIRECTORY "/workloads/sync"

static const char *const names[] = {"sat", "sor", "lud"};
enum { NAMES = sizeof names / sizeof *names };

/* Fails the test unless the result is right. The caller closes the GPU. */
static WbGpu *run(const char *name, SyncRun how, const char *const *knobs)
{
    Host host;
    WbGpu *gpu = harness_open("gtx970", knobs);
    if (!sync_run(sync_find(name), &how, gpu, DIRECTORY, &host))
        fail_msg("%s, %s, %u tiles, %s: %s", name, sync_mode_names[how.mode], how.side, knobs[0], host.error);
    host_end(&host);
    return gpu;
}

static void run_modes(const char *name, SyncRun how, const char *const *knobs)
{
    for (int mode = 0; mode < SYNC_MODES; mode++) {
        how.mode = (SyncMode)mode;
        if (sync_has(sync_find(name), how.mode))
            wb_gpu_close(run(name, how, knobs));
    }
}

/* With two SMs a persistent block has several rows of tiles, the last of them fewer, and takes turns. */
static void test_functional(void **state)
{
    static const char *const knobs[] = {"mode=functional", NULL};
    static const char *const few[] = {"mode=functional", "sm_count=2", NULL};
    (void)state;
    for (size_t i = 0; i < NAMES; i++)
        run_modes(names[i], (SyncRun){.side = 4, .interval = 2, .group = 2, .apart = true}, knobs);
    for (uint32_t side = 2; side <= 5; side += 3)
        for (uint32_t interval = 1; interval <= 4; interval += 3)
            for (size_t i = 0; i < NAMES; i++)
                wb_gpu_close(
                    run(names[i], (SyncRun){.mode = SYNC_PEERWAVE, .side = side, .interval = interval}, few));
}

/* Many tiles where 8 have a place: blocks that wait make room for others. */
static void test_crowded(void **state)
{
    static const char *const knobs[] = {"mode=functional", "sm_count=1", NULL};
    (void)state;
    for (size_t i = 0; i < NAMES; i++)
        for (int mode = SYNC_WS; mode <= SYNC_WS_ORDER; mode++)
            wb_gpu_close(run(names[i], (SyncRun){.mode = (SyncMode)mode, .side = i == 1 ? 4 : 8}, knobs));
}

static void test_cycle(void **state)
{
    static const char *const knobs[] = {"mode=cycle", NULL};
    (void)state;
    for (size_t i = 0; i < NAMES; i++)
        run_modes(names[i], (SyncRun){.side = i == 1 ? 2 : 4, .seed = 7}, knobs);
}

/* Nine tiles of which eight have a place: SOR needs all at once, because a tile has to wait for the one below
 * it until it is through all sweeps. What SAT and LUD need has always come before, in the usual order. */
static void test_flags_deadlock(void **state)
{
    static const char *const modes[] = {"mode=functional", "mode=cycle"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const char *const knobs[] = {modes[i], "sm_count=1", NULL};
        const SyncRun how = {.mode = SYNC_FLAGS, .side = 3};
        Host host;
        WbGpu *gpu = harness_open("gtx970", knobs);
        assert_false(sync_run(sync_find("sor"), &how, gpu, DIRECTORY, &host));
        assert_int_equal(host.status, WB_ERROR_DEADLOCK);
        assert_non_null(strstr(host.error, "than fit on the GPU at once (8)"));
        host_end(&host);
        wb_gpu_close(gpu);
        wb_gpu_close(run("sat", how, knobs));
        wb_gpu_close(run("lud", how, knobs));
    }
}

/* 63 x 63 tiles are what the thesis calls 4,000 events; a group of all tiles of a step's row leaves three
 * events a step. */
static void test_events(void **state)
{
    (void)state;
    assert_int_equal(lud_events(63, 1), 63 * 63);
    assert_int_equal(lud_events(63, 62), 3 * 62 + 1);
    assert_int_equal(lud_events(2, 1), 4);
    assert_int_equal(lud_events(5, 2), 5 + 2 * (2 + 2 + 1 + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functional),
        cmocka_unit_test(test_crowded),
        cmocka_unit_test(test_cycle),
        cmocka_unit_test(test_flags_deadlock),
        cmocka_unit_test(test_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
