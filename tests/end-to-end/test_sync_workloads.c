/* The benchmarks of the synchronization thesis on tiny inputs: however their blocks synchronize, results are
 * those computed without the GPU, and cycle mode gives the same bytes for any number of threads. Barriers that
 * poll end with a report where a grid is larger than the machine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "sync/sync.h"

#define DIRECTORY SOURCE_DIRECTORY "/workloads/sync"
#define FEW_SMS "sm_count=4" /* on which tiny inputs just fit, and persistent threads are few */

/* Fails the test unless the result is right. The caller closes the GPU, which tells what has happened. */
static WbGpu *run(const SyncBenchmark *benchmark, SyncMode mode, const char *name, const char *const *knobs,
                  double *nanoseconds)
{
    Host host;
    WbGpu *gpu = harness_open(name, knobs);
    if (!sync_run(benchmark, &(SyncRun){.mode = mode, .size = INPUT_TINY}, gpu, DIRECTORY, &host))
        fail_msg("%s, %s, %s: %s", benchmark->name, sync_mode_names[mode], name, host.error);
    if (nanoseconds)
        *nanoseconds = host.total_time;
    host_end(&host);
    return gpu;
}

/* Whether no row above has the same kernels: others differ in their input. */
static bool is_first(size_t index)
{
    return index == 0 || strcmp(sync_benchmarks[index].file, sync_benchmarks[index - 1].file) != 0;
}

static void test_functional(void **state)
{
    (void)state;
    for (size_t i = 0; i < SYNC_BENCHMARKS; i++)
        for (SyncMode mode = 0; mode < SYNC_MODES; mode++)
            if (is_first(i) && sync_has(&sync_benchmarks[i], mode))
                wb_gpu_close(run(&sync_benchmarks[i], mode, "gtx970",
                                 (const char *const[]){"mode=functional", FEW_SMS, NULL}, NULL));
}

/* With global sync two threads must change nothing. */
static void check_threads(const SyncBenchmark *benchmark)
{
    static const char *const threads[] = {"threads=1", "threads=2"};
    char *reports[2];
    for (int i = 0; i < 2; i++) {
        const char *const knobs[] = {"mode=cycle", FEW_SMS, threads[i], NULL};
        WbGpu *gpu = run(benchmark, SYNC_GSYNC, "gtx970", knobs, NULL);
        reports[i] = harness_report(gpu);
        wb_gpu_close(gpu);
    }
    if (strcmp(reports[0], reports[1]) != 0)
        fail_msg("%s: the report is another one with threads=2", benchmark->name);
    free(reports[0]), free(reports[1]);
}

/* All modes of benchmarks that are short in all of them but the queue. */
static void test_cycle(void **state)
{
    (void)state;
    static const char *const names[] = {"stencil2d", "cnn", "rnn", "sat", "lud", "bfs_1m"};
    const char *const knobs[] = {"mode=cycle", FEW_SMS, NULL};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const SyncBenchmark *benchmark = sync_find(names[i]);
        for (SyncMode mode = 0; mode < SYNC_MODES; mode++)
            if (sync_has(benchmark, mode) && mode != SYNC_PT_QUEUE)
                wb_gpu_close(run(benchmark, mode, "gtx970", knobs, NULL));
        if (sync_has(benchmark, SYNC_GSYNC))
            check_threads(benchmark);
    }
}

/* 36 blocks of 256 threads, of which 32 are resident. */
static void test_deadlock(void **state)
{
    (void)state;
    for (SyncMode mode = SYNC_MUTEX; mode <= SYNC_FLAGS; mode++) {
        Host host;
        WbGpu *gpu = harness_open("gtx970", (const char *const[]){"mode=cycle", FEW_SMS, NULL});
        const SyncRun how = {.mode = mode, .size = INPUT_TINY, .side = 6 * 16};
        assert_false(sync_run(sync_find("stencil2d"), &how, gpu, DIRECTORY, &host));
        assert_int_equal(host.status, WB_ERROR_DEADLOCK);
        if (!strstr(host.error, "4 blocks have not been dispatched, because all places are taken"))
            fail_msg("%s", host.error);
        host_end(&host);
        wb_gpu_close(gpu);
    }
}

static uint64_t statistic(const WbGpu *gpu, const char *name)
{
    WbStat stat;
    if (wb_stat_find(gpu, name, &stat) != WB_OK)
        fail_msg("there is no statistic %s", name);
    return stat.value;
}

/* Four blocks of 512 threads on a GPU that holds two. Those that wait make room for the others, and come back;
 * those that poll do not. */
static void test_larger_than_machine(void **state)
{
    (void)state;
    static const char *const knobs[] = {"mode=cycle", "sm_count=1", "max_threads_per_sm=1024", NULL};
    const SyncMode yielding[] = {SYNC_GSYNC, SYNC_WS};
    for (size_t i = 0; i < 2; i++) {
        WbGpu *gpu = run(sync_find("bfs_ny"), yielding[i], "gtx970", knobs, NULL);
        assert_true(statistic(gpu, "blocks_suspended") > 66 * 2); /* two or more in each round */
        wb_gpu_close(gpu);
    }
    Host host;
    WbGpu *gpu = harness_open("gtx970", knobs);
    assert_false(sync_run(sync_find("bfs_ny"), &(SyncRun){.mode = SYNC_FLAGS_WS, .size = INPUT_TINY}, gpu,
                          DIRECTORY, &host));
    assert_int_equal(host.status, WB_ERROR_DEADLOCK);
    assert_non_null(strstr(host.error, "2 blocks have not been dispatched, because all places are taken"));
    host_end(&host);
    wb_gpu_close(gpu);
}

/* Lanes of a warp that part in their loops come together to each wait, on a GPU that lets them part. A file
 * takes the place of a generated graph: a line of vertices and one that nobody reaches. */
static void test_graphs(void **state)
{
    (void)state;
    static const char *const names[] = {"shortest_1m", "shortest_ny", "sssp_ny", "apsp_ny"};
    const char *const knobs[] = {"mode=functional", NULL};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        wb_gpu_close(run(sync_find(names[i]), SYNC_WS, "h200", knobs, NULL));
    char path[] = "/tmp/warpbeam-line-XXXXXX.gr";
    const int file = mkstemps(path, 3);
    assert_true(file >= 0);
    assert_true(dprintf(file, "p sp 5 3\na 1 2 4\na 2 3 4\na 3 4 4\n") > 0);
    close(file);
    Host host;
    WbGpu *gpu = harness_open("gtx970", knobs);
    const SyncRun how = {.mode = SYNC_WS, .size = INPUT_SMALL, .graph = path};
    if (!sync_run(sync_find("bfs_ny"), &how, gpu, DIRECTORY, &host))
        fail_msg("%s", host.error);
    unlink(path);
    host_end(&host);
    wb_gpu_close(gpu);
}

/* The host launches five iterations, waits, copies a flag, waits, four times: that many waits cost. */
static void test_host_time(void **state)
{
    (void)state;
    static const char *const costs[] = {"host_sync_ns=0", "host_sync_ns=5000"};
    double times[2];
    for (int i = 0; i < 2; i++) {
        const char *const knobs[] = {"mode=functional", costs[i], NULL};
        WbGpu *gpu = run(sync_find("stencil2d"), SYNC_REKL, "gtx970", knobs, &times[i]);
        assert_int_equal(statistic(gpu, "launches"), 20);
        wb_gpu_close(gpu);
    }
    const double more = times[1] - times[0];
    assert_true(more > 8 * 5000.0 - 10 && more < 8 * 5000.0 + 10); /* a cycle is not a whole nanosecond */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functional), cmocka_unit_test(test_cycle),
        cmocka_unit_test(test_deadlock),   cmocka_unit_test(test_larger_than_machine),
        cmocka_unit_test(test_graphs),     cmocka_unit_test(test_host_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
