/* Integer rows against arithmetic on numbers of 128 bits, where nothing overflows. */
#include "lane_check.h"

static SignedWide source(const LaneCase *c, const uint64_t *operands, unsigned k)
{
    return number_of(operands[k], c->bits, c->is_signed);
}

/* The product as 128 bits; they wrap for nothing that fits the instruction. */
static Wide product(const LaneCase *c, const uint64_t *o)
{
    return (Wide)source(c, o, 0) * (Wide)source(c, o, 1);
}

static uint64_t clamped(SignedWide value, unsigned bits)
{
    const SignedWide high = ((SignedWide)1 << (bits - 1)) - 1;
    return (uint64_t)(value > high ? high : value < -high - 1 ? -high - 1 : value);
}

static uint64_t ref_add(const LaneCase *c, const uint64_t *o)
{
    return (uint64_t)(source(c, o, 0) + source(c, o, 1));
}
static uint64_t ref_sub(const LaneCase *c, const uint64_t *o)
{
    return (uint64_t)(source(c, o, 0) - source(c, o, 1));
}
static uint64_t ref_add_sat(const LaneCase *c, const uint64_t *o)
{
    return clamped(source(c, o, 0) + source(c, o, 1), 32);
}
static uint64_t ref_sub_sat(const LaneCase *c, const uint64_t *o)
{
    return clamped(source(c, o, 0) - source(c, o, 1), 32);
}
static uint64_t ref_mul_lo(const LaneCase *c, const uint64_t *o) { return (uint64_t)product(c, o); }
static uint64_t ref_mul_hi(const LaneCase *c, const uint64_t *o)
{
    return (uint64_t)(product(c, o) >> c->bits);
}
static uint64_t ref_mad_lo(const LaneCase *c, const uint64_t *o) { return (uint64_t)product(c, o) + o[2]; }
static uint64_t ref_mad_hi(const LaneCase *c, const uint64_t *o) { return ref_mul_hi(c, o) + o[2]; }
static uint64_t ref_mad_hi_sat(const LaneCase *c, const uint64_t *o)
{
    return clamped(number_of(ref_mul_hi(c, o), 32, true) + source(c, o, 2), 32);
}

static void test_add_and_multiply(void **state)
{
    (void)state;
    static const LaneCase cases[] = {
        {ROW_add_16, 16, true, ref_add, 0, {0}}, {ROW_add_32, 32, true, ref_add, 0, {0}},
        {ROW_add_64, 64, true, ref_add, 0, {0}}, {ROW_add_sat_s32, 32, true, ref_add_sat, 0, {0}},
        {ROW_sub_16, 16, false, ref_sub, 0, {0}}, {ROW_sub_32, 32, false, ref_sub, 0, {0}},
        {ROW_sub_64, 64, false, ref_sub, 0, {0}}, {ROW_sub_sat_s32, 32, true, ref_sub_sat, 0, {0}},
        {ROW_mul_lo_16, 16, true, ref_mul_lo, 0, {0}}, {ROW_mul_lo_32, 32, true, ref_mul_lo, 0, {0}},
        {ROW_mul_lo_64, 64, true, ref_mul_lo, 0, {0}}, {ROW_mul_hi_u16, 16, false, ref_mul_hi, 0, {0}},
        {ROW_mul_hi_s16, 16, true, ref_mul_hi, 0, {0}}, {ROW_mul_hi_u32, 32, false, ref_mul_hi, 0, {0}},
        {ROW_mul_hi_s32, 32, true, ref_mul_hi, 0, {0}}, {ROW_mul_hi_u64, 64, false, ref_mul_hi, 0, {0}},
        {ROW_mul_hi_s64, 64, true, ref_mul_hi, 0, {0}}, {ROW_mul_wide_u16, 16, false, ref_mul_lo, 32, {0}},
        {ROW_mul_wide_s16, 16, true, ref_mul_lo, 32, {0}}, {ROW_mul_wide_u32, 32, false, ref_mul_lo, 64, {0}},
        {ROW_mul_wide_s32, 32, true, ref_mul_lo, 64, {0}}, {ROW_mad_lo_16, 16, false, ref_mad_lo, 0, {0}},
        {ROW_mad_lo_32, 32, false, ref_mad_lo, 0, {0}}, {ROW_mad_lo_64, 64, false, ref_mad_lo, 0, {0}},
        {ROW_mad_hi_u16, 16, false, ref_mad_hi, 0, {0}}, {ROW_mad_hi_s16, 16, true, ref_mad_hi, 0, {0}},
        {ROW_mad_hi_u32, 32, false, ref_mad_hi, 0, {0}}, {ROW_mad_hi_s32, 32, true, ref_mad_hi, 0, {0}},
        {ROW_mad_hi_sat_s32, 32, true, ref_mad_hi_sat, 0, {0}},
        {ROW_mad_hi_u64, 64, false, ref_mad_hi, 0, {0}},
        {ROW_mad_hi_s64, 64, true, ref_mad_hi, 0, {0}}, {ROW_mad_wide_u16, 16, false, ref_mad_lo, 32, {0}},
        {ROW_mad_wide_s16, 16, true, ref_mad_lo, 32, {0}}, {ROW_mad_wide_u32, 32, false, ref_mad_lo, 64, {0}},
        {ROW_mad_wide_s32, 32, true, ref_mad_lo, 64, {0}},
    };
    LANE_CHECK_ALL(cases);
}

/* Bits 31..0 and 47..16 of a product of the low 24 bits; `bits` of these cases is 24. */
static uint64_t ref_mul24_hi(const LaneCase *c, const uint64_t *o) { return (uint64_t)(product(c, o) >> 16); }
static uint64_t ref_mad24_hi(const LaneCase *c, const uint64_t *o) { return ref_mul24_hi(c, o) + o[2]; }
static uint64_t ref_mad24_hi_sat(const LaneCase *c, const uint64_t *o)
{
    return clamped(number_of(ref_mul24_hi(c, o), 32, true) + number_of(o[2], 32, true), 32);
}

static void test_24_bits(void **state)
{
    (void)state;
    static const LaneCase cases[] = {
        {ROW_mul24_lo_u32, 24, false, ref_mul_lo, 32, {0}}, {ROW_mul24_lo_s32, 24, true, ref_mul_lo, 32, {0}},
        {ROW_mul24_hi_u32, 24, false, ref_mul24_hi, 32, {0}},
        {ROW_mul24_hi_s32, 24, true, ref_mul24_hi, 32, {0}},
        {ROW_mad24_lo_u32, 24, false, ref_mad_lo, 32, {0}}, {ROW_mad24_lo_s32, 24, true, ref_mad_lo, 32, {0}},
        {ROW_mad24_hi_u32, 24, false, ref_mad24_hi, 32, {0}},
        {ROW_mad24_hi_s32, 24, true, ref_mad24_hi, 32, {0}},
        {ROW_mad24_hi_sat_s32, 24, true, ref_mad24_hi_sat, 32, {0}},
    };
    LANE_CHECK_ALL(cases);
}

static uint64_t ref_sad(const LaneCase *c, const uint64_t *o)
{
    const SignedWide difference = source(c, o, 0) - source(c, o, 1);
    return (uint64_t)(difference < 0 ? -difference : difference) + o[2];
}
static uint64_t ref_abs(const LaneCase *c, const uint64_t *o)
{
    const SignedWide value = source(c, o, 0);
    return (uint64_t)(value < 0 ? -value : value);
}
static uint64_t ref_neg(const LaneCase *c, const uint64_t *o) { return (uint64_t)-source(c, o, 0); }

/* Both by long division of the magnitudes. */
static SignedWide divide(const LaneCase *c, const uint64_t *o, bool want_remainder)
{
    const SignedWide a = source(c, o, 0), b = source(c, o, 1);
    if (b == 0)
        return -1;
    const Wide divisor = (Wide)(b < 0 ? -b : b), dividend = (Wide)(a < 0 ? -a : a);
    Wide quotient = 0, remainder = 0;
    for (int i = 64; i >= 0; i--) {
        remainder = remainder << 1 | (dividend >> i & 1);
        if (remainder >= divisor) {
            remainder -= divisor;
            quotient |= (Wide)1 << i;
        }
    }
    if (want_remainder)
        return a < 0 ? -(SignedWide)remainder : (SignedWide)remainder;
    return (a < 0) != (b < 0) ? -(SignedWide)quotient : (SignedWide)quotient;
}
static uint64_t ref_div(const LaneCase *c, const uint64_t *o) { return (uint64_t)divide(c, o, false); }
static uint64_t ref_rem(const LaneCase *c, const uint64_t *o) { return (uint64_t)divide(c, o, true); }

static uint64_t ref_min(const LaneCase *c, const uint64_t *o)
{
    const SignedWide a = source(c, o, 0), b = source(c, o, 1), least = b < a ? b : a;
    return (uint64_t)(c->mods.relu && least < 0 ? 0 : least);
}
static uint64_t ref_max(const LaneCase *c, const uint64_t *o)
{
    const SignedWide a = source(c, o, 0), b = source(c, o, 1), most = b > a ? b : a;
    return (uint64_t)(c->mods.relu && most < 0 ? 0 : most);
}

static void test_divide_and_compare(void **state)
{
    (void)state;
    static const LaneCase cases[] = {
        {ROW_sad_u16, 16, false, ref_sad, 0, {0}}, {ROW_sad_s16, 16, true, ref_sad, 0, {0}},
        {ROW_sad_u32, 32, false, ref_sad, 0, {0}}, {ROW_sad_s32, 32, true, ref_sad, 0, {0}},
        {ROW_sad_u64, 64, false, ref_sad, 0, {0}}, {ROW_sad_s64, 64, true, ref_sad, 0, {0}},
        {ROW_abs_s16, 16, true, ref_abs, 0, {0}}, {ROW_abs_s32, 32, true, ref_abs, 0, {0}},
        {ROW_abs_s64, 64, true, ref_abs, 0, {0}}, {ROW_neg_s16, 16, true, ref_neg, 0, {0}},
        {ROW_neg_s32, 32, true, ref_neg, 0, {0}}, {ROW_neg_s64, 64, true, ref_neg, 0, {0}},
        {ROW_div_u16, 16, false, ref_div, 0, {0}}, {ROW_div_s16, 16, true, ref_div, 0, {0}},
        {ROW_div_u32, 32, false, ref_div, 0, {0}}, {ROW_div_s32, 32, true, ref_div, 0, {0}},
        {ROW_div_u64, 64, false, ref_div, 0, {0}}, {ROW_div_s64, 64, true, ref_div, 0, {0}},
        {ROW_rem_u16, 16, false, ref_rem, 0, {0}}, {ROW_rem_s16, 16, true, ref_rem, 0, {0}},
        {ROW_rem_u32, 32, false, ref_rem, 0, {0}}, {ROW_rem_s32, 32, true, ref_rem, 0, {0}},
        {ROW_rem_u64, 64, false, ref_rem, 0, {0}}, {ROW_rem_s64, 64, true, ref_rem, 0, {0}},
        {ROW_min_u16, 16, false, ref_min, 0, {0}}, {ROW_min_s16, 16, true, ref_min, 0, {0}},
        {ROW_min_u32, 32, false, ref_min, 0, {0}}, {ROW_min_s32, 32, true, ref_min, 0, {0}},
        {ROW_min_u64, 64, false, ref_min, 0, {0}}, {ROW_min_s64, 64, true, ref_min, 0, {0}},
        {ROW_max_u16, 16, false, ref_max, 0, {0}}, {ROW_max_s16, 16, true, ref_max, 0, {0}},
        {ROW_max_u32, 32, false, ref_max, 0, {0}}, {ROW_max_s32, 32, true, ref_max, 0, {0}},
        {ROW_max_u64, 64, false, ref_max, 0, {0}}, {ROW_max_s64, 64, true, ref_max, 0, {0}},
        {ROW_min_s32, 32, true, ref_min, 0, {.relu = true}},
        {ROW_max_s32, 32, true, ref_max, 0, {.relu = true}},
    };
    LANE_CHECK_ALL(cases);
}

/* Applies the reference of 16 bits to both halves of a word. */
static uint64_t in_halves(const LaneCase *c, const uint64_t *o, LaneReference *reference)
{
    const LaneCase half = {.bits = 16, .is_signed = c->is_signed, .mods = c->mods};
    const uint64_t low[2] = {o[0], o[1]}, high[2] = {o[0] >> 16, o[1] >> 16};
    return low_bits(reference(&half, low), 16) | low_bits(reference(&half, high), 16) << 16;
}
static uint64_t ref_add_x2(const LaneCase *c, const uint64_t *o) { return in_halves(c, o, ref_add); }
static uint64_t ref_min_x2(const LaneCase *c, const uint64_t *o) { return in_halves(c, o, ref_min); }
static uint64_t ref_max_x2(const LaneCase *c, const uint64_t *o) { return in_halves(c, o, ref_max); }

static uint64_t ref_popc(const LaneCase *c, const uint64_t *o)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < c->bits; i++)
        count += o[0] >> i & 1;
    return count;
}
static uint64_t ref_clz(const LaneCase *c, const uint64_t *o)
{
    uint64_t count = 0;
    while (count < c->bits && !(o[0] >> (c->bits - 1 - count) & 1))
        count++;
    return count;
}

static void test_halves_and_counts(void **state)
{
    (void)state;
    static const LaneCase cases[] = {
        {ROW_add_16x2, 32, false, ref_add_x2, 0, {0}}, {ROW_min_u16x2, 32, false, ref_min_x2, 0, {0}},
        {ROW_max_u16x2, 32, false, ref_max_x2, 0, {0}}, {ROW_min_s16x2, 32, true, ref_min_x2, 0, {0}},
        {ROW_max_s16x2, 32, true, ref_max_x2, 0, {0}},
        {ROW_min_s16x2, 32, true, ref_min_x2, 0, {.relu = true}},
        {ROW_max_s16x2, 32, true, ref_max_x2, 0, {.relu = true}},
        {ROW_popc_b32, 32, false, ref_popc, 32, {0}},
        {ROW_popc_b64, 64, false, ref_popc, 32, {0}}, {ROW_clz_b32, 32, false, ref_clz, 32, {0}},
        {ROW_clz_b64, 64, false, ref_clz, 32, {0}},
    };
    LANE_CHECK_ALL(cases);
}

/* sum of a's `count` elements, b's from element `first` on; the mods field `signs` says which are signed. */
static uint64_t dot(const LaneCase *c, const uint64_t *o, unsigned count, unsigned first)
{
    SignedWide sum = number_of(o[2], 32, true);
    const unsigned a_bits = 32 / count;
    for (unsigned k = 0; k < count; k++)
        sum += number_of(o[0] >> a_bits * k, a_bits, c->mods.signs & 1) *
               number_of(o[1] >> 8 * (first + k), 8, c->mods.signs & 2);
    return (uint64_t)sum;
}
static uint64_t ref_dp4a(const LaneCase *c, const uint64_t *o) { return dot(c, o, 4, 0); }
static uint64_t ref_dp2a_lo(const LaneCase *c, const uint64_t *o) { return dot(c, o, 2, 0); }
static uint64_t ref_dp2a_hi(const LaneCase *c, const uint64_t *o) { return dot(c, o, 2, 2); }

static void test_dot_products(void **state)
{
    (void)state;
    static const LaneCase cases[] = {
        {ROW_dp4a_uu, 32, false, ref_dp4a, 0, {.signs = 0}},
        {ROW_dp4a_su, 32, false, ref_dp4a, 0, {.signs = 1}},
        {ROW_dp4a_us, 32, false, ref_dp4a, 0, {.signs = 2}},
        {ROW_dp4a_ss, 32, false, ref_dp4a, 0, {.signs = 3}},
        {ROW_dp2a_lo_uu, 32, false, ref_dp2a_lo, 0, {.signs = 0}},
        {ROW_dp2a_lo_su, 32, false, ref_dp2a_lo, 0, {.signs = 1}},
        {ROW_dp2a_lo_us, 32, false, ref_dp2a_lo, 0, {.signs = 2}},
        {ROW_dp2a_lo_ss, 32, false, ref_dp2a_lo, 0, {.signs = 3}},
        {ROW_dp2a_hi_uu, 32, false, ref_dp2a_hi, 0, {.signs = 0}},
        {ROW_dp2a_hi_su, 32, false, ref_dp2a_hi, 0, {.signs = 1}},
        {ROW_dp2a_hi_us, 32, false, ref_dp2a_hi, 0, {.signs = 2}},
        {ROW_dp2a_hi_ss, 32, false, ref_dp2a_hi, 0, {.signs = 3}},
    };
    LANE_CHECK_ALL(cases);
}

/* d and the carry out of one extended-precision row, lane by lane. kind: + - l (mad lo) h (mad hi). */
typedef struct CarryCase {
    RowId row;
    unsigned bits;
    char kind;
    bool is_signed, reads, writes;
} CarryCase;

static void check_carry_lane(const CarryCase *c, const uint64_t *o, bool carry_in, uint64_t d, bool carry_out)
{
    const LaneCase numbers = {.bits = c->bits, .is_signed = c->is_signed};
    const SignedWide in = c->reads && carry_in, borrow = c->reads && !carry_in;
    SignedWide exact;
    if (c->kind == '-') {
        exact = number_of(o[0], c->bits, false) - number_of(o[1], c->bits, false) - borrow;
    } else {
        uint64_t first = o[0], second = o[1];
        if (c->kind != '+') {
            first = c->kind == 'l' ? ref_mul_lo(&numbers, o) : ref_mul_hi(&numbers, o);
            second = o[2];
        }
        exact = number_of(first, c->bits, false) + number_of(second, c->bits, false) + in;
    }
    /* A subtraction carries where it does not borrow. */
    const bool out = c->kind == '-' ? exact >= 0 : exact >> c->bits != 0;
    assert_int_equal(d, low_bits((uint64_t)exact, c->bits));
    assert_int_equal(carry_out, c->writes ? out : carry_in);
}

static void check_carry_row(const CarryCase *c)
{
    const IsaRow *row = &isa_rows[c->row];
    const unsigned bytes = c->bits / 8, count = LANE_EDGE_COUNT;
    for (unsigned first = 0; first < count * count * 2; first += LANES) {
        uint64_t sources[3][LANES], d[LANES];
        LaneFrame frame = {.d = d, .src = {sources[0], sources[1], sources[2]}, .carry = 0x5a3c96f0u ^ first};
        const uint32_t carry_in = frame.carry;
        uint64_t operands[LANES][3];
        for (unsigned i = 0; i < LANES; i++) {
            const unsigned n = first + i;
            operands[i][0] = lane_edges[n % count];
            operands[i][1] = lane_edges[n / count % count];
            operands[i][2] = lane_edges[(n * 7 + n / count) % count];
            for (unsigned k = 0; k < 3; k++)
                lane_put(sources[k], bytes, i, operands[i][k]);
        }
        row->lane(&frame);
        for (unsigned i = 0; i < LANES; i++)
            check_carry_lane(c, operands[i], carry_in >> i & 1, lane_get(d, bytes, i), frame.carry >> i & 1);
    }
}

static void test_carries(void **state)
{
    (void)state;
    static const CarryCase cases[] = {
        {ROW_add_cc_32, 32, '+', false, false, true}, {ROW_add_cc_64, 64, '+', false, false, true},
        {ROW_addc_32, 32, '+', false, true, false}, {ROW_addc_64, 64, '+', false, true, false},
        {ROW_addc_cc_32, 32, '+', false, true, true}, {ROW_addc_cc_64, 64, '+', false, true, true},
        {ROW_sub_cc_32, 32, '-', false, false, true}, {ROW_sub_cc_64, 64, '-', false, false, true},
        {ROW_subc_32, 32, '-', false, true, false}, {ROW_subc_64, 64, '-', false, true, false},
        {ROW_subc_cc_32, 32, '-', false, true, true}, {ROW_subc_cc_64, 64, '-', false, true, true},
        {ROW_mad_lo_cc_32, 32, 'l', false, false, true}, {ROW_mad_lo_cc_64, 64, 'l', false, false, true},
        {ROW_mad_hi_cc_u32, 32, 'h', false, false, true}, {ROW_mad_hi_cc_s32, 32, 'h', true, false, true},
        {ROW_mad_hi_cc_u64, 64, 'h', false, false, true}, {ROW_mad_hi_cc_s64, 64, 'h', true, false, true},
        {ROW_madc_lo_32, 32, 'l', false, true, false}, {ROW_madc_lo_64, 64, 'l', false, true, false},
        {ROW_madc_lo_cc_32, 32, 'l', false, true, true}, {ROW_madc_lo_cc_64, 64, 'l', false, true, true},
        {ROW_madc_hi_u32, 32, 'h', false, true, false}, {ROW_madc_hi_s32, 32, 'h', true, true, false},
        {ROW_madc_hi_u64, 64, 'h', false, true, false}, {ROW_madc_hi_s64, 64, 'h', true, true, false},
        {ROW_madc_hi_cc_u32, 32, 'h', false, true, true}, {ROW_madc_hi_cc_s32, 32, 'h', true, true, true},
        {ROW_madc_hi_cc_u64, 64, 'h', false, true, true}, {ROW_madc_hi_cc_s64, 64, 'h', true, true, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_carry_row(&cases[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_add_and_multiply), cmocka_unit_test(test_24_bits),
        cmocka_unit_test(test_divide_and_compare), cmocka_unit_test(test_halves_and_counts),
        cmocka_unit_test(test_dot_products), cmocka_unit_test(test_carries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
