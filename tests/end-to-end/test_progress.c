/* From Volta on every lane makes progress, whatever the others of its warp do: programs that need it. */
#include "harness.h"

#include <string.h>

#define KERNEL(body)                                                                                         \
    PTX_HEADER ".visible .entry k(.param .u64 out)\n{\n"                                                     \
               ".reg .pred %p<8>; .reg .b32 %r<12>; .reg .b64 %rd<8>;\n"                                     \
               "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;\n" body "ret;\n}\n"

/* Runs one block; out[1] counts the threads that came to the end. */
static void check_all_end(const char *ptx, uint32_t threads)
{
    static const char *const limits[] = {"functional_limit=5000000", NULL};
    static const char *const turns[] = {"functional_limit=5000000", "functional_turn=7", NULL};
    for (int i = 0; i < 2; i++) {
        uint32_t out[2] = {0};
        WbGpu *gpu = harness_open("h200", i ? turns : limits);
        harness_run_ok(&(HarnessRun){gpu, ptx, "k", {1, 1, 1}, {threads, 1, 1}, 0, out, 2});
        assert_int_equal(out[1], threads);
        wb_gpu_close(gpu);
    }
}

/* Lanes wait in a loop with a branch of its own, which may end every turn just where the branch joins. */
static void test_wait_loop_with_a_branch(void **state)
{
    (void)state;
    check_all_end(
        KERNEL("and.b32 %r2, %r1, 1; setp.eq.u32 %p4, %r2, 1; setp.eq.u32 %p1, %r1, 31; @%p1 bra J;\n"
               "add.u32 %r7, %r7, 1; add.u32 %r7, %r7, 1; add.u32 %r7, %r7, 1; add.u32 %r7, %r7, 1;\n"
               "W: add.u32 %r7, %r7, 1; @%p4 bra O; add.u32 %r5, %r5, 1; bra N;\n"
               "O: add.u32 %r5, %r5, 2;\n"
               "N: ld.volatile.global.u32 %r3, [%rd1]; setp.eq.u32 %p2, %r3, 0; @%p2 bra W;\n"
               "J: @%p1 st.volatile.global.u32 [%rd1], 1; atom.global.add.u32 %r4, [%rd1+4], 1;\n"),
        32);
}

/* Lanes 16 to 30 stand where lanes 0 to 15 would meet them, which wait for them at bar.warp.sync, while
 * lane 31 spins on what they would write. */
static void test_spinning_beside_a_sync(void **state)
{
    (void)state;
    check_all_end(KERNEL("setp.eq.u32 %p3, %r1, 31; @%p3 bra SPIN; setp.ge.u32 %p1, %r1, 16; @%p1 bra J;\n"
                         "bar.warp.sync 0x7fffffff;\n"
                         "J: setp.lt.u32 %p2, %r1, 16; @%p2 bra K; bar.warp.sync 0x7fffffff;\n"
                         "st.volatile.global.u32 [%rd1], 1;\n K: bra.uni E;\n"
                         "SPIN: ld.volatile.global.u32 %r3, [%rd1]; setp.eq.u32 %p2, %r3, 0; @%p2 bra SPIN;\n"
                         "E: atom.global.add.u32 %r4, [%rd1+4], 1;\n"),
                  32);
}

/* Half of warp 0 is at the barrier; the other half sets the flag that warp 1 spins on before its own. */
static void test_spinning_beside_a_barrier(void **state)
{
    (void)state;
    check_all_end(KERNEL("setp.ge.u32 %p3, %r1, 32; @%p3 bra SPIN; setp.ge.u32 %p1, %r1, 16; @%p1 bra J;\n"
                         "barrier.sync 0;\n J: setp.lt.u32 %p2, %r1, 16; @%p2 bra E;\n"
                         "st.volatile.global.u32 [%rd1], 1; barrier.sync 0; bra E;\n"
                         "SPIN: ld.volatile.global.u32 %r3, [%rd1]; setp.eq.u32 %p2, %r3, 0; @%p2 bra SPIN;\n"
                         "barrier.sync 0;\n E: atom.global.add.u32 %r4, [%rd1+4], 1;\n"),
                  64);
}

/* Lane 1 first exchanges with lane 2, which comes late, then with lane 0, which waits meanwhile. */
static void test_collectives_with_different_masks(void **state)
{
    (void)state;
    uint32_t out[3] = {0};
    WbGpu *gpu = harness_open("h200", NULL);
    harness_run_ok(&(HarnessRun){
        gpu,
        KERNEL("add.u32 %r6, %r1, 100; setp.gt.u32 %p0, %r1, 2; @%p0 exit;\n"
               "setp.eq.u32 %p1, %r1, 0; @%p1 bra L0; setp.eq.u32 %p2, %r1, 1; @%p2 bra L1;\n"
               "mov.u32 %r7, 0;\n W: add.u32 %r7, %r7, 1; setp.lt.u32 %p3, %r7, 5000; @%p3 bra W;\n"
               "shfl.sync.bfly.b32 %r5, %r6, 3, 0x1f, 6; bra E;\n"
               "L1: shfl.sync.bfly.b32 %r5, %r6, 3, 0x1f, 6; shfl.sync.bfly.b32 %r8, %r6, 1, 0x1f, 3;\n"
               "mad.lo.u32 %r5, %r8, 1000, %r5; bra E;\n L0: shfl.sync.bfly.b32 %r5, %r6, 1, 0x1f, 3;\n"
               "E: mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r5;\n"),
        "k",
        {1, 1, 1},
        {32, 1, 1},
        0,
        out,
        3});
    assert_int_equal(out[0], 101);
    assert_int_equal(out[1], 100102);
    assert_int_equal(out[2], 101);
    wb_gpu_close(gpu);
}

/* Tiles of eight lanes whose masks are in a register, reached from two sides of a branch. */
static void test_tiles_from_two_sides(void **state)
{
    (void)state;
    uint32_t out[32];
    WbGpu *gpu = harness_open("h200", NULL);
    harness_run_ok(&(HarnessRun){
        gpu,
        KERNEL("and.b32 %r2, %r1, 24; shl.b32 %r3, 0xff, %r2; and.b32 %r4, %r1, 4; setp.eq.u32 %p1, %r4, 0;\n"
               "@%p1 bra A; shfl.sync.bfly.b32 %r5, %r1, 4, 0x181f, %r3; bra E;\n"
               "A: shfl.sync.bfly.b32 %r5, %r1, 4, 0x181f, %r3;\n"
               "E: mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r5;\n"),
        "k",
        {1, 1, 1},
        {32, 1, 1},
        0,
        out,
        32});
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], i ^ 4);
    wb_gpu_close(gpu);
}

/* A barrier named with and without its count, which is that of the block. */
static void test_barrier_said_in_two_ways(void **state)
{
    (void)state;
    check_all_end(KERNEL("setp.lt.u32 %p1, %r1, 32; @%p1 bar.sync 0; @!%p1 bar.sync 0, 64;\n"
                         "atom.global.add.u32 %r4, [%rd1+4], 1;\n"),
                  64);
}

/* Blocks in order of launch wait for the one behind them: all are resident, so all end. */
static void test_block_waits_for_a_later_one(void **state)
{
    (void)state;
    uint32_t out[2] = {0};
    WbGpu *gpu = harness_open("h200", (const char *const[]){"functional_limit=50000000", NULL});
    harness_run_ok(&(HarnessRun){
        gpu,
        KERNEL("mov.u32 %r2, %ctaid.x; mov.u32 %r3, %nctaid.x; sub.u32 %r3, %r3, 1; sub.u32 %r3, %r3, %r2;\n"
               "W: ld.volatile.global.u32 %r5, [%rd1]; setp.ne.u32 %p1, %r5, %r3; @%p1 bra W;\n"
               "membar.gl; atom.global.add.u32 %r4, [%rd1], 1; atom.global.add.u32 %r4, [%rd1+4], 1;\n"),
        "k",
        {100, 1, 1},
        {1, 1, 1},
        0,
        out,
        2});
    assert_int_equal(out[1], 100);
    wb_gpu_close(gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wait_loop_with_a_branch),
        cmocka_unit_test(test_spinning_beside_a_sync),
        cmocka_unit_test(test_spinning_beside_a_barrier),
        cmocka_unit_test(test_collectives_with_different_masks),
        cmocka_unit_test(test_tiles_from_two_sides),
        cmocka_unit_test(test_barrier_said_in_two_ways),
        cmocka_unit_test(test_block_waits_for_a_later_one),
    };
    return cmocka_run_group_tests_name("progress", tests, NULL, NULL);
}
