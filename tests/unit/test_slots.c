/* Which units issue slots are counted for: of single instructions, and as they are added up. */
#include "sm/slots.h"
#include "timing_rig.h"

/* -- of an instruction -- */

static unsigned sum_of(const SlotMix *mix)
{
    unsigned sum = 0;
    for (SlotKind kind = 0; kind < SLOT_KINDS; kind++)
        sum += mix_of(mix, kind);
    return sum;
}

#define PROLOGUE                                                                                             \
    "ld.volatile.global.u32 %r1, [%rd9]; ld.volatile.global.u32 %r2, [%rd9];"                                \
    "ld.volatile.global.f64 %d1, [%rd9]; ld.volatile.global.f64 %d2, [%rd9];"
enum { PROLOGUE_COUNT = 4 };
#define STORE " st.global.u32 [%rd9], %r9;"

static SlotMix mix_in(const char *body, MachineCode code, unsigned capability)
{
    char text[4096];
    snprintf(text, sizeof text, "%s%s ret;", PROLOGUE, body);
    GpuConfig config = rig_config(code, capability);
    config.issue_steps = false;
    TimingRig rig = rig_time(text, &config);
    const SlotMix mix = rig.timing->insns[PROLOGUE_COUNT].mix;
    rig_done(&rig);
    return mix;
}

/* An H200's load/store unit counts reads of a thread's index among its instructions, and no other special
 * register's; the block's size is in the constant bank. */
static void test_kinds(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        SlotKind kind;
        unsigned slots;
    } cases[] = {
        {"mov.u32 %r9, %tid.x;" STORE, SLOT_LSU, 1},
        {"mov.u32 %r9, %tid.z;" STORE, SLOT_LSU, 1},
        {"mov.u32 %r9, %ctaid.x;" STORE, SLOT_SPECIAL, 1},
        {"mov.u32 %r9, %laneid;" STORE, SLOT_SPECIAL, 1},
        {"mov.u32 %r9, %ntid.x;" STORE, SLOT_UNIFORM, 1},
        {"ld.const.u32 %r9, [constants+4];" STORE, SLOT_UNIFORM, 1},
        {"ld.const.u32 %r9, [%rd1];" STORE, SLOT_CONSTANT, 1},
        {"mul.lo.s32 %r9, %r1, %r2;" STORE, SLOT_FP32, 1},
        {"xor.b32 %r9, %r1, %r2;" STORE, SLOT_INT, 1},
        {"popc.b32 %r9, %r1;" STORE, SLOT_SFU, 1},
        {"add.f64 %d3, %d1, %d2; st.global.f64 [%rd9], %d3;", SLOT_FP64, 1},
        {"bar.sync 0;", SLOT_CONTROL, 1},
        {"st.global.u32 [%rd9], %r1;", SLOT_LSU, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const SlotMix mix = mix_in(cases[i].body, MACHINE_CODE_NATIVE, 90);
        if (mix_of(&mix, cases[i].kind) != cases[i].slots)
            fail_msg("%s: %u slots of kind %d", cases[i].body, mix_of(&mix, cases[i].kind), cases[i].kind);
    }
}

/* What a quotient becomes is counted for all the units that work on it. */
static void test_several_kinds(void **state)
{
    (void)state;
    const SlotMix mix = mix_in("rem.u32 %r9, %r1, %r2;" STORE, MACHINE_CODE_NATIVE, 90);
    assert_true(mix_of(&mix, SLOT_INT) > 0 && mix_of(&mix, SLOT_FP32) > 0 && mix_of(&mix, SLOT_SFU) > 0);
}

static void check_sums(const char *text, const GpuConfig *config)
{
    TimingRig rig = rig_time(text, config);
    for (uint32_t i = 0; i < rig.program->code_count; i++) {
        const InsnTiming *timing = &rig.timing->insns[i];
        assert_int_equal(sum_of(&timing->mix), timing->slots - timing->step_count);
        for (unsigned k = 0; k < timing->step_count; k++)
            assert_true(timing->steps[k].kind < SLOT_KINDS);
    }
    rig_done(&rig);
}

static void test_all_slots_are_counted(void **state)
{
    (void)state;
    static const char text[] =
        PROLOGUE "mov.u32 %r3, %ctaid.y; mad.lo.s32 %r4, %r3, %r1, %r2; div.s32 %r5, %r4, %r1; div.rn.f64 "
                 "%d3, %d1, %d2;"
                 "setp.ge.s32 %p1, %r5, %r2; @%p1 bra L; red.global.add.u32 [%rd9], 1; atom.global.add.u32 "
                 "%r6, [%rd9], 3;"
                 "bar.sync 0; st.global.f64 [%rd9], %d3; L: st.global.u32 [%rd9], %r5; ret;";
    for (unsigned steps = 0; steps < 2; steps++)
        for (unsigned capability = 75; capability <= 90; capability += 15)
            for (unsigned native = 0; native < 2; native++) {
                GpuConfig config = rig_config(native ? MACHINE_CODE_NATIVE : MACHINE_CODE_PTX, capability);
                config.issue_steps = steps;
                check_sums(text, &config);
            }
}

/* -- added up -- */

/* Counters are brought up to date by the last instruction that surely fits, not by the one before, and lose
 * none. */
static void test_settling(void **state)
{
    (void)state;
    SlotSums sums = {0};
    SmStatistics statistics = {0};
    SlotMix full = {0};
    mix_put(&full, SLOT_UNIFORM, UINT8_MAX);
    for (unsigned i = 0; i + 1 < MIX_ROUNDS; i++)
        slots_count(&sums, &full, &statistics);
    assert_int_equal(statistics.uniform_slots, 0);
    slots_count(&sums, &full, &statistics);
    assert_int_equal(statistics.uniform_slots, MIX_ROUNDS * UINT8_MAX);
    slots_count(&sums, &full, &statistics);
    slots_settle(&sums, &statistics);
    slots_settle(&sums, &statistics);
    assert_int_equal(statistics.uniform_slots, (MIX_ROUNDS + 1) * UINT8_MAX);
    assert_int_equal(statistics.issue_slots, statistics.uniform_slots);
}

/* No kind's field reaches into its neighbour's. */
static void test_fields(void **state)
{
    (void)state;
    SmStatistics statistics = {0};
    SlotSums sums = {0};
    for (SlotKind kind = 0; kind < SLOT_KINDS; kind++) {
        SlotMix one = {0};
        mix_put(&one, kind, kind + 1);
        slots_count(&sums, &one, &statistics);
    }
    slots_settle(&sums, &statistics);
    assert_int_equal(statistics.int_slots, SLOT_INT + 1);
    assert_int_equal(statistics.fp32_slots, SLOT_FP32 + 1);
    assert_int_equal(statistics.fp64_slots, SLOT_FP64 + 1);
    assert_int_equal(statistics.sfu_slots, SLOT_SFU + 1);
    assert_int_equal(statistics.tensor_slots, SLOT_TENSOR + 1);
    assert_int_equal(statistics.lsu_slots, SLOT_LSU + 1);
    assert_int_equal(statistics.control_slots, SLOT_CONTROL + 1);
    assert_int_equal(statistics.constant_slots, SLOT_CONSTANT + 1);
    assert_int_equal(statistics.special_slots, SLOT_SPECIAL + 1);
    assert_int_equal(statistics.uniform_slots, SLOT_UNIFORM + 1);
    assert_int_equal(statistics.issue_slots, SLOT_KINDS * (SLOT_KINDS + 1) / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_several_kinds),
        cmocka_unit_test(test_all_slots_are_counted),
        cmocka_unit_test(test_settling),
        cmocka_unit_test(test_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
