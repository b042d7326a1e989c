/* What copies and fills leave in L2 (l2_keeps_copies): how much a kernel that reads it all fetches from DRAM.
 * The L2 has 8 ways of 64 KiB. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"

enum { KIB = 1024, WAY = 64 * KIB, L2 = 8 * WAY, MOST = 2 * L2, SECTOR = 32 };

/* A block for each 4 KiB; a thread reads a word of each sector of it. */
static const char *const reader = PTX_HEADER ".visible .entry reads(.param .u64 data)\n"
                                             "{\n"
                                             ".reg .u32 %r<5>; .reg .u64 %d<4>; .reg .pred %p<2>;\n"
                                             "ld.param.u64 %d1, [data];\n"
                                             "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x;\n"
                                             "mad.lo.u32 %r3, %r1, 128, %r2; mul.wide.u32 %d2, %r3, 32;\n"
                                             "add.u64 %d3, %d1, %d2; ld.global.cg.u32 %r4, [%d3];\n"
                                             "setp.eq.u32 %p1, %r4, 77; @%p1 st.global.u32 [%d1], %r4; ret;\n"
                                             "}\n";

typedef struct Bench {
    WbGpu *gpu;
    WbKernel *kernel;
    uint64_t data, other;
    uint8_t *host;
} Bench;

static void ok(const Bench *bench, WbStatus status)
{
    if (status)
        fail_msg("%s", wb_error(bench->gpu));
}

static Bench bench_open(const char *keeps, const char *halves)
{
    const char *const knobs[] = {"mode=cycle",
                                 "sm_count=4",
                                 "l2_slices=4",
                                 "dram_channels=2",
                                 "l2_bytes=524288",
                                 "l2_ways=8",
                                 "l2_fetch_bytes=32",
                                 keeps,
                                 halves,
                                 NULL};
    Bench bench = {.gpu = harness_open("gtx480", knobs), .host = calloc(1, MOST)};
    WbModule *module;
    ok(&bench, wb_module_load(bench.gpu, "reader.ptx", reader, strlen(reader), &module));
    ok(&bench, wb_module_kernel(module, "reads", &bench.kernel));
    ok(&bench, wb_malloc(bench.gpu, MOST, &bench.data));
    ok(&bench, wb_malloc(bench.gpu, MOST, &bench.other));
    return bench;
}

static void bench_close(Bench *bench)
{
    free(bench->host);
    wb_gpu_close(bench->gpu);
}

static uint64_t fetched(const Bench *bench)
{
    WbStat stat = {0};
    ok(bench, wb_stat_find(bench->gpu, "l2.fetches", &stat));
    return stat.value;
}

/* Reads so many bytes at the address and tells how many came from DRAM. */
static uint64_t read_all(const Bench *bench, uint64_t address, uint32_t bytes)
{
    WbArgument argument = WB_ARG(address);
    const WbLaunch launch = {
        .grid = {bytes / (4 * KIB), 1, 1}, .block = {128, 1, 1}, .arguments = &argument, .argument_count = 1};
    WbStat before = {0};
    const uint64_t start = wb_stat_find(bench->gpu, "l2.fetches", &before) ? 0 : before.value;
    ok(bench, wb_launch(bench->kernel, &launch));
    ok(bench, wb_wait(bench->gpu));
    return (fetched(bench) - start) * SECTOR;
}

static void copy_in(const Bench *bench, uint64_t address, size_t bytes)
{
    ok(bench, wb_copy_to_device(bench->gpu, address, bench->host, bytes));
}

/* Also before the first launch, when there is no machine yet. */
static void keeps_copies_only_if_it_should(void **state)
{
    (void)state;
    for (int halves = 1; halves <= 2; halves++) {
        Bench bench = bench_open("l2_keeps_copies=true", halves == 1 ? "l2_halves=1" : "l2_halves=2");
        copy_in(&bench, bench.data, 32 * KIB);
        assert_int_equal(read_all(&bench, bench.data, 32 * KIB), 0);
        copy_in(&bench, bench.other, 32 * KIB);
        assert_int_equal(read_all(&bench, bench.other, 32 * KIB), 0);
        ok(&bench, wb_gpu_flush(bench.gpu));
        assert_int_equal(read_all(&bench, bench.data, 32 * KIB), 32 * KIB);
        bench_close(&bench);
    }
    Bench bench = bench_open("l2_keeps_copies=false", "l2_halves=1");
    copy_in(&bench, bench.data, 32 * KIB);
    assert_int_equal(read_all(&bench, bench.data, 32 * KIB), 32 * KIB);
    bench_close(&bench);
}

/* A copy takes what is empty. Where L2 is full of other lines, one way of it stays, of a fill all. Lines go to
 * sets by a hash that deals aligned runs evenly, so that the last way's worth is there. */
static void lets_copies_go_first(void **state)
{
    (void)state;
    Bench bench = bench_open("l2_keeps_copies=true", "l2_halves=1");
    copy_in(&bench, bench.data, L2);
    assert_int_equal(read_all(&bench, bench.data, L2), 0);
    assert_int_equal(read_all(&bench, bench.other, L2), L2);
    copy_in(&bench, bench.data, L2);
    assert_int_equal(read_all(&bench, bench.data + L2 - WAY, WAY), 0);
    assert_int_equal(read_all(&bench, bench.data + L2 - 2 * WAY, WAY), WAY);
    ok(&bench, wb_set_device(bench.gpu, bench.data, 1, L2));
    assert_int_equal(read_all(&bench, bench.data, L2), 0);
    bench_close(&bench);
}

/* Lines that a kernel has read stay; copies do not throw them out. A copy from the device brings lines, too. */
static void keeps_what_was_used(void **state)
{
    (void)state;
    Bench bench = bench_open("l2_keeps_copies=true", "l2_halves=1");
    copy_in(&bench, bench.data, WAY);
    assert_int_equal(read_all(&bench, bench.data, WAY), 0);
    copy_in(&bench, bench.other, MOST);
    assert_int_equal(read_all(&bench, bench.data, WAY), 0);
    ok(&bench, wb_gpu_flush(bench.gpu));
    ok(&bench, wb_copy_from_device(bench.gpu, bench.host, bench.data, WAY));
    assert_int_equal(read_all(&bench, bench.data, WAY), 0);
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_copies_only_if_it_should),
        cmocka_unit_test(lets_copies_go_first),
        cmocka_unit_test(keeps_what_was_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
