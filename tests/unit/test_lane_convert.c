/* cvt between every two types with every suffix that PTX has for them, against exact arithmetic. */
#include <stdio.h>

#include "float_lanes.h"

typedef struct ConvertType {
    const char *name;
    unsigned bits;
    bool is_float, is_signed;
    const ExactFormat *format;
} ConvertType;

static const ConvertType types[] = {
    {"u8", 8, false, false, NULL},       {"s8", 8, false, true, NULL},
    {"u16", 16, false, false, NULL},     {"s16", 16, false, true, NULL},
    {"u32", 32, false, false, NULL},     {"s32", 32, false, true, NULL},
    {"u64", 64, false, false, NULL},     {"s64", 64, false, true, NULL},
    {"f16", 16, true, true, &exact_f16}, {"bf16", 16, true, true, &exact_bf16},
    {"f32", 32, true, true, &exact_f32}, {"f64", 64, true, true, &exact_f64},
};
enum { TYPE_COUNT = sizeof types / sizeof types[0] };

static bool is(const ConvertType *type, const char *name) { return !strcmp(type->name, name); }

/* An operand: integers of all lengths, often near a power of two; floats often near integers. */
static uint64_t random_operand(uint64_t *state, const ConvertType *type)
{
    if (type->is_float)
        return random_float(state, *type->format);
    const uint64_t r = random_next(state), kind = random_next(state);
    const uint64_t power = (uint64_t)1 << (r & 63), near = power + (kind >> 8 & 7) - 3;
    const uint64_t value = kind & 1 ? near : r >> (kind >> 16 & 63);
    const uint64_t either = kind & 2 ? 0 - value : value;
    return type->bits == 64 ? either : either & (((uint64_t)1 << type->bits) - 1);
}

static Exact source_value(uint64_t bits, const ConvertType *type)
{
    if (type->is_float)
        return exact_from(bits, *type->format);
    const bool negative = type->is_signed && bits >> (type->bits - 1);
    const uint64_t extended = negative && type->bits < 64 ? bits | ~(uint64_t)0 << type->bits : bits;
    return (Exact){.negative = negative, .m = negative ? 0 - extended : extended};
}

/* The result as the lane holds it: cut to its type, then extended by its sign to 32 bits. */
static uint64_t in_lane(uint64_t value, const ConvertType *to)
{
    if (to->bits == 64)
        return value;
    const uint64_t cut = value & (((uint64_t)1 << to->bits) - 1);
    const bool negative = !to->is_float && to->is_signed && cut >> (to->bits - 1);
    return (negative ? cut | ~(uint64_t)0 << to->bits : cut) & 0xffffffff;
}

static uint64_t to_integer(Exact x, const ConvertType *from, const ConvertType *to, const LaneMods *m)
{
    const uint64_t top = (uint64_t)1 << (to->bits - 1);
    const Bits128 high = to->is_signed ? top - 1 : 2 * (Bits128)top - 1, low = to->is_signed ? top : 0;
    if (x.kind == EXACT_NAN)
        return in_lane(from->bits == 64 || to->bits == 64 ? top : 0, to);
    const bool huge = x.kind == EXACT_INFINITY || (x.m && exact_length(x.m) + x.e > 100);
    const Bits128 magnitude = huge ? (Bits128)1 << 100 : exact_shift(x, -x.e, m->rounding);
    const bool clamps = from->is_float || m->sat;
    const Bits128 limit = x.negative ? low : high;
    const uint64_t value = (uint64_t)(clamps && magnitude > limit ? limit : magnitude);
    return in_lane(x.negative ? 0 - value : value, to);
}

/* f64 keeps the payload of a shorter NaN in its upper bits. */
static uint64_t widened_nan(uint64_t bits, const ConvertType *from)
{
    const ExactFormat f = *from->format;
    const uint64_t fraction = (bits & (((uint64_t)1 << f.mantissa) - 1)) << (52 - f.mantissa);
    return (bits & exact_sign_bit(f) ? (uint64_t)1 << 63 : 0) | (uint64_t)0x7ff8 << 48 | fraction;
}

/* An f64 NaN hands on the upper bits of its payload. */
static uint64_t narrowed_nan(uint64_t bits, const ConvertType *to)
{
    const ExactFormat f = *to->format;
    const uint64_t fraction = (bits & (((uint64_t)1 << 52) - 1)) >> (52 - f.mantissa);
    return (bits >> 63 ? exact_sign_bit(f) : 0) | exact_infinity(f) | (uint64_t)1 << (f.mantissa - 1) |
           fraction;
}

static uint64_t nan_to_float(uint64_t bits, const ConvertType *from, const ConvertType *to, const LaneMods *m)
{
    const bool to_f64 = is(to, "f64"), from_f32 = is(from, "f32");
    if (m->sat)
        return 0;
    if (from == to && (to_f64 || from_f32) && !m->to_integer && !m->ftz)
        return bits;
    if (to_f64)
        return widened_nan(from_f32 && m->ftz ? exact_f32.nan : bits, from);
    if (is(from, "f64"))
        return narrowed_nan(bits, to);
    return is(to, "f32") && is(from, "bf16") && !m->ftz ? bits << 16 : to->format->nan;
}

static uint64_t to_float(uint64_t bits, const ConvertType *from, const ConvertType *to, const LaneMods *m)
{
    const ExactFormat f = *to->format;
    const bool flushes = is(from, "f32") && !is(to, "f16") && m->ftz;
    Exact x = source_value(flushes ? flushed(bits, exact_f32, true) : bits, from);
    uint64_t r;
    if (x.kind == EXACT_NAN)
        return nan_to_float(bits, from, to, m);
    if (m->to_integer && x.kind == EXACT_NUMBER && x.e < 0) {
        x.m = exact_shift(x, -x.e, m->rounding);
        x.e = 0;
    }
    r = rounded(x, f, m->rounding, m->ftz && is(to, "f32"));
    if (m->satfinite && (r & (exact_sign_bit(f) - 1)) == exact_infinity(f))
        r--;
    return clamped(r, f, m);
}

static void check_pair(const char *suffixes, const ConvertType *to, const ConvertType *from)
{
    char text[64];
    snprintf(text, sizeof text, "cvt%s.%s.%s", suffixes, to->name, from->name);
    const Opcode opcode = opcode_find(text);
    uint64_t random = 77, sources[3][LANES], results[LANES];
    for (unsigned round = 0; round < 100; round++) {
        for (unsigned i = 0; i < LANES; i++)
            sources[0][i] = random_operand(&random, from);
        opcode_run(&opcode, (const uint64_t(*)[LANES])sources, from->bits, results);
        for (unsigned i = 0; i < LANES; i++) {
            const uint64_t a = sources[0][i];
            const uint64_t operand = is(from, "f32") ? flushed(a, exact_f32, opcode.mods.ftz) : a;
            const Exact x = source_value(operand, from);
            const uint64_t expected =
                to->is_float ? to_float(a, from, to, &opcode.mods) : to_integer(x, from, to, &opcode.mods);
            if (results[i] != expected)
                fail_msg("%s %#llx gives %#llx instead of %#llx", text, (unsigned long long)a,
                         (unsigned long long)results[i], (unsigned long long)expected);
        }
    }
}

/* Checks all combinations of one rounding (or none, if "" is first) with .ftz and .sat where allowed. */
static void check_suffixes(const char *const *roundings, bool ftz, bool sat, const ConvertType *to,
                           const ConvertType *from)
{
    char suffixes[32];
    for (; *roundings; roundings++)
        for (unsigned bits = 0; bits < 4; bits++) {
            if (((bits & 1) && !ftz) || ((bits & 2) && !sat))
                continue;
            snprintf(suffixes, sizeof suffixes, "%s%s%s", *roundings, bits & 1 ? ".ftz" : "",
                     bits & 2 ? ".sat" : "");
            check_pair(suffixes, to, from);
        }
}

static const char *const no_rounding[] = {"", NULL};
static const char *const float_roundings[] = {".rn", ".rz", ".rm", ".rp", NULL};
static const char *const integer_roundings[] = {".rni", ".rzi", ".rmi", ".rpi", NULL};

static void test_integers(void **state)
{
    (void)state;
    for (const ConvertType *to = types; to < types + 8; to++)
        for (const ConvertType *from = types; from < types + 8; from++) {
            const bool holds_all = to->is_signed == from->is_signed ? to->bits >= from->bits
                                                                    : to->is_signed && to->bits > from->bits;
            check_suffixes(no_rounding, false, !holds_all, to, from);
        }
}

static void test_float_to_integer(void **state)
{
    (void)state;
    for (const ConvertType *to = types; to < types + 8; to++)
        for (const ConvertType *from = types + 8; from < types + TYPE_COUNT; from++)
            if (to->bits > 8 || !is(from, "bf16"))
                check_suffixes(integer_roundings, is(from, "f32"), !is(from, "bf16"), to, from);
}

static void test_integer_to_float(void **state)
{
    (void)state;
    for (const ConvertType *to = types + 8; to < types + TYPE_COUNT; to++)
        for (const ConvertType *from = types; from < types + 8; from++)
            if (from->bits > 8 || !is(to, "bf16"))
                check_suffixes(float_roundings, is(to, "f32"), !is(to, "bf16"), to, from);
}

static void test_float_to_float(void **state)
{
    (void)state;
    const ConvertType *f16 = &types[8], *bf16 = &types[9], *f32 = &types[10], *f64 = &types[11];
    check_suffixes(float_roundings, true, true, f32, f64);
    check_suffixes(float_roundings, false, true, f16, f64);
    check_suffixes(float_roundings, false, false, bf16, f64);
    check_suffixes(float_roundings, true, true, f16, f32);
    check_suffixes(float_roundings, true, false, bf16, f32);
    check_suffixes(float_roundings, false, false, f16, bf16);
    check_suffixes(float_roundings, false, false, bf16, f16);
    check_suffixes(no_rounding, true, true, f64, f32);
    check_suffixes(no_rounding, false, true, f64, f16);
    check_suffixes(no_rounding, false, false, f64, bf16);
    check_suffixes(no_rounding, true, true, f32, f16);
    check_suffixes(no_rounding, true, false, f32, bf16);
    check_suffixes(integer_roundings, true, true, f32, f32);
    check_suffixes(integer_roundings, false, true, f64, f64);
    check_suffixes(integer_roundings, false, true, f16, f16);
    check_suffixes(integer_roundings, false, false, bf16, bf16);
    check_suffixes(no_rounding, true, true, f32, f32);
    check_suffixes(no_rounding, false, true, f64, f64);
    static const char *const clamps[] = {".rn.relu",      ".rz.relu",           ".rn.satfinite",
                                         ".rz.satfinite", ".rn.relu.satfinite", NULL};
    check_suffixes(clamps, false, false, f16, f32);
    check_suffixes(clamps, false, false, bf16, f32);
    expect_one("cvt.rn.ftz.f32.f64", 0, 0x380fffffe0000000, 0, 0);
    expect_one("cvt.rn.f32.f64", 0x00800000, 0x380fffffe0000000, 0, 0);
    expect_one("cvt.rn.ftz.f32.f64", 0x00800000, 0x380fffffffffffff, 0, 0);
    expect_one("cvt.rz.ftz.f32.f64", 0, 0x380fffffffffffff, 0, 0);
    expect_one("cvt.rp.ftz.f16.f32", 1, 1, 0, 0);
}

/* Every f16 goes to f32 and back, and is what it was. */
static void test_every_half(void **state)
{
    (void)state;
    for (uint64_t h = 0; h < 0x10000; h += 7) {
        const bool nan = (h & 0x7fff) > 0x7c00;
        expect_one("cvt.rz.f16.f32", nan ? 0x7fff : h, opcode_one("cvt.f32.f16", h, 0, 0), 0, 0);
    }
}

static void test_tf32(void **state)
{
    (void)state;
    expect_one("cvt.rna.tf32.f32", 0x3f802000, 0x3f801000, 0, 0);
    expect_one("cvt.rna.tf32.f32", 0xbf802000, 0xbf801000, 0, 0);
    expect_one("cvt.rna.tf32.f32", 0x3f800000, 0x3f800fff, 0, 0);
    expect_one("cvt.rn.tf32.f32", 0x3f800000, 0x3f801000, 0, 0);
    expect_one("cvt.rn.tf32.f32", 0x3f804000, 0x3f803000, 0, 0);
    expect_one("cvt.rz.tf32.f32", 0x3f800000, 0x3f801fff, 0, 0);
    expect_one("cvt.rna.tf32.f32", 0x7f800000, 0x7f7fffff, 0, 0);
    expect_one("cvt.rna.satfinite.tf32.f32", 0x7f7fe000, 0x7f7fffff, 0, 0);
    expect_one("cvt.rna.satfinite.tf32.f32", 0xff7fe000, 0xff800000, 0, 0);
    expect_one("cvt.rn.relu.tf32.f32", 0, 0xbf800000, 0, 0);
    expect_one("cvt.rna.tf32.f32", 0xffc12000, 0xffc12345, 0, 0);
    expect_one("cvt.rna.tf32.f32", 0x7f800000, 0x7f800001, 0, 0);
    expect_one("cvt.rna.tf32.f32", 0x7fffe000, 0x7fffffff, 0, 0);
    expect_one("cvt.rna.satfinite.tf32.f32", 0x7fbfe000, 0x7fc00000, 0, 0);
    expect_one("cvt.rna.satfinite.tf32.f32", 0x7f7fe000, 0x7f800001, 0, 0);
    expect_one("cvt.rn.tf32.f32", 0x7fffe000, 0xffc12345, 0, 0);
    expect_one("cvt.rz.relu.tf32.f32", 0x7fffe000, 0xff800001, 0, 0);
    expect_one("cvt.rna.tf32.f32", 0x00002000, 0x00001000, 0, 0);
}

static void test_pairs(void **state)
{
    (void)state;
    expect_one("cvt.rn.f16x2.f32", 0x3c00c000, 0x3f800000, 0xc0000000, 0);
    expect_one("cvt.rn.relu.f16x2.f32", 0x3c000000, 0x3f800000, 0xc0000000, 0);
    expect_one("cvt.rz.f16x2.f32", 0x7bff3c00, 0x7f7fffff, 0x3f801fff, 0);
    expect_one("cvt.rn.satfinite.f16x2.f32", 0x7bfffbff, 0x7f800000, 0xff800000, 0);
    expect_one("cvt.rn.bf16x2.f32", 0x3f804000, 0x3f808000, 0x3fffffff, 0);
    expect_one("cvt.rz.bf16x2.f32", 0x3f807fff, 0x3f80ffff, 0xffc00000, 0);
}

/* Codes of 8 bits: all of them to f16 and back, and rounding on the way down. */
static void check_eighth(const char *down, const char *down_half, const char *up, ExactFormat f)
{
    uint64_t random = 31;
    for (uint64_t code = 0; code < 256; code++) {
        const Exact x = exact_from(code, f);
        const uint64_t half = exact_to(x, exact_f16, ROUND_NEAREST);
        expect_one(up, half << 16 | half, code << 8 | code, 0, 0);
        if (x.kind == EXACT_NUMBER)
            expect_one(down_half, code << 8 | code, half << 16 | half, 0, 0);
    }
    for (unsigned i = 0; i < 20000; i++) {
        const uint64_t a = random_float(&random, exact_f32);
        const uint64_t b = random_next(&random) % 0x10000000 + 0x38000000;
        uint64_t codes[2];
        for (unsigned k = 0; k < 2; k++) {
            const Exact x = exact_from(k ? b : a, exact_f32);
            const uint64_t largest = f.no_infinity ? 0x7e : 0x7b, sign = x.negative ? 0x80 : 0;
            const uint64_t code = exact_to(x, f, ROUND_NEAREST);
            const bool past = x.kind == EXACT_INFINITY || (x.kind == EXACT_NUMBER && (code & 0x7f) > largest);
            codes[k] = past ? largest | sign : code;
        }
        expect_one(down, codes[0] << 8 | codes[1], a, b, 0);
    }
}

static void test_eighths(void **state)
{
    (void)state;
    check_eighth("cvt.rn.satfinite.e4m3x2.f32", "cvt.rn.satfinite.e4m3x2.f16x2", "cvt.rn.f16x2.e4m3x2",
                 exact_e4m3);
    check_eighth("cvt.rn.satfinite.e5m2x2.f32", "cvt.rn.satfinite.e5m2x2.f16x2", "cvt.rn.f16x2.e5m2x2",
                 exact_e5m2);
    expect_one("cvt.rn.satfinite.e4m3x2.f32", 0x7e7f, 0x7f800000, 0xffc00000, 0);
    expect_one("cvt.rn.satfinite.relu.e4m3x2.f32", 0x0038, 0xbf800000, 0x3f800000, 0);
    expect_one("cvt.rn.satfinite.relu.e5m2x2.f16x2", 0x003c, 0xbc003c00, 0, 0);
    expect_one("cvt.rn.relu.f16x2.e4m3x2", 0x3c000000, 0x38b8, 0, 0);
}

static void test_pack(void **state)
{
    (void)state;
    expect_one("cvt.pack.sat.u16.s32", 0xffff0000, 70000, 0xffffffff, 0);
    expect_one("cvt.pack.sat.s16.s32", 0x7fffffff, 70000, 0xffffffff, 0);
    expect_one("cvt.pack.sat.u8.s32.b32", 0x5678ff07, 300, 7, 0x12345678);
    expect_one("cvt.pack.sat.s8.s32.b32", 0x56787f80, 300, 0xffffff00, 0x12345678);
    expect_one("cvt.pack.sat.u4.s32.b32", 0x345678f0, 300, 0xffffff00, 0x12345678);
    expect_one("cvt.pack.sat.s4.s32.b32", 0x34567878, 300, 0xffffff00, 0x12345678);
    expect_one("cvt.pack.sat.u2.s32.b32", 0x2345678c, 300, 0xffffff00, 0x12345678);
    expect_one("cvt.pack.sat.s2.s32.b32", 0x23456786, 300, 0xffffff00, 0x12345678);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_float_to_integer),
        cmocka_unit_test(test_integer_to_float),
        cmocka_unit_test(test_float_to_float),
        cmocka_unit_test(test_every_half),
        cmocka_unit_test(test_tf32),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_eighths),
        cmocka_unit_test(test_pack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
