/* Kernels of several streams at once: the GPU's statistics count everything once, each kernel's record and
 * its series agree, and what is counted does not depend on threads and windows. */
#include <stdio.h>
#include <string.h>

#include "api/gpu.h"
#include "harness.h"

enum { STREAMS = 4, KERNELS = 12, WORDS = 1 << 14 };

/* out[i] += in[i] and an atomic count, so that loads, stores and atomics of several kernels meet in all
 * caches. */
static const char text[] = PTX_HEADER
    ".visible .entry sum(.param .u64 out, .param .u64 in, .param .u64 count) {\n"
    "  .reg .u64 %o, %i, %c, %d; .reg .u32 %t, %b, %n, %v, %w;\n"
    "  ld.param.u64 %o, [out]; ld.param.u64 %i, [in]; ld.param.u64 %c, [count];\n"
    "  mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %n, %ntid.x; mad.lo.u32 %t, %b, %n, %t;\n"
    "  and.b32 %t, %t, 4095; mul.wide.u32 %d, %t, 4; add.u64 %o, %o, %d; add.u64 %i, %i, %d;\n"
    "  ld.global.u32 %v, [%i]; ld.global.u32 %w, [%o]; add.u32 %v, %v, %w; st.global.u32 [%o], %v;\n"
    "  red.global.add.u32 [%c], 1; ret; }\n";

static void check(WbGpu *gpu, WbStatus status)
{
    if (status != WB_OK)
        fail_msg("%s", wb_error(gpu));
}

static uint64_t total(const WbGpu *gpu, const char *name)
{
    WbStat stat;
    if (wb_stat_find(gpu, name, &stat))
        fail_msg("there is no statistic %s", name);
    return stat.value;
}

/* Every stream adds to its own quarter and reads that of all. */
static WbGpu *run(const char *name, const char *const *knobs)
{
    WbGpu *gpu = harness_open(name, knobs);
    WbModule *module;
    WbKernel *kernel;
    WbStream *streams[STREAMS];
    uint64_t words, count;
    check(gpu, wb_module_load(gpu, "sum.ptx", text, strlen(text), &module));
    check(gpu, wb_module_kernel(module, "sum", &kernel));
    check(gpu, wb_malloc(gpu, 4 * WORDS, &words));
    check(gpu, wb_malloc(gpu, 4, &count));
    check(gpu, wb_set_device(gpu, words, 1, 4 * WORDS));
    for (int i = 0; i < STREAMS; i++)
        check(gpu, wb_stream_create(gpu, 0, -(i % 2), &streams[i]));
    for (uint32_t i = 0; i < KERNELS; i++) {
        uint64_t out = words + i % STREAMS * WORDS, in = words + (i + 1) % STREAMS * WORDS;
        void *const pointers[] = {&out, &in, &count};
        check(gpu, wb_stream_launch(streams[i % STREAMS], kernel,
                                    &(WbLaunch){.grid = {9 + 5 * i, 1, 1},
                                                .block = {64 + 32 * (i % 3), 1, 1},
                                                .pointers = pointers}));
    }
    check(gpu, wb_wait(gpu));
    uint32_t threads = 0, counted;
    for (uint32_t i = 0; i < KERNELS; i++)
        threads += (9 + 5 * i) * (64 + 32 * (i % 3));
    check(gpu, wb_copy_from_device(gpu, &counted, count, 4));
    assert_int_equal(counted, threads);
    return gpu;
}

static void test_totals(void **state)
{
    WbGpu *gpu = run(*state, (const char *const[]){"mode=cycle", NULL});
    uint64_t blocks = 0, cycles = 0, reasons = 0;
    Cycle last = 0;
    bool overlap = false;
    assert_int_equal(gpu->records.count, KERNELS);
    for (uint32_t i = 0; i < KERNELS; i++) {
        const KernelRecord *record = gpu->records.items[i];
        blocks += record->block_count;
        cycles += record_cycles(record);
        last = record->ended > last ? record->ended : last;
        overlap |= !record->is_alone;
    }
    assert_true(overlap);
    const char *const same[][2] = {
        {"lsu.requests", "request_out.packets"},
        {"lsu.requests", "request_in.packets"},
        {"lsu.requests", "reply_out.packets"},
        {"lsu.requests", "reply_in.packets"},
        {"request_out.flits", "request_in.flits"},
        {"reply_out.flits", "reply_in.flits"},
        {"l1.atomics", "l2.atomics"},
        {"warp_instructions", "sm.warp_instructions"},
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_int_equal(total(gpu, same[i][0]), total(gpu, same[i][1]));
    assert_int_equal(total(gpu, "l1.loads"), total(gpu, "l1.load_hits") + total(gpu, "l1.load_misses") +
                                                 total(gpu, "l1.load_merges"));
    assert_int_equal(total(gpu, "l1.sector_misses"), total(gpu, "l1.fills") + total(gpu, "l1.dropped_fills"));
    assert_int_equal(total(gpu, "blocks_dispatched"), blocks);
    assert_int_equal(total(gpu, "blocks_ended"), blocks);
    assert_int_equal(total(gpu, "cycles"), cycles);
    /* Some kernel ran in every cycle from the first launch to the last end. */
    assert_int_equal(total(gpu, "sm.active_cycles") + total(gpu, "sm.idle_cycles"),
                     gpu->config.sm_count * last);
    for (size_t row = 0; row < scheduler_statistics.count; row++) {
        char name[64];
        snprintf(name, sizeof name, "scheduler.%s", scheduler_statistics.rows[row].name);
        reasons += total(gpu, name);
    }
    assert_int_equal(reasons, gpu->config.schedulers * total(gpu, "sm.active_cycles"));
    wb_gpu_close(gpu);
}

/* The samples of a kernel add up to its record, whoever runs beside it. */
static void test_series(void **state)
{
    WbGpu *gpu = run(*state, (const char *const[]){"mode=cycle", "sample_interval=700", NULL});
    for (uint32_t i = 0; i < KERNELS; i++) {
        const KernelRecord *record = gpu->records.items[i];
        const Series *series = record->series;
        Cycle from = record->launched;
        for (uint32_t sample = 0; sample < series->ends.count; sample++) {
            assert_true(series->ends.items[sample] - from == 700 || sample == series->ends.count - 1);
            from = series->ends.items[sample];
        }
        assert_true(from == record->ended);
        for (uint32_t row = 0; row < SERIES_ROWS; row++) {
            char name[64];
            WbStat stat;
            uint64_t sum = 0;
            check(gpu, wb_record_stat(gpu, i, series_row_name(row, name, sizeof name), &stat));
            for (uint32_t sample = 0; sample < series->ends.count; sample++)
                sum += series_value(series, sample, row);
            assert_int_equal(sum, stat.value);
        }
    }
    wb_gpu_close(gpu);
}

/* Samples, threads and windows change how often the simulation looks around, and nothing else. */
static void test_same(void **state)
{
    static const char *const ways[][4] = {
        {"mode=cycle", "threads=3", NULL},
        {"mode=cycle", "window=1", NULL},
        {"mode=cycle", "threads=2", "sample_interval=333", NULL},
    };
    WbGpu *expected = run(*state, (const char *const[]){"mode=cycle", NULL});
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        WbGpu *got = run(*state, ways[w]);
        for (uint32_t i = 0; i < KERNELS; i++) {
            assert_int_equal(expected->records.items[i]->launched, got->records.items[i]->launched);
            assert_int_equal(expected->records.items[i]->ended, got->records.items[i]->ended);
        }
        for (size_t i = 0; i < wb_stat_count(got); i++) {
            WbStat a, b;
            check(got, wb_stat_at(expected, i, &a));
            check(got, wb_stat_at(got, i, &b));
            if (a.value != b.value)
                fail_msg("%s: %llu and %llu", a.name, (unsigned long long)a.value,
                         (unsigned long long)b.value);
        }
        wb_gpu_close(got);
    }
    wb_gpu_close(expected);
}

int main(void)
{
    static char *const gpus[] = {"gtx480", "titanv"};
    struct CMUnitTest tests[6];
    for (int i = 0; i < 2; i++) {
        tests[3 * i] = (struct CMUnitTest){"totals", test_totals, NULL, NULL, gpus[i]};
        tests[3 * i + 1] = (struct CMUnitTest){"series", test_series, NULL, NULL, gpus[i]};
        tests[3 * i + 2] = (struct CMUnitTest){"same", test_same, NULL, NULL, gpus[i]};
    }
    return cmocka_run_group_tests_name("overlap", tests, NULL, NULL);
}
