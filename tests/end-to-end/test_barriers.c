/* Barriers of a block: names, counts, arrivals without waiting, reductions, threads that have left, and
 * lanes of one warp that come separately; and how long they take. */
#include "kernels.h"

#include <stdlib.h>
#include <string.h>

#define KERNEL(body)                                                                                         \
    PTX_HEADER ".visible .entry k(.param .u64 out)\n{\n"                                                     \
               ".reg .pred %p<8>; .reg .b32 %r<20>; .reg .b64 %rd<16>; .shared .b32 s[1024];\n"              \
               "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, "    \
               "%rd1, %rd2;\n"                                                                               \
               "shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.u32 %r3, %r3, %r2; shr.u32 %r4, %r1, 5;\n" body     \
               "ret;\n}\n"

enum { MOST = 1024 };

/* Runs one block and compares each thread's word. Small turns, so that warps interleave. */
static void check(const char *gpu_name, const char *ptx, uint32_t threads,
                  uint32_t (*expected)(uint32_t thread))
{
    static const char *const turns[] = {"functional_turn=1", "functional_turn=7", "functional_turn=256"};
    for (int i = 0; i < 3; i++) {
        uint32_t out[MOST] = {0};
        WbGpu *gpu = harness_open(gpu_name, (const char *const[]){turns[i], NULL});
        harness_run_ok(&(HarnessRun){gpu, ptx, "k", {1, 1, 1}, {threads, 1, 1}, 0, out, MOST});
        for (uint32_t t = 0; t < threads; t++)
            if (out[t] != expected(t))
                fail_msg("%s, %s: thread %u gave %u, not %u", gpu_name, turns[i], t, out[t], expected(t));
        wb_gpu_close(gpu);
    }
}

static void check_all(const char *ptx, uint32_t threads, uint32_t (*expected)(uint32_t thread))
{
    check("h200", ptx, threads, expected);
    check("gtx480", ptx, threads, expected);
}

/* Warps 0 and 1 meet at barrier 3, warps 2 and 3 at barrier 4; each reads what its partner wrote. */
static uint32_t expect_partner(uint32_t t) { return (t ^ 32) + 100; }

static void test_named_with_counts(void **state)
{
    (void)state;
    check_all(KERNEL("add.u32 %r5, %r1, 100; st.shared.u32 [%r3], %r5;\n"
                     "shr.u32 %r6, %r1, 6; add.u32 %r6, %r6, 3; bar.sync %r6, 64;\n"
                     "xor.b32 %r7, %r2, 128; mov.u32 %r8, s; add.u32 %r8, %r8, %r7;\n"
                     "ld.shared.u32 %r9, [%r8]; st.global.u32 [%rd2], %r9;\n"),
              128, expect_partner);
}

/* Warp 0 makes eight values, one a round; warp 1 uses them. Barrier 1: full, barrier 2: empty again. */
static uint32_t expect_consumed(uint32_t t) { return t < 32 ? 0 : 8 * (t - 32) + 28 * 10; }

static void test_producer_consumer(void **state)
{
    (void)state;
    check_all(KERNEL("mov.u32 %r10, 0; mov.u32 %r11, 0; and.b32 %r12, %r1, 31; shl.b32 %r12, %r12, 2;\n"
                     "mov.u32 %r13, s; add.u32 %r12, %r12, %r13; setp.ne.u32 %p1, %r4, 0; @%p1 bra USE;\n"
                     "MAKE: mad.lo.u32 %r5, %r10, 10, %r1; st.shared.u32 [%r12], %r5;\n"
                     "bar.arrive 1, 64; bar.sync 2, 64;\n"
                     "add.u32 %r10, %r10, 1; setp.lt.u32 %p2, %r10, 8; @%p2 bra MAKE; bra DONE;\n"
                     "USE: bar.sync 1, 64; ld.shared.u32 %r5, [%r12]; add.u32 %r11, %r11, %r5;\n"
                     "bar.arrive 2, 64; add.u32 %r10, %r10, 1; setp.lt.u32 %p2, %r10, 8; @%p2 bra USE;\n"
                     "DONE: st.global.u32 [%rd2], %r11;\n"),
              64, expect_consumed);
}

/* popc of thread % 3 == 0; and of thread < 1000; or of thread == 70. The last warp is not full. */
static uint32_t expect_reductions(uint32_t t)
{
    (void)t;
    return 34 | 1 << 8 | 1 << 9 | 0 << 10 | 1 << 11;
}

static void test_reductions(void **state)
{
    (void)state;
    check_all(
        KERNEL("rem.u32 %r5, %r1, 3; setp.eq.u32 %p1, %r5, 0; bar.red.popc.u32 %r6, 0, %p1;\n"
               "setp.lt.u32 %p1, %r1, 1000; bar.red.and.pred %p2, 0, %p1; selp.u32 %r7, 256, 0, %p2; or.b32 "
               "%r6, %r6, %r7;\n"
               "setp.eq.u32 %p1, %r1, 70; bar.red.or.pred %p2, 0, %p1; selp.u32 %r7, 512, 0, %p2; or.b32 "
               "%r6, %r6, %r7;\n"
               "barrier.red.and.pred %p2, 0, 128, %p1; selp.u32 %r7, 1024, 0, %p2; or.b32 %r6, %r6, %r7;\n"
               "barrier.red.or.pred %p2, 1, 128, !%p1; selp.u32 %r7, 2048, 0, %p2; or.b32 %r6, %r6, %r7;\n"
               "st.global.u32 [%rd2], %r6;\n"),
        100, expect_reductions);
}

/* Warp 1 leaves at once, half of warp 2 too; the others still meet. */
static uint32_t expect_left(uint32_t t) { return t / 32 == 1 || (t / 32 == 2 && t % 2) ? 0 : 127 - t + 1; }

static void test_after_exits(void **state)
{
    (void)state;
    check_all(
        KERNEL("setp.eq.u32 %p1, %r4, 1; @%p1 exit;\n"
               "and.b32 %r5, %r1, 1; setp.eq.u32 %p2, %r4, 2; setp.ne.and.u32 %p3, %r5, 0, %p2; @%p3 exit;\n"
               "add.u32 %r5, %r1, 1; st.shared.u32 [%r3], %r5; bar.sync 0;\n"
               "setp.eq.u32 %p4, %r1, 0; @%p4 bra FILL; bra READ;\n"
               "FILL: mov.u32 %r6, 0; LOOP: shl.b32 %r7, %r6, 2; mov.u32 %r8, s; add.u32 %r8, %r8, %r7;\n"
               "add.u32 %r9, %r6, 1; st.shared.u32 [%r8], %r9; add.u32 %r6, %r6, 1; setp.lt.u32 %p5, %r6, "
               "128; @%p5 bra LOOP;\n"
               "READ: bar.sync 0; mov.u32 %r7, 508; sub.u32 %r7, %r7, %r2; mov.u32 %r8, s; add.u32 %r8, %r8, "
               "%r7;\n"
               "ld.shared.u32 %r9, [%r8]; st.global.u32 [%rd2], %r9;\n"),
        128, expect_left);
}

/* 70 threads: the last warp has 6. */
static uint32_t expect_reversed(uint32_t t) { return 69 - t + 11; }

static void test_partial_warp(void **state)
{
    (void)state;
    check_all(KERNEL("add.u32 %r5, %r1, 11; st.shared.u32 [%r3], %r5; bar.sync 0, 96;\n"
                     "mov.u32 %r6, 276; sub.u32 %r6, %r6, %r2; mov.u32 %r7, s; add.u32 %r6, %r6, %r7;\n"
                     "ld.shared.u32 %r8, [%r6]; st.global.u32 [%rd2], %r8;\n"),
              70, expect_reversed);
}

/* From Volta on the lanes of a warp may come to a barrier at different places, or later than others that
 * wait where the branches meet. */
static uint32_t expect_divergent(uint32_t t) { return (t ^ 1) + (t & 1 ? 200u : 300u); }

static void test_divergent_lanes(void **state)
{
    (void)state;
    check("h200",
          KERNEL("and.b32 %r5, %r1, 1; setp.eq.u32 %p1, %r5, 0; xor.b32 %r6, %r2, 4; mov.u32 %r7, s; add.u32 "
                 "%r6, %r6, %r7;\n"
                 "@%p1 bra EVEN;\n add.u32 %r8, %r1, 300; st.shared.u32 [%r3], %r8; barrier.sync 0; "
                 "ld.shared.u32 %r9, [%r6]; bra DONE;\n"
                 "EVEN: add.u32 %r8, %r1, 200; st.shared.u32 [%r3], %r8; barrier.sync 0; ld.shared.u32 %r9, "
                 "[%r6];\n"
                 "DONE: st.global.u32 [%rd2], %r9;\n"),
          96, expect_divergent);
    /* The even lanes wait inside the branch, the odd ones behind it. */
    check("h200",
          KERNEL("and.b32 %r5, %r1, 1; setp.eq.u32 %p1, %r5, 0; xor.b32 %r6, %r2, 4; mov.u32 %r7, s; add.u32 "
                 "%r6, %r6, %r7;\n"
                 "selp.u32 %r8, 200, 300, %p1; add.u32 %r8, %r8, %r1; st.shared.u32 [%r3], %r8;\n"
                 "@!%p1 bra DONE;\n barrier.sync 0;\n"
                 "DONE: @%p1 bra READ; barrier.sync 0;\n READ: ld.shared.u32 %r9, [%r6]; st.global.u32 "
                 "[%rd2], %r9;\n"),
          96, expect_divergent);
}

/* The lower halves of two warps meet at one barrier, the upper halves at another. */
static uint32_t expect_halves(uint32_t t) { return (t ^ 32) * 5; }

#define HALVES                                                                                               \
    KERNEL("mul.lo.u32 %r5, %r1, 5; st.shared.u32 [%r3], %r5; shr.u32 %r6, %r1, 4; and.b32 %r6, %r6, 1;\n"   \
           "add.u32 %r6, %r6, 1; barrier.sync %r6, 32; xor.b32 %r7, %r2, 128; mov.u32 %r8, s;\n"             \
           "add.u32 %r8, %r8, %r7; ld.shared.u32 %r9, [%r8]; st.global.u32 [%rd2], %r9;\n")

static void test_lanes_at_different_barriers(void **state)
{
    (void)state;
    uint32_t out[64] = {0};
    check("h200", HALVES, 64, expect_halves);
    WbGpu *gpu = harness_open("gtx480", NULL);
    harness_run_error(&(HarnessRun){gpu, HALVES, "k", {1, 1, 1}, {64, 1, 1}, 0, out, 64}, WB_ERROR_EXECUTION,
                      "thread (16,0,0)", "different barriers", (char *)NULL);
    wb_gpu_close(gpu);
}

/* Lanes at a .sync instruction inside a branch wait for lanes that stand where the branch ends. */
static uint32_t expect_synced(uint32_t t) { return t % 32 < 8 ? 24 : 8; }

static void test_sync_across_a_join(void **state)
{
    (void)state;
    check("h200",
          KERNEL("and.b32 %r5, %r1, 31; setp.lt.u32 %p1, %r5, 8; @!%p1 bra DONE;\n"
                 "vote.sync.ballot.b32 %r6, %p1, -1; popc.b32 %r7, %r6; add.u32 %r7, %r7, 16; bra STORE;\n"
                 "DONE: vote.sync.ballot.b32 %r6, %p1, -1; popc.b32 %r7, %r6;\n STORE: st.global.u32 [%rd2], "
                 "%r7;\n"),
          64, expect_synced);
}

static void check_predicates(Kernels *kernels)
{
    enum { COUNT = 100 };
    int in[COUNT], out[COUNT * 3] = {0}, even = 0;
    for (int t = 0; t < COUNT; t++)
        in[t] = t * 7 % 90, even += in[t] % 2 == 0;
    for (int round = 0; round < 2; round++) {
        in[13] = round ? 77 : 1, in[50] = round ? 5000 : 3;
        even = 0;
        for (int t = 0; t < COUNT; t++)
            in[t] = in[t] == 77 && !round ? 76 : in[t], even += in[t] % 2 == 0;
        uint64_t from = kernels_upload(kernels, in, sizeof in), to = kernels_upload(kernels, out, sizeof out);
        KERNELS_RUN(kernels, "predicates", 1, COUNT, 0, WB_ARG(from), WB_ARG(to));
        kernels_download(kernels, to, out, sizeof out);
        for (int t = 0; t < COUNT; t++) {
            assert_int_equal(out[t], even);
            assert_int_equal(out[COUNT + t], round);
            assert_int_equal(out[2 * COUNT + t], !round);
        }
    }
}

static void check_leaving(Kernels *kernels)
{
    enum { COUNT = 192 };
    int out[COUNT] = {0};
    uint64_t to = kernels_upload(kernels, out, sizeof out);
    KERNELS_RUN(kernels, "leaving", 1, COUNT, 0, WB_ARG(to));
    kernels_download(kernels, to, out, sizeof out);
    for (int t = 0; t < COUNT; t++)
        assert_int_equal(out[t], t < 32 ? 5 : (COUNT - 1 - t) / 32);
}

static void check_either_way(Kernels *kernels)
{
    enum { COUNT = 128 };
    int out[COUNT] = {0};
    uint64_t to = kernels_upload(kernels, out, sizeof out);
    KERNELS_RUN(kernels, "either_way", 1, COUNT, 0, WB_ARG(to));
    kernels_download(kernels, to, out, sizeof out);
    for (int t = 0; t < COUNT; t++) {
        int from = (t + (t % 3 ? 2 : 1)) % COUNT;
        assert_int_equal(out[t], from % 3 ? from + 500 : from * 2);
    }
}

static void test_compiled(void **state)
{
    (void)state;
    kernels_each("barriers", check_predicates);
    kernels_each("barriers", check_leaving);
    kernels_each("barriers", check_either_way);
}

/* -- how long they take -- */

/* Warp w of a block is the longer on its way to each of three barriers the larger w is; odd blocks end before
 * the third but for their warp 0, which then meets nobody. */
#define LATE_WARPS                                                                                           \
    KERNEL("mov.u32 %r10, 0; mov.u32 %r12, %ctaid.x; and.b32 %r12, %r12, 1; setp.ne.u32 %p3, %r12, 0;\n"     \
           "setp.ne.and.u32 %p4, %r4, 0, %p3;\n"                                                             \
           "AGAIN: mul.lo.u32 %r11, %r4, 100;\n"                                                             \
           "LOOP: setp.eq.u32 %p1, %r11, 0; @%p1 bra MEET; sub.u32 %r11, %r11, 1; bra LOOP;\n"               \
           "MEET: setp.eq.and.u32 %p5, %r10, 2, %p4; @%p5 exit; bar.sync 0;\n"                               \
           "add.u32 %r10, %r10, 1; setp.lt.u32 %p2, %r10, 3; @%p2 bra AGAIN; st.global.u32 [%rd2], %r10;\n")

typedef struct Times {
    uint64_t cleared, p1, p2, waited;
} Times;

static uint64_t statistic(const WbGpu *gpu, const char *name)
{
    WbStat stat;
    assert_int_equal(wb_stat_find(gpu, name, &stat), WB_OK);
    return stat.value;
}

static Times time_barriers(const char *schedulers, uint32_t blocks, uint32_t warps)
{
    uint32_t out[MOST] = {0};
    WbGpu *gpu = harness_open("gtx970", (const char *const[]){"mode=cycle", "sm_count=1", schedulers, NULL});
    harness_run_ok(&(HarnessRun){gpu, LATE_WARPS, "k", {blocks, 1, 1}, {warps * 32, 1, 1}, 0, out, MOST});
    const Times times = {.cleared = statistic(gpu, "sm.barriers_cleared"),
                         .p1 = statistic(gpu, "sm.barrier_p1_cycles"),
                         .p2 = statistic(gpu, "sm.barrier_p2_cycles"),
                         .waited = statistic(gpu, "sm.barrier_wait_cycles")};
    char *report = harness_report(gpu);
    assert_non_null(strstr(report, "\"block\": 0, \"sm\": 0"));
    assert_non_null(strstr(report, "\"barriers\": 3}"));
    free(report);
    wb_gpu_close(gpu);
    return times;
}

/* From the first warp to the first on the scheduler of the last, and from there to the last. The wait of two
 * warps is that of the first, and what a barrier takes at least, for both. */
static void test_waiting_times(void **state)
{
    enum { LEAST = 1 + 12 }; /* barrier_interval and barrier_latency of the GPU */
    (void)state;
    Times times = time_barriers("schedulers=1", 1, 2);
    assert_int_equal(times.cleared, 3);
    assert_int_equal(times.p1, 0);
    assert_in_range(times.p2, 3 * 100, 3 * 100 * 40);
    assert_int_equal(times.waited, times.p2 + 2 * 3 * LEAST);
    times = time_barriers("schedulers=2", 1, 2);
    assert_int_equal(times.p2, 0);
    assert_in_range(times.p1, 3 * 100, 3 * 100 * 40);
    assert_int_equal(times.waited, times.p1 + 2 * 3 * LEAST);
    /* Warps 1 and 3 are on the scheduler of the last: p2 is twice p1. */
    times = time_barriers("schedulers=2", 1, 4);
    assert_in_range(times.p2 * 100 / times.p1, 190, 210);
    assert_in_range(time_barriers("schedulers=4", 1, 4).p1 * 100 / (times.p1 + times.p2), 90, 110);
}

/* A barrier that the others leave by their ends is cleared by the last of these. Twelve blocks, of which six
 * have three barriers, and six two and the lonely one. */
static void test_times_with_exits(void **state)
{
    (void)state;
    const Times times = time_barriers("schedulers=2", 12, 4);
    assert_int_equal(times.cleared, 36);
    assert_true(times.p1 && times.p2);
}

/* Warps read shared memory, which those of one scheduler can keep busy; then they meet. */
static uint64_t time_apart(const char *turns)
{
    uint32_t out[MOST] = {0};
    WbGpu *gpu = harness_open("gtx970", (const char *const[]){"mode=cycle", "sm_count=1", "schedulers=2",
                                                              "lsu_lanes=1", turns, NULL});
    harness_run_ok(&(HarnessRun){gpu,
                                 KERNEL("mov.u32 %r10, 0;\n"
                                        "LOOP: ld.shared.u32 %r5, [%r3]; ld.shared.u32 %r6, [%r3+128];\n"
                                        "ld.shared.u32 %r7, [%r3+256]; ld.shared.u32 %r8, [%r3+512];\n"
                                        "add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, 50; @%p1 bra LOOP;\n"
                                        "bar.sync 0; st.global.u32 [%rd2], %r10;\n"),
                                 "k",
                                 {1, 1, 1},
                                 {512, 1, 1},
                                 0,
                                 out,
                                 MOST});
    const uint64_t apart = statistic(gpu, "sm.barrier_p1_cycles");
    wb_gpu_close(gpu);
    return apart;
}

static void test_turns_keep_schedulers_together(void **state)
{
    (void)state;
    const uint64_t turns = time_apart("scheduler_turns=true"), fixed = time_apart("scheduler_turns=false");
    if (fixed < 10 * turns || fixed < 500)
        fail_msg("The warps came %u cycles apart by turns, and %u without.", (unsigned)turns,
                 (unsigned)fixed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_named_with_counts),
        cmocka_unit_test(test_producer_consumer),
        cmocka_unit_test(test_reductions),
        cmocka_unit_test(test_after_exits),
        cmocka_unit_test(test_partial_warp),
        cmocka_unit_test(test_divergent_lanes),
        cmocka_unit_test(test_lanes_at_different_barriers),
        cmocka_unit_test(test_sync_across_a_join),
        cmocka_unit_test(test_compiled),
        cmocka_unit_test(test_waiting_times),
        cmocka_unit_test(test_times_with_exits),
        cmocka_unit_test(test_turns_keep_schedulers_together),
    };
    return cmocka_run_group_tests_name("barriers", tests, NULL, NULL);
}
