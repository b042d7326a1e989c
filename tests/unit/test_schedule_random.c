/* Random bodies compute in the new order what they did in that of the text, and the new order holds the same
 * instructions. */
#include "run_ptx.h"

#include "parse_ptx.h"
#include "ptx/schedule.h"
#include "random_text.h"

enum { HOPPER = 90, MAX_LINES = 256, BODIES = 300, THREADS = 32, DATA_BYTES = THREADS * 128 };

/* Threads have 128 bytes each of the buffer, of shared and local memory. Of the registers, r1 to r9, rd2 to
 * rd6 and f0 to f5 hold values, r10 and rd10 are for addresses; rd11 and rd12 are the bases of the shared and
 * the local part, rd13 the generic one of the local and rd14 of the shared. */
static void emit_arithmetic(Text *text)
{
    const uint32_t a = 1 + pick(text, 9), b = 1 + pick(text, 9), d = 1 + pick(text, 9), e = 1 + pick(text, 9);
    const uint32_t x = 2 + pick(text, 5), y = 2 + pick(text, 5), p = pick(text, 4), f = pick(text, 6);
    switch (pick(text, 14)) {
    case 0:
        emit(text, "add.u32 %%r%u, %%r%u, %%r%u;\n", d, a, b);
        break;
    case 1:
        emit(text, "mad.lo.u32 %%r%u, %%r%u, %%r%u, %%r%u;\n", d, a, b, e);
        break;
    case 2:
        emit(text, "xor.b32 %%r%u, %%r%u, %u;\n", d, a, pick(text, 1000));
        break;
    case 3:
        emit(text, "mul.wide.u32 %%rd%u, %%r%u, %%r%u;\n", x, a, b);
        break;
    case 4:
        emit(text, "add.u64 %%rd%u, %%rd%u, %%rd%u;\n", x, y, 2 + pick(text, 5));
        break;
    case 5:
        emit(text, "mov.b64 {%%r%u, %%r%u}, %%rd%u;\n", d, d == 9 ? 1 : d + 1, x);
        break;
    case 6:
        emit(text, "mov.b64 %%rd%u, {%%r%u, %%r%u};\n", x, a, b);
        break;
    case 7:
        emit(text, "setp.lt.u32 %%p%u|%%p%u, %%r%u, %%r%u;\n", p, (p + 1) % 4, a, b);
        break;
    case 8:
        emit(text, "selp.b32 %%r%u, %%r%u, %%r%u, %%p%u;\n", d, a, b, p);
        break;
    case 9:
        emit(text, "add.cc.u32 %%r%u, %%r%u, %%r%u;\naddc.u32 %%r%u, %%r%u, %%r%u;\n", d, a, b, e, b, a);
        break;
    case 10:
        emit(text, "addc.cc.u32 %%r%u, %%r%u, %%r%u;\n", d, a, b);
        break;
    case 11:
        emit(text, "cvt.rn.f32.u32 %%f%u, %%r%u;\n", f, a);
        break;
    case 12:
        emit(text, "sqrt.rn.f32 %%f%u, %%f%u;\n", f, pick(text, 6));
        break;
    default:
        emit(text, "cvt.rzi.u32.f32 %%r%u, %%f%u;\n", d, f);
        break;
    }
}

/* An address in the thread's part: a constant, or one that depends on data. */
static void emit_access(Text *text, const char *guard)
{
    static const char *const spaces[] = {".global", ".shared", ".local", "", ".volatile.global"};
    static const char *const bases[] = {"%rd1", "%rd11", "%rd12", "%rd13", "%rd1"};
    const uint32_t s = pick(text, 5), a = 1 + pick(text, 8), width = pick(text, 3);
    char address[64];
    if (pick(text, 3)) {
        snprintf(address, sizeof address, "%s+%u", bases[s], 8 * pick(text, 15));
    } else {
        emit(text, "and.b32 %%r10, %%r%u, 0x38;\ncvt.u64.u32 %%rd10, %%r10;\nadd.u64 %%rd10, %%rd10, %s;\n",
             1 + pick(text, 9), bases[s]);
        snprintf(address, sizeof address, "%%rd10+%u", 8 * pick(text, 8));
    }
    if (pick(text, 2)) {
        if (width == 2)
            emit(text, "%sld%s.v2.u32 {%%r%u, %%r%u}, [%s];\n", guard, spaces[s], a, a + 1, address);
        else
            emit(text, "%sld%s.%s %%r%u, [%s];\n", guard, spaces[s], width ? "u32" : "u8", a, address);
    } else if (width == 2) {
        emit(text, "%sst%s.v2.u32 [%s], {%%r%u, %%r%u};\n", guard, spaces[s], address, a, a + 1);
    } else {
        emit(text, "%sst%s.%s [%s], %%r%u;\n", guard, spaces[s], width ? "u32" : "u8", address, a);
    }
}

static void emit_one(Text *text)
{
    char guard[16] = "";
    if (!pick(text, 4))
        snprintf(guard, sizeof guard, "@%s%%p%u ", pick(text, 2) ? "!" : "", pick(text, 4));
    const uint32_t kind = pick(text, 20);
    const bool is_shared = pick(text, 2);
    if (kind < 9)
        emit_access(text, guard);
    else if (kind == 9)
        emit(text, "%satom%s.add.u32 %%r%u, [%s+%u], %%r%u;\n", guard, is_shared ? ".shared" : "",
             1 + pick(text, 9), is_shared ? "%rd11" : "%rd14", 8 * pick(text, 15), 1 + pick(text, 9));
    else if (kind == 10)
        emit(text, "bar.sync 0;\n");
    else if (kind == 11)
        emit(text, "shfl.sync.bfly.b32 %%r%u, %%r%u, %u, 31, 0xffffffff;\n", 1 + pick(text, 9),
             1 + pick(text, 9), 1 + pick(text, 16));
    else if (kind == 12)
        emit(text, "%sadd.u32 %%r%u, %%r%u, 3;\n", guard, 1 + pick(text, 9), 1 + pick(text, 9));
    else
        emit_arithmetic(text);
}

static void write_body(Text *text, uint64_t seed)
{
    *text = (Text){.random = seed};
    emit(text, ".local .align 8 .b8 l[128]; .shared .align 8 .b8 s[4096];\n"
               "mov.u64 %%rd11, s; mul.wide.u32 %%rd2, %%r0, 128; add.u64 %%rd11, %%rd11, %%rd2;\n"
               "mov.u64 %%rd12, l; cvta.local.u64 %%rd13, %%rd12; cvta.shared.u64 %%rd14, %%rd11;\n");
    for (uint32_t r = 1; r < 10; r++)
        emit(text, "ld.global.u32 %%r%u, [%%rd1+%u];\n", r, 8 * r);
    for (uint32_t i = 0; i < 16; i++)
        emit(text, "st.shared.u64 [%%rd11+%u], %%rd11; st.local.u64 [%%rd12+%u], %%rd2;\n", 8 * i, 8 * i);
    for (uint32_t i = 2; i < 7; i++)
        emit(text, "mov.b64 %%rd%u, {%%r%u, %%r%u};\ncvt.rn.f32.u32 %%f%u, %%r%u;\n", i, i, i + 1, i - 1, i);
    emit(text, "mov.f32 %%f0, 0f3F800000; mov.u32 %%r20, 0;\n"
               "setp.lt.u32 %%p0, %%r1, %%r2; setp.lt.u32 %%p1, %%r2, %%r3; setp.lt.u32 %%p2, %%r3, %%r4;\n"
               "setp.lt.u32 %%p3, %%r4, %%r5;\nloop:\n");
    for (uint32_t i = 0, count = 20 + pick(text, 80); i < count; i++)
        emit_one(text);
    emit(text, "add.u32 %%r20, %%r20, 1;\nsetp.lt.u32 %%p9, %%r20, 3;\n@%%p9 bra loop;\n");
    for (uint32_t i = 0; i < 4; i++)
        emit(text,
             "ld.shared.u32 %%r11, [%%rd11+%u]; ld.local.u32 %%r12, [%%rd12+%u];\n"
             "xor.b32 %%r%u, %%r%u, %%r11; add.u32 %%r%u, %%r%u, %%r12;\n",
             16 * i + 8, 24 * i, i + 1, i + 1, i + 2, i + 2);
    emit(text, "st.global.v2.u32 [%%rd1], {%%r1, %%r2}; st.global.v2.u32 [%%rd1+8], {%%r3, %%r4};\n"
               "xor.b32 %%r5, %%r5, %%r6; xor.b32 %%r7, %%r7, %%r8; mov.b32 %%r10, %%f1;\n"
               "add.u32 %%r5, %%r5, %%r10; st.global.v2.u32 [%%rd1+16], {%%r5, %%r7};\n"
               "st.global.u64 [%%rd1+24], %%rd3; st.global.u32 [%%rd1+32], %%r9;\n");
}

static void fill(uint8_t *data, uint32_t seed)
{
    for (uint32_t i = 0; i < DATA_BYTES; i++)
        data[i] = (uint8_t)((i + seed) * 2654435761u >> 24);
}

static void test_random_bodies(void **state)
{
    WbGpu *gpu = *state;
    static Text text;
    static uint8_t expected[DATA_BYTES], data[DATA_BYTES];
    for (uint32_t seed = 1; seed <= BODIES; seed++) {
        write_body(&text, seed);
        fill(expected, seed);
        fill(data, seed);
        assert_int_equal(wb_gpu_set(gpu, "machine_code", "ptx"), WB_OK);
        run_ok(gpu, "", text.body, THREADS, expected, sizeof expected);
        assert_int_equal(wb_gpu_set(gpu, "machine_code", "native"), WB_OK);
        run_ok(gpu, "", text.body, THREADS, data, sizeof data);
        if (memcmp(expected, data, sizeof data))
            fail_msg("seed %u: the order changed what was computed by\n%s", seed, text.body);
    }
}

static bool is_same_place(const PtxInsn *a, const PtxInsn *b)
{
    return a->place.line == b->place.line && a->place.column == b->place.column;
}

/* Every instruction is there once, and the order does not depend on anything but the text. */
static void test_random_orders(void **state)
{
    (void)state;
    static Text text;
    for (uint32_t seed = 1; seed <= BODIES; seed++) {
        write_body(&text, seed);
        char *whole;
        assert_true(asprintf(&whole, run_frame, "", 128u, text.body) > 0);
        Arena arena = {0};
        Module *module = parse_whole(whole);
        const Function *function = &module->functions[0];
        const Function *ordered = schedule_function(module, function, HOPPER, &arena);
        const Function *again = schedule_function(module, function, HOPPER, &arena);
        const uint32_t count = function->insn_count, bytes = count * (uint32_t)sizeof(PtxInsn);
        assert_memory_equal(ordered->insns, again->insns, bytes);
        uint32_t moved = 0;
        for (uint32_t i = 0; i < count; i++) {
            moved += !is_same_place(&function->insns[i], &ordered->insns[i]);
            uint32_t found = 0;
            for (uint32_t j = 0; j < count; j++)
                found += is_same_place(&function->insns[i], &ordered->insns[j]);
            assert_int_equal(found, 1);
        }
        assert_true(moved > 0);
        arena_free(&arena);
        module_free(module);
        free(whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_random_bodies, run_setup, run_teardown),
        cmocka_unit_test(test_random_orders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
