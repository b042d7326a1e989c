/* What limited a kernel: kernels that are made to be bound by one thing are said to be, on several GPUs. */
#include <stdio.h>
#include <string.h>

#include "api/gpu.h"
#include "harness.h"
#include "report/limit.h"
#include "six/six.h"
#include "wireframe/wireframe.h"

/* Eight independent chains of multiply-adds. */
#define CHAIN(i) "fma.rn.f32 %f" #i ", %f" #i ", %f" #i ", %f" #i ";\n"
#define CHAINS CHAIN(0) CHAIN(1) CHAIN(2) CHAIN(3) CHAIN(4) CHAIN(5) CHAIN(6) CHAIN(7)

/* Kernels take the address of memory in `out`. */
#define BEGIN(name)                                                                                          \
    ".visible .entry " name "(.param .u64 out)\n{\n"                                                         \
    ".reg .u64 %d<8>; .reg .u32 %r<16>; .reg .pred %p<4>; .reg .f32 %f<16>;\n"                               \
    ".shared .align 4 .b8 s[4096];\n"                                                                        \
    "ld.param.u64 %d0, [out];\nmov.u32 %r0, 0;\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n"
#define LOOP(rounds, body)                                                                                   \
    "$loop:\n" body "add.u32 %r0, %r0, 1;\nsetp.lt.u32 %p0, %r0, " #rounds ";\n@%p0 bra $loop;\n"
#define END "ret;\n}\n"

/* clang-format off */
static const char ptx[] = PTX_HEADER
    /* what issues without end */
    BEGIN("issues") LOOP(40, CHAINS CHAINS CHAINS CHAINS) END
    /* what needs the few lanes for special functions */
    BEGIN("specials") LOOP(40, "ex2.approx.ftz.f32 %f0, %f0;\nex2.approx.ftz.f32 %f1, %f1;\n"
                               "ex2.approx.ftz.f32 %f2, %f2;\nex2.approx.ftz.f32 %f3, %f3;\n") END
    /* one chain */
    BEGIN("chain") LOOP(1000, CHAIN(0) CHAIN(0) CHAIN(0) CHAIN(0) CHAIN(0) CHAIN(0)) END
    /* loads that need each other: memory holds offsets, which are 0 */
    BEGIN("chase") LOOP(40, "ld.volatile.global.u64 %d1, [%d0];\nadd.u64 %d0, %d0, %d1;\n") END
    /* warps that meet all the time, the first of which has something to do each time */
    BEGIN("meets") LOOP(40, "setp.ge.u32 %p1, %r1, 32;\n@%p1 bra $meet;\nmov.u32 %r3, 0;\n"
                            "$late:\n" CHAIN(0) "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p2, %r3, 60;\n@%p2 bra $late;\n"
                            "$meet:\nbar.sync 0;\n") END
    /* words of one bank of shared memory */
    BEGIN("banks") "and.b32 %r4, %r1, 31;\nshl.b32 %r4, %r4, 7;\nmov.u32 %r5, s;\nadd.u32 %r5, %r5, %r4;\n"
    LOOP(60, "ld.volatile.shared.u32 %r6, [%r5];\nadd.u32 %r7, %r7, %r6;\n") END
    /* nothing at all */
    BEGIN("empty") END
    /* one block that has much to do among those that have nothing */
    BEGIN("uneven") "setp.ne.u32 %p1, %r2, 0;\n@%p1 ret;\n" LOOP(1000, CHAIN(0)) END
    /* stores that must be seen before the next one */
    BEGIN("fences") LOOP(40, "st.global.u32 [%d0], %r0;\nmembar.gl;\n") END;
/* clang-format on */

/* What the launch's record says. */
static KernelLimit limit_of_last(const WbGpu *gpu)
{
    const KernelRecord *record = gpu->records.items[gpu->records.count - 1];
    const KernelSums sums = kernel_sums(record, &gpu->config);
    const KernelLimit limit = limit_of(record, &sums, &gpu->config);
    const uint64_t slots =
        record_cycles(record) * gpu->config.schedulers * record->components[COMPONENT_SM].count;
    uint64_t sum = 0;
    for (unsigned i = 0; i < LIMIT_COUNT; i++) {
        sum += limit.slots[i];
        assert_true(limit.slots[i] <= limit.slots[limit.kind]);
    }
    assert_int_equal(sum, limit.all);
    assert_int_equal(sum, slots);
    return limit;
}

static void expect(const WbGpu *gpu, const char *what, Limit expected)
{
    const KernelLimit limit = limit_of_last(gpu);
    char text[LIMIT_TEXT_SIZE];
    limit_text(&limit, text);
    if (limit.kind != expected)
        fail_msg("%s on %s is limited by %s, not by %s", what, gpu->config.name, text,
                 limit_rows[expected].title);
    assert_true(strncmp(text, limit_rows[expected].title, strlen(limit_rows[expected].title)) == 0);
    assert_int_equal(text[strlen(text) - 1], '.');
}

static void run(WbGpu *gpu, const char *kernel, uint32_t blocks, uint32_t threads)
{
    uint32_t out[1024] = {0};
    harness_run_ok(&(HarnessRun){.gpu = gpu,
                                 .ptx = ptx,
                                 .kernel = kernel,
                                 .grid = {blocks, 1, 1},
                                 .block = {threads, 1, 1},
                                 .out = out,
                                 .words = 1024});
}

static void test_kernels(void **state)
{
    static const struct {
        const char *kernel;
        uint32_t blocks_per_sm, threads; /* 0 blocks: one in all */
        Limit limit;
    } cases[] = {
        {"issues", 4, 256, LIMIT_issue},      {"specials", 2, 256, LIMIT_pipe},
        {"chain", 1, 32, LIMIT_few_blocks},   {"chase", 2, 128, LIMIT_memory_latency},
        {"meets", 2, 256, LIMIT_barriers},    {"banks", 2, 512, LIMIT_load_store_unit},
        {"uneven", 3, 32, LIMIT_uneven_work}, {"fences", 1, 128, LIMIT_fences},
        {"chain", 0, 128, LIMIT_few_blocks},  {"chain", 1, 128, LIMIT_arithmetic_latency},
    };
    static const char *const gpus[] = {"gtx480", "h200"};
    (void)state;
    for (size_t g = 0; g < 2; g++) {
        WbGpu *gpu = harness_open(gpus[g], (const char *const[]){"mode=cycle", "sm_count=8",
                                                                 "kernel_launch_cycles=100",
                                                                 "kernel_end_cycles=100", NULL});
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            const uint32_t blocks =
                cases[i].blocks_per_sm ? cases[i].blocks_per_sm * (uint32_t)gpu->config.sm_count : 1;
            run(gpu, cases[i].kernel, blocks, cases[i].threads);
            expect(gpu, cases[i].kernel, cases[i].limit);
        }
        wb_gpu_close(gpu);
    }
}

static void test_launch(void **state)
{
    (void)state;
    WbGpu *gpu =
        harness_open("gtx480", (const char *const[]){"mode=cycle", "kernel_launch_cycles=2000", NULL});
    run(gpu, "empty", 15, 64);
    expect(gpu, "empty", LIMIT_launch_overhead);
    wb_gpu_close(gpu);
}

static void test_bandwidth(void **state)
{
    (void)state;
    Host host;
    WbGpu *gpu = harness_open("gtx480", (const char *const[]){"mode=cycle", NULL});
    assert_true(six_run(&six_programs[0], gpu, SOURCE_DIRECTORY "/workloads/six", 100000, &host));
    host_end(&host);
    expect(gpu, "vectoradd", LIMIT_dram_bandwidth);
    wb_gpu_close(gpu);
    /* With faster DRAM, what leads to it is the limit. */
    gpu = harness_open("gtx480",
                       (const char *const[]){"mode=cycle", "dram_bus_bits=512", "crossbar_khz=200000", NULL});
    assert_true(six_run(&six_programs[0], gpu, SOURCE_DIRECTORY "/workloads/six", 100000, &host));
    host_end(&host);
    expect(gpu, "vectoradd", LIMIT_l2_bandwidth);
    wb_gpu_close(gpu);
}

static WbGpu *run_wavefront(WireframeMode mode)
{
    Host host;
    const WireframeRun run = {.mode = mode, .size = INPUT_TINY, .tiles = 9};
    WbGpu *gpu = harness_open("gtx480", (const char *const[]){"mode=cycle", NULL});
    if (!wireframe_run(wireframe_find("sor"), &run, gpu, SOURCE_DIRECTORY "/workloads/wireframe", &host))
        fail_msg("%s", host.error);
    host_end(&host);
    return gpu;
}

static void test_wavefront(void **state)
{
    (void)state;
    WbGpu *gpu = run_wavefront(WIREFRAME_LRR);
    expect(gpu, "sor with dependencies", LIMIT_dependencies);
    wb_gpu_close(gpu);
    gpu = run_wavefront(WIREFRAME_CDP);
    expect(gpu, "sor by launches", LIMIT_device_launches);
    wb_gpu_close(gpu);
}

/* docs/STATISTICS.md says how each comes about. */
static void test_documented(void **state)
{
    static char page[1 << 17];
    (void)state;
    FILE *file = fopen(SOURCE_DIRECTORY "/docs/STATISTICS.md", "r");
    assert_non_null(file);
    const size_t size = fread(page, 1, sizeof page - 1, file);
    fclose(file);
    assert_true(size < sizeof page - 1);
    const char *section = strstr(page, "## What limited it");
    assert_non_null(section);
    *strstr(section, "## Where warps") = '\0';
    for (unsigned i = 0; i < LIMIT_COUNT; i++) {
        char name[80];
        snprintf(name, sizeof name, "`%s`", limit_rows[i].name);
        if (!strstr(section, name))
            fail_msg("docs/STATISTICS.md does not explain %s", name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels),   cmocka_unit_test(test_launch),     cmocka_unit_test(test_bandwidth),
        cmocka_unit_test(test_wavefront), cmocka_unit_test(test_documented),
    };
    return cmocka_run_group_tests_name("limit", tests, NULL, NULL);
}
