/* The programmable core: programs with known answers on every design and without time, the order of what
 * others see, times of the simple design, sentences. */
#include "core_rig.h"
#include "run_ptx.h"

enum { UNTIMED = CORE_DESIGN_COUNT };

static char *program_of(const char *body)
{
    char *text;
    assert_true(asprintf(&text, run_frame, "", 0u, body) > 0);
    return text;
}

static CoreRig *core_for(const char *body, unsigned design)
{
    char *text = program_of(body);
    CoreRig *rig = core_rig_new(text);
    Error error = {0};
    free(text);
    if (core_rig_build(rig, design == UNTIMED ? CORE_simple : (CoreDesignNumber)design, design != UNTIMED,
                       2000000, &error) != WB_OK)
        fail_msg("%s", error.text);
    return rig;
}

/* Runs the body; it must end without a failure. */
static CoreRig *ran(const char *body, unsigned design)
{
    CoreRig *rig = core_for(body, design);
    core_rig_run(rig);
    if (core_state(rig->core) == CORE_FAILED)
        fail_msg("%s", core_error(rig->core)->text);
    return rig;
}

static uint64_t word64(const CoreRig *rig, uint32_t index)
{
    uint64_t value;
    memcpy(&value, rig->memory + 8 * index, sizeof value);
    return value;
}

/* fib(40) by a loop, then its digits' sum by division, through memory each time. */
static const char fibonacci[] = "mov.u64 %rd2, 0; mov.u64 %rd3, 1; mov.u32 %r1, 0;\n"
                                "LOOP: st.global.u64 [%rd0], %rd3; add.u64 %rd4, %rd2, %rd3;\n"
                                "ld.global.u64 %rd2, [%rd0]; mov.u64 %rd3, %rd4; add.u32 %r1, %r1, 1;\n"
                                "setp.lt.u32 %p1, %r1, 40; @%p1 bra LOOP;\n"
                                "st.global.u64 [%rd0+8], %rd2; mov.u64 %rd5, 0;\n"
                                "DIGIT: rem.u64 %rd6, %rd2, 10; div.u64 %rd2, %rd2, 10;\n"
                                "add.u64 %rd5, %rd5, %rd6; setp.ne.u64 %p2, %rd2, 0; @%p2 bra DIGIT;\n"
                                "st.global.u64 [%rd0+16], %rd5;";

static void programs_give_their_answers(void **state)
{
    (void)state;
    for (unsigned design = 0; design <= UNTIMED; design++) {
        CoreRig *rig = ran(fibonacci, design);
        assert_int_equal(word64(rig, 1), 102334155);
        assert_int_equal(word64(rig, 2), 24);
        core_rig_free(rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_give_their_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
