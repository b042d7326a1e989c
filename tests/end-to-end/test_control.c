/* Control flow that compilers seldom write and PTX allows: guarded calls, returns and branch tables, calls
 * through pointers that part, parameters whose address is taken, returns out of loops. On all kinds of
 * divergence. */
#include "harness.h"

#define HEAD                                                                                                 \
    ".visible .entry k(.param .u64 out)\n{\n"                                                                \
    ".reg .pred %p<8>; .reg .b32 %r<20>; .reg .b64 %rd<16>;\n"                                               \
    "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2;\n"  \
    "rem.u32 %r2, %r1, 3; setp.eq.u32 %p1, %r2, 0; setp.eq.u32 %p2, %r2, 1;\n"
#define TAIL "st.global.u32 [%rd2], %r9; ret;\n}\n"

enum { THREADS = 128 };

static void check(const char *ptx, uint32_t (*expected)(uint32_t thread))
{
    static const char *const gpus[] = {"h200", "gtx480", "apu8"};
    for (int i = 0; i < 3; i++) {
        uint32_t out[THREADS] = {0};
        WbGpu *gpu = harness_open(gpus[i], NULL);
        harness_run_ok(&(HarnessRun){gpu, ptx, "k", {1, 1, 1}, {THREADS, 1, 1}, 0, out, THREADS});
        for (uint32_t t = 0; t < THREADS; t++)
            if (out[t] != expected(t))
                fail_msg("%s: thread %u gave %u, not %u", gpus[i], t, out[t], expected(t));
        wb_gpu_close(gpu);
    }
}

#define DOUBLE ".func (.reg .u32 %o) twice(.reg .u32 %i) { add.u32 %o, %i, %i; ret; }\n"

static uint32_t expect_guarded(uint32_t t) { return t % 3 == 0 ? t * 2 : 5; }

static void test_guarded_call(void **state)
{
    (void)state;
    check(PTX_HEADER DOUBLE HEAD "mov.u32 %r9, 5; @%p1 call (%r9), twice, (%r1);\n" TAIL, expect_guarded);
}

#define THREE_FUNCTIONS                                                                                      \
    DOUBLE ".func (.reg .u32 %o) inc(.reg .u32 %i) { add.u32 %o, %i, 1; ret; }\n"                            \
           ".func (.reg .u32 %o) both(.reg .u32 %i) { .reg .u32 %t; call (%t), twice, (%i); call (%o), "     \
           "inc, (%t); ret; }\n"                                                                             \
           ".const .u64 table[3] = {twice, inc, both};\n"

static uint32_t expect_indirect(uint32_t t)
{
    uint32_t which = t / 2 % 3;
    return t % 3 == 0 ? 9 : which == 0 ? t * 2 : which == 1 ? t + 1 : t * 2 + 1;
}

static void test_guarded_indirect_call(void **state)
{
    (void)state;
    check(PTX_HEADER THREE_FUNCTIONS HEAD
          "P: .callprototype (.reg .u32 _) _ (.reg .u32 _);\n"
          "mov.u32 %r9, 9; shr.u32 %r3, %r1, 1; rem.u32 %r3, %r3, 3; mul.wide.u32 %rd3, %r3, 8; mov.u64 "
          "%rd4, table;\n"
          "add.s64 %rd3, %rd3, %rd4; ld.const.u64 %rd5, [%rd3]; @!%p1 call (%r9), %rd5, (%r1), P;\n" TAIL,
          expect_indirect);
}

static uint32_t expect_targets(uint32_t t) { return t & 1 ? t + 1 : t * 2; }

static void test_call_targets(void **state)
{
    (void)state;
    check(PTX_HEADER THREE_FUNCTIONS HEAD
          "T: .calltargets twice, inc;\nand.b32 %r3, %r1, 1; setp.eq.u32 %p3, %r3, 0;\n"
          "mov.u64 %rd3, twice; mov.u64 %rd4, inc; selp.b64 %rd5, %rd3, %rd4, %p3; call (%r9), %rd5, (%r1), "
          "T;\n" TAIL,
          expect_targets);
}

/* The loop is left by returning; another way out goes through its end. */
#define SEARCH                                                                                               \
    ".func (.param .b32 r) search(.param .b32 n)\n{\n.reg .pred %p<3>; .reg .b32 %r<6>;\n"                   \
    "ld.param.b32 %r1, [n]; mov.u32 %r2, 0;\n"                                                               \
    "LOOP: mul.lo.u32 %r3, %r2, %r2; setp.ge.u32 %p1, %r3, %r1; st.param.b32 [r], %r2; @%p1 ret;\n"          \
    "add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 9; @%p2 bra LOOP;\n"                                         \
    "mov.u32 %r4, 77; st.param.b32 [r], %r4; ret;\n}\n"

static uint32_t expect_search(uint32_t t)
{
    uint32_t root = 0;
    while (root < 9 && root * root < t)
        root++;
    return (root < 9 ? root : 77) + 1;
}

static void test_return_out_of_a_loop(void **state)
{
    (void)state;
    check(PTX_HEADER SEARCH HEAD "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call (b), search, "
                                 "(a); ld.param.b32 %r9, [b]; }\n"
                                 "add.u32 %r9, %r9, 1;\n" TAIL,
          expect_search);
}

static uint32_t expect_table(uint32_t t) { return t % 3 == 2 ? 4 : t % 3 == 0 ? 10 + t / 3 % 3 : 6; }

static void test_guarded_branch_table(void **state)
{
    (void)state;
    check(PTX_HEADER HEAD "T: .branchtargets A, B, C;\ndiv.u32 %r3, %r1, 3; rem.u32 %r3, %r3, 3; mov.u32 "
                          "%r9, 6; setp.eq.u32 %p3, %r2, 2;\n"
                          "@%p3 bra OTHER;\n@%p1 brx.idx %r3, T;\nbra DONE;\nA: mov.u32 %r9, 10; bra "
                          "DONE;\nB: mov.u32 %r9, 11; bra DONE;\n"
                          "C: mov.u32 %r9, 12; bra DONE;\nOTHER: mov.u32 %r9, 4;\nDONE:\n" TAIL,
          expect_table);
}

/* The address of a parameter is one of the stack: read, written, and read again by name. */
#define ADDRESSED                                                                                            \
    ".func (.param .b32 r) pick(.param .align 4 .b8 s[16], .param .b32 n)\n{\n.reg .b32 %r<6>; .reg .b64 "   \
    "%rd<6>;\n"                                                                                              \
    "mov.u64 %rd1, s; ld.param.b32 %r1, [n]; and.b32 %r2, %r1, 3; mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, " \
    "%rd1, %rd2;\n"                                                                                          \
    "ld.local.b32 %r3, [%rd3]; cvta.local.u64 %rd4, %rd1; st.u32 [%rd4+4], 1000; ld.param.b32 %r4, [s+4];\n" \
    "add.u32 %r3, %r3, %r4; st.param.b32 [r], %r3; ret;\n}\n"

static uint32_t expect_picked(uint32_t t) { return t * (t % 4 + 1) + 1000; }

static void test_address_of_a_parameter(void **state)
{
    (void)state;
    check(PTX_HEADER ADDRESSED HEAD
          "shl.b32 %r3, %r1, 1; add.u32 %r4, %r3, %r1; shl.b32 %r5, %r1, 2;\n"
          "{ .param .align 4 .b8 a[16]; .param .b32 n; .param .b32 b; st.param.v4.b32 [a], {%r1, %r3, %r4, "
          "%r5};\n"
          "st.param.b32 [n], %r1; call (b), pick, (a, n); ld.param.b32 %r9, [b]; }\n" TAIL,
          expect_picked);
}

/* A barrier inside a function that all call, from two places. */
#define MEET                                                                                                 \
    ".shared .b32 s[128];\n.func (.reg .u32 %o) meet(.reg .u32 %i)\n{\n.reg .b32 %r<6>;\n"                   \
    "mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.u32 %r4, %r3, %r2; st.shared.u32 [%r4], " \
    "%i;\n"                                                                                                  \
    "barrier.sync 0; xor.b32 %r2, %r2, 256; add.u32 %r4, %r3, %r2; ld.shared.u32 %o, [%r4]; ret;\n}\n"

static uint32_t expect_met(uint32_t t) { return t < 64 ? (t + 64) * 3 : t - 64; }

static void test_barrier_in_a_function(void **state)
{
    (void)state;
    check(
        PTX_HEADER MEET HEAD
        "setp.lt.u32 %p3, %r1, 64; @%p3 bra LOW; mul.lo.u32 %r3, %r1, 3; call (%r9), meet, (%r3); bra DONE;\n"
        "LOW: call (%r9), meet, (%r1);\nDONE:\n" TAIL,
        expect_met);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_guarded_call),          cmocka_unit_test(test_guarded_indirect_call),
        cmocka_unit_test(test_call_targets),          cmocka_unit_test(test_return_out_of_a_loop),
        cmocka_unit_test(test_guarded_branch_table),  cmocka_unit_test(test_address_of_a_parameter),
        cmocka_unit_test(test_barrier_in_a_function),
    };
    return cmocka_run_group_tests_name("control", tests, NULL, NULL);
}
