/* Bit fields, permutations and funnel shifts. C leaves shifts by the width of a type open, so every
 * helper that takes a position or a length says what happens there. */
#include "isa/define.h"

/* The `length` low bits set. */
static inline u32 low_mask_u32(u32 length) { return length < 32 ? ((u32)1 << (length & 31)) - 1 : ~(u32)0; }
static inline u64 low_mask_u64(u32 length) { return length < 64 ? ((u64)1 << (length & 63)) - 1 : ~(u64)0; }

static inline u32 shift_left_u32(u32 value, u32 n) { return n < 32 ? value << (n & 31) : 0; }
static inline u64 shift_left_u64(u64 value, u32 n) { return n < 64 ? value << (n & 63) : 0; }

static inline u32 bfe_u32(u32 value, u32 position, u32 length)
{
    return (position < 32 ? value >> (position & 31) : 0) & low_mask_u32(length);
}

static inline u64 bfe_u64(u64 value, u32 position, u32 length)
{
    return (position < 64 ? value >> (position & 63) : 0) & low_mask_u64(length);
}

/* A field that reaches beyond the top bit is filled up with the sign, as if the register went on. */
static inline s32 bfe_s32(s32 value, u32 position, u32 length)
{
    const s32 shifted = value >> (position < 31 ? position : 31);
    const u32 unused = 32 - (length < 32 ? length : 32);
    return length ? (s32)((u32)shifted << (unused & 31)) >> (unused & 31) : 0;
}

static inline s64 bfe_s64(s64 value, u32 position, u32 length)
{
    const s64 shifted = value >> (position < 63 ? position : 63);
    const u32 unused = 64 - (length < 64 ? length : 64);
    return length ? (s64)((u64)shifted << (unused & 63)) >> (unused & 63) : 0;
}

static inline u32 bfi_u32(u32 field, u32 into, u32 position, u32 length)
{
    const u32 mask = shift_left_u32(low_mask_u32(length), position);
    return (into & ~mask) | (shift_left_u32(field, position) & mask);
}

static inline u64 bfi_u64(u64 field, u64 into, u32 position, u32 length)
{
    const u64 mask = shift_left_u64(low_mask_u64(length), position);
    return (into & ~mask) | (shift_left_u64(field, position) & mask);
}

static inline u32 bfind_u32(u32 value, bool shift_amount)
{
    if (!value)
        return UINT32_MAX;
    const u32 zeros = (u32)__builtin_clz(value);
    return shift_amount ? zeros : 31 - zeros;
}

static inline u32 bfind_u64(u64 value, bool shift_amount)
{
    if (!value)
        return UINT32_MAX;
    const u32 zeros = (u32)__builtin_clzll(value);
    return shift_amount ? zeros : 63 - zeros;
}

/* The |offset|-th set bit from `base` on, upwards or, for a negative offset, downwards. The most negative
 * offset has no absolute value; the GPU then takes bit 0. */
static inline u32 fns_u32(u32 mask, u32 base, s32 offset)
{
    if (base > 31)
        return UINT32_MAX;
    if (offset == INT32_MIN)
        return 0;
    if (offset == 0)
        return mask >> base & 1 ? base : UINT32_MAX;
    const s32 step = offset > 0 ? 1 : -1;
    u32 missing = offset > 0 ? (u32)offset : 0 - (u32)offset;
    for (s32 position = (s32)base; position >= 0 && position < 32; position += step)
        if ((mask >> position & 1) && --missing == 0)
            return (u32)position;
    return UINT32_MAX;
}

static inline u32 bmsk_u32(u32 position, u32 length, bool wrap)
{
    if (wrap)
        position &= 31, length &= 31;
    return shift_left_u32(low_mask_u32(length), position);
}

static inline u32 szext_length(u32 length, bool wrap) { return wrap ? length & 31 : length; }

static inline u32 brev_u32(u32 value)
{
    value = (value >> 1 & 0x55555555) | (value & 0x55555555) << 1;
    value = (value >> 2 & 0x33333333) | (value & 0x33333333) << 2;
    value = (value >> 4 & 0x0f0f0f0f) | (value & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(value);
}

static inline u64 brev_u64(u64 value)
{
    return (u64)brev_u32((u32)value) << 32 | brev_u32((u32)(value >> 32));
}

/* The modes of prmt as selectors of its plain form, by mode (LaneMods) and the low two bits of c. */
static const uint16_t prmt_selectors[7][4] = {
    [1] = {0x3210, 0x4321, 0x5432, 0x6543}, /* f4e: four bytes forward */
    [2] = {0x5670, 0x6701, 0x7012, 0x0123}, /* b4e: four bytes backward */
    [3] = {0x0000, 0x1111, 0x2222, 0x3333}, /* rc8: a byte four times */
    [4] = {0x3210, 0x3211, 0x3222, 0x3333}, /* ecl: edge clamp left */
    [5] = {0x0000, 0x1110, 0x2210, 0x3210}, /* ecr: edge clamp right */
    [6] = {0x1010, 0x3232, 0x1010, 0x3232}, /* rc16: a half-word twice */
};

/* Each nibble of the selector picks one of the eight bytes, or with its high bit that byte's sign. */
static inline u32 prmt_u32(u32 a, u32 b, u32 selector)
{
    const u64 bytes = (u64)b << 32 | a;
    u32 result = 0;
    for (unsigned k = 0; k < 4; k++) {
        const u32 nibble = selector >> 4 * k & 15;
        const u32 byte = (u32)(bytes >> 8 * (nibble & 7)) & 0xff;
        const u32 sign = 0xff * (byte >> 7);
        result |= (nibble & 8 ? sign : byte) << 8 * k;
    }
    return result;
}

/* Bit k of the table says the result for (a, b, c) = the bits of k; so the table is a tree of choices
 * by c, then b, then a. */
static inline u32 choose(u32 by, u32 if_set, u32 if_clear) { return if_clear ^ (by & (if_set ^ if_clear)); }
static inline u32 spread_bit(u32 table, unsigned bit) { return 0 - (table >> bit & 1); }

static inline u32 lop3_u32(u32 a, u32 b, u32 c, u32 table)
{
    const u32 none = choose(c, spread_bit(table, 1), spread_bit(table, 0));
    const u32 only_b = choose(c, spread_bit(table, 3), spread_bit(table, 2));
    const u32 only_a = choose(c, spread_bit(table, 5), spread_bit(table, 4));
    const u32 both = choose(c, spread_bit(table, 7), spread_bit(table, 6));
    return choose(a, choose(b, both, only_a), choose(b, only_b, none));
}

static inline u32 shf_amount(u32 amount, bool wrap) { return wrap ? amount & 31 : amount < 32 ? amount : 32; }

#include "isa/bits.def"

void lane_lop3_pred(LaneFrame *frame)
{
    const bool is_or = frame->mods.bool_op == BOOL_OR;
    u32 *const d = frame->d;
    const u32 *const source_a = frame->src[0], *const source_b = frame->src[1];
    const u32 *const source_c = frame->src[2], *const table = frame->src[3];
    u32 nonzero = 0;
    LANE_LOOP {
        const u32 result = lop3_u32(source_a[i], source_b[i], source_c[i], table[i]);
        nonzero |= (u32)(result != 0) << i;
        d[i] = result;
    }
    frame->p = is_or ? nonzero | frame->p_in : nonzero & frame->p_in;
}
