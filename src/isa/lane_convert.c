/* Conversions between all types: the functions that the rows of convert.def name. Every value goes
 * through a double, which holds it exactly or, for 64-bit integers on their way to a shorter format,
 * rounded to odd; the target's one rounding follows. */
#include "isa/define.h"
#include "isa/float_narrow.h"

/* Ranges of the integer types. LIMIT is the largest value that an s64 can have as well. */
#define LOW_u2 0
#define LOW_u4 0
#define LOW_u8 0
#define LOW_u16 0
#define LOW_u32 0
#define LOW_u64 0
#define LOW_s2 (-2)
#define LOW_s4 (-8)
#define LOW_s8 INT8_MIN
#define LOW_s16 INT16_MIN
#define LOW_s32 INT32_MIN
#define LOW_s64 INT64_MIN
#define HIGH_u2 3
#define HIGH_u4 15
#define HIGH_u8 UINT8_MAX
#define HIGH_u16 UINT16_MAX
#define HIGH_u32 UINT32_MAX
#define HIGH_u64 UINT64_MAX
#define HIGH_s2 1
#define HIGH_s4 7
#define HIGH_s8 INT8_MAX
#define HIGH_s16 INT16_MAX
#define HIGH_s32 INT32_MAX
#define HIGH_s64 INT64_MAX
#define LIMIT(D) ((u64)HIGH_##D < INT64_MAX ? (s64)HIGH_##D : INT64_MAX)

INLINE s64 clamp_signed(s64 x, s64 low, s64 high) { return x < low ? low : x > high ? high : x; }
INLINE u64 clamp_unsigned(u64 x, u64 high) { return x > high ? high : x; }

/* An integer of the named type, clamped to the range of D. */
#define CLAMP_u8(D, a) clamp_unsigned(a, HIGH_##D)
#define CLAMP_u16(D, a) clamp_unsigned(a, HIGH_##D)
#define CLAMP_u32(D, a) clamp_unsigned(a, HIGH_##D)
#define CLAMP_u64(D, a) clamp_unsigned(a, HIGH_##D)
#define CLAMP_s8(D, a) clamp_signed(a, LOW_##D, LIMIT(D))
#define CLAMP_s16(D, a) clamp_signed(a, LOW_##D, LIMIT(D))
#define CLAMP_s32(D, a) clamp_signed(a, LOW_##D, LIMIT(D))
#define CLAMP_s64(D, a) clamp_signed(a, LOW_##D, LIMIT(D))

#define PACK_ONE(D, bits, a) ((u32)CLAMP_s32(D, a) & ((1u << (bits)) - 1))
#define PACK(D, bits, rest)                                                                                  \
    (PACK_ONE(D, bits, b) | PACK_ONE(D, bits, a) << (bits) | (u32)((u64)(rest) << 2 * (bits)))

/* An integer of the named type as a double; only 64-bit ones may need the rounding. */
#define DOUBLE_u8(a, rounding) ((f64)(a))
#define DOUBLE_u16(a, rounding) ((f64)(a))
#define DOUBLE_u32(a, rounding) ((f64)(a))
#define DOUBLE_s8(a, rounding) ((f64)(a))
#define DOUBLE_s16(a, rounding) ((f64)(a))
#define DOUBLE_s32(a, rounding) ((f64)(a))
#define DOUBLE_u64(a, rounding) integer_to_f64(a, false, rounding)
#define DOUBLE_s64(a, rounding) integer_to_f64((a) < 0 ? 0 - (u64)(a) : (u64)(a), (a) < 0, rounding)

/* What a NaN becomes where it does not become 0: only the top bit of the integer type. */
#define NAN_TOP(D) ((D)((u64)1 << (8 * sizeof(D) - 1)))

/* To an integral value: from 2^52 on a double has no other. */
INLINE f64 integral64(f64 x, unsigned rounding)
{
    const u64 sign = bits64(x) & SIGN64, magnitude = bits64(x) ^ sign;
    const f64 rounded = round_to_unit(float64(magnitude), 1.0, sign != 0, rounding);
    return float64(pick64(float64(magnitude) < 0x1p52, bits64(rounded), magnitude) | sign);
}

/* Without rounding cvt moves bits; with it a signaling NaN becomes a quiet one. */
INLINE f64 integral_if64(f64 x, LaneMods m)
{
    const f64 integral = propagate64(integral64(x, m.rounding), x, x, x);
    return float64(pick64(m.to_integer, bits64(integral), bits64(x)));
}

/* Float to integer of up to 32 bits, with sign. */
INLINE s32 integer_within(f64 x, unsigned rounding, f64 low, f64 high, s32 of_nan)
{
    const u64 r = bits64(integral64(x, rounding));
    const u64 below = pick64(float64(r) < high, r, bits64(high));
    const u64 inside = pick64(float64(below) > low, below, bits64(low));
    return (s32)pick32(is_nan64(x), (u32)of_nan, (u32)(s32)float64(inside));
}

#define integer_u8(x, rounding, of_nan) ((u8)integer_within(x, rounding, LOW_u8, HIGH_u8, of_nan))
#define integer_s8(x, rounding, of_nan) ((s8)integer_within(x, rounding, LOW_s8, HIGH_s8, of_nan))
#define integer_u16(x, rounding, of_nan) ((u16)integer_within(x, rounding, LOW_u16, HIGH_u16, of_nan))
#define integer_s16(x, rounding, of_nan) ((s16)integer_within(x, rounding, LOW_s16, HIGH_s16, of_nan))
#define integer_s32(x, rounding, of_nan) integer_within(x, rounding, LOW_s32, HIGH_s32, of_nan)

/* The range of u32, moved to that of s32 and back. */
INLINE u32 integer_u32(f64 x, unsigned rounding, u32 of_nan)
{
    const f64 moved = integral64(x, rounding) - 0x1p31;
    return (u32)integer_within(moved, ROUND_NEAREST, LOW_s32, HIGH_s32, (s32)(of_nan ^ SIGN32)) ^ SIGN32;
}

/* f32 to 32 bits towards zero: what is inside the range is cut, the rest is its ends, and NaN is 0. */
INLINE s32 cut_to_s32(f32 x)
{
    const bool inside = (x >= -0x1p31f) & (x < 0x1p31f);
    const u32 end = pick32(x >= 0x1p31f, (u32)INT32_MAX, pick32(x < 0.0f, (u32)INT32_MIN, 0));
    return (s32)pick32(inside, (u32)(s32)float32(pick32(inside, bits32(x), 0)), end);
}

INLINE u32 cut_to_u32(f32 x)
{
    const bool inside = (x > -1.0f) & (x < 0x1p32f);
    const u32 end = pick32(x >= 0x1p32f, UINT32_MAX, 0);
    return pick32(inside, (u32)float32(pick32(inside, bits32(x), 0)), end);
}

INLINE s64 integer_s64(f64 x, unsigned rounding, s64 of_nan)
{
    const f64 r = integral64(x, rounding);
    const bool inside = (r >= -0x1p63) & (r < 0x1p63);
    const u64 outside = pick64(r > 0.0, (u64)INT64_MAX, (u64)INT64_MIN);
    const u64 value = pick64(inside, (u64)(s64)when64(inside, r), outside);
    return (s64)pick64(is_nan64(x), (u64)of_nan, value);
}

INLINE u64 integer_u64(f64 x, unsigned rounding, u64 of_nan)
{
    const f64 r = integral64(x, rounding);
    const bool inside = (r >= 0.0) & (r < 0x1p64);
    const u64 value = pick64(inside, (u64)when64(inside, r), pick64(r > 0.0, UINT64_MAX, 0));
    return pick64(is_nan64(x), of_nan, value);
}

/* Widening keeps a NaN's payload in the upper bits, and quiets it. */
INLINE f64 f32_to_f64(f32 x)
{
    const u64 sign = (u64)(bits32(x) & SIGN32) << 32;
    const u64 nan = sign | (u64)0x7ff8 << 48 | (u64)(bits32(x) & 0x7fffffu) << 29;
    return float64(pick64(is_nan32(x), nan, bits64((f64)x)));
}

INLINE f32 e4m3_to_f32(u32 code)
{
    const u32 magnitude = code & 0x7fu;
    const f32 subnormal = (f32)(s32)magnitude * 0x1p-9f;
    const u32 normal = (magnitude << 20) + (120u << 23);
    const u32 number = pick32(magnitude < 8, bits32(subnormal), normal);
    return float32(pick32(magnitude == 0x7f, NAN32_BITS, number | (code & 0x80u) << 24));
}

/* e5m2 is the upper half of an f16. */
INLINE f32 e5m2_to_f32(u32 code) { return f16_to_f32((h16)(code << 8)); }

INLINE f64 saturate_if64(f64 x, bool sat) { return float64(pick64(sat, bits64(saturate64(x)), bits64(x))); }

INLINE f32 round_to_f32(f64 x, LaneMods m)
{
    return finish32(float32(narrow(x, FORMAT_F32, m.rounding, false)), m.ftz, m.sat);
}

/* The f64 operand of cvt.f32.f64; `scaled` is for .ftz, as in finish_scaled32(). */
INLINE f32 f64_to_f32(f64 x, LaneMods m)
{
    const u32 scaled = narrow(x * 0x1p24, FORMAT_F32, m.rounding, false) & ~SIGN32;
    const bool tiny = scaled < bits32(0x1p-102f);
    const u32 keep = pick32(m.ftz & tiny, SIGN32, 0xffffffffu);
    const f32 plain = float32(narrow_operand(x, FORMAT_F32, m.rounding) & keep);
    return float32(pick32(m.sat, bits32(saturate32(plain)), bits32(plain)));
}

INLINE h16 f64_to_f16(f64 x, LaneMods m)
{
    return (h16)clamp_code(narrow_operand(x, FORMAT_F16, m.rounding), FORMAT_F16, m);
}

INLINE h16 f64_to_bf16(f64 x, LaneMods m) { return (h16)narrow_operand(x, FORMAT_BF16, m.rounding); }

INLINE u32 round_to(f64 x, Format format, LaneMods m)
{
    return clamp_code(narrow(x, format, m.rounding, m.satfinite), format, m);
}

INLINE h16 round_to_f16(f64 x, LaneMods m) { return (h16)round_to(x, FORMAT_F16, m); }
INLINE h16 round_to_bf16(f64 x, LaneMods m) { return (h16)round_to(x, FORMAT_BF16, m); }
INLINE u32 round_to_e4m3(f64 x, LaneMods m) { return round_to(x, FORMAT_E4M3, m); }
INLINE u32 round_to_e5m2(f64 x, LaneMods m) { return round_to(x, FORMAT_E5M2, m); }

/* tf32 is an f32 with 13 bits less, so that rounding is a carry into the bits that stay. */
INLINE u32 round_to_tf32(f32 x, LaneMods m)
{
    const u32 magnitude = bits32(x) & ~SIGN32, sign = bits32(x) & SIGN32, infinity = 0x7f800000u;
    const u32 carry = pick32(m.rounding == ROUND_NEAREST, 0xfffu + (magnitude >> 13 & 1), 0);
    const u32 rounded = (magnitude + carry) & ~0x1fffu;
    const u32 number = pick32(m.satfinite & (rounded >= infinity), 0x7f7fe000u, rounded) | sign;
    const u32 clamped = pick32(m.relu & (sign != 0), 0, number);
    return pick32(magnitude > infinity, NAN32_BITS & ~0x1fffu, clamped);
}

/* .rna is older and knows no NaN: bits past the largest exponent are cut without a carry, and .satfinite
 * takes one unit from whatever has it. */
INLINE u32 round_away_to_tf32(f32 x, LaneMods m)
{
    const u32 magnitude = bits32(x) & ~SIGN32, sign = bits32(x) & SIGN32, infinity = 0x7f800000u;
    const u32 rounded = (magnitude + pick32(magnitude < infinity, 0x1000u, 0)) & ~0x1fffu;
    return (rounded - pick32(m.satfinite & (rounded >= infinity), 0x2000u, 0)) | sign;
}

#include "isa/convert.def"
