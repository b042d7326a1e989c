/* setp, set, selp, slct, testp and copysign against their definitions: a comparison is a relation of two
 * numbers (less, equal, greater) or their being unordered, and each operator says which of them it takes. */
#include "lane_check.h"

#include <math.h>

typedef enum Kind { KIND_UNSIGNED, KIND_SIGNED, KIND_F16, KIND_BF16, KIND_F32, KIND_F64 } Kind;

enum { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };

static const int accepted[] = {
    [COMPARE_EQ] = EQUAL, [COMPARE_NE] = LESS | GREATER, [COMPARE_LT] = LESS, [COMPARE_LE] = LESS | EQUAL,
    [COMPARE_GT] = GREATER, [COMPARE_GE] = GREATER | EQUAL, [COMPARE_EQU] = EQUAL | UNORDERED,
    [COMPARE_NEU] = LESS | GREATER | UNORDERED, [COMPARE_LTU] = LESS | UNORDERED,
    [COMPARE_LEU] = LESS | EQUAL | UNORDERED, [COMPARE_GTU] = GREATER | UNORDERED,
    [COMPARE_GEU] = GREATER | EQUAL | UNORDERED, [COMPARE_NUM] = LESS | EQUAL | GREATER,
    [COMPARE_NAN] = UNORDERED,
};

/* The value of a float of the given number of exponent and fraction bits. */
static double float_of(uint64_t word, int exponent_bits, int fraction_bits, bool ftz)
{
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const int exponent = (int)(word >> fraction_bits & ((1u << exponent_bits) - 1));
    const uint64_t fraction = word & (((uint64_t)1 << fraction_bits) - 1);
    const double sign = word >> (exponent_bits + fraction_bits) & 1 ? -1 : 1;
    if (exponent == (1 << exponent_bits) - 1)
        return fraction ? NAN : sign * INFINITY;
    if (exponent == 0)
        return ftz ? sign * 0.0 : sign * ldexp((double)fraction, 1 - bias - fraction_bits);
    return sign * ldexp((double)(fraction | (uint64_t)1 << fraction_bits), exponent - bias - fraction_bits);
}

static double value_of(uint64_t word, Kind kind, bool ftz)
{
    switch (kind) {
    case KIND_F16: return float_of(word, 5, 10, ftz);
    case KIND_BF16: return float_of(word, 8, 7, ftz);
    case KIND_F32: return float_of(word, 8, 23, ftz);
    default: return float_of(word, 11, 52, ftz);
    }
}

static int relation(uint64_t a, uint64_t b, Kind kind, unsigned bits, bool ftz)
{
    if (kind == KIND_UNSIGNED || kind == KIND_SIGNED) {
        const SignedWide x = number_of(a, bits, kind == KIND_SIGNED);
        const SignedWide y = number_of(b, bits, kind == KIND_SIGNED);
        return x < y ? LESS : x > y ? GREATER : EQUAL;
    }
    const double x = value_of(a, kind, ftz), y = value_of(b, kind, ftz);
    return isnan(x) || isnan(y) ? UNORDERED : x < y ? LESS : x > y ? GREATER : EQUAL;
}

static bool combined(bool t, unsigned bool_op, bool c)
{
    switch (bool_op) {
    case BOOL_AND: return t ? c : false;
    case BOOL_OR: return t ? true : c;
    case BOOL_XOR: return t != c;
    default: return t;
    }
}

static const uint64_t f16_edges[] = {0, 0x8000, 1, 0x8001, 0x3ff, 0x83ff, 0x400, 0x3c00, 0xbc00, 0x3c01,
                                     0x7bff, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0xffff};
static const uint64_t bf16_edges[] = {0, 0x8000, 1, 0x8001, 0x7f, 0x80, 0x3f80, 0xbf80, 0x3f81, 0x7f7f,
                                      0xff7f, 0x7f80, 0xff80, 0x7fc0, 0x7f81, 0xffff};
static const uint64_t f32_edges[] = {0, 0x80000000, 1, 0x80000001, 0x7fffff, 0x807fffff, 0x800000, 0x3f800000,
                                     0xbf800000, 0x80800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
                                     0x7fc00000, 0xff800001};
static const uint64_t f64_edges[] = {0, (uint64_t)1 << 63, 1, ((uint64_t)1 << 63) + 1, 0xfffffffffffff,
                                     0x10000000000000, 0x3ff0000000000000, 0xbff0000000000000,
                                     0x3ff0000000000001, 0x7fefffffffffffff, 0xffefffffffffffff,
                                     0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
                                     0x7ff0000000000001, UINT64_MAX};

static uint64_t edge(Kind kind, unsigned n)
{
    switch (kind) {
    case KIND_F16: return f16_edges[n % 16];
    case KIND_BF16: return bf16_edges[n % 16];
    case KIND_F32: return f32_edges[n % 16];
    case KIND_F64: return f64_edges[n % 16];
    default: return lane_edges[n % LANE_EDGE_COUNT];
    }
}

/* A row of setp or set; `one` is what set writes for true, 0 for setp. A packed row holds two elements
 * of the kind in each lane. */
typedef struct CompareCase {
    RowId row;
    Kind kind;
    unsigned bits;
    bool packed;
    uint32_t one;
} CompareCase;

typedef struct Operands { uint64_t a[LANES], b[LANES]; } Operands;

static bool truth(const CompareCase *c, const Operands *x, const LaneMods *mods, unsigned lane,
                  unsigned shift)
{
    const int found = relation(x->a[lane] >> shift, x->b[lane] >> shift, c->kind, c->bits, mods->ftz);
    return accepted[mods->compare] & found;
}

static void check_compare_lane(const CompareCase *c, const Operands *x, const LaneFrame *frame,
                               uint32_t predicate, unsigned i)
{
    const unsigned bool_op = frame->mods.bool_op;
    const bool third = predicate >> i & 1, low = truth(c, x, &frame->mods, i, 0);
    const bool p = combined(low, bool_op, third);
    const bool q = combined(c->packed ? truth(c, x, &frame->mods, i, 16) : !low, bool_op, third);
    if (c->one) {
        const uint32_t want = (p ? c->one : 0) | (c->packed && q ? c->one << 16 : 0);
        assert_int_equal(((const uint32_t *)frame->d)[i], want);
    } else {
        assert_int_equal(frame->p >> i & 1, p);
        assert_int_equal(frame->q >> i & 1, q);
    }
}

static void check_compare(const CompareCase *c, LaneMods mods)
{
    const unsigned bytes = c->bits == 64 ? 8 : 4;
    const unsigned count = c->kind <= KIND_SIGNED ? LANE_EDGE_COUNT : 16;
    for (unsigned first = 0; first < count * count; first += LANES) {
        const uint32_t predicate = 0x9c35a5f0u * (first + 1);
        Operands x;
        uint64_t a[LANES], b[LANES], d[LANES] = {0};
        for (unsigned i = 0; i < LANES; i++) {
            x.a[i] = edge(c->kind, first + i);
            x.b[i] = edge(c->kind, (first + i) / count);
            if (c->packed) {
                x.a[i] |= edge(c->kind, (first + i) / count + 3) << 16;
                x.b[i] |= edge(c->kind, first + i) << 16;
            }
            lane_put(a, bytes, i, x.a[i]);
            lane_put(b, bytes, i, x.b[i]);
        }
        LaneFrame frame = {.d = d, .src = {a, b, mods.bool_op ? &predicate : NULL}, .mods = mods};
        isa_rows[c->row].lane(&frame);
        for (unsigned i = 0; i < LANES; i++)
            check_compare_lane(c, &x, &frame, predicate, i);
    }
}

static void check_compare_all(const CompareCase *cases, size_t case_count)
{
    for (size_t n = 0; n < case_count; n++) {
        const bool is_float = cases[n].kind >= KIND_F16;
        const bool flushes = cases[n].kind == KIND_F16 || cases[n].kind == KIND_F32;
        LaneMods mods = {0};
        for (mods.compare = COMPARE_EQ; mods.compare <= (is_float ? COMPARE_NAN : COMPARE_GE); mods.compare++)
            for (mods.bool_op = BOOL_NONE; mods.bool_op <= BOOL_XOR; mods.bool_op++)
                for (int ftz = 0; ftz <= flushes; ftz++) {
                    mods.ftz = ftz;
                    check_compare(&cases[n], mods);
                }
    }
}
#define CHECK_COMPARE_ALL(cases) check_compare_all((cases), sizeof(cases) / sizeof((cases)[0]))

static void test_setp(void **state)
{
    (void)state;
    static const CompareCase cases[] = {
        {ROW_setp_b16, KIND_UNSIGNED, 16, false, 0}, {ROW_setp_b32, KIND_UNSIGNED, 32, false, 0},
        {ROW_setp_b64, KIND_UNSIGNED, 64, false, 0}, {ROW_setp_u16, KIND_UNSIGNED, 16, false, 0},
        {ROW_setp_u32, KIND_UNSIGNED, 32, false, 0}, {ROW_setp_u64, KIND_UNSIGNED, 64, false, 0},
        {ROW_setp_s16, KIND_SIGNED, 16, false, 0}, {ROW_setp_s32, KIND_SIGNED, 32, false, 0},
        {ROW_setp_s64, KIND_SIGNED, 64, false, 0}, {ROW_setp_f32, KIND_F32, 32, false, 0},
        {ROW_setp_f64, KIND_F64, 64, false, 0}, {ROW_setp_f16, KIND_F16, 16, false, 0},
        {ROW_setp_bf16, KIND_BF16, 16, false, 0}, {ROW_setp_f16x2, KIND_F16, 16, true, 0},
        {ROW_setp_bf16x2, KIND_BF16, 16, true, 0},
    };
    CHECK_COMPARE_ALL(cases);
}

#define SET_CASES(type, kind, bits)                                                                    \
    {ROW_set_u32_##type, kind, bits, false, UINT32_MAX},                                               \
    {ROW_set_f32_##type, kind, bits, false, 0x3f800000},                                               \
    {ROW_set_f16_##type, kind, bits, false, 0x3c00}, {ROW_set_bf16_##type, kind, bits, false, 0x3f80},

static void test_set(void **state)
{
    (void)state;
    static const CompareCase cases[] = {
        SET_CASES(b16, KIND_UNSIGNED, 16) SET_CASES(b32, KIND_UNSIGNED, 32) SET_CASES(b64, KIND_UNSIGNED, 64)
        SET_CASES(u16, KIND_UNSIGNED, 16) SET_CASES(u32, KIND_UNSIGNED, 32) SET_CASES(u64, KIND_UNSIGNED, 64)
        SET_CASES(s16, KIND_SIGNED, 16) SET_CASES(s32, KIND_SIGNED, 32) SET_CASES(s64, KIND_SIGNED, 64)
        SET_CASES(f32, KIND_F32, 32) SET_CASES(f64, KIND_F64, 64)
        {ROW_set_u32_f16, KIND_F16, 16, false, UINT32_MAX}, {ROW_set_u16_f16, KIND_F16, 16, false, 0xffff},
        {ROW_set_f16_f16, KIND_F16, 16, false, 0x3c00}, {ROW_set_bf16_f16, KIND_F16, 16, false, 0x3f80},
        {ROW_set_u32_bf16, KIND_BF16, 16, false, UINT32_MAX},
        {ROW_set_u16_bf16, KIND_BF16, 16, false, 0xffff},
        {ROW_set_bf16_bf16, KIND_BF16, 16, false, 0x3f80}, {ROW_set_u32_f16x2, KIND_F16, 16, true, 0xffff},
        {ROW_set_f16x2_f16x2, KIND_F16, 16, true, 0x3c00}, {ROW_set_u32_bf16x2, KIND_BF16, 16, true, 0xffff},
        {ROW_set_bf16x2_bf16x2, KIND_BF16, 16, true, 0x3f80},
    };
    CHECK_COMPARE_ALL(cases);
}

static void test_selp(void **state)
{
    (void)state;
    static const struct { RowId row; unsigned bits; } rows[] = {
        {ROW_selp_b16, 16}, {ROW_selp_b32, 32}, {ROW_selp_b64, 64}};
    const uint32_t predicate = 0x80c3a5f1;
    for (unsigned n = 0; n < 3; n++) {
        const unsigned bytes = rows[n].bits == 64 ? 8 : 4;
        uint64_t a[LANES], b[LANES];
        for (unsigned i = 0; i < LANES; i++) {
            lane_put(a, bytes, i, 0x0123456789abcdef + i);
            lane_put(b, bytes, i, 0xfedcba9876543210 + i);
        }
        LaneFrame frame = {.d = a, .src = {a, b, &predicate}};
        isa_rows[rows[n].row].lane(&frame);
        for (unsigned i = 0; i < LANES; i++) {
            const uint64_t want = (predicate >> i & 1 ? 0x0123456789abcdef : 0xfedcba9876543210) + i;
            assert_int_equal(low_bits(lane_get(a, bytes, i), rows[n].bits), low_bits(want, rows[n].bits));
        }
    }
}

static uint64_t ref_slct_s32(const LaneCase *c, const uint64_t *o)
{
    (void)c; return o[2] >> 31 & 1 ? o[1] : o[0];
}

static void test_slct(void **state)
{
    (void)state;
    static const LaneCase by_integer[] = {
        {ROW_slct_b16_s32, 16, false, ref_slct_s32, 0, {0}},
        {ROW_slct_b32_s32, 32, false, ref_slct_s32, 0, {0}},
        {ROW_slct_b64_s32, 64, false, ref_slct_s32, 0, {0}},
    };
    LANE_CHECK_ALL(by_integer);
    static const RowId by_float[] = {ROW_slct_b16_f32, ROW_slct_b32_f32, ROW_slct_b64_f32};
    for (unsigned n = 0; n < 3; n++)
        for (int ftz = 0; ftz < 2; ftz++) {
            const unsigned bytes = n == 2 ? 8 : 4;
            uint64_t a[LANES], b[LANES], c[LANES], d[LANES];
            for (unsigned i = 0; i < LANES; i++) {
                lane_put(a, bytes, i, 0x7fc1 + i);
                lane_put(b, bytes, i, 0x4000 + i);
                lane_put(c, 4, i, f32_edges[i % 16]);
            }
            LaneFrame frame = {.d = d, .src = {a, b, c}, .mods = {.ftz = ftz}};
            isa_rows[by_float[n]].lane(&frame);
            for (unsigned i = 0; i < LANES; i++) {
                const bool takes_a = value_of(f32_edges[i % 16], KIND_F32, ftz) >= 0;
                assert_int_equal(lane_get(d, bytes, i), (takes_a ? 0x7fc1 : 0x4000) + i);
            }
        }
}

static bool in_class(double value, unsigned mode, double least_normal)
{
    const bool is_subnormal = value != 0 && fabs(value) < least_normal;
    switch (mode) {
    case 0: return !isnan(value) && !isinf(value);
    case 1: return isinf(value);
    case 2: return !isnan(value);
    case 3: return isnan(value);
    case 4: return !isnan(value) && !isinf(value) && !is_subnormal;
    default: return is_subnormal;
    }
}

static void test_testp(void **state)
{
    (void)state;
    for (uint8_t mode = 0; mode < 6; mode++) {
        uint64_t single[LANES], wide[LANES];
        for (unsigned i = 0; i < LANES; i++) {
            lane_put(single, 4, i, f32_edges[i % 16]);
            wide[i] = f64_edges[i % 16];
        }
        LaneFrame frame = {.src = {single}, .mods = {.mode = mode}};
        isa_rows[ROW_testp_f32].lane(&frame);
        for (unsigned i = 0; i < LANES; i++) {
            const double value = value_of(f32_edges[i % 16], KIND_F32, false);
            assert_int_equal(frame.p >> i & 1, in_class(value, mode, 0x1p-126));
        }
        frame.src[0] = wide;
        isa_rows[ROW_testp_f64].lane(&frame);
        for (unsigned i = 0; i < LANES; i++)
            assert_int_equal(frame.p >> i & 1, in_class(value_of(wide[i], KIND_F64, false), mode, 0x1p-1022));
    }
}

static uint64_t ref_copysign(const LaneCase *c, const uint64_t *o)
{
    const uint64_t magnitude = low_bits(o[1], c->bits - 1);
    return o[0] >> (c->bits - 1) & 1 ? magnitude + ((uint64_t)1 << (c->bits - 1)) : magnitude;
}

static void test_copysign(void **state)
{
    (void)state;
    static const LaneCase cases[] = {
        {ROW_copysign_f32, 32, false, ref_copysign, 0, {0}},
        {ROW_copysign_f64, 64, false, ref_copysign, 0, {0}},
    };
    LANE_CHECK_ALL(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_setp), cmocka_unit_test(test_set), cmocka_unit_test(test_selp),
        cmocka_unit_test(test_slct), cmocka_unit_test(test_testp), cmocka_unit_test(test_copysign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
