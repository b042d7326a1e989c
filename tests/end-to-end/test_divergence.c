/* Lanes that part and meet again: both kinds of divergence compute the same, and each behaves as the
 * GPUs that have it. */
#include "harness.h"

#include <stdio.h>
#include <string.h>

#define KERNEL(body)                                                                                   \
    PTX_HEADER ".visible .entry k(.param .u64 out)\n{\n"                                               \
    ".reg .pred %p<8>; .reg .b32 %r<40>; .reg .b64 %rd<16>;\n"                                         \
    "ld.param.u64 %rd1, [out]; cvta.to.global.u64 %rd1, %rd1;\n"                                       \
    "mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2;\n" body "ret;\n}\n"

static const char *const gpus[] = {"h200", "gtx480"};

/* Runs with 64 threads in one block on both kinds of GPU and compares with `expected`. */
static void check(const char *ptx, uint32_t (*expected)(uint32_t thread))
{
    for (int i = 0; i < 2; i++) {
        uint32_t out[64] = {0};
        WbGpu *gpu = harness_open(gpus[i], NULL);
        harness_run_ok(&(HarnessRun){gpu, ptx, "k", {1, 1, 1}, {64, 1, 1}, 0, out, 64});
        for (uint32_t t = 0; t < 64; t++)
            if (out[t] != expected(t))
                fail_msg("%s: thread %u gave %u, not %u", gpus[i], t, out[t], expected(t));
        wb_gpu_close(gpu);
    }
}

static uint32_t expect_if(uint32_t t) { return (t % 3 == 0 ? t * 2 : t + 100) + 7; }

static void test_if_else(void **state)
{
    (void)state;
    check(KERNEL("rem.u32 %r2, %r1, 3; setp.eq.u32 %p1, %r2, 0;\n"
                 "@%p1 bra THEN;\n add.u32 %r3, %r1, 100; bra.uni DONE;\n"
                 "THEN: shl.b32 %r3, %r1, 1;\n DONE: add.u32 %r3, %r3, 7; st.global.u32 [%rd2], %r3;\n"),
          expect_if);
}

static uint32_t expect_loop(uint32_t t) { return t * (t + 1) / 2; }

static void test_loop_with_different_counts(void **state)
{
    (void)state;
    check(KERNEL("mov.u32 %r2, 0; mov.u32 %r3, 0;\n LOOP: setp.gt.u32 %p1, %r3, %r1; @%p1 bra DONE;\n"
                 "add.u32 %r2, %r2, %r3; add.u32 %r3, %r3, 1; bra LOOP;\n DONE: st.global.u32 [%rd2], %r2;\n"),
          expect_loop);
}

/* Compilers write .uni on branches that do part. */
static void test_uni_that_diverges(void **state)
{
    (void)state;
    check(KERNEL("rem.u32 %r2, %r1, 3; setp.eq.u32 %p1, %r2, 0;\n"
                 "@%p1 bra.uni THEN;\n add.u32 %r3, %r1, 100; bra.uni DONE;\n"
                 "THEN: shl.b32 %r3, %r1, 1;\n DONE: add.u32 %r3, %r3, 7; st.global.u32 [%rd2], %r3;\n"),
          expect_if);
}

static uint32_t expect_exit(uint32_t t) { return t & 1 ? 5 : t == 10 ? 0 : 9; }

static void test_early_exit(void **state)
{
    (void)state;
    check(KERNEL("and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; setp.eq.u32 %p2, %r1, 10;\n"
                 "@%p1 bra EVEN;\n mov.u32 %r3, 5; st.global.u32 [%rd2], %r3; exit;\n"
                 "EVEN: @%p2 ret; mov.u32 %r3, 9; st.global.u32 [%rd2], %r3;\n"),
          expect_exit);
}

/* Lane 3 leaves from the loop's second round; the others meet behind the loop, whatever their counts. */
static uint32_t expect_return_in_loop(uint32_t t) { return t == 3 ? 0 : t < 32 ? 0xfffffff7 : 0xffffffff; }

static void test_meet_behind_loop_with_return(void **state)
{
    (void)state;
    check(KERNEL("and.b32 %r2, %r1, 7; mov.u32 %r3, 0; setp.eq.u32 %p1, %r1, 3;\n"
                 "LOOP: setp.eq.and.u32 %p2, %r3, 1, %p1; @%p2 bra END;\n"
                 "add.u32 %r3, %r3, 1; setp.le.u32 %p3, %r3, %r2; @%p3 bra LOOP;\n"
                 "activemask.b32 %r4; st.global.u32 [%rd2], %r4;\n END: "),
          expect_return_in_loop);
}

static uint32_t expect_all(uint32_t t) { return (void)t, 0xffffffff; }

static void test_meet_behind_loop_with_trap(void **state)
{
    (void)state;
    check(KERNEL("and.b32 %r2, %r1, 7; mov.u32 %r3, 0;\n"
                 "LOOP: setp.lt.u32 %p2, %r3, 100; @%p2 bra GOOD; trap;\n"
                 "GOOD: add.u32 %r3, %r3, 1; setp.le.u32 %p3, %r3, %r2; @%p3 bra LOOP;\n"
                 "activemask.b32 %r4; st.global.u32 [%rd2], %r4;\n"),
          expect_all);
}

static uint32_t expect_switch(uint32_t t)
{
    static const uint32_t values[] = {11, 22, 33, 22};
    return values[t % 4] + 1;
}

static void test_branch_table(void **state)
{
    (void)state;
    check(KERNEL("and.b32 %r2, %r1, 3;\n TS: .branchtargets A, B, C, B;\n brx.idx %r2, TS;\n"
                 "A: mov.u32 %r3, 11; bra DONE;\n B: mov.u32 %r3, 22; bra DONE;\n C: mov.u32 %r3, 33;\n"
                 "DONE: add.u32 %r3, %r3, 1; st.global.u32 [%rd2], %r3;\n"),
          expect_switch);
}

#define FACTORIAL                                                                                      \
    PTX_HEADER ".func (.param .b32 result) sum(.param .b32 n)\n{\n .reg .pred %p; .reg .b32 %r<6>;\n"  \
    "ld.param.b32 %r1, [n]; mov.u32 %r2, 0; setp.eq.u32 %p, %r1, 0; @%p bra END;\n"                    \
    "sub.u32 %r3, %r1, 1;\n { .param .b32 a; .param .b32 r; st.param.b32 [a], %r3;\n"                  \
    "call.uni (r), sum, (a); ld.param.b32 %r4, [r]; }\n add.u32 %r2, %r4, %r1;\n"                      \
    "END: st.param.b32 [result], %r2; ret;\n}\n"

static void test_recursion_to_different_depths(void **state)
{
    (void)state;
    check(FACTORIAL ".visible .entry k(.param .u64 out)\n{\n .reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
          "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2;\n"
          "{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r1; call.uni (r), sum, (a); ld.param.b32 %r2, [r]; }\n"
          "st.global.u32 [%rd2], %r2; ret;\n}\n",
          expect_loop);
}

static uint32_t expect_pointer(uint32_t t) { return t % 3 == 0 ? t + 1 : t % 3 == 1 ? t * 2 : t ^ 0x55; }

static void test_indirect_calls_part(void **state)
{
    (void)state;
    check(PTX_HEADER
          ".func (.reg .b32 %o) f0(.reg .b32 %i) { add.u32 %o, %i, 1; ret; }\n"
          ".func (.reg .b32 %o) f1(.reg .b32 %i) { shl.b32 %o, %i, 1; ret; }\n"
          ".func (.reg .b32 %o) f2(.reg .b32 %i) { xor.b32 %o, %i, 0x55; ret; }\n"
          ".global .u64 table[3] = {f0, f1, f2};\n"
          ".visible .entry k(.param .u64 out)\n{\n .reg .b32 %r<8>; .reg .b64 %rd<8>;\n"
          "P: .callprototype (.reg .b32 _) _ (.reg .b32 _);\n"
          "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2;\n"
          "rem.u32 %r2, %r1, 3; mul.wide.u32 %rd3, %r2, 8; mov.u64 %rd4, table; add.s64 %rd3, %rd4, %rd3;\n"
          "ld.global.u64 %rd5, [%rd3]; call (%r4), %rd5, (%r1), P;\n st.global.u32 [%rd2], %r4; ret;\n}\n",
          expect_pointer);
}

static uint32_t expect_sizes(uint32_t t) { return t % 32 < 8 ? t * 4 : 77; }

/* Lanes that went round keep a 32-bit value while the others compute with 64-bit ones. */
static void test_registers_of_two_sizes(void **state)
{
    (void)state;
    check(KERNEL("and.b32 %r2, %r1, 31; setp.ge.u32 %p1, %r2, 8; mov.u32 %r3, 77; @%p1 bra DONE;\n"
                 "mul.wide.u32 %rd3, %r1, 4; cvt.u32.u64 %r3, %rd3;\n DONE: st.global.u32 [%rd2], %r3;\n"),
          expect_sizes);
}

/* Lanes of one warp take a lock in turn. On independent lanes this ends; on a SIMT stack the lanes that
 * spin keep the lane that holds the lock from running, as before Volta. */
#define SPIN_LOCK                                                                                      \
    KERNEL("add.s64 %rd3, %rd1, 256;\n SPIN: atom.global.cas.b32 %r2, [%rd3], 0, 1;\n"                 \
           "setp.ne.u32 %p1, %r2, 0; @%p1 bra SPIN;\n"                                                 \
           "ld.volatile.global.u32 %r3, [%rd3+4]; add.u32 %r3, %r3, 1; st.volatile.global.u32 [%rd3+4], %r3;\n" \
           "membar.gl; atom.global.exch.b32 %r4, [%rd3], 0; st.global.u32 [%rd2], %r3;\n")

static void test_spin_lock_between_lanes_ends(void **state)
{
    (void)state;
    uint32_t out[80] = {0};
    WbGpu *gpu = harness_open("h200", NULL);
    harness_run_ok(&(HarnessRun){gpu, SPIN_LOCK, "k", {1, 1, 1}, {64, 1, 1}, 0, out, 80});
    assert_int_equal(out[65], 64);
    wb_gpu_close(gpu);
}

static void test_spin_lock_hangs_on_a_stack(void **state)
{
    (void)state;
    static const char *const knobs[] = {"functional_limit=100000", NULL};
    uint32_t out[80] = {0};
    WbGpu *gpu = harness_open("gtx480", knobs);
    harness_run_error(&(HarnessRun){gpu, SPIN_LOCK, "k", {1, 1, 1}, {32, 1, 1}, 0, out, 80},
                      WB_ERROR_DEADLOCK, "functional_limit", "test.ptx:", (char *)NULL);
    wb_gpu_close(gpu);
}

static uint32_t expect_shuffle(uint32_t t) { return (t & 32) + ((t & 31) ^ 16); }

/* Both sides of a branch run the same collective from different places: it waits for all its lanes. */
static void test_collective_waits_for_diverged_lanes(void **state)
{
    (void)state;
    uint32_t out[64];
    WbGpu *gpu = harness_open("h200", NULL);
    harness_run_ok(&(HarnessRun){gpu,
                   KERNEL("and.b32 %r2, %r1, 16; setp.eq.u32 %p1, %r2, 0; @%p1 bra LOW;\n"
                          "shfl.sync.bfly.b32 %r3, %r1, 16, 31, -1; bra DONE;\n"
                          "LOW: shfl.sync.bfly.b32 %r3, %r1, 16, 31, -1;\n DONE: st.global.u32 [%rd2], %r3;\n"),
                   "k", {1, 1, 1}, {64, 1, 1}, 0, out, 64});
    for (uint32_t t = 0; t < 64; t++)
        assert_int_equal(out[t], expect_shuffle(t));
    wb_gpu_close(gpu);
}

/* The upper lanes wait for the lower ones to write, by bar.warp.sync alone. */
static void test_warp_sync_orders_diverged_lanes(void **state)
{
    (void)state;
    uint32_t out[32] = {0};
    WbGpu *gpu = harness_open("h200", NULL);
    harness_run_ok(&(HarnessRun){gpu,
                   KERNEL("setp.lt.u32 %p1, %r1, 16; @%p1 bra LOW;\n"
                          "bar.warp.sync -1; ld.volatile.global.u32 %r3, [%rd2+-64]; add.u32 %r3, %r3, 1;\n"
                          "st.global.u32 [%rd2], %r3; bra DONE;\n"
                          "LOW: add.u32 %r3, %r1, 500; st.volatile.global.u32 [%rd2], %r3; bar.warp.sync -1;\n DONE:\n"),
                   "k", {1, 1, 1}, {32, 1, 1}, 0, out, 32});
    for (uint32_t t = 0; t < 32; t++)
        assert_int_equal(out[t], t < 16 ? t + 500 : t - 16 + 501);
    wb_gpu_close(gpu);
}

static void test_sync_with_an_exited_lane(void **state)
{
    (void)state;
    uint32_t out[32] = {0};
    WbGpu *gpu = harness_open("h200", NULL);
    harness_run_ok(&(HarnessRun){gpu,
                   KERNEL("setp.eq.u32 %p1, %r1, 3; @%p1 exit;\n bar.warp.sync -1; activemask.b32 %r3;\n"
                          "st.global.u32 [%rd2], %r3;\n"),
                   "k", {1, 1, 1}, {32, 1, 1}, 0, out, 32});
    for (uint32_t t = 0; t < 32; t++)
        assert_int_equal(out[t], t == 3 ? 0 : 0xfffffff7);
    wb_gpu_close(gpu);
}

/* A mask that names a lane which never comes. */
static void test_sync_deadlock_is_told(void **state)
{
    (void)state;
    uint32_t out[32] = {0};
    WbGpu *gpu = harness_open("h200", NULL);
    harness_run_error(&(HarnessRun){gpu,
                      KERNEL("setp.lt.u32 %p1, %r1, 16; @%p1 bra LOW;\n bar.sync 1, 64; bra DONE;\n"
                             "LOW: bar.warp.sync -1;\n DONE:\n"),
                      "k", {1, 1, 1}, {32, 1, 1}, 0, out, 32},
                      WB_ERROR_DEADLOCK, "deadlock", "barrier 1", "0xffff0000", (char *)NULL);
    wb_gpu_close(gpu);
}

static uint32_t expect_wide(uint32_t t) { return t % 5 == 0 ? t + 1 : t * 3; }

static void test_wavefront_of_64(void **state)
{
    (void)state;
    uint32_t out[128];
    WbGpu *gpu = harness_open("apu8", NULL);
    HarnessRun run = {gpu,
                      KERNEL("rem.u32 %r2, %r1, 5; setp.eq.u32 %p1, %r2, 0; @%p1 bra A;\n mul.lo.u32 %r3, %r1, 3; bra B;\n"
                             "A: add.u32 %r3, %r1, 1;\n B: st.global.u32 [%rd2], %r3;\n"),
                      "k", {1, 1, 1}, {128, 1, 1}, 0, out, 128};
    harness_run_ok(&run);
    for (uint32_t t = 0; t < 128; t++)
        assert_int_equal(out[t], expect_wide(t));
    run.ptx = KERNEL("shfl.sync.bfly.b32 %r3, %r1, 16, 31, -1; st.global.u32 [%rd2], %r3;\n");
    harness_run_error(&run, WB_ERROR_UNSUPPORTED, "64", (char *)NULL);
    wb_gpu_close(gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_if_else),
        cmocka_unit_test(test_loop_with_different_counts),
        cmocka_unit_test(test_uni_that_diverges),
        cmocka_unit_test(test_early_exit),
        cmocka_unit_test(test_meet_behind_loop_with_return),
        cmocka_unit_test(test_meet_behind_loop_with_trap),
        cmocka_unit_test(test_branch_table),
        cmocka_unit_test(test_recursion_to_different_depths),
        cmocka_unit_test(test_indirect_calls_part),
        cmocka_unit_test(test_registers_of_two_sizes),
        cmocka_unit_test(test_spin_lock_between_lanes_ends),
        cmocka_unit_test(test_spin_lock_hangs_on_a_stack),
        cmocka_unit_test(test_collective_waits_for_diverged_lanes),
        cmocka_unit_test(test_warp_sync_orders_diverged_lanes),
        cmocka_unit_test(test_sync_with_an_exited_lane),
        cmocka_unit_test(test_sync_deadlock_is_told),
        cmocka_unit_test(test_wavefront_of_64),
    };
    return cmocka_run_group_tests_name("divergence", tests, NULL, NULL);
}
