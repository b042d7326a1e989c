/* Bit fields, permutations, logic and shifts, bit by bit as their definitions say. */
#include "lane_check.h"

static unsigned bit(uint64_t word, unsigned i) { return word >> i & 1; }

/* A position or length: 8 bits of it count, but of 64-bit fields all 32. */
static uint64_t amount(const LaneCase *c, uint64_t operand)
{
    return c->bits == 64 ? (uint32_t)operand : operand & 0xff;
}

static uint64_t ref_bfe(const LaneCase *c, const uint64_t *o)
{
    const uint64_t position = amount(c, o[1]), length = amount(c, o[2]), top = c->bits - 1;
    unsigned sign = 0;
    if (c->is_signed && length)
        sign = bit(o[0], (unsigned)(position + length - 1 < top ? position + length - 1 : top));
    uint64_t d = 0;
    for (uint64_t i = 0; i <= top; i++)
        d |= (uint64_t)(i < length && position + i <= top ? bit(o[0], (unsigned)(position + i)) : sign) << i;
    return d;
}

static uint64_t ref_bfi(const LaneCase *c, const uint64_t *o)
{
    const uint64_t position = amount(c, o[2]), length = amount(c, o[3]);
    uint64_t d = o[1];
    for (uint64_t i = 0; i < length && position + i < c->bits; i++) {
        d &= ~((uint64_t)1 << (position + i));
        d |= (uint64_t)bit(o[0], (unsigned)i) << (position + i);
    }
    return d;
}

static uint64_t ref_bfind(const LaneCase *c, const uint64_t *o)
{
    const unsigned top = c->bits - 1, not_this = c->is_signed ? bit(o[0], top) : 0;
    for (unsigned i = c->bits; i-- > 0;)
        if (bit(o[0], i) != not_this)
            return c->mods.shiftamt ? top - i : i;
    return UINT32_MAX;
}

static uint64_t ref_fns(const LaneCase *c, const uint64_t *o)
{
    (void)c;
    const int64_t base = (int64_t)(uint32_t)o[1], offset = (int32_t)o[2];
    int64_t wanted = offset < 0 ? -offset : offset ? offset : 1, seen = 0;
    if (offset == INT32_MIN && base < 32)
        return 0;
    for (int64_t at = base; at >= 0 && at < 32; at += offset < 0 ? -1 : 1) {
        seen += bit(o[0], (unsigned)at);
        if (bit(o[0], (unsigned)at) && seen == wanted)
            return (uint64_t)at;
        if (offset == 0)
            break;
    }
    return UINT32_MAX;
}

static uint64_t ref_bmsk(const LaneCase *c, const uint64_t *o)
{
    const uint64_t first = c->mods.wrap ? o[0] % 32 : (uint32_t)o[0];
    const uint64_t length = c->mods.wrap ? o[1] % 32 : (uint32_t)o[1];
    uint64_t d = 0;
    for (uint64_t i = 0; i < 32; i++)
        d |= (uint64_t)(i >= first && i - first < length) << i;
    return d;
}

static uint64_t ref_szext(const LaneCase *c, const uint64_t *o)
{
    const uint64_t length = c->mods.wrap ? o[1] % 32 : (uint32_t)o[1];
    if (length >= 32)
        return o[0];
    return length ? (uint64_t)number_of(o[0], (unsigned)length, c->is_signed) : 0;
}

static uint64_t ref_brev(const LaneCase *c, const uint64_t *o)
{
    uint64_t d = 0;
    for (unsigned i = 0; i < c->bits; i++)
        d |= (uint64_t)bit(o[0], i) << (c->bits - 1 - i);
    return d;
}

static uint64_t ref_lop3(const LaneCase *c, const uint64_t *o)
{
    uint64_t d = 0;
    for (unsigned i = 0; i < c->bits; i++)
        d |= (uint64_t)bit(o[3], bit(o[0], i) << 2 | bit(o[1], i) << 1 | bit(o[2], i)) << i;
    return d;
}

static uint64_t ref_shf_l(const LaneCase *c, const uint64_t *o)
{
    const uint32_t n = c->mods.wrap ? o[2] % 32 : (uint32_t)o[2] > 32 ? 32 : (uint32_t)o[2];
    uint64_t d = 0;
    for (unsigned i = 0; i < 32; i++)
        d |= (uint64_t)(i >= n ? bit(o[1], i - n) : bit(o[0], 32 + i - n)) << i;
    return d;
}

static uint64_t ref_shf_r(const LaneCase *c, const uint64_t *o)
{
    const uint32_t n = c->mods.wrap ? o[2] % 32 : (uint32_t)o[2] > 32 ? 32 : (uint32_t)o[2];
    uint64_t d = 0;
    for (unsigned i = 0; i < 32; i++)
        d |= (uint64_t)(i + n < 32 ? bit(o[0], i + n) : bit(o[1], i + n - 32)) << i;
    return d;
}

static void test_fields(void **state)
{
    (void)state;
    static const LaneCase cases[] = {
        {ROW_bfe_u32, 32, false, ref_bfe, 0, {0}}, {ROW_bfe_s32, 32, true, ref_bfe, 0, {0}},
        {ROW_bfe_u64, 64, false, ref_bfe, 0, {0}}, {ROW_bfe_s64, 64, true, ref_bfe, 0, {0}},
        {ROW_bfi_b32, 32, false, ref_bfi, 0, {0}}, {ROW_bfi_b64, 64, false, ref_bfi, 0, {0}},
        {ROW_bfind_u32, 32, false, ref_bfind, 32, {0}}, {ROW_bfind_s32, 32, true, ref_bfind, 32, {0}},
        {ROW_bfind_u64, 64, false, ref_bfind, 32, {0}}, {ROW_bfind_s64, 64, true, ref_bfind, 32, {0}},
        {ROW_bfind_u32, 32, false, ref_bfind, 32, {.shiftamt = true}},
        {ROW_bfind_s32, 32, true, ref_bfind, 32, {.shiftamt = true}},
        {ROW_bfind_u64, 64, false, ref_bfind, 32, {.shiftamt = true}},
        {ROW_bfind_s64, 64, true, ref_bfind, 32, {.shiftamt = true}},
        {ROW_fns_b32, 32, false, ref_fns, 0, {0}},
        {ROW_bmsk_b32, 32, false, ref_bmsk, 0, {0}}, {ROW_bmsk_b32, 32, false, ref_bmsk, 0, {.wrap = true}},
        {ROW_szext_u32, 32, false, ref_szext, 0, {0}},
        {ROW_szext_u32, 32, false, ref_szext, 0, {.wrap = true}},
        {ROW_szext_s32, 32, true, ref_szext, 0, {0}}, {ROW_szext_s32, 32, true, ref_szext, 0, {.wrap = true}},
        {ROW_brev_b32, 32, false, ref_brev, 0, {0}}, {ROW_brev_b64, 64, false, ref_brev, 0, {0}},
        {ROW_lop3_b32, 32, false, ref_lop3, 0, {0}},
        {ROW_shf_l_b32, 32, false, ref_shf_l, 0, {0}},
        {ROW_shf_l_b32, 32, false, ref_shf_l, 0, {.wrap = true}},
        {ROW_shf_r_b32, 32, false, ref_shf_r, 0, {0}},
        {ROW_shf_r_b32, 32, false, ref_shf_r, 0, {.wrap = true}},
    };
    LANE_CHECK_ALL(cases);
}

/* Which of the eight bytes goes to byte k of the result, by mode and the low bits of the selector. */
static unsigned prmt_byte(unsigned mode, unsigned n, unsigned k)
{
    switch (mode) {
    case 1: return n + k;
    case 2: return (n + 8 - k) % 8;
    case 3: return n;
    case 4: return k > n ? k : n;
    case 5: return k < n ? k : n;
    default: return n % 2 * 2 + k % 2;
    }
}

static uint64_t ref_prmt(const LaneCase *c, const uint64_t *o)
{
    uint64_t d = 0;
    for (unsigned k = 0; k < 4; k++) {
        const unsigned nibble = o[2] >> 4 * k & 15;
        const unsigned from = c->mods.mode ? prmt_byte(c->mods.mode, o[2] & 3, k) : nibble & 7;
        unsigned byte = (unsigned)(from < 4 ? o[0] >> 8 * from : o[1] >> 8 * (from - 4)) & 0xff;
        if (!c->mods.mode && nibble & 8)
            byte = byte & 0x80 ? 0xff : 0;
        d |= (uint64_t)byte << 8 * k;
    }
    return d;
}

static void test_prmt(void **state)
{
    (void)state;
    LaneCase prmt = {ROW_prmt_b32, 32, false, ref_prmt, 0, {0}};
    lane_check(&prmt);
    prmt.row = ROW_prmt_mode_b32;
    for (prmt.mods.mode = 1; prmt.mods.mode <= 6; prmt.mods.mode++)
        lane_check(&prmt);
}

static uint64_t ref_and(const LaneCase *c, const uint64_t *o) { (void)c; return ~(~o[0] | ~o[1]); }
static uint64_t ref_or(const LaneCase *c, const uint64_t *o) { (void)c; return ~(~o[0] & ~o[1]); }
static uint64_t ref_xor(const LaneCase *c, const uint64_t *o)
{
    (void)c; return (o[0] | o[1]) - (o[0] & o[1]);
}
static uint64_t ref_not(const LaneCase *c, const uint64_t *o) { (void)c; return UINT64_MAX - o[0]; }
static uint64_t ref_cnot(const LaneCase *c, const uint64_t *o)
{
    return number_of(o[0], c->bits, false) ? 0 : 1;
}

static uint64_t ref_shl(const LaneCase *c, const uint64_t *o)
{
    uint64_t d = 0;
    for (unsigned i = 0; i < c->bits; i++)
        d |= i >= (uint32_t)o[1] ? (uint64_t)bit(o[0], i - (uint32_t)o[1]) << i : 0;
    return d;
}

static uint64_t ref_shr(const LaneCase *c, const uint64_t *o)
{
    const uint64_t n = (uint32_t)o[1];
    uint64_t d = 0;
    for (unsigned i = 0; i < c->bits; i++) {
        const unsigned fill = c->is_signed ? bit(o[0], c->bits - 1) : 0;
        d |= (uint64_t)(i + n < c->bits ? bit(o[0], (unsigned)(i + n)) : fill) << i;
    }
    return d;
}

static void test_logic_and_shifts(void **state)
{
    (void)state;
    static const LaneCase cases[] = {
        {ROW_and_b16, 16, false, ref_and, 0, {0}}, {ROW_and_b32, 32, false, ref_and, 0, {0}},
        {ROW_and_b64, 64, false, ref_and, 0, {0}}, {ROW_or_b16, 16, false, ref_or, 0, {0}},
        {ROW_or_b32, 32, false, ref_or, 0, {0}}, {ROW_or_b64, 64, false, ref_or, 0, {0}},
        {ROW_xor_b16, 16, false, ref_xor, 0, {0}}, {ROW_xor_b32, 32, false, ref_xor, 0, {0}},
        {ROW_xor_b64, 64, false, ref_xor, 0, {0}}, {ROW_not_b16, 16, false, ref_not, 0, {0}},
        {ROW_not_b32, 32, false, ref_not, 0, {0}}, {ROW_not_b64, 64, false, ref_not, 0, {0}},
        {ROW_cnot_b16, 16, false, ref_cnot, 0, {0}}, {ROW_cnot_b32, 32, false, ref_cnot, 0, {0}},
        {ROW_cnot_b64, 64, false, ref_cnot, 0, {0}}, {ROW_shl_b16, 16, false, ref_shl, 0, {0}},
        {ROW_shl_b32, 32, false, ref_shl, 0, {0}}, {ROW_shl_b64, 64, false, ref_shl, 0, {0}},
        {ROW_shr_u16, 16, false, ref_shr, 0, {0}}, {ROW_shr_u32, 32, false, ref_shr, 0, {0}},
        {ROW_shr_u64, 64, false, ref_shr, 0, {0}}, {ROW_shr_s16, 16, true, ref_shr, 0, {0}},
        {ROW_shr_s32, 32, true, ref_shr, 0, {0}}, {ROW_shr_s64, 64, true, ref_shr, 0, {0}},
    };
    LANE_CHECK_ALL(cases);
}

static void test_predicates(void **state)
{
    (void)state;
    const uint32_t a = 0xff00f0cc, b = 0x0ff0aaf0;
    LaneFrame frame = {.src = {&a, &b}};
    isa_rows[ROW_and_pred].lane(&frame);
    assert_int_equal(frame.p, 0x0f00a0c0);
    isa_rows[ROW_or_pred].lane(&frame);
    assert_int_equal(frame.p, 0xfff0fafc);
    isa_rows[ROW_xor_pred].lane(&frame);
    assert_int_equal(frame.p, 0xf0f05a3c);
    isa_rows[ROW_not_pred].lane(&frame);
    assert_int_equal(frame.p, 0x00ff0f33);
}

/* lop3 with a second result: lanes whose word is not zero, joined with a predicate. */
static void test_lop3_predicate(void **state)
{
    (void)state;
    uint32_t a[LANES], b[LANES], c[LANES], table[LANES], d[LANES];
    for (unsigned i = 0; i < LANES; i++) {
        a[i] = i % 3 ? 0x10u << i % 8 : 0;
        b[i] = UINT32_MAX;
        c[i] = i;
        table[i] = 0x80;
    }
    LaneFrame frame = {.d = d, .src = {a, b, c, table}, .p_in = 0xff0000ff};
    for (unsigned op = BOOL_AND; op <= BOOL_OR; op++) {
        frame.mods.bool_op = (uint8_t)op;
        isa_rows[ROW_lop3_pred].lane(&frame);
        for (unsigned i = 0; i < LANES; i++) {
            const bool nonzero = (a[i] & c[i]) != 0, in = frame.p_in >> i & 1;
            assert_int_equal(d[i], a[i] & c[i]);
            assert_int_equal(frame.p >> i & 1, op == BOOL_AND ? nonzero && in : nonzero || in);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields), cmocka_unit_test(test_prmt), cmocka_unit_test(test_logic_and_shifts),
        cmocka_unit_test(test_predicates), cmocka_unit_test(test_lop3_predicate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
