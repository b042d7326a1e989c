/* The programmable core: programs with known answers on every design and without time, what it does to its
 * unit's registers, the order in which others see its stores, times of the simple design, sentences. */
#include "core/firmware.h"
#include "core_rig.h"
#include "run_ptx.h"

enum { UNTIMED = CORE_DESIGN_COUNT };

/* Addresses of the unit's registers. */
#define REGISTER_0 "0x7ff0000000000000"
#define REGISTER_1 "0x7ff0000000000008"
#define REGISTER_2 "0x7ff0000000000010"

static CoreRig *new_rig(const char *body)
{
    char *text;
    assert_true(asprintf(&text, run_frame, "", 0u, body) > 0);
    CoreRig *rig = core_rig_new(text);
    free(text);
    return rig;
}

static void build(CoreRig *rig, unsigned design, uint64_t khz)
{
    Error error = {0};
    if (core_rig_build(rig, design == UNTIMED ? CORE_simple : (CoreDesignNumber)design, design != UNTIMED,
                       khz, &error) != WB_OK)
        fail_msg("%s", error.text);
}

static void run(CoreRig *rig)
{
    core_rig_run(rig);
    if (core_state(rig->core) == CORE_FAILED)
        fail_msg("%s", core_error(rig->core)->text);
}

/* Runs the body at twice the SMs' clock; it must end without a failure. */
static CoreRig *ran(const char *body, unsigned design)
{
    CoreRig *rig = new_rig(body);
    build(rig, design, 2000000);
    run(rig);
    return rig;
}

static uint64_t word64(const CoreRig *rig, uint32_t index)
{
    uint64_t value;
    memcpy(&value, rig->memory + 8 * index, sizeof value);
    return value;
}

/* -- answers -- */

/* fib(40) through memory, then the sum of its digits. */
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

/* Every tick is charged once; what the program did does not depend on the design. */
static void statistics_add_up(void **state)
{
    (void)state;
    for (unsigned design = 0; design < UNTIMED; design++) {
        CoreRig *rig = ran(fibonacci, design);
        const CoreStatistics *s = core_statistics_of(rig->core);
        const uint64_t sum = s->core_ticks_busy + s->core_ticks_fetch + s->core_ticks_branch +
                             s->core_ticks_load + s->core_ticks_store + s->core_ticks_fence +
                             s->core_ticks_device + s->core_ticks_compute;
        assert_int_equal(sum, s->core_ticks);
        assert_int_equal(s->core_instructions, 4 + 3 + 40 * 7 + 2 + 9 * 5 + 2);
        assert_int_equal(s->core_loads, 40);
        assert_int_equal(s->core_stores, 42);
        assert_int_equal(s->core_branches, 49);
        assert_int_equal(s->core_instruction_misses, 2);
        core_rig_free(rig);
    }
}

/* A pipelined core is faster than the simple one, and a wider window is not slower. */
static void designs_differ_in_speed(void **state)
{
    uint64_t ticks[CORE_DESIGN_COUNT];
    (void)state;
    for (unsigned design = 0; design < UNTIMED; design++) {
        CoreRig *rig = ran("mov.u32 %r1, 0; mov.u32 %r2, 7; mov.u32 %r3, 9;\n"
                           "LOOP: add.u32 %r4, %r1, %r2; mul.lo.u32 %r5, %r4, %r3; xor.b32 %r6, %r1, %r3;\n"
                           "shl.b32 %r7, %r6, 3; sub.u32 %r8, %r7, %r1; add.u32 %r1, %r1, 1;\n"
                           "setp.lt.u32 %p1, %r1, 2000; @%p1 bra LOOP;",
                           design);
        ticks[design] = core_statistics_of(rig->core)->core_ticks;
        core_rig_free(rig);
    }
    assert_true(ticks[CORE_simple] > 2 * ticks[CORE_two_way_light]);
    assert_true(ticks[CORE_two_way_light] > ticks[CORE_two_way]);
    assert_true(ticks[CORE_two_way] > ticks[CORE_four_way]);
}

static void jumps_by_tables_go_where_they_say(void **state)
{
    (void)state;
    for (unsigned design = 0; design <= UNTIMED; design++) {
        CoreRig *rig = ran("mov.u32 %r1, 0; mov.u64 %rd2, 0;\n"
                           "LOOP: rem.u32 %r2, %r1, 3; ts: .branchtargets A, B, C; brx.idx %r2, ts;\n"
                           "A: add.u64 %rd2, %rd2, 1; bra NEXT;\n"
                           "B: add.u64 %rd2, %rd2, 100; bra NEXT;\n"
                           "C: add.u64 %rd2, %rd2, 10000;\n"
                           "NEXT: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra LOOP;\n"
                           "st.global.u64 [%rd0], %rd2;",
                           design);
        assert_int_equal(word64(rig, 0), 30303);
        core_rig_free(rig);
    }
}

/* -- the unit -- */

/* Writes i to register 0 for numbers that look random, behind a branch that is late to know. */
static void registers_are_reached_once_and_in_order(void **state)
{
    (void)state;
    for (unsigned design = 0; design <= UNTIMED; design++) {
        CoreRig *rig = ran("mov.u64 %rd2, " REGISTER_0 "; mov.u32 %r1, 0; mov.u64 %rd5, 0;\n"
                           "LOOP: mul.lo.u32 %r2, %r1, 2654435769; shr.u32 %r2, %r2, 20;\n"
                           "rem.u32 %r3, %r2, 3; setp.ne.u32 %p1, %r3, 0; @%p1 bra NEXT;\n"
                           "cvt.u64.u32 %rd3, %r1; st.volatile.global.u64 [%rd2], %rd3;\n"
                           "ld.volatile.global.u64 %rd4, [%rd2]; add.u64 %rd5, %rd5, %rd4;\n"
                           "NEXT: add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 60; @%p2 bra LOOP;\n"
                           "st.global.u64 [%rd0], %rd5;",
                           design);
        uint32_t count = 0;
        uint64_t sum = 0;
        for (uint32_t i = 0; i < 60; i++) {
            if ((i * 2654435769u >> 20) % 3)
                continue;
            assert_true(rig->notes[count].is_write && !rig->notes[count + 1].is_write);
            assert_int_equal(rig->notes[count].value, i);
            count += 2;
            sum += i;
        }
        assert_int_equal(rig->note_count, count);
        assert_int_equal(word64(rig, 0), sum);
        core_rig_free(rig);
    }
}

/* What was stored before is stored, what comes behind is not. */
static void a_core_stops_where_its_unit_says(void **state)
{
    (void)state;
    for (unsigned design = 0; design <= UNTIMED; design++) {
        CoreRig *rig = ran("mov.u64 %rd2, " REGISTER_2 "; mov.u64 %rd3, 5;\n"
                           "st.global.u64 [%rd0], %rd3; st.global.u64 [%rd0+256], %rd3;\n"
                           "st.global.u64 [%rd2], %rd3; st.global.u64 [%rd0+8], %rd3;\n"
                           "STAY: bra STAY;",
                           design);
        assert_int_equal(core_state(rig->core), CORE_ENDED);
        assert_int_equal(word64(rig, 0), 5);
        assert_int_equal(word64(rig, 32), 5);
        assert_int_equal(word64(rig, 1), 0);
        core_rig_free(rig);
    }
}

/* -- what others see -- */

static void fences_wait_for_stores(void **state)
{
    (void)state;
    for (unsigned design = 0; design < UNTIMED; design++)
        for (unsigned fenced = 0; fenced < 2; fenced++) {
            char body[512];
            snprintf(body, sizeof body,
                     "mov.u64 %%rd2, " REGISTER_0 "; mov.u64 %%rd3, 5; st.global.u64 [%%rd0], %%rd3;\n"
                     "%s st.global.u64 [%%rd2], %%rd3;",
                     fenced ? "membar.gl;" : "");
            CoreRig *rig = ran(body, design);
            assert_int_equal(rig->note_count, 1);
            assert_int_equal(rig->notes[0].first_word, fenced ? 5 : 0);
            core_rig_free(rig);
        }
}

/* Somebody else stores a 1 while the program polls; a plain load that has the line keeps what it has. */
static void strong_loads_see_what_others_write(void **state)
{
    (void)state;
    for (unsigned design = 0; design < UNTIMED; design++) {
        CoreRig *rig =
            new_rig("mov.u32 %r3, 0;\n"
                    "OLD: ld.global.u32 %r1, [%rd0]; add.u32 %r3, %r3, 1;\n"
                    "setp.ne.u32 %p1, %r1, 0; @%p1 bra POLL; setp.lt.u32 %p2, %r3, 3000; @%p2 bra OLD;\n"
                    "POLL: ld.volatile.global.u32 %r2, [%rd0]; setp.eq.u32 %p3, %r2, 0; @%p3 bra POLL;\n"
                    "st.global.u32 [%rd0+8], %r3; st.global.u32 [%rd0+12], %r2;");
        build(rig, design, 2000000);
        rig_store(rig->rig, 0, 1000, rig->buffer, 0, 4, 1)->place = rig->memory;
        run(rig);
        assert_int_equal(word64(rig, 1), 0x0101010100000bb8); /* 3000 plain loads saw nothing */
        assert_true(core_statistics_of(rig->core)->core_cache_hits > 2900);
        core_rig_free(rig);
    }
}

/* -- times -- */

/* Cycles of the simple design, at the SMs' clock, from one read of the cycle to the next with `between` in
 * between, when all lines of code and data are there. */
static uint64_t cycles_of(const char *between, const char *knob, const char *value)
{
    char body[1024];
    snprintf(body, sizeof body,
             "mov.u64 %%rd2, " REGISTER_1 "; mov.u32 %%r1, 0; mov.u32 %%r3, 3; mov.u64 %%rd6, 3;\n"
             "LOOP: membar.gl; ld.global.u64 %%rd3, [%%rd2]; %s\n"
             "ld.global.u64 %%rd4, [%%rd2]; sub.u64 %%rd5, %%rd4, %%rd3; add.u32 %%r1, %%r1, 1;\n"
             "setp.lt.u32 %%p1, %%r1, 2; @%%p1 bra LOOP; st.global.u64 [%%rd0+512], %%rd5;",
             between);
    CoreRig *rig = new_rig(body);
    Error error = {0};
    if (knob)
        assert_int_equal(knob_set(&config_knobs, &rig->rig->config, knob, value, "", &error), WB_OK);
    build(rig, CORE_simple, rig->rig->config.clock_khz);
    run(rig);
    const uint64_t cycles = word64(rig, 64);
    core_rig_free(rig);
    return cycles;
}

static void the_simple_design_takes_its_time(void **state)
{
    (void)state;
    const uint64_t none = cycles_of("", NULL, NULL);
    assert_int_equal(none, 2 + 4); /* fetch, register */
    assert_int_equal(cycles_of("add.u32 %r2, %r3, 1;", NULL, NULL) - none, 2 + 1);
    assert_int_equal(cycles_of("add.u32 %r2, %r3, 1; sub.u32 %r2, %r2, 1;", NULL, NULL) - none, 2 * (2 + 1));
    assert_int_equal(cycles_of("mul.lo.u32 %r2, %r3, 5;", NULL, NULL) - none, 2 + 3);
    assert_int_equal(cycles_of("div.u32 %r2, %r3, 5;", NULL, NULL) - none, 2 + 20);
    assert_int_equal(cycles_of("ld.global.u32 %r2, [%rd0];", NULL, NULL) - none, 2 + 4);
    assert_int_equal(cycles_of("st.global.u32 [%rd0], %r3;", NULL, NULL) - none, 2 + 4);
    assert_int_equal(cycles_of("membar.gl;", NULL, NULL) - none, 2 + 1);
    assert_int_equal(cycles_of("", "aggregator_register_latency", "9"), 2 + 9);
    assert_int_equal(cycles_of("", "aggregator_code_latency", "5"), 5 + 4);
    assert_int_equal(cycles_of("ld.global.u32 %r2, [%rd0];", "aggregator_cache_latency", "7") - none, 2 + 7);
}

/* Three turns of a loop of 75 lines: they stay if the instruction cache can hold them. */
static void code_stays_in_its_cache(void **state)
{
    static const char one[] = "add.u32 %r2, %r2, 1;\n";
    char *body = calloc(1, 1200 * sizeof one + 256);
    (void)state;
    strcpy(body, "mov.u32 %r1, 0; mov.u32 %r2, 0; LOOP:\n");
    for (size_t i = 0, at = strlen(body); i < 1190; i++, at += sizeof one - 1)
        memcpy(body + at, one, sizeof one);
    strcat(body, "add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 3; @%p1 bra LOOP; st.global.u32 [%rd0], %r2;");
    for (unsigned design = 0; design < UNTIMED; design++)
        for (unsigned is_small = 0; is_small < 2; is_small++) {
            CoreRig *rig = new_rig(body);
            rig->rig->config.aggregator_code_bytes = is_small ? 2048 : 32768;
            build(rig, design, 2000000);
            run(rig);
            assert_int_equal(word64(rig, 0), 3 * 1190);
            assert_in_range(core_statistics_of(rig->core)->core_instruction_misses, is_small ? 225 : 76,
                            is_small ? 228 : 76);
            core_rig_free(rig);
        }
    free(body);
}

/* A core of half the SMs' clock takes twice as many cycles. */
static void cores_have_clocks_of_their_own(void **state)
{
    Cycle ended[2];
    (void)state;
    for (unsigned half = 0; half < 2; half++) {
        CoreRig *rig = new_rig("mov.u32 %r1, 0;\n"
                               "LOOP: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 1000; @%p1 bra LOOP;");
        build(rig, CORE_simple, rig->rig->config.clock_khz / (half + 1));
        run(rig);
        ended[half] = rig->ended;
        core_rig_free(rig);
    }
    assert_in_range(ended[1] - 2 * ended[0] + 1000, 0, 1000); /* but for the lines that come from L2 */
}

/* -- what is wrong -- */

static void fails(const char *body, const char *part)
{
    for (unsigned design = 0; design <= UNTIMED; design++) {
        CoreRig *rig = new_rig(body);
        build(rig, design, 2000000);
        core_rig_run(rig);
        assert_int_equal(core_state(rig->core), CORE_FAILED);
        if (!strstr(core_error(rig->core)->text, part))
            fail_msg("wanted '%s', got: %s", part, core_error(rig->core)->text);
        core_rig_free(rig);
    }
}

static void failures_are_sentences(void **state)
{
    (void)state;
    fails("mov.u64 %rd2, 64; ld.global.u32 %r1, [%rd2];",
          "the aggregator's program 'k' loads 4 bytes at 0x40, which is inside no allocation");
    fails("st.global.u64 [%rd0+4], %rd0;", "which is not a multiple of that");
    fails("mov.u64 %rd2, " REGISTER_0 "; st.global.u32 [%rd2], %r0;", "there is no register: there are 4");
    fails("trap;", "executes a trap");
    fails("mov.u32 %r1, 7; ts: .branchtargets A, B; brx.idx %r1, ts; A: B:",
          "index 7 into a list of 2 targets");
}

/* Addresses of a path that is not taken may be anything. */
static void wrong_paths_fail_nothing(void **state)
{
    (void)state;
    for (unsigned design = 0; design < UNTIMED; design++) {
        CoreRig *rig =
            ran("mov.u32 %r1, 0; mov.u64 %rd5, 0;\n"
                "LOOP: mul.lo.u32 %r2, %r1, 2654435769; shr.u32 %r2, %r2, 20;\n"
                "rem.u32 %r3, %r2, 2; cvt.u64.u32 %rd3, %r3; mul.lo.u64 %rd3, %rd3, %rd0;\n"
                "setp.eq.u32 %p1, %r3, 0; @%p1 bra NEXT;\n"
                "st.global.u64 [%rd3+8], %rd5; ld.global.u64 %rd4, [%rd3]; add.u64 %rd5, %rd5, 1;\n"
                "NEXT: add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 60; @%p2 bra LOOP;\n"
                "st.global.u64 [%rd0], %rd5;",
                design);
        uint64_t count = 0;
        for (uint32_t i = 0; i < 60; i++)
            count += (i * 2654435769u >> 20) % 2;
        assert_int_equal(word64(rig, 0), count);
        if (design != CORE_simple)
            assert_true(core_statistics_of(rig->core)->core_mispredictions > 4);
        core_rig_free(rig);
    }
}

static void refuses(const char *body, const char *part)
{
    CoreRig *rig = new_rig(body);
    Error error = {0};
    assert_int_equal(core_rig_build(rig, CORE_two_way, true, 2000000, &error), WB_ERROR_UNSUPPORTED);
    assert_null(rig->core);
    if (!strstr(error.text, part))
        fail_msg("wanted '%s', got: %s", part, error.text);
    core_rig_free(rig);
}

static void what_a_core_cannot_run_is_named(void **state)
{
    (void)state;
    refuses("atom.global.add.u32 %r1, [%rd0], 1;", "has an atomic, which its core has not");
    refuses("mov.u32 %r1, %smid;", "reads a special register");
    refuses(".shared .u32 s; ld.shared.u32 %r1, [s];", "uses shared memory");
    refuses("bar.sync 0;", "has an instruction that its core has not");
}

/* Policies that come with the library, and what a graph's address of nothing makes of them. */
static void policies_can_be_run(void **state)
{
    (void)state;
    for (size_t i = 0; firmware_policies.at(i).name; i++) {
        CoreRig *rig = core_rig_of(firmware_find(firmware_policies.at(i).name), "wb_aggregator");
        rig->buffer = 0;
        build(rig, CORE_two_way, 2000000);
        core_rig_run(rig);
        assert_int_equal(core_state(rig->core), CORE_FAILED);
        assert_non_null(strstr(core_error(rig->core)->text, "'wb_aggregator' loads"));
        core_rig_free(rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_give_their_answers),
        cmocka_unit_test(statistics_add_up),
        cmocka_unit_test(designs_differ_in_speed),
        cmocka_unit_test(jumps_by_tables_go_where_they_say),
        cmocka_unit_test(registers_are_reached_once_and_in_order),
        cmocka_unit_test(a_core_stops_where_its_unit_says),
        cmocka_unit_test(fences_wait_for_stores),
        cmocka_unit_test(strong_loads_see_what_others_write),
        cmocka_unit_test(the_simple_design_takes_its_time),
        cmocka_unit_test(code_stays_in_its_cache),
        cmocka_unit_test(cores_have_clocks_of_their_own),
        cmocka_unit_test(failures_are_sentences),
        cmocka_unit_test(wrong_paths_fail_nothing),
        cmocka_unit_test(what_a_core_cannot_run_is_named),
        cmocka_unit_test(policies_can_be_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
