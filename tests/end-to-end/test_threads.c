/* GPUs are independent: several threads, each with its own, run at once and count the same. */
#include "harness.h"

#include <pthread.h>
#include <string.h>

#include "six/six.h"

enum { THREADS = 4 };

typedef struct Worker {
    pthread_t thread;
    bool right;
    char error[2048];
    uint64_t counts[512];
    size_t count;
} Worker;

static void *work(void *argument)
{
    Worker *worker = argument;
    WbGpu *gpu;
    if (wb_gpu_open("h200", &gpu, worker->error, sizeof worker->error) != WB_OK)
        return NULL;
    worker->right = true;
    for (int i = 0; i < SIX_COUNT; i++) {
        Host host;
        int size = six_programs[i].size > 4096 ? six_programs[i].size / 32 : 128;
        worker->right &= six_run(&six_programs[i], gpu, SOURCE_DIRECTORY "/workloads/six", size, &host);
        if (!worker->right)
            memcpy(worker->error, host.error, sizeof worker->error);
        host_end(&host);
    }
    worker->count = wb_stat_count(gpu);
    for (size_t i = 0; i < worker->count && i < 512; i++) {
        WbStat stat;
        wb_stat_at(gpu, i, &stat);
        worker->counts[i] = stat.value;
    }
    wb_gpu_close(gpu);
    return NULL;
}

static void test_gpus_in_threads(void **state)
{
    (void)state;
    static Worker workers[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    for (int i = 0; i < THREADS; i++) {
        if (!workers[i].right)
            fail_msg("thread %d: %s", i, workers[i].error);
        assert_true(workers[i].count > 10 && workers[i].count <= 512);
        assert_int_equal(workers[i].count, workers[0].count);
        assert_memory_equal(workers[i].counts, workers[0].counts, sizeof workers[i].counts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gpus_in_threads)};
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
