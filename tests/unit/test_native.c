/* What the assembler makes of instructions: slots of single forms, of fused ones, of control flow. */
#include "timing_rig.h"

static unsigned total(const TimingRig *rig)
{
    unsigned slots = 0;
    for (uint32_t i = 0; i < rig->program->code_count; i++)
        slots += rig->timing->insns[i].slots;
    return slots;
}

/* Slots of the instructions, a digit each. `ld` makes operands that nothing is known of, with a slot each. */
#define OPERANDS                                                                                             \
    "ld.volatile.global.u32 %r1, [%rd9]; ld.volatile.global.u32 %r2, [%rd9]; ld.volatile.global.u32 %r3, "   \
    "[%rd9];"                                                                                                \
    "ld.volatile.global.u64 %rd1, [%rd9]; ld.volatile.global.u64 %rd2, [%rd9];"                              \
    "ld.volatile.global.f32 %f1, [%rd9]; ld.volatile.global.f32 %f2, [%rd9];"                                \
    "ld.volatile.global.f64 %d1, [%rd9]; ld.volatile.global.f64 %d2, [%rd9];"
enum { OPERAND_COUNT = 9 };

static void check(const char *body, unsigned capability, const char *wanted)
{
    char text[8192];
    snprintf(text, sizeof text, "%s%s ret;", OPERANDS, body);
    GpuConfig config = rig_config(MACHINE_CODE_NATIVE, capability);
    TimingRig rig = rig_time(text, &config);
    char found[256] = "";
    for (size_t i = 0; i < strlen(wanted); i++) {
        const InsnTiming *timing = &rig.timing->insns[OPERAND_COUNT + i];
        assert_int_equal(timing->slots == 0, timing->interval == 0);
        found[i] = (char)(timing->slots < 10 ? '0' + timing->slots : 'a' + timing->slots - 10);
        found[i + 1] = 0;
    }
    if (strcmp(found, wanted))
        fail_msg("%s: slots %s, not %s", body, found, wanted);
    rig_done(&rig);
}

#define STORE " st.global.u32 [%rd9], %r9;"
#define STORE64 " st.global.u64 [%rd9], %rd8;"
#define STOREF " st.global.f32 [%rd9], %f9;"

static void test_single_forms(void **state)
{
    (void)state;
    check("add.s32 %r9, %r1, %r2;" STORE, 90, "11");
    check("add.s64 %rd8, %rd1, %rd2;" STORE64, 90, "21");
    check("mul.lo.s64 %rd8, %rd1, %rd2;" STORE64, 90, "41");
    check("and.b64 %rd8, %rd1, %rd2;" STORE64, 90, "21");
    check("rsqrt.approx.f32 %f9, %f1;" STOREF, 90, "41");
    check("rsqrt.approx.ftz.f32 %f9, %f1;" STOREF, 90, "11");
    check("sin.approx.f32 %f9, %f1;" STOREF, 90, "21");
    check("div.rn.f32 %f9, %f1, %f2;" STOREF, 90, "a1");
    check("rem.u32 %r9, %r1, %r2;" STORE, 90, "h1");
    check("rem.u32 %r9, %r1, 3;" STORE, 90, "d1");
    check("popc.b32 %r9, %r1;" STORE, 90, "11");
    /* The reciprocal of a divisor is kept for the next division, but not for one of other signs. */
    check("div.u32 %r4, %r1, %r2; div.u32 %r9, %r4, %r2;" STORE, 90, "i91");
    check("div.u32 %r4, %r1, %r2; div.s32 %r9, %r4, %r2;" STORE, 90, "ip1");
}

static void test_what_vanishes(void **state)
{
    (void)state;
    check("mov.u32 %r9, %r1;" STORE, 90, "01");
    check("cvta.to.global.u64 %rd8, %rd1;" STORE64, 90, "01");
    check("cvt.u64.u32 %rd8, %r1;" STORE64, 90, "01");
    check("mov.b64 %rd8, {%r1, %r2};" STORE64, 90, "01");
    check("ld.param.u64 %rd8, [buffer];" STORE64, 75, "01");
    check("ld.param.u64 %rd8, [buffer];" STORE64, 90, "02");
    check("mov.u32 %r9, %ntid.x;" STORE, 75, "01");
    check("mov.u32 %r9, %ntid.x;" STORE, 90, "11");
    check("mov.u32 %r9, %tid.x;" STORE, 75, "11");
}

static void test_multiply_add(void **state)
{
    (void)state;
    check("mul.wide.s32 %rd3, %r1, 4; add.s64 %rd8, %rd1, %rd3;" STORE64, 90, "011");
    check("mul.wide.s32 %rd3, %r1, 4; add.s64 %rd4, %rd1, %rd3; add.s64 %rd8, %rd2, %rd3;"
          "st.global.u64 [%rd9], %rd4;" STORE64,
          90, "01111");
    check("mul.wide.s32 %rd8, %r1, 4; add.s64 %rd3, %rd1, %rd8; st.global.u64 [%rd9], %rd3;" STORE64, 90,
          "1211");
    check("mul.lo.s32 %r4, %r1, %r2; add.s32 %r9, %r4, %r3;" STORE, 90, "011");
    check("shl.b32 %r4, %r1, 2; add.s32 %r9, %r4, %r3;" STORE, 90, "011");
    check("shl.b32 %r4, %r1, %r2; add.s32 %r9, %r4, %r3;" STORE, 90, "111");
    check("mul.f32 %f4, %f1, %f2; sub.f32 %f9, %f3, %f4;" STOREF, 90, "011");
    check("mul.f32 %f4, %f1, %f2; neg.f32 %f5, %f4; add.f32 %f9, %f5, %f3;" STOREF, 75, "0011");
    check("mul.rn.f32 %f4, %f1, %f2; sub.f32 %f9, %f3, %f4;" STOREF, 90, "111");
}

static void test_chains(void **state)
{
    (void)state;
    check("and.b32 %r4, %r1, %r2; or.b32 %r9, %r4, %r3;" STORE, 90, "011");
    check("and.b32 %r4, %r1, %r2; xor.b32 %r5, %r4, %r3; or.b32 %r9, %r5, %r1;" STORE, 90, "0111");
    check("add.s32 %r4, %r1, %r2; add.s32 %r9, %r4, %r3;" STORE, 90, "011");
    check("mul.lo.s32 %r4, %r1, %r2; add.s32 %r5, %r4, %r3; add.s32 %r9, %r5, %r1;" STORE, 90, "0111");
    check("neg.f32 %f3, %f1; add.f32 %f9, %f3, %f2;" STOREF, 90, "011");
    check("neg.f32 %f9, %f1;" STOREF, 90, "11");
}

/* From the comparison that instruction 0 is, behind the operands, to what reads its predicate. */
#define COMPARE(reader) OPERANDS "setp.ne.u32 %p2, %r1, 77; " reader STORE "ret;"
static unsigned predicate_latency(const char *text, unsigned capability)
{
    GpuConfig config = rig_config(MACHINE_CODE_NATIVE, capability);
    config.predicate_latency = 13;
    TimingRig rig = rig_time(text, &config);
    const unsigned latency = rig.timing->insns[OPERAND_COUNT].latency;
    rig_done(&rig);
    return latency;
}

static void test_votes(void **state)
{
    (void)state;
    const char *const vote = COMPARE("vote.sync.ballot.b32 %r9, %p2, -1;");
    assert_int_equal(predicate_latency(COMPARE("selp.b32 %r9, %r1, %r2, %p2;"), 90), 5);
    assert_int_equal(predicate_latency(vote, 90), 13);
    assert_int_equal(predicate_latency(vote, 75), 5);
}

static void test_addresses(void **state)
{
    (void)state;
    check("add.s64 %rd3, %rd1, 16; ld.global.u32 %r9, [%rd3];" STORE, 90, "011");
    check("add.s64 %rd3, %rd1, 16777216; ld.global.u32 %r9, [%rd3];" STORE, 90, "211");
    check("mov.u32 %r4, space; add.s32 %r5, %r4, %r1; ld.shared.u32 %r9, [%r5];" STORE, 90, "3011");
    check("ld.global.u8 %h1, [%rd1]; cvt.u32.u16 %r9, %h1;" STORE, 90, "101");
    check("ld.global.s8 %h1, [%rd1]; cvt.s32.s16 %r9, %h1;" STORE, 90, "101");
}

#define LOAD4(base)                                                                                          \
    "ld.shared.f32 %f3, [" base "]; ld.shared.f32 %f4, [" base "+4]; ld.shared.f32 %f5, [" base "+8];"       \
    "ld.shared.f32 %f6, [" base "+12]; add.f32 %f3, %f3, %f4; add.f32 %f5, %f5, %f6; add.f32 %f9, %f3, %f5;"

static void test_vector_loads(void **state)
{
    (void)state;
    check("mov.u32 %r4, space; shl.b32 %r5, %r1, 4; add.s32 %r6, %r4, %r5;" LOAD4("%r6") STOREF, 90,
          "30110001111");
    check("mov.u32 %r4, space; shl.b32 %r5, %r1, 3; add.s32 %r6, %r4, %r5;" LOAD4("%r6") STOREF, 90,
          "30110101111");
    check("mov.u32 %r4, space; shl.b32 %r5, %r1, 2; add.s32 %r6, %r4, %r5;" LOAD4("%r6") STOREF, 90,
          "30111111111");
}

#define FMA "fma.rn.f32 %f1, %f1, %f1, %f2;"
#define FMA4 FMA FMA FMA FMA

#define LOOP(pragma, step, body)                                                                             \
    "ld.param.u32 %r4, [n]; mov.u32 %r5, %r4;\nL:\n" pragma body "\nadd.s32 %r5, %r5, " step                 \
    "; setp.ne.s32 %p1, %r5, 0; @%p1 bra L; st.global.f32 [%rd9], %f1;"

static void test_branches(void **state)
{
    (void)state;
    /* A barrier before the branch and one where lanes meet. */
    check("setp.ge.u32 %p1, %r1, %r2; @%p1 bra L; ld.global.u32 %r3, [%rd1]; L: bar.sync 0; st.global.u32 "
          "[%rd9], "
          "%r3;",
          90, "12121");
    /* Lanes cannot part where the operands are the same for all. */
    check("ld.param.u32 %r4, [n]; setp.ge.u32 %p1, %r4, 5; @%p1 bra L; ld.global.u32 %r3, [%rd1]; L: "
          "bar.sync 0;"
          "st.global.u32 [%rd9], %r3;",
          90, "021111");
}

static void test_predicates(void **state)
{
    (void)state;
    /* A comparison takes the other predicate in; two that are needed themselves are combined apart. */
    check("setp.lt.s32 %p1, %r1, %r2; setp.lt.s32 %p2, %r2, %r3; and.pred %p3, %p1, %p2;"
          "selp.b32 %r9, %r1, %r2, %p3;" STORE,
          90, "11011");
    check("setp.lt.s32 %p1, %r1, %r2; setp.lt.s32 %p2, %r2, %r3; and.pred %p3, %p1, %p2;"
          "selp.b32 %r9, %r1, %r2, %p3; selp.b32 %r8, %r2, %r9, %p1; selp.b32 %r7, %r3, %r8, %p2;"
          "st.global.u32 [%rd9], %r7;",
          90, "1111111");
    /* Logic says whether it is zero. */
    check("and.b32 %r4, %r1, 7; setp.eq.s32 %p1, %r4, 0; @%p1 st.global.u32 [%rd9], %r1;", 90, "101");
    /* One of the two is computed under a guard. */
    check("min.u32 %r4, %r1, %r2; max.u32 %r5, %r1, %r2; selp.b32 %r9, %r4, %r5, %p1;" STORE, 90, "0111");
    check("neg.s32 %r4, %r1; selp.b32 %r9, %r1, %r4, %p1;" STORE, 90, "011");
    /* So is what may take the place of the choice's own old value. */
    check("add.s32 %r4, %r2, 1; selp.b32 %r1, %r4, %r1, %p1; st.global.u32 [%rd9], %r1;", 90, "011");
    check("add.s32 %r4, %r2, 1; selp.b32 %r1, %r4, %r1, %p1; st.global.u32 [%rd9], %r1;", 75, "111");
    /* Of comparisons that say the same or the opposite one is made; NaN is neither less nor not less. */
    check("setp.lt.f32 %p1, %f1, %f2; setp.geu.f32 %p2, %f1, %f2; @%p1 st.global.u32 [%rd9], 0;"
          "@%p2 st.global.u32 [%rd9+4], 0;",
          90, "1011");
    check("setp.lt.f32 %p1, %f1, %f2; setp.ge.f32 %p2, %f1, %f2; @%p1 st.global.u32 [%rd9], 0;"
          "@%p2 st.global.u32 [%rd9+4], 0;",
          90, "1111");
    /* A selection changes signs. */
    check("abs.f32 %f3, %f1; selp.f32 %f9, %f3, %f2, %p1;" STOREF, 90, "011");
    /* The sign that a division by a power of two adds. */
    check("shr.u32 %r4, %r1, 31; add.s32 %r9, %r1, %r4;" STORE, 90, "011");
    check("shr.u32 %r4, %r1, 30; add.s32 %r9, %r1, %r4;" STORE, 90, "111");
}

static void test_constants(void **state)
{
    (void)state;
    /* An operand has the upper half of a double; two instructions bring one whose lower half is not zero. */
    check("mul.f64 %d3, %d1, 0d3FF8000000000000; st.global.f64 [%rd9], %d3;", 90, "11");
    check("mul.f64 %d3, %d1, 0d3FF5555555555555; st.global.f64 [%rd9], %d3;", 90, "31");
    check("mov.f64 %d4, 0d3FF5555555555555; mul.f64 %d3, %d1, %d4; st.global.f64 [%rd9], %d3;", 90, "211");
    /* Of two constants one is in a register; what is stored is, unless it is zero. */
    check("fma.rn.f32 %f9, %f1, 0f40000000, 0f40400000;" STOREF, 90, "21");
    check("selp.b32 %r9, 5, 6, %p1; selp.b32 %r8, 5, 7, %p1; selp.b32 %r7, 0, 7, %p1;" STORE, 90, "2111");
    check("st.global.u32 [%rd9], 7;", 90, "2");
    check("st.global.u32 [%rd9], 0;", 90, "1");
}

static void test_copies(void **state)
{
    (void)state;
    /* The old value is needed after the new one is there; and not. */
    check("mov.u32 %r4, %r1; add.s32 %r5, %r2, 1; setp.lt.s32 %p1, %r5, %r4; mov.u32 %r4, %r5;"
          "@%p1 st.global.u32 [%rd9], %r4;",
          90, "01111");
    check("mov.u32 %r4, %r1; setp.lt.s32 %p1, %r2, %r4; add.s32 %r5, %r2, 1; mov.u32 %r4, %r5;"
          "@%p1 st.global.u32 [%rd9], %r4;",
          90, "01101");
}

static void test_pointers(void **state)
{
    (void)state;
    /* One that all lanes share is copied from uniform registers, one of local memory has one word. */
    check("ld.param.u64 %rd7, [buffer]; mov.u64 %rd8, %rd7;\nL:\n.pragma \"nounroll\";\nld.global.f32 %f4, "
          "[%rd8];"
          "add.f32 %f1, %f1, %f4; add.s64 %rd8, %rd8, 4; setp.lt.f32 %p1, %f1, %f2; @%p1 bra L;" STOREF,
          90, "02312112");
    check("mov.u64 %rd8, 0;\nL:\n.pragma \"nounroll\";\nld.local.f32 %f4, [%rd8];"
          "add.f32 %f1, %f1, %f4; add.s64 %rd8, %rd8, 4; setp.lt.f32 %p1, %f1, %f2; @%p1 bra L;" STOREF,
          90, "2111112");
}

static void test_pairs(void **state)
{
    (void)state;
    /* Words of a shared variable, whose place is known. */
    check("ld.shared.u32 %r1, [space]; ld.shared.u32 %r2, [space+4]; add.s32 %r9, %r1, %r2;" STORE, 90,
          "4011");
    check("ld.shared.u32 %r1, [space+4]; ld.shared.u32 %r2, [space+8]; add.s32 %r9, %r1, %r2;" STORE, 90,
          "4111");
}

static void test_far_products(void **state)
{
    (void)state;
    check("mul.wide.s32 %rd17, %r1, 4; @%p1 bra L; add.s64 %rd8, %rd1, %rd17;" STORE64
          "L: add.s64 %rd8, %rd4, %rd17;" STORE64,
          90, "011111");
}

static void test_loops(void **state)
{
    (void)state;
    check(LOOP(".pragma \"nounroll\";\n", "-1", FMA4), 90, "0111111111");
    check(LOOP("", "%r4", FMA4), 90, "0111111111");
    GpuConfig config = rig_config(MACHINE_CODE_NATIVE, 90);
    TimingRig rig = rig_time(OPERANDS LOOP("", "%r4", FMA4) "ret;", &config);
    assert_int_equal(rig.timing->insns[OPERAND_COUNT + 8].latency, 12);
    assert_int_equal(rig.timing->insns[OPERAND_COUNT + 7].latency, 13);
    rig_done(&rig);
}

/* The last cycle of the first two is the crossing from one pipe to another. */
static void test_latencies(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned latency, pipe, interval;
    } cases[] = {
        {"rsqrt.approx.f32 %f9, %f1;" STOREF, 13 + 4 + 18 + 4 + 1, PIPE_SFU, 8},
        {"sin.approx.f32 %f9, %f1;" STOREF, 4 + 18 + 1, PIPE_SFU, 8},
        {"mul.wide.s32 %rd8, %r1, %r2;" STORE64, 8, PIPE_FP32, 4},
        {"and.b32 %r9, %r1, %r2;" STORE, 5, PIPE_INT, 2},
        {"setp.lt.s32 %p1, %r1, %r2; @%p1 st.global.u32 [%rd9], %r1;", 13, PIPE_INT, 2},
        {"setp.lt.s32 %p1, %r1, %r2; selp.b32 %r9, %r1, %r2, %p1;" STORE, 5, PIPE_INT, 2},
        {"mov.u32 %r9, %tid.x;" STORE, 20, PIPE_LSU, 4},
        {"mov.u32 %r9, %ctaid.x;" STORE, 20, PIPE_CONTROL, 1},
    };
    GpuConfig config = rig_config(MACHINE_CODE_NATIVE, 90);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[8192];
        snprintf(text, sizeof text, "%s%s ret;", OPERANDS, cases[i].text);
        TimingRig rig = rig_time(text, &config);
        const InsnTiming *timing = &rig.timing->insns[OPERAND_COUNT];
        if (timing->latency != cases[i].latency || timing->pipe != cases[i].pipe ||
            timing->interval != cases[i].interval)
            fail_msg("%s: latency %u, pipe %u, interval %u", cases[i].text, timing->latency, timing->pipe,
                     timing->interval);
        rig_done(&rig);
    }
}

/* A constant is no operand of the register file; of two, one is. */
static void test_operands(void **state)
{
    (void)state;
    GpuConfig config = rig_config(MACHINE_CODE_NATIVE, 90);
    TimingRig rig = rig_time(OPERANDS "mov.f32 %f3, 0f40000000; fma.rn.f32 %f4, %f1, %f2, %f3;"
                                      "fma.rn.f32 %f9, %f4, %f2, %f1;" STOREF " ret;",
                             &config);
    const InsnTiming *fma = &rig.timing->insns[OPERAND_COUNT + 1];
    assert_int_equal(fma[0].read_count, 3);
    assert_int_equal(fma[0].operand_count, 2);
    assert_int_equal(fma[1].operand_count, 3);
    rig_done(&rig);
}

/* A quotient's instructions follow each other, with the whole latency that its chain has; others do not. */
static void test_steps(void **state)
{
    (void)state;
    GpuConfig config = rig_config(MACHINE_CODE_NATIVE, 90);
    for (unsigned on = 0; on < 2; on++) {
        config.issue_steps = on;
        TimingRig rig =
            rig_time(OPERANDS "div.rn.f64 %d3, %d1, %d2; add.s32 %r9, %r1, %r2;" STORE " ret;", &config);
        const InsnTiming *quotient = &rig.timing->insns[OPERAND_COUNT];
        unsigned latency = quotient->latency, doubles = quotient->pipe == PIPE_FP64;
        for (unsigned i = 0; i < quotient->step_count; i++) {
            latency += quotient->steps[i].latency;
            doubles += quotient->steps[i].pipe == PIPE_FP64;
        }
        static unsigned all_at_once;
        all_at_once = on ? all_at_once : latency;
        assert_int_equal(latency, all_at_once);
        assert_int_equal(quotient->step_count, on ? quotient->slots - 1 : 0);
        assert_int_equal(doubles, on ? 8 : 1);
        assert_int_equal(rig.timing->insns[OPERAND_COUNT + 1].step_count, 0);
        rig_done(&rig);
    }
}

/* Sums use both pipes that can do them, so that each gets as many instructions of a block as the other; with
 * an immediate only where there is VIADD. */
static void test_balance(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned capability;
        const char *pipes; /* i: integer, m: multiply-add */
    } cases[] = {
        {"add.s32 %r8, %r1, %r2; add.s32 %r9, %r1, %r3; st.global.v2.u32 [%rd9], {%r8, %r9};", 90, "mi"},
        {"add.s32 %r8, %r1, %r2; add.s32 %r9, %r1, %r3; st.global.v2.u32 [%rd9], {%r8, %r9};", 75, "mi"},
        {"add.s32 %r8, %r1, 1; xor.b32 %r9, %r8, %r2; add.s32 %r7, %r9, 1; xor.b32 %r6, %r7, %r3;"
         "st.global.u32 [%rd9], %r6;",
         90, "mimi"},
        {"add.s32 %r8, %r1, 1; xor.b32 %r9, %r8, %r2; st.global.u32 [%rd9], %r9;", 75, "ii"},
        {"add.s32 %r8, %r1, 1; mul.lo.s32 %r9, %r8, %r2; st.global.u32 [%rd9], %r9;", 90, "im"},
        {"add.s32 %r8, %r1, 1; fma.rn.f32 %f9, %f1, %f2, %f1; st.global.u32 [%rd9], %r8; " STOREF, 90, "im"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char text[8192];
        snprintf(text, sizeof text, "%s%s ret;", OPERANDS, cases[c].text);
        GpuConfig config = rig_config(MACHINE_CODE_NATIVE, cases[c].capability);
        TimingRig rig = rig_time(text, &config);
        const InsnTiming *timing = &rig.timing->insns[OPERAND_COUNT];
        for (size_t i = 0; cases[c].pipes[i]; i++)
            if (timing[i].pipe != (cases[c].pipes[i] == 'i' ? PIPE_INT : PIPE_FP32))
                fail_msg("%s: instruction %zu on pipe %u", cases[c].text, i, timing[i].pipe);
        rig_done(&rig);
    }
}

/* Machine instructions of whole kernels, counted by an H200: an empty one has 2, the sum of vectors 20. */
static void test_kernels(void **state)
{
    (void)state;
    GpuConfig config = rig_config(MACHINE_CODE_NATIVE, 90);
    TimingRig rig = rig_time("ret;", &config);
    assert_int_equal(rig.timing->insns[0].slots, 2);
    rig_done(&rig);
    rig = rig_time("ld.param.u64 %rd1, [buffer]; ld.param.u64 %rd2, [buffer]; ld.param.u64 %rd3, [buffer];"
                   "ld.param.u32 %r2, [n]; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x;"
                   "mad.lo.s32 %r1, %r3, %r4, %r5; setp.ge.s32 %p1, %r1, %r2; @%p1 bra L;"
                   "cvta.to.global.u64 %rd4, %rd1; mul.wide.s32 %rd5, %r1, 4; add.s64 %rd6, %rd4, %rd5;"
                   "cvta.to.global.u64 %rd7, %rd2; add.s64 %rd8, %rd7, %rd5; ld.global.f32 %f1, [%rd8];"
                   "ld.global.f32 %f2, [%rd6]; add.f32 %f3, %f2, %f1; cvta.to.global.u64 %rd9, %rd3;"
                   "add.s64 %rd10, %rd9, %rd5; st.global.f32 [%rd10], %f3; L: ret;",
                   &config);
    assert_int_equal(total(&rig) - rig.timing->insns[rig.program->code_count - 1].slots, 20);
    rig_done(&rig);
}

/* Where lanes meet the warp waits, and where a block loads a pointer before it adds to it. */
static void test_waits(void **state)
{
    (void)state;
    GpuConfig config = rig_config(MACHINE_CODE_NATIVE, 90);
    config.branch_fall_latency = 5;
    config.const_latency = 30;
    TimingRig rig = rig_time("ld.volatile.global.u32 %r1, [%rd9]; setp.ge.u32 %p1, %r1, 3; @%p1 bra L;"
                             "ld.global.u32 %r3, [%rd1]; L: bar.sync 0; st.global.u32 [%rd9], %r3; ret;",
                             &config);
    assert_int_equal(rig.timing->insns[3].lead, 0);
    assert_int_equal(rig.timing->insns[4].lead, 13);
    rig_done(&rig);
    config.address_unit = false;
    static const char body[] =
        "ld.param.u64 %rd1, [buffer]; ld.volatile.global.u32 %r1, [%rd9]; "
        "setp.ge.u32 %p1, %r1, 3; @%p1 bra L; mul.wide.s32 %rd2, %r1, 4;"
        "add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r3, [%rd3]; mul.wide.s32 %rd4, %r3, 4;"
        "add.s64 %rd5, %rd1, %rd4; ld.global.u32 %r4, [%rd5]; st.global.u32 [%rd9], %r4;"
        "L: ret;";
    rig = rig_time(body, &config);
    const uint16_t waits = rig.timing->insns[5].latency, again = rig.timing->insns[8].latency;
    rig_done(&rig);
    config.const_latency = 40;
    rig = rig_time(body, &config);
    assert_int_equal(rig.timing->insns[5].latency, waits + 10);
    assert_int_equal(rig.timing->insns[8].latency, again); /* the block has it already */
    rig_done(&rig);
}

/* A round that needs what the last one has loaded has its pointers long before. */
static void test_rounds_hide_constants(void **state)
{
    (void)state;
    static const char round[] = "ld.param.u64 %%rd1, [buffer]; mov.u32 %%r1, %%tid.x; mov.u32 %%r5, %%tid.y;"
                                "L: mul.wide.s32 %%rd2, %%r1, 4; add.s64 %%rd3, %%rd1, %%rd2;"
                                "ld.global.u32 %s, [%%rd3]; %s add.u32 %%r5, %%r5, 1;"
                                "setp.lt.u32 %%p1, %%r5, %%r6; @%%p1 bra L;"
                                "st.global.u32 [%%rd9], %%r1; st.global.u32 [%%rd9], %%r2; ret;";
    static const char filler[] = "fma.rn.f32 %f1, %f1, %f1, %f1; fma.rn.f32 %f1, %f1, %f1, %f1;"
                                 "fma.rn.f32 %f1, %f1, %f1, %f1; fma.rn.f32 %f1, %f1, %f1, %f1;"
                                 "fma.rn.f32 %f1, %f1, %f1, %f1; fma.rn.f32 %f1, %f1, %f1, %f1;"
                                 "fma.rn.f32 %f1, %f1, %f1, %f1; fma.rn.f32 %f1, %f1, %f1, %f1;"
                                 "fma.rn.f32 %f1, %f1, %f1, %f1; fma.rn.f32 %f1, %f1, %f1, %f1;"
                                 "fma.rn.f32 %f1, %f1, %f1, %f1; fma.rn.f32 %f1, %f1, %f1, %f1;"
                                 "fma.rn.f32 %f1, %f1, %f1, %f1; fma.rn.f32 %f1, %f1, %f1, %f1;";
    for (int waits = 0; waits < 2; waits++) {
        char body[2048];
        uint16_t latency[2];
        snprintf(body, sizeof body, round, waits ? "%r1" : "%r2", filler);
        for (int late = 0; late < 2; late++) {
            GpuConfig config = rig_config(MACHINE_CODE_NATIVE, 90);
            config.const_latency = late ? 40 : 30;
            config.address_unit = false; /* which says itself when a constant is there */
            TimingRig rig = rig_time(body, &config);
            latency[late] = rig.timing->insns[4].latency;
            rig_done(&rig);
        }
        assert_int_equal(latency[1] - latency[0], waits ? 0 : 10);
    }
}

/* Code is as long as its machine instructions. */
static void test_code_length(void **state)
{
    (void)state;
    for (unsigned native = 0; native < 2; native++) {
        GpuConfig config = rig_config(native ? MACHINE_CODE_NATIVE : MACHINE_CODE_PTX, 90);
        TimingRig rig = rig_time(
            "rem.u32 %r1, %r2, %r3; cvt.u64.u32 %rd1, %r1; st.global.u64 [%rd9], %rd1; ret;", &config);
        uint32_t address = 0;
        for (uint32_t i = 0; i < rig.program->code_count; i++) {
            assert_int_equal(rig.timing->insns[i].address, address);
            address += native ? rig.timing->insns[i].slots : 1;
        }
        assert_int_equal(rig.timing->insns[rig.program->code_count].address, UINT32_MAX);
        rig_done(&rig);
    }
}

/* What the address unit does: constants are asked for at the beginning of their block, in their order, and who
 * needs one waits for it; a pointer that is added to by shift and sum, and a bound that a register is compared
 * with, are uniform. */
static void test_address_unit(void **state)
{
    (void)state;
    static const char body[] = "ld.param.u64 %rd1, [buffer]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;"
                               "mov.u32 %r3, %ctaid.x; add.u32 %r4, %r2, %r3; setp.ge.u32 %p1, %r4, %r1;"
                               "@%p1 bra L; bar.sync 0; mul.wide.u32 %rd2, %r4, 4; add.s64 %rd3, %rd1, %rd2;"
                               "st.global.u32 [%rd3], %r4; L: ret;";
    GpuConfig config = rig_config(MACHINE_CODE_NATIVE, 90);
    config.address_unit = true;
    TimingRig rig = rig_time(body, &config);
    unsigned special = 0, bank = 0, waiting = 0;
    for (uint32_t i = 0; i < rig.program->code_count; i++) {
        const InsnTiming *timing = &rig.timing->insns[i];
        special += timing->special_reads;
        bank += timing->bank_reads;
        if (!timing->awaits_bank)
            continue;
        waiting++;
        assert_int_equal(rig.program->code[i].row, ROW_add_64);
        assert_int_equal(timing->bank_place, 0);
    }
    assert_int_equal(special, 1); /* the block's index */
    assert_int_equal(bank, 2);    /* the stack pointer and the buffer */
    assert_int_equal(waiting, 1);
    rig_done(&rig);
    rig = rig_time("ld.param.u64 %rd1, [buffer]; mov.u32 %r2, %tid.x; cvt.u64.u32 %rd2, %r2; shl.b64 %rd4, %rd2, 2;"
                   "add.s64 %rd3, %rd1, %rd4; st.global.u32 [%rd3], %r2; ret;",
                   &config);
    for (uint32_t i = 0; i < rig.program->code_count; i++)
        assert_false(rig.timing->insns[i].awaits_bank);
    rig_done(&rig);
}

/* A comparison that says the same in every round is made before the loop, one that does not in it. */
static void test_hoisted_comparisons(void **state)
{
    (void)state;
    for (int changes = 0; changes < 2; changes++) {
        char body[1024];
        snprintf(body, sizeof body,
                 "ld.volatile.global.u32 %%r1, [%%rd9]; ld.volatile.global.u32 %%r2, [%%rd9+4];"
                 "ld.volatile.global.u32 %%r3, [%%rd9+8]; bar.sync 0; L: setp.lt.u32 %%p1, %s, %%r2;"
                 "@%%p1 st.global.u32 [%%rd9], %%r3; ld.volatile.global.u32 %%r3, [%%rd9+8];"
                 "setp.ne.u32 %%p2, %%r3, 7; @%%p2 bra L; ret;",
                 changes ? "%r3" : "%r1");
        GpuConfig config = rig_config(MACHINE_CODE_NATIVE, 90);
        TimingRig rig = rig_time(body, &config);
        const InsnTiming *compare = &rig.timing->insns[4], *before = &rig.timing->insns[3];
        assert_int_equal(rig.program->code[4].row, ROW_setp_u32);
        assert_int_equal(compare->slots, changes);
        assert_int_equal(compare->latency, changes ? 13 : 0);
        assert_int_equal(before->slots, changes ? 1 : 2);
        rig_done(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single_forms), cmocka_unit_test(test_what_vanishes),
        cmocka_unit_test(test_multiply_add), cmocka_unit_test(test_chains), cmocka_unit_test(test_votes),
        cmocka_unit_test(test_addresses),    cmocka_unit_test(test_vector_loads),
        cmocka_unit_test(test_branches),     cmocka_unit_test(test_predicates),
        cmocka_unit_test(test_rounds_hide_constants),
        cmocka_unit_test(test_pointers),     cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_constants),    cmocka_unit_test(test_copies),
        cmocka_unit_test(test_far_products), cmocka_unit_test(test_loops),
        cmocka_unit_test(test_latencies),    cmocka_unit_test(test_operands),
        cmocka_unit_test(test_steps),        cmocka_unit_test(test_balance),
        cmocka_unit_test(test_kernels),      cmocka_unit_test(test_waits),
        cmocka_unit_test(test_code_length),  cmocka_unit_test(test_address_unit),
        cmocka_unit_test(test_hoisted_comparisons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
