/* The programs of the suites claso, saws and channels: results are those computed without the GPU in both modes, on
 * the GPU of their paper. There are as many launches and blocks as the CLASO paper's table says, as many
 * blocks fit on an SM, and they have its sizes; tiny inputs have the kernels and blocks of the others. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "channels/channels.h"
#include "claso/claso.h"
#include "harness.h"
#include "saws/saws.h"

#define FEW_SMS "sm_count=2"

/* Of the CLASO programs without time. The small input has the launches and blocks of table 2; with the
 * address sanitizer it takes long and finds no more bad accesses. */
#ifdef __SANITIZE_ADDRESS__
static const InputSize functional_size = INPUT_TINY;
#else
static const InputSize functional_size = INPUT_SMALL;
#endif

/* Fails the test unless the result is right. The caller closes the GPU, which tells what has happened. */
static WbGpu *run_as(const Benchmark *benchmark, const BenchmarkRun *how, const char *name, const char *mode)
{
    Host host;
    WbGpu *gpu = harness_open(name, (const char *const[]){mode, FEW_SMS, NULL});
    if (!benchmark_run(benchmark, how, gpu, SOURCE_DIRECTORY "/workloads", &host))
        fail_msg("%s, %s, %s, %u blocks: %s", benchmark->file, name, mode, how->blocks, host.error);
    host_end(&host);
    return gpu;
}

static WbGpu *run(const Benchmark *benchmark, const char *name, const char *mode, InputSize size)
{
    return run_as(benchmark, &(BenchmarkRun){.size = size}, name, mode);
}

static uint64_t counted(const WbGpu *gpu, const char *statistic)
{
    WbStat stat;
    assert_int_equal(wb_stat_find(gpu, statistic, &stat), WB_OK);
    return stat.value;
}

static void test_claso_functional(void **state)
{
    (void)state;
    for (size_t i = 0; i < CLASO_BENCHMARKS; i++) {
        const ClasoBenchmark *row = &claso_benchmarks[i];
        WbGpu *gpu = run(&row->benchmark, "c2050", "mode=functional", functional_size);
        const unsigned long long launches = counted(gpu, "launches"), blocks = counted(gpu, "blocks");
        if (functional_size == INPUT_SMALL && (launches != row->launches || blocks != row->blocks))
            fail_msg("%s: %llu launches of %llu blocks in all; table 2 has %u, %u", row->benchmark.name,
                     launches, blocks, row->launches, row->blocks);
        wb_gpu_close(gpu);
    }
}

/* With more blocks than the tiny input has, and a number of them that is no power of two. */
static void test_claso_blocks(void **state)
{
    (void)state;
    const BenchmarkRun how = {.size = INPUT_TINY, .blocks = 11, .seed = 7};
    for (size_t i = 0; i < CLASO_BENCHMARKS; i++)
        wb_gpu_close(run_as(&claso_benchmarks[i].benchmark, &how, "gtx480", "mode=functional"));
}

static void test_saws_functional(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAWS_BENCHMARKS; i++)
        wb_gpu_close(run(&saws_benchmarks[i].benchmark, "gtx970", "mode=functional", INPUT_TINY));
}

/* As above; kernels of the suite claso have been run so. */
static void test_saws_blocks(void **state)
{
    (void)state;
    const BenchmarkRun how = {.size = INPUT_TINY, .blocks = 11, .seed = 7};
    for (size_t i = 0; i < SAWS_BENCHMARKS; i++)
        if (strncmp(saws_benchmarks[i].benchmark.file, "claso/", 6) != 0)
            wb_gpu_close(run_as(&saws_benchmarks[i].benchmark, &how, "h200", "mode=functional"));
}

/* Kernels that are launched more often on larger inputs: of FWT those that give table 2's means, if 9, 3 and
 * 1 of them are launched. */
static const struct {
    const char *name;
    uint32_t threads, per_sm;
} repeated[] = {{"bfs_expand", 512, 3},
                {"bfs_advance", 512, 3},
                {"fwt_global", 256, 5},
                {"fwt_shared", 512, 3},
                {"fwt_modulate", 256, 6}};

static void check_repeated(const WbRecord *record)
{
    size_t i = 0;
    while (i < sizeof repeated / sizeof *repeated && strcmp(repeated[i].name, record->name) != 0)
        i++;
    if (i == sizeof repeated / sizeof *repeated)
        fail_msg("%s is launched less often than table 2 says", record->name);
    assert_int_equal(record->block.x * record->block.y * record->block.z, repeated[i].threads);
    assert_int_equal(record->blocks_per_sm, repeated[i].per_sm);
}

/* Blocks' sizes, and how many fit on an SM: on average over the launches, if those are all of table 2. */
static void check_blocks(const ClasoBenchmark *row, const WbGpu *gpu)
{
    const size_t count = wb_record_count(gpu);
    double threads = 0, per_sm = 0;
    for (size_t i = 0; i < count; i++) {
        WbRecord record;
        assert_int_equal(wb_record_at(gpu, i, &record), WB_OK);
        threads += (double)record.block.x * record.block.y * record.block.z / (double)count;
        per_sm += record.blocks_per_sm / (double)count;
        if (count != row->launches)
            check_repeated(&record);
    }
    if (count == row->launches &&
        (fabs(threads - row->threads) > 0.005 || fabs(per_sm - row->per_sm) > 0.005))
        fail_msg("%s: blocks of %.2f threads, %.2f on an SM; table 2 has %.2f, %.2f", row->benchmark.name,
                 threads, per_sm, row->threads, row->per_sm);
}

static void test_claso_cycle(void **state)
{
    (void)state;
    for (size_t i = 0; i < CLASO_BENCHMARKS; i++) {
        WbGpu *gpu = run(&claso_benchmarks[i].benchmark, "c2050", "mode=cycle", INPUT_TINY);
        check_blocks(&claso_benchmarks[i], gpu);
        wb_gpu_close(gpu);
    }
}

static void test_saws_cycle(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAWS_BENCHMARKS; i++) {
        WbGpu *gpu = run(&saws_benchmarks[i].benchmark, "gtx970", "mode=cycle", INPUT_TINY);
        const unsigned long long barriers = counted(gpu, "barriers");
        if ((barriers > 0) != saws_benchmarks[i].has_barriers)
            fail_msg("%s: warps arrived %llu times at barriers", saws_benchmarks[i].benchmark.name, barriers);
        wb_gpu_close(gpu);
    }
}

/* -- flow graphs -- */

/* The caller closes the GPU. */
static WbGpu *run_channels(const char *name, size_t index, ChannelsMode way, const char *const *settings)
{
    Host host;
    WbGpu *gpu = harness_open(name, settings);
    const ChannelsRun how = {.mode = way, .size = INPUT_TINY, .seed = 3};
    if (!channels_run(&channels_benchmarks[index], &how, gpu, SOURCE_DIRECTORY "/workloads/channels", &host))
        fail_msg("%s, %s, %s: %s", channels_benchmarks[index].name, settings[0], settings[1], host.error);
    host_end(&host);
    return gpu;
}

/* Narrow channels make wavefronts yield; CUs, forms and aggregators come to the same results. Fewer of these
 * under the address sanitizer, where more find no more bad accesses. */
static const char *const channels_ways[][4] = {
    {"mode=functional", "channel_width=64", NULL},
    {"mode=cycle", "channel_width=64", "sm_count=2", NULL},
#ifndef __SANITIZE_ADDRESS__
    {"mode=functional", "channel_form=per_lane", "channel_width=64", NULL},
    {"mode=cycle", "channel_form=padded", "aggregator_core=simple", NULL},
    {"mode=cycle", "channel_form=per_lane", "channel_width=64", NULL},
#endif
};

static void test_channels(void **state)
{
    (void)state;
    for (size_t i = 0; i < CHANNELS_BENCHMARKS; i++)
        for (size_t way = 0; way < sizeof channels_ways / sizeof *channels_ways; way++)
            wb_gpu_close(run_channels("apu8", i, CHANNELS_FLOW, channels_ways[way]));
}

/* Of 32 lanes, which go their own ways and have L1s that are not coherent. */
static void test_channels_narrow(void **state)
{
    (void)state;
    for (size_t i = 0; i < CHANNELS_BENCHMARKS; i++)
        wb_gpu_close(run_channels("h200", i, CHANNELS_FLOW,
                                  (const char *const[]){"mode=cycle", "channel_width=32", FEW_SMS, NULL}));
}

static void test_channels_flat(void **state)
{
    (void)state;
    static const char *const modes[][3] = {{"mode=functional", NULL}, {"mode=cycle", NULL}};
    for (size_t i = 0; i < CHANNELS_BENCHMARKS; i++)
        for (size_t mode = 0; mode < 2 && channels_has(&channels_benchmarks[i], CHANNELS_FLAT); mode++)
            wb_gpu_close(run_channels("apu8", i, CHANNELS_FLAT, modes[mode]));
}

/* The aggregator and wavefronts that yield do the same in the same cycle with any number of threads. */
static void test_channels_threads(void **state)
{
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    static const char *const counts[] = {"threads=1", "threads=3"};
#else
    static const char *const counts[] = {"threads=1", "threads=2", "threads=3", "threads=8"};
#endif
    char *first = NULL;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const char *const settings[] = {"mode=cycle", "channel_width=64", counts[i], NULL};
        WbGpu *gpu = run_channels("apu8", CHANNELS_FIB, CHANNELS_FLOW, settings);
        assert_true(counted(gpu, "unit_aggregator.yields") > 0);
        char *report = harness_report(gpu);
        if (first)
            assert_string_equal(report, first);
        else
            first = report;
        if (report != first)
            free(report);
        wb_gpu_close(gpu);
    }
    free(first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_claso_functional), cmocka_unit_test(test_claso_blocks),
        cmocka_unit_test(test_saws_functional),  cmocka_unit_test(test_saws_blocks),
        cmocka_unit_test(test_claso_cycle),      cmocka_unit_test(test_saws_cycle),
        cmocka_unit_test(test_channels),         cmocka_unit_test(test_channels_flat),
        cmocka_unit_test(test_channels_threads), cmocka_unit_test(test_channels_narrow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
