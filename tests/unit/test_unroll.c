/* Unrolled loops: which are, and that they do what the text says for every number of rounds. */
#include "run_ptx.h"

#include "base/alloc.h"
#include "parse_ptx.h"
#include "ptx/unroll.h"
#include "random_text.h"

enum { THREADS = 64, SHARE = 256, DATA_BYTES = THREADS * SHARE };

/* -- what is done -- */

/* How many instructions of this name the kernel has after unrolling. */
static uint32_t count_of(const char *body, const char *opcode)
{
    const Function *text;
    Module *module = parse_kernel(body, &text);
    Arena arena = {0};
    const Function *function = unroll_function(module, text, &arena);
    uint32_t count = 0;
    for (uint32_t i = 0; i < function->insn_count; i++)
        count += !strcmp(function->insns[i].opcode, opcode);
    arena_free(&arena);
    module_free(module);
    return count;
}

static void test_unknown_rounds(void **state)
{
    (void)state;
    /* Four copies, two and one. */
    assert_int_equal(count_of("loop: fma.rn.f32 %f1, %f1, %f2, %f3;\nadd.s32 %r1, %r1, 1;\n"
                              "setp.lt.s32 %p1, %r1, %r2;\n@%p1 bra loop;\nret;",
                              "fma.rn.f32"),
                     7);
    /* Addresses become displacements, so that they step once for each number of copies. */
    assert_int_equal(
        count_of("loop: ld.global.f32 %f1, [%rd1];\nadd.f32 %f2, %f2, %f1;\nadd.s64 %rd1, %rd1, 4;\n"
                 "add.s32 %r1, %r1, -1;\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra loop;\nret;",
                 "add"),
        6);
}

static void test_known_rounds(void **state)
{
    (void)state;
    assert_int_equal(count_of("mov.u32 %r1, 0;\nloop: fma.rn.f32 %f1, %f1, %f2, %f3;\nadd.s32 %r1, %r1, 1;\n"
                              "setp.lt.s32 %p1, %r1, 100;\n@%p1 bra loop;\nret;",
                              "fma.rn.f32"),
                     100);
    /* 1000 times four are too many: 83 copies, of which 12 turns leave four over. */
    assert_int_equal(count_of("mov.u32 %r1, 0;\n"
                              "loop: fma.rn.f32 %f1, %f1, %f2, %f3;\nfma.rn.f32 %f1, %f1, %f2, %f3;\n"
                              "fma.rn.f32 %f1, %f1, %f2, %f3;\nfma.rn.f32 %f1, %f1, %f2, %f3;\n"
                              "add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, 1000;\n@%p1 bra loop;\nret;",
                              "fma.rn.f32"),
                     4 * (83 + 4));
}

/* Copies of a loop whose body means the warp as a whole, by where its bound and its first value come from. */
static void test_lanes_stay_together(void **state)
{
    (void)state;
    static const struct {
        const char *first, *bound;
        uint32_t copies;
    } cases[] = {
        {"mov.u32 %r1, 0;", "ld.param.u32 %r2, [arg];", 7},
        {"mov.u32 %r1, %ctaid.x;", "ld.param.u32 %r2, [arg];", 7},
        {"ld.param.u32 %r1, [arg];", "mov.u32 %r2, %r9;", 1},
        {"mov.u32 %r1, 0;", "ld.param.u32 %r3, [arg]; add.s32 %r2, %r3, 1;", 1},
        {"mov.u32 %r1, 0;", "mov.u32 %r2, %ntid.x;", 1},
        {"mov.u32 %r3, %tid.x; add.s32 %r1, %r3, 1;", "ld.param.u32 %r2, [arg];", 1},
        {"ld.global.u32 %r1, [%rd1];", "ld.param.u32 %r2, [arg];", 7},
    };
    static const char *const bodies[] = {"bar.sync 0;", "shfl.sync.bfly.b32 %r4, %r5, 1, 31, -1;",
                                         "red.global.add.u32 [%rd2], %r5;"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < sizeof bodies / sizeof *bodies; k++) {
            char body[1024];
            snprintf(body, sizeof body,
                     "%s %s loop: fma.rn.f32 %%f1, %%f1, %%f2, %%f3; %s add.s32 %%r1, %%r1, 1;"
                     "setp.lt.s32 %%p1, %%r1, %%r2; @%%p1 bra loop; st.global.f32 [%%rd1], %%f1; ret;",
                     cases[i].first, cases[i].bound, bodies[k]);
            if (count_of(body, "fma.rn.f32") != cases[i].copies)
                fail_msg("%u copies: %s", count_of(body, "fma.rn.f32"), body);
        }
    /* Without such an instruction any bound will do. */
    assert_int_equal(count_of("mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; loop: fma.rn.f32 %f1, %f1, %f2, %f3;"
                              "add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, %r2; @%p1 bra loop; ret;",
                              "fma.rn.f32"),
                     7);
}

static void test_left_alone(void **state)
{
    (void)state;
    /* the pragma */
    assert_int_equal(
        count_of("loop:\n.pragma \"nounroll\";\nfma.rn.f32 %f1, %f1, %f2, %f3;\nadd.s32 %r1, %r1, 1;\n"
                 "setp.lt.s32 %p1, %r1, %r2;\n@%p1 bra loop;\nret;",
                 "fma.rn.f32"),
        1);
    assert_int_equal(count_of("loop:\n.pragma \"nounroll\";\n\t.loc 1 2 3\n.loc 1 4 5\n"
                              "fma.rn.f32 %f1, %f1, %f2, %f3;\nadd.s32 %r1, %r1, 1;\n"
                              "setp.lt.s32 %p1, %r1, %r2;\n@%p1 bra loop;\nret;",
                              "fma.rn.f32"),
                     1);
    assert_int_equal(count_of("loop:\n.pragma \"nounroll\";\n\t// begin\n\n"
                              "fma.rn.f32 %f1, %f1, %f2, %f3;\nadd.s32 %r1, %r1, 1;\n"
                              "setp.lt.s32 %p1, %r1, %r2;\n@%p1 bra loop;\nret;",
                              "fma.rn.f32"),
                     1);
    /* the loop's first branch has become a guard */
    assert_int_equal(count_of("loop:\n.pragma \"nounroll\";\n@%p2 bra over;\nfma.rn.f32 %f1, %f1, %f2, %f3;\n"
                              "over: add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, %r2;\n@%p1 bra loop;\n"
                              "st.global.f32 [%rd1], %f1;\nret;",
                              "fma.rn.f32"),
                     1);
    /* a fence */
    assert_int_equal(count_of("loop: fma.rn.f32 %f1, %f1, %f2, %f3;\nmembar.gl;\nadd.s32 %r1, %r1, 1;\n"
                              "setp.lt.s32 %p1, %r1, %r2;\n@%p1 bra loop;\nret;",
                              "fma.rn.f32"),
                     1);
    /* exact division, which calls */
    assert_int_equal(count_of("loop: div.rn.f32 %f1, %f1, %f2;\nadd.s32 %r1, %r1, 1;\n"
                              "setp.lt.s32 %p1, %r1, %r2;\n@%p1 bra loop;\nret;",
                              "div.rn.f32"),
                     1);
    /* an unknown step, a bound that changes, a step away from the bound */
    assert_int_equal(count_of("loop: fma.rn.f32 %f1, %f1, %f2, %f3;\nadd.s32 %r1, %r1, %r3;\n"
                              "setp.lt.s32 %p1, %r1, %r2;\n@%p1 bra loop;\nret;",
                              "fma.rn.f32"),
                     1);
    assert_int_equal(
        count_of("loop: fma.rn.f32 %f1, %f1, %f2, %f3;\nadd.s32 %r1, %r1, 1;\nshr.u32 %r2, %r2, 1;\n"
                 "setp.lt.s32 %p1, %r1, %r2;\n@%p1 bra loop;\nret;",
                 "fma.rn.f32"),
        1);
    assert_int_equal(count_of("loop: fma.rn.f32 %f1, %f1, %f2, %f3;\nadd.s32 %r1, %r1, -1;\n"
                              "setp.lt.s32 %p1, %r1, %r2;\n@%p1 bra loop;\nret;",
                              "fma.rn.f32"),
                     1);
    /* a way out of its middle */
    assert_int_equal(count_of("loop: fma.rn.f32 %f1, %f1, %f2, %f3;\n@%p2 bra out;\nadd.s32 %r1, %r1, 1;\n"
                              "setp.lt.s32 %p1, %r1, %r2;\n@%p1 bra loop;\nout: ret;",
                              "fma.rn.f32"),
                     1);
}

/* -- what is computed -- */

/* Values are r1 to r6; r10 counts, rd5 and r11 are addresses that go on, rd6 one that follows from rd5 and rd7 from
 * r10. */
static void emit_one(Text *text, const char *guard)
{
    const uint32_t a = 1 + pick(text, 6), b = 1 + pick(text, 6), d = 1 + pick(text, 6);
    switch (pick(text, 11)) {
    case 0:
        emit(text, "%sadd.u32 %%r%u, %%r%u, %%r%u;\n", guard, d, a, b);
        break;
    case 1:
        emit(text, "%smad.lo.u32 %%r%u, %%r%u, %%r10, %%r%u;\n", guard, d, a, b);
        break;
    case 2:
        emit(text, "%sxor.b32 %%r%u, %%r%u, %%r10;\n", guard, d, a);
        break;
    case 3:
        emit(text, "%sld.global.u32 %%r%u, [%%rd5+%u];\n", guard, d, 4 * pick(text, 4));
        break;
    case 4:
        emit(text, "%sst.global.u32 [%%rd5+%u], %%r%u;\n", guard, 4 * pick(text, 4), a);
        break;
    case 5:
        emit(text, "add.s64 %%rd6, %%rd5, %%rd4;\n%sld.global.u32 %%r%u, [%%rd6];\n", guard, d);
        break;
    case 6:
        emit(text, "shl.b32 %%r12, %%r10, 2;\nand.b32 %%r13, %%r12, 60;\nadd.u32 %%r%u, %%r12, %%r13;\n", d);
        break;
    case 7:
        emit(text, "%sld.shared.u32 %%r%u, [%%r11+%u];\n", guard, d, 4 * pick(text, 4));
        break;
    case 8:
        emit(text, "%sst.shared.u32 [%%r11], %%r%u;\n", guard, a);
        break;
    case 9:
        emit(text, "setp.lt.u32 %%p2, %%r%u, %%r%u;\n", a, b);
        break;
    default:
        emit(text, "shfl.sync.bfly.b32 %%r%u, %%r%u, 1, 31, 0xffffffff;\n", d, a);
        break;
    }
}

static void emit_steps(Text *text)
{
    if (pick(text, 2))
        emit(text, "add.s64 %%rd5, %%rd5, 4;\n");
    if (pick(text, 2))
        emit(text, "add.s32 %%r11, %%r11, 4;\n");
}

/* Random bodies with branches in them, whose steps stand anywhere. */
static void emit_body(Text *text, bool is_uniform)
{
    const uint32_t count = 2 + pick(text, 8), steps = pick(text, count);
    for (uint32_t i = 0; i < count; i++) {
        if (i == steps)
            emit_steps(text);
        const bool is_skipped = !is_uniform && pick(text, 6) == 0;
        if (is_skipped)
            emit(text, "@%%p2 bra skip%u;\n", i);
        const uint32_t guard = pick(text, 5);
        const size_t before = text->length;
        emit_one(text, guard == 0 ? "@%p2 " : guard == 1 ? "@!%p2 " : "");
        /* Lanes do not exchange values where they may have parted. */
        if (!is_uniform && strstr(text->body + before, "shfl"))
            text->body[text->length = before] = 0;
        if (is_skipped)
            emit(text, "skip%u:\n", i);
    }
}

typedef struct Counting {
    const char *compare, *type;
    int32_t first, bound, step; /* the bound grows by `spread` for each thread modulo 11 */
    int32_t spread;
} Counting;

static const Counting countings[] = {
    {"lt", "s32", 0, 1, 1, 1},
    {"lt", "s32", -7, -9, 1, 1},
    {"lt", "s32", 2, 3, 3, 2},
    {"le", "s32", 0, -1, 1, 1},
    {"le", "s32", -20, -20, 4, 5},
    {"gt", "s32", 9, 8, -1, -1},
    {"gt", "s32", 0, 5, -2, -3},
    {"ge", "s32", 40, 39, -3, -3},
    {"ne", "s32", 0, 1, 1, 1},
    {"ne", "s32", 3, 7, 4, 4},
    {"ne", "s32", 30, 25, -5, -5},
    {"lt", "u32", 0, 1, 1, 1},
    {"lt", "u32", 5, 1, 1, 1},
    {"ls", "u32", 1, 1, 2, 1},
    {"hi", "u32", 30, 29, -1, -1},
    {"hs", "u32", 60, 58, -2, -3},
    {"lo", "u32", -20, -18, 1, 1},
    {"gt", "s32", INT32_MAX, INT32_MAX - 2, -1, -1},
    {"lt", "s32", INT32_MIN, INT32_MIN + 2, 1, 1},
    {"lt", "s32", INT32_MAX - 30, INT32_MAX - 29, 2, 1},
    {"lt", "s32", 2000000000, -2000000000, 1, 1},
    {"gt", "s32", -2000000000, 2000000000, -1, -1},
};

enum { COUNTINGS = sizeof countings / sizeof *countings, BODIES = 12 };

static void write_kernel(Text *text, const Counting *c, uint64_t seed, bool is_known)
{
    *text = (Text){.random = seed};
    emit(text,
         ".shared .align 8 .b8 s[%u];\nrem.u32 %%r20, %%r0, 11;\nmov.u64 %%rd5, %%rd1;\nmov.u64 %%rd4, 64;\n",
         (unsigned)DATA_BYTES);
    emit(text, "mov.u32 %%r11, s;\nmad.lo.u32 %%r11, %%r0, %d, %%r11;\nsetp.lt.u32 %%p2, %%r0, 16;\n", SHARE);
    for (uint32_t i = 0; i < SHARE / 8; i++)
        emit(text, "st.shared.u64 [%%r11+%u], %%rd4;\n", 8 * i);
    for (uint32_t r = 1; r < 7; r++)
        emit(text, "ld.global.u32 %%r%u, [%%rd1+%u];\n", r, 4 * r);
    emit(text, "mad.lo.s32 %%r21, %%r20, %d, %d;\nmov.u32 %%r22, 0;\nmov.u32 %%r12, 0;\n", c->spread,
         c->bound);
    /* twice, so that the counter begins anew */
    emit(text, "outer:\nmov.u32 %%r10, %d;\nloop:\n", c->first);
    emit_body(text, is_known);
    emit(text, "add.s32 %%r10, %%r10, %d;\nsetp.%s.%s %%p1, %%r10, ", c->step, c->compare, c->type);
    if (is_known)
        emit(text, "%d;\n", c->bound + 9 * c->spread);
    else
        emit(text, "%%r21;\n");
    emit(
        text,
        "@%%p1 bra loop;\nadd.u32 %%r1, %%r1, %%r10;\nadd.u32 %%r22, %%r22, 1;\nsetp.lt.u32 %%p3, %%r22, 2;\n"
        "@%%p3 bra outer;\n");
    for (uint32_t r = 1; r < 7; r++)
        emit(text, "st.global.u32 [%%rd1+%u], %%r%u;\n", 96 + 4 * r, r);
    emit(text, "add.u32 %%r11, %%r11, %%r12;\nst.global.u32 [%%rd1+124], %%r11;\n");
}

static void check_kernel(WbGpu *gpu, const Counting *c, uint64_t seed, bool is_known)
{
    static Text text;
    static uint8_t expected[DATA_BYTES], data[DATA_BYTES];
    write_kernel(&text, c, seed, is_known);
    for (uint32_t i = 0; i < DATA_BYTES; i++)
        expected[i] = data[i] = (uint8_t)((i + seed) * 2654435761u >> 24);
    assert_int_equal(wb_gpu_set(gpu, "machine_code", "ptx"), WB_OK);
    run_ok(gpu, "", text.body, THREADS, expected, sizeof expected);
    assert_int_equal(wb_gpu_set(gpu, "machine_code", "native"), WB_OK);
    run_ok(gpu, "", text.body, THREADS, data, sizeof data);
    if (memcmp(expected, data, sizeof data))
        fail_msg("seed %u: unrolling changed what was computed by\n%s", (unsigned)seed, text.body);
}

static void test_same_results(void **state)
{
    for (uint32_t n = 0; n < COUNTINGS; n++)
        for (uint32_t seed = 1; seed <= BODIES; seed++) {
            check_kernel(*state, &countings[n], seed, false);
            check_kernel(*state, &countings[n], seed + 1000, true);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unknown_rounds), cmocka_unit_test(test_known_rounds),
        cmocka_unit_test(test_lanes_stay_together), cmocka_unit_test(test_left_alone),
        cmocka_unit_test_setup_teardown(test_same_results, run_setup, run_teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
