/* Random programs on every design of the core and without time, against the functional engine: branches,
 * loops, guards, carries, packing, and loads and stores of all sizes that overlap each other. */
#include "core_rig.h"
#include "run_ptx.h"

enum { PROGRAMS = 60, DATA = 32, RESULTS = 512, BYTES = DATA + RESULTS };

typedef struct Text {
    char *bytes;
    size_t length;
    uint32_t seed, labels;
} Text;

static uint32_t draw(Text *text, uint32_t below)
{
    text->seed = text->seed * 1664525 + 1013904223;
    return (text->seed >> 8) % below;
}

static void emit(Text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void emit(Text *text, const char *format, ...)
{
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    text->bytes = realloc(text->bytes, text->length + (size_t)length + 2);
    memcpy(text->bytes + text->length, line, (size_t)length);
    text->length += (size_t)length;
    text->bytes[text->length++] = '\n';
    text->bytes[text->length] = '\0';
}

/* Registers that programs compute with: %r1 to %r8, %rd2 to %rd7, %p1 to %p4. */
static uint32_t r(Text *text) { return 1 + draw(text, 8); }
static uint32_t rd(Text *text) { return 2 + draw(text, 6); }
static uint32_t p(Text *text) { return 1 + draw(text, 4); }

static const char *guard(Text *text)
{
    static const char *const guards[] = {"", "", "", "@%p1 ", "@!%p2 ", "@%p3 "};
    return guards[draw(text, 6)];
}

static void emit_narrow(Text *text)
{
    static const char *const rows[] = {"add.u32",  "sub.s32",    "mul.lo.s32", "and.b32", "or.b32",
                                       "xor.b32",  "mul.hi.u32", "min.s32",    "max.u32", "div.u32",
                                       "rem.s32",  "shl.b32",    "shr.s32",    "shr.u32", "add.cc.u32",
                                       "addc.u32", "sub.cc.u32"};
    emit(text, "%s%s %%r%u, %%r%u, %%r%u;", guard(text), rows[draw(text, 17)], r(text), r(text), r(text));
}

static void emit_wide(Text *text)
{
    static const char *const rows[] = {"add.u64", "sub.s64", "mul.lo.u64", "and.b64",
                                       "xor.b64", "div.s64", "min.u64",    "max.s64"};
    emit(text, "%s%s %%rd%u, %%rd%u, %%rd%u;", guard(text), rows[draw(text, 8)], rd(text), rd(text),
         rd(text));
}

static void emit_mixed(Text *text)
{
    switch (draw(text, 9)) {
    case 0:
        emit(text, "%scvt.s64.s32 %%rd%u, %%r%u;", guard(text), rd(text), r(text));
        break;
    case 1:
        emit(text, "%scvt.u32.u64 %%r%u, %%rd%u;", guard(text), r(text), rd(text));
        break;
    case 2:
        emit(text, "%smov.b64 {%%r%u, %%r9}, %%rd%u;", guard(text), r(text), rd(text));
        break;
    case 3:
        emit(text, "%smov.b64 %%rd%u, {%%r%u, %%r%u};", guard(text), rd(text), r(text), r(text));
        break;
    case 4:
        emit(text, "%sselp.b32 %%r%u, %%r%u, %%r%u, %%p%u;", guard(text), r(text), r(text), r(text), p(text));
        break;
    case 5:
        emit(text, "%smad.wide.u32 %%rd%u, %%r%u, %%r%u, %%rd%u;", guard(text), rd(text), r(text), r(text),
             rd(text));
        break;
    case 6:
        emit(text, "setp.%s.s32 %%p%u, %%r%u, %%r%u;", draw(text, 2) ? "lt" : "ne", p(text), r(text),
             r(text));
        break;
    case 7:
        emit(text, "setp.gt.and.u64 %%p1|%%p%u, %%rd%u, %%rd%u, !%%p%u;", 2 + draw(text, 3), rd(text),
             rd(text), p(text));
        break;
    default:
        emit(text, "xor.pred %%p%u, %%p%u, %%p%u;", p(text), p(text), p(text));
        break;
    }
}

/* An aligned place of the data, which registers decide. */
static void emit_address(Text *text, uint32_t bytes)
{
    emit(text, "and.b32 %%r20, %%r%u, %u;", r(text), (DATA - 1) & ~(bytes - 1));
    emit(text, "cvt.u64.u32 %%rd20, %%r20; add.u64 %%rd20, %%rd0, %%rd20;");
}

static void emit_access(Text *text)
{
    static const char *const narrow[] = {"u8", "s8", "u16", "s16", "u32", "b32"};
    static const char *const loads[] = {"", ".volatile", "", ".relaxed.gpu", ".acquire.gpu"};
    static const char *const stores[] = {"", ".volatile", "", ".relaxed.gpu", ".release.gpu"};
    const uint32_t kind = draw(text, 6), bytes = 1u << kind / 2, order = draw(text, 5);
    switch (draw(text, 7)) {
    case 0:
    case 1:
        emit_address(text, bytes);
        emit(text, "%sld%s.global.%s %%r%u, [%%rd20];", guard(text), loads[order], narrow[kind], r(text));
        break;
    case 2:
    case 3:
        emit_address(text, bytes);
        emit(text, "%sst%s.global.%s [%%rd20], %%r%u;", guard(text), stores[order], narrow[kind], r(text));
        break;
    case 4:
        emit_address(text, 8);
        emit(text, "%sst.global.v2.u32 [%%rd20], {%%r%u, %%r%u};", guard(text), r(text), r(text));
        break;
    case 5:
        emit_address(text, 16);
        emit(text, "%sld.global.v4.u32 {%%r1, %%r3, _, %%r7}, [%%rd20];", guard(text));
        break;
    default:
        emit(text,
             draw(text, 2) ? "membar.gl;" : "st.local.u64 [room+8], %%rd2; ld.local.u32 %%r5, [room+12];");
        break;
    }
}

static void emit_block(Text *text, uint32_t length, uint32_t depth)
{
    for (uint32_t i = 0; i < length; i++) {
        const uint32_t kind = draw(text, 16), label = text->labels;
        if (kind < 6) {
            emit_narrow(text);
        } else if (kind < 8) {
            emit_wide(text);
        } else if (kind < 11) {
            emit_mixed(text);
        } else if (kind < 14 || depth > 2) {
            emit_access(text);
        } else if (kind == 14) {
            text->labels++;
            emit(text, "@%%p%u bra SKIP%u;", p(text), label);
            emit_block(text, 3, depth + 1);
            emit(text, "SKIP%u:", label);
        } else {
            text->labels++;
            emit(text, "mov.u32 %%r%u, 0; LOOP%u:", 30 + depth, label);
            emit_block(text, 4, depth + 1);
            emit(text, "add.u32 %%r%u, %%r%u, 1; setp.lt.u32 %%p%u, %%r%u, %u; @%%p%u bra LOOP%u;",
                 30 + depth, 30 + depth, 5 + depth, 30 + depth, 2 + draw(text, 9), 5 + depth, label);
        }
    }
}

static char *random_program(uint32_t seed)
{
    Text text = {.seed = seed};
    char *whole;
    emit(&text, ".local .align 16 .b8 room[32]; mov.u32 %%r9, 0; st.local.u64 [room+8], %%rd0;");
    emit(&text, "mov.u32 %%r30, 0; mov.u32 %%r31, 0; mov.u32 %%r32, 0;");
    for (uint32_t i = 1; i <= 8; i++)
        emit(&text, "mov.u32 %%r%u, %u;", i, draw(&text, 1u << 24) * 97u);
    for (uint32_t i = 2; i <= 7; i++)
        emit(&text, "mul.wide.s32 %%rd%u, %%r%u, %%r%u;", i, i, i + 1);
    emit(&text, "st.local.u64 [room+8], %%rd5;");
    for (uint32_t i = 1; i <= 4; i++)
        emit(&text, "setp.lt.s32 %%p%u, %%r%u, %%r%u;", i, i, i + 2);
    emit(&text, "add.cc.u32 %%r1, %%r1, %%r2;");
    emit_block(&text, 40, 0);
    for (uint32_t i = 1; i <= 9; i++)
        emit(&text, "st.global.u32 [%%rd0+%u], %%r%u;", DATA + 8 * i, i);
    for (uint32_t i = 2; i <= 7; i++)
        emit(&text, "st.global.u64 [%%rd0+%u], %%rd%u;", DATA + 128 + 8 * i, i);
    for (uint32_t i = 1; i <= 4; i++)
        emit(&text, "@%%p%u st.global.u32 [%%rd0+%u], 77;", i, DATA + 256 + 8 * i);
    assert_true(asprintf(&whole, run_frame, "", 0u, text.bytes) > 0);
    free(text.bytes);
    return whole;
}

static void fill(uint8_t *bytes)
{
    for (uint32_t i = 0; i < BYTES; i++)
        bytes[i] = (uint8_t)(i * 37 + 11);
}

/* A coherent cache has few units, so that they come and go. */
static void compare(const char *text, unsigned design, uint64_t khz, bool is_coherent, const uint8_t *wanted)
{
    CoreRig *rig = core_rig_new(text);
    if (is_coherent) {
        rig->rig->config.l1_coherence = L1_COHERENCE_OWNERSHIP;
        rig->rig->config.aggregator_cache_ways = 2;
        rig->rig->config.aggregator_cache_bytes = 256;
    }
    Error error = {0};
    const bool is_timed = design < CORE_DESIGN_COUNT;
    fill(rig->memory);
    if (core_rig_build(rig, is_timed ? (CoreDesignNumber)design : CORE_simple, is_timed, khz, &error) !=
        WB_OK)
        fail_msg("%s", error.text);
    core_rig_run(rig);
    if (core_state(rig->core) == CORE_FAILED)
        fail_msg("%s", core_error(rig->core)->text);
    for (uint32_t i = 0; i < BYTES; i++)
        if (rig->memory[i] != wanted[i])
            fail_msg("design %u, coherent %d: byte %u is %u, not %u, of\n%s", design, is_coherent, i,
                     rig->memory[i], wanted[i], text);
    core_rig_free(rig);
}

static void designs_compute_what_the_engine_computes(void **state)
{
    static const uint64_t clocks[] = {2000000, 1000000, 700000};
    for (uint32_t seed = 0; seed < PROGRAMS; seed++) {
        char *text = random_program(seed * 7919 + 1);
        uint8_t wanted[BYTES];
        fill(wanted);
        if (run_module(*state, text, 1, wanted, sizeof wanted) != WB_OK)
            fail_msg("%s\n%s", wb_error(*state), text);
        for (unsigned design = 0; design <= CORE_DESIGN_COUNT; design++)
            for (int is_coherent = 0; is_coherent < 2; is_coherent++)
                compare(text, design, clocks[seed % 3], is_coherent, wanted);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(designs_compute_what_the_engine_computes, run_setup, run_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
