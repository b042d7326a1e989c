/* What instructions read and write, and the numbers of PTX mode. */
#include "timing_rig.h"

/* Names of registers with spaces between them; "CC" is the carry flag. */
static void check_list(const TimingRig *rig, const uint16_t *registers, unsigned count, const char *wanted)
{
    char names[256];
    snprintf(names, sizeof names, "%s", wanted);
    unsigned number = 0;
    for (char *name = strtok(names, " "); name; name = strtok(NULL, " "), number++) {
        const uint16_t reg = strcmp(name, "CC") ? rig_register(rig, name) : TIMING_CARRY;
        bool found = false;
        for (unsigned i = 0; i < count; i++)
            found |= registers[i] == reg;
        if (!found)
            fail_msg("%s is not listed", name);
    }
    assert_int_equal(number, count);
}

static void check(const char *body, unsigned insn, const char *writes, const char *reads)
{
    GpuConfig config = rig_config(MACHINE_CODE_PTX, 90);
    TimingRig rig = rig_time(body, &config);
    const InsnTiming *timing = &rig.timing->insns[insn];
    check_list(&rig, timing->registers, timing->write_count, writes);
    check_list(&rig, timing->registers + timing->write_count, timing->read_count, reads);
    uint64_t filter = 0;
    for (unsigned i = 0; i < (unsigned)timing->write_count + timing->read_count; i++)
        filter |= (uint64_t)1 << (timing->registers[i] % 64);
    assert_true(timing->filter == filter);
    rig_done(&rig);
}

/* Uses of everything before and after, so that no register shares a slot with another. */
#define KEEP                                                                                                 \
    "st.global.v4.b32 [%rd9], {%r1, %r2, %r3, %r4}; st.global.v2.b64 [%rd9], {%rd1, %rd2};"                  \
    "selp.b32 %r9, %r1, %r2, %p1; selp.b32 %r9, %r9, %r2, %p2; st.global.b32 [%rd3], %r9; ret;"

static void test_registers_of_arithmetic(void **state)
{
    (void)state;
    check("add.s32 %r1, %r2, %r3;" KEEP, 0, "%r1", "%r2 %r3");
    check("add.s32 %r1, %r2, 5;" KEEP, 0, "%r1", "%r2");
    check("add.s32 %r1, %r2, %r2;" KEEP, 0, "%r1", "%r2");
    check("mad.wide.u32 %rd1, %r2, %r3, %rd2;" KEEP, 0, "%rd1", "%r2 %r3 %rd2");
    check("mov.u32 %r1, %tid.x;" KEEP, 0, "%r1", "");
}

static void test_registers_of_predicates(void **state)
{
    (void)state;
    check("@%p1 add.s32 %r1, %r2, %r3;" KEEP, 0, "%r1", "%p1 %r2 %r3");
    check("@!%p2 bra L; L:" KEEP, 0, "", "%p2");
    check("setp.lt.s32 %p1|%p2, %r2, %r3;" KEEP, 0, "%p1 %p2", "%r2 %r3");
    check("setp.lt.and.s32 %p1, %r2, %r3, !%p2;" KEEP, 0, "%p1", "%r2 %r3 %p2");
    check("selp.b32 %r1, %r2, %r3, %p1;" KEEP, 0, "%r1", "%r2 %r3 %p1");
}

static void test_registers_of_carry(void **state)
{
    (void)state;
    check("add.cc.u32 %r1, %r2, %r3; addc.u32 %r4, %r2, 0;" KEEP, 0, "%r1 CC", "%r2 %r3");
    check("add.cc.u32 %r1, %r2, %r3; addc.u32 %r4, %r2, 0;" KEEP, 1, "%r4", "%r2 CC");
    check("add.cc.u32 %r1, %r2, %r3; addc.cc.u32 %r4, %r2, 0;" KEEP, 1, "%r4 CC", "%r2 CC");
}

static void test_registers_of_memory(void **state)
{
    (void)state;
    check("ld.global.v2.u32 {%r1, %r2}, [%rd1+8];" KEEP, 0, "%r1 %r2", "%rd1");
    check("ld.global.v2.u64 {%rd1, %rd2}, [%rd3];" KEEP, 0, "%rd1 %rd2", "%rd3");
    check("st.global.v2.u32 [%rd1], {%r1, %r2};" KEEP, 0, "", "%rd1 %r1 %r2");
    check("ld.param.u64 %rd1, [buffer];" KEEP, 0, "%rd1", "");
    check("atom.global.add.u32 %r1, [%rd1], %r2;" KEEP, 0, "%r1", "%rd1 %r2");
    check("red.global.add.u32 [%rd1], %r2;" KEEP, 0, "", "%rd1 %r2");
    check("shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, -1;" KEEP, 0, "%r1 %p1", "%r2");
}

static void test_fragments_fit(void **state)
{
    (void)state;
    GpuConfig config = rig_config(MACHINE_CODE_PTX, 90);
    TimingRig rig =
        rig_time("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7},"
                 "{%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, {%r8,%r9,%r10,%r11,%r12,%r13,%r14,%r15},"
                 "{%f10,%f11,%f12,%f13,%f14,%f15,%f16,%f17}; st.global.v4.f32 [%rd1], {%f0,%f1,%f2,%f3};"
                 "st.global.v4.f32 [%rd1], {%f4,%f5,%f6,%f7}; ret;",
                 &config);
    const InsnTiming *timing = &rig.timing->insns[0];
    assert_int_equal(timing->write_count, 8);
    assert_true(timing->write_count + timing->read_count <= TIMING_REGISTERS);
    check_list(&rig, timing->registers + 8, timing->read_count,
               "%r0 %r1 %r2 %r3 %r4 %r5 %r6 %r7 %r8 %r9 %r10 %r11 %r12 %r13 %r14 %r15 "
               "%f10 %f11 %f12 %f13 %f14 %f15 %f16 %f17");
    assert_false(timing->drains);
    assert_int_equal(timing->pipe, PIPE_TENSOR);
    rig_done(&rig);
}

static void expect(const char *body, const GpuConfig *config, InsnClass kind, Pipe pipe, unsigned latency,
                   unsigned interval)
{
    TimingRig rig = rig_time(body, config);
    const InsnTiming *timing = &rig.timing->insns[0];
    if (timing->kind != kind || timing->pipe != pipe || timing->latency != latency ||
        timing->interval != interval || timing->slots != 1)
        fail_msg("%s: class %u, pipe %u, latency %u, interval %u, slots %u", body, timing->kind, timing->pipe,
                 timing->latency, timing->interval, timing->slots);
    rig_done(&rig);
}

static void test_numbers_of_ptx_mode(void **state)
{
    (void)state;
    GpuConfig config = rig_config(MACHINE_CODE_PTX, 90);
    expect("add.s32 %r1, %r2, %r3; ret;", &config, CLASS_COMPUTE, PIPE_INT, 5, 2);
    expect("mul.lo.s32 %r1, %r2, %r3; ret;", &config, CLASS_COMPUTE, PIPE_FP32, 6, 2);
    expect("div.u32 %r1, %r2, %r3; ret;", &config, CLASS_COMPUTE, PIPE_INT, 300, 16);
    expect("fma.rn.f32 %f1, %f2, %f3, %f4; ret;", &config, CLASS_COMPUTE, PIPE_FP32, 4, 1);
    expect("div.rn.f32 %f1, %f2, %f3; ret;", &config, CLASS_COMPUTE, PIPE_FP32, 100, 4);
    expect("fma.rn.f64 %d1, %d2, %d3, %d4; ret;", &config, CLASS_COMPUTE, PIPE_FP64, 8, 2);
    expect("div.rn.f64 %d1, %d2, %d3; ret;", &config, CLASS_COMPUTE, PIPE_FP64, 500, 16);
    expect("sin.approx.f32 %f1, %f2; ret;", &config, CLASS_COMPUTE, PIPE_SFU, 18, 8);
    expect("setp.lt.s32 %p1, %r1, %r2; ret;", &config, CLASS_COMPUTE, PIPE_INT, 13, 2);
    expect("shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1; ret;", &config, CLASS_COMPUTE, PIPE_LSU, 24, 4);
    expect("ld.global.u32 %r1, [%rd1]; ret;", &config, CLASS_MEMORY, PIPE_LSU, 24, 4);
    expect("bar.sync 0; ret;", &config, CLASS_BARRIER, PIPE_CONTROL, 12, 1);
    expect("bra L; L: ret;", &config, CLASS_BRANCH, PIPE_CONTROL, 12, 1);
    expect("membar.gl; ret;", &config, CLASS_FENCE, PIPE_LSU, 24, 4);
    expect("ret;", &config, CLASS_EXIT, PIPE_CONTROL, 12, 1);
}

static void test_pipes_that_are_shared(void **state)
{
    (void)state;
    GpuConfig config = rig_config(MACHINE_CODE_PTX, 20);
    config.int_pipes = config.fp64_pipes = 0;
    config.fp32_lanes = 16;
    config.int_multiply_on_fp32 = false;
    expect("add.s32 %r1, %r2, %r3; ret;", &config, CLASS_COMPUTE, PIPE_FP32, 5, 2);
    expect("mul.lo.s32 %r1, %r2, %r3; ret;", &config, CLASS_COMPUTE, PIPE_FP32, 6, 2);
    expect("add.f64 %d1, %d2, %d3; ret;", &config, CLASS_COMPUTE, PIPE_FP32, 8, 2);
    config.warp_width = 64; /* a wavefront on 16 lanes */
    expect("add.f32 %f1, %f2, %f3; ret;", &config, CLASS_COMPUTE, PIPE_FP32, 4, 4);
    config.predicate_latency = 0;
    expect("setp.lt.s32 %p1, %r1, %r2; ret;", &config, CLASS_COMPUTE, PIPE_FP32, 5, 4);
}

/* Whatever the instruction is, PTX mode issues it as one. */
static void test_one_slot_each(void **state)
{
    (void)state;
    GpuConfig config = rig_config(MACHINE_CODE_PTX, 90);
    TimingRig rig =
        rig_time("ld.param.u64 %rd1, [buffer]; cvta.to.global.u64 %rd2, %rd1; mov.u32 %r1, %tid.x;"
                 "mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd2, %rd3; ld.global.u32 %r2, [%rd4];"
                 "rem.u32 %r3, %r2, %r1; setp.eq.s32 %p1, %r3, 0; @%p1 bra L; add.s32 %r3, %r3, 1;"
                 "L: st.global.u32 [%rd4], %r3; ret;",
                 &config);
    for (uint32_t i = 0; i < rig.program->code_count; i++) {
        assert_int_equal(rig.timing->insns[i].slots, 1);
        assert_true(rig.timing->insns[i].interval >= 1);
    }
    rig_done(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registers_of_arithmetic), cmocka_unit_test(test_registers_of_predicates),
        cmocka_unit_test(test_registers_of_carry),      cmocka_unit_test(test_registers_of_memory),
        cmocka_unit_test(test_fragments_fit),           cmocka_unit_test(test_numbers_of_ptx_mode),
        cmocka_unit_test(test_pipes_that_are_shared),   cmocka_unit_test(test_one_slot_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
