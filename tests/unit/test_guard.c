/* Short branches that become guards: which do, and that lanes do the same. */
#include "run_ptx.h"

#include "base/alloc.h"
#include "parse_ptx.h"
#include "ptx/guard.h"

#define FMA "fma.rn.f32 %f1, %f1, %f2, %f3;\n"
#define FMA4 FMA FMA FMA FMA
#define LOAD "ld.global.f32 %f4, [%rd1];\nadd.f32 %f1, %f1, %f4;\n"
#define END "L: st.global.f32 [%rd2], %f1;\nret;"

typedef struct Guards {
    uint32_t branches, guarded;
} Guards;

static Guards guards_of(const char *body)
{
    const Function *text;
    Module *module = parse_kernel(body, &text);
    Arena arena = {0};
    const Function *function = guard_function(module, text, &arena);
    Guards found = {0};
    for (uint32_t i = 0; i < function->insn_count; i++) {
        const bool is_branch = isa_rows[function->insns[i].row].action == ACTION_BRANCH;
        found.branches += is_branch;
        found.guarded += !is_branch && function->insns[i].guard != NO_INDEX;
    }
    arena_free(&arena);
    module_free(module);
    return found;
}

static void check(const char *body, uint32_t branches, uint32_t guarded)
{
    const Guards found = guards_of(body);
    if (found.branches != branches || found.guarded != guarded)
        fail_msg("%u branches and %u guarded instructions, not %u and %u, in\n%s", found.branches,
                 found.guarded, branches, guarded, body);
}

static void test_size(void **state)
{
    (void)state;
    check("@%p1 bra L;\n" FMA4 FMA4 END, 0, 8);
    check("@%p1 bra L;\n" FMA4 FMA4 FMA END, 1, 0);
    /* what only they need runs for all */
    check("@%p1 bra L;\nmul.f32 %f5, %f2, %f2;\nadd.f32 %f1, %f1, %f5;\n" END, 0, 1);
}

static void test_both_ways(void **state)
{
    (void)state;
    check("@%p1 bra M;\n" FMA4 "bra L;\nM: add.f32 %f1, %f1, %f1;\n" END, 0, 5);
    check("@%p1 bra M;\n" FMA4 FMA "bra L;\nM: " FMA4 END, 2, 0);
}

/* A branch over a jump is a branch the other way. */
static void test_over_a_jump(void **state)
{
    (void)state;
    check("@%p1 bra M;\nbra L;\nM: " FMA4 END, 0, 4);
    check("@!%p1 bra M;\nbra N;\nM: " FMA4 "bra L;\nN: add.f32 %f1, %f1, %f1;\n" END, 0, 5);
    check("@%p1 bra M;\nbra L;\nM: " FMA4 FMA4 FMA END, 1, 0);
    /* somebody else comes to the jump; it has a guard; the branch goes elsewhere */
    check("@%p2 bra N;\nbar.sync 0;\n@%p1 bra M;\nN: bra L;\nM: " FMA4 END, 3, 0);
    check("@%p1 bra M;\n@%p2 bra L;\nM: " FMA4 FMA4 FMA END, 2, 0);
    check("@%p1 bra M;\nbra L;\nbar.sync 0;\nM: " FMA4 END, 2, 0);
}

static void test_loads(void **state)
{
    (void)state;
    check("ld.global.f32 %f1, [%rd1+4];\n@%p1 bra L;\n" LOAD LOAD LOAD LOAD LOAD LOAD END, 0, 12);
    check("ld.global.f32 %f1, [%rd1+4];\n@%p1 bra L;\n" LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD END, 0, 20);
    check("ld.global.f32 %f1, [%rd1+4];\n@%p1 bra L;\n" LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD FMA END, 1, 0);
    /* no others to go with, none in its block */
    check("@%p1 bra L;\n" LOAD END, 1, 0);
    check("ld.global.f32 %f1, [%rd1+4];\n@%p2 bra M;\nbar.sync 0;\n@%p1 bra L;\n" LOAD "L: ret; M: " FMA "ret;", 2, 0);
    check("ld.global.f32 %f5, [%rd1+4];\nbar.sync 0;\n@%p1 bra L;\n" LOAD "L: st.global.f32 [%rd2], %f5;\n"
          "st.global.f32 [%rd2+4], %f1;\nret;", 1, 0);
    /* one behind a barrier that the part needs, one that the predicate waits for, one afterwards */
    check("ld.global.f32 %f1, [%rd1+4];\nbar.sync 0;\n@%p1 bra L;\n" LOAD END, 0, 2);
    check("ld.global.f32 %f1, [%rd1+4];\nsetp.lt.f32 %p1, %f1, %f2;\n@%p1 bra L;\n" LOAD END, 0, 2);
    check("@%p1 bra L;\n" LOAD "L: bar.sync 0;\nld.global.f32 %f2, [%rd1+8];\nadd.f32 %f1, %f1, %f2;\n"
          "st.global.f32 [%rd2], %f1;\nret;", 0, 2);
    /* a loop */
    check("M: setp.lt.f32 %p1, %f1, %f2;\n@%p1 bra L;\n" LOAD
          "L: @%p2 bra M;\nst.global.f32 [%rd2], %f1;\nret;",
          1, 2);
}

static void test_left_alone(void **state)
{
    (void)state;
    /* an exit, an atomic, a call in disguise, a guard that changes, another way in */
    check("@%p1 bra L;\n" FMA "L: ret;", 1, 0);
    check("@%p1 bra L;\nred.global.add.u32 [%rd1], 1;\n" END, 1, 0);
    check("@%p1 bra L;\ndiv.rn.f32 %f1, %f1, %f2;\n" END, 1, 0);
    check("@%p1 bra L;\nsetp.lt.f32 %p1, %f1, %f2;\n" FMA END, 1, 0);
    check("@%p2 bra M;\nbar.sync 0;\n@%p1 bra L;\n" FMA "M: " FMA END, 2, 0);
}

/* Every lane does what the text says: with branches and with guards. */
static void test_same_results(void **state)
{
    WbGpu *gpu = *state;
    static const char body[] =
        "ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1+4]; mov.u32 %r3, 5;\n"
        "setp.lt.u32 %p1, %r1, %r2; @%p1 bra A; ld.global.u32 %r4, [%rd1+8]; add.u32 %r3, %r3, %r4; A:\n"
        "and.b32 %r5, %r1, 1; setp.eq.u32 %p2, %r5, 0; @!%p2 bra B; mul.lo.u32 %r6, %r2, 7; xor.b32 %r3, "
        "%r3, %r6;\n"
        "st.global.u32 [%rd1+4], %r6; B: setp.gt.u32 %p3, %r3, 1000; @%p3 bra C; mov.u32 %r3, 77; C:\n"
        "@%p1 bra D; add.u32 %r7, %r3, 3; bra E; D: sub.u32 %r7, %r3, %r2; mul.lo.u32 %r8, %r7, 3;\n"
        "add.u32 %r7, %r8, 1; E: @%p2 bra F; bra G; F: add.u32 %r7, %r7, 9; bra H; G: xor.b32 %r7, %r7, %r2;\n"
        "H: @%p3 bra I; bra J; I: add.u32 %r7, %r7, 2; J: st.global.u32 [%rd1], %r3;\n"
        "st.global.u32 [%rd1+12], %r7;";
    uint32_t expected[32 * 4], data[32 * 4];
    for (uint32_t i = 0; i < 32 * 4; i++)
        expected[i] = data[i] = i * 2654435761u >> (i % 3 ? 24 : 8);
    assert_int_equal(wb_gpu_set(gpu, "machine_code", "ptx"), WB_OK);
    run_ok(gpu, "", body, 32, expected, sizeof expected);
    assert_int_equal(wb_gpu_set(gpu, "machine_code", "native"), WB_OK);
    run_ok(gpu, "", body, 32, data, sizeof data);
    assert_memory_equal(expected, data, sizeof data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_size), cmocka_unit_test(test_both_ways),
        cmocka_unit_test(test_over_a_jump), cmocka_unit_test(test_loads),
        cmocka_unit_test(test_left_alone),
        cmocka_unit_test_setup_teardown(test_same_results, run_setup, run_teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
