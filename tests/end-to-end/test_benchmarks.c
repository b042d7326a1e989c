/* The programs of the suites claso and saws on tiny inputs: results are those computed without the GPU in both
 * modes, on the GPU of their paper. As many blocks fit on an SM as the paper's table says, and blocks have
 * its sizes; so tiny inputs have all kernels of the others. */
#include <math.h>
#include <stdio.h>

#include "claso/claso.h"
#include "harness.h"
#include "saws/saws.h"

#define FEW_SMS "sm_count=2"

/* Fails the test unless the result is right. The caller closes the GPU, which tells what has happened. */
static WbGpu *run(const Benchmark *benchmark, const char *name, const char *mode)
{
    Host host;
    WbGpu *gpu = harness_open(name, (const char *const[]){mode, FEW_SMS, NULL});
    if (!benchmark_run(benchmark, &(BenchmarkRun){.size = INPUT_TINY}, gpu, SOURCE_DIRECTORY "/workloads",
                       &host))
        fail_msg("%s, %s, %s: %s", benchmark->file, name, mode, host.error);
    host_end(&host);
    return gpu;
}

static void test_claso_functional(void **state)
{
    (void)state;
    for (size_t i = 0; i < CLASO_BENCHMARKS; i++)
        wb_gpu_close(run(&claso_benchmarks[i].benchmark, "c2050", "mode=functional"));
}

static void test_saws_functional(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAWS_BENCHMARKS; i++)
        wb_gpu_close(run(&saws_benchmarks[i].benchmark, "gtx970", "mode=functional"));
}

static double threads_of(const WbRecord *record)
{
    return (double)record->block.x * record->block.y * record->block.z;
}

/* Means over all launches. */
static void means(const WbGpu *gpu, double *threads, double *per_sm)
{
    WbRecord record;
    const size_t count = wb_record_count(gpu);
    *threads = *per_sm = 0;
    for (size_t i = 0; i < count && wb_record_at(gpu, i, &record) == WB_OK; i++) {
        *threads += threads_of(&record) / (double)count;
        *per_sm += record.blocks_per_sm / (double)count;
    }
}

static void test_claso_cycle(void **state)
{
    (void)state;
    for (size_t i = 0; i < CLASO_BENCHMARKS; i++) {
        const ClasoBenchmark *row = &claso_benchmarks[i];
        WbGpu *gpu = run(&row->benchmark, "c2050", "mode=cycle");
        double threads, per_sm;
        means(gpu, &threads, &per_sm);
        if (fabs(threads - row->threads) > 0.005 || fabs(per_sm - row->per_sm) > 0.005)
            fail_msg("%s: blocks of %.2f threads, %.2f on an SM; table 2 has %.2f, %.2f", row->benchmark.name,
                     threads, per_sm, row->threads, row->per_sm);
        wb_gpu_close(gpu);
    }
}

static void test_saws_cycle(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAWS_BENCHMARKS; i++) {
        WbGpu *gpu = run(&saws_benchmarks[i].benchmark, "gtx970", "mode=cycle");
        WbStat barriers;
        assert_int_equal(wb_stat_find(gpu, "barriers", &barriers), WB_OK);
        if ((barriers.value > 0) != saws_benchmarks[i].has_barriers)
            fail_msg("%s: warps arrived %llu times at barriers", saws_benchmarks[i].benchmark.name,
                     (unsigned long long)barriers.value);
        wb_gpu_close(gpu);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_claso_functional),
        cmocka_unit_test(test_saws_functional),
        cmocka_unit_test(test_claso_cycle),
        cmocka_unit_test(test_saws_cycle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
