/* Rounding to formats that the host has no arithmetic for, and widening from them.
 *
 * A result that needs one correct rounding is first brought into a double either exactly or rounded to
 * odd (the last bit set where anything was lost); narrow() then rounds once: to nearest even, to zero,
 * down or up. */
#ifndef ISA_FLOAT_NARROW_H
#define ISA_FLOAT_NARROW_H

#include "isa/float_bits.h"

/* One more direction than PTX has, for intermediate results. */
enum { ROUND_ODD = ROUND_NEAREST_AWAY + 1 };

/* A binary format of up to 32 bits: sign, exponent, mantissa. max_finite is the largest magnitude;
 * formats without infinity (e4m3) have it just below their only NaN. */
typedef struct Format {
    int mantissa; /* bits */
    int bias;
    u32 infinity; /* code of overflow without .satfinite */
    u32 max_finite;
    u32 nan;
    u32 sign;
} Format;

static const Format FORMAT_F16 = {10, 15, 0x7c00, 0x7bff, 0x7fff, 0x8000};
static const Format FORMAT_BF16 = {7, 127, 0x7f80, 0x7f7f, 0x7fff, 0x8000};
static const Format FORMAT_F32 = {23, 127, 0x7f800000, 0x7f7fffff, NAN32_BITS, SIGN32};
static const Format FORMAT_E4M3 = {3, 7, 0x7f, 0x7e, 0x7f, 0x80};
static const Format FORMAT_E5M2 = {2, 15, 0x7c, 0x7b, 0x7f, 0x80};

/* Rounds a magnitude to multiples of `unit`, a power of two: adding 2^52 units and taking them away again
 * rounds to the nearest, and the other directions are at most one unit from there. */
INLINE f64 round_to_unit(f64 exact, f64 unit, bool negative, unsigned rounding)
{
    const f64 shifter = unit * 0x1p52;
    const f64 nearest = (exact + shifter) - shifter;
    const f64 inward = nearest - when64(nearest > exact, unit);
    const f64 outward = nearest + when64(nearest < exact, unit);
    const bool goes_out = rounding == pick32(negative, ROUND_DOWN, ROUND_UP);
    const u64 directed = pick64(goes_out, bits64(outward), bits64(inward));
    return float64(pick64(rounding == ROUND_NEAREST, bits64(nearest), directed));
}

/* Rounds x to the format. Past the largest finite number: infinity, or that number where the direction
 * leads back or `finite` asks for it (then also for infinities). Numbers that overflow every format are
 * cut down first, so that the arithmetic does not overflow. */
INLINE u32 narrow(f64 x, Format format, unsigned rounding, bool finite)
{
    const u64 magnitude = bits64(x) & ~SIGN64, infinite = (u64)0x7ff << 52;
    const bool negative = bits64(x) >> 63;
    const u64 smallest = (u64)(1023 - format.bias + 1); /* biased exponent of the smallest normal number */
    const u64 huge = (u64)(1023 + 200) << 52;
    const u64 cut = pick64(magnitude < huge, magnitude, huge);
    const u64 exponent = pick64(cut >> 52 < smallest, smallest, cut >> 52);
    const f64 unit = float64((exponent - (u64)format.mantissa) << 52);
    const f64 rounded = round_to_unit(float64(cut), unit, negative, rounding);

    const f64 smallest_normal = float64(smallest << 52);
    const int shift = 52 - format.mantissa;
    const u64 normal = (bits64(rounded) >> shift) - ((smallest - 1) << format.mantissa);
    const u64 subnormal = (bits64(rounded + smallest_normal) >> shift) - (smallest << format.mantissa);
    const u64 code = pick64(rounded < smallest_normal, subnormal, normal);

    const bool outward = (rounding == ROUND_NEAREST) | (rounding == pick32(negative, ROUND_DOWN, ROUND_UP));
    const bool to_infinity = (outward | (magnitude == infinite)) & !finite;
    const u64 past = pick64(to_infinity, format.infinity, format.max_finite);
    const u64 sign = (bits64(x) >> 63) * format.sign;
    const u64 result = pick64(code > format.max_finite, past, code) | sign;
    return (u32)pick64(magnitude > infinite, format.nan, result);
}

/* An f64 NaN as operand of cvt: it hands on its sign and the upper bits of its payload, and is quieted. */
INLINE u32 narrow_nan(f64 nan, Format format)
{
    const u32 payload = (u32)(bits64(nan) >> (52 - format.mantissa)) & (((u32)1 << format.mantissa) - 1);
    const u32 sign = (u32)(bits64(nan) >> 63) * format.sign;
    return sign | format.infinity | payload | (u32)1 << (format.mantissa - 1);
}

INLINE u32 narrow_operand(f64 x, Format format, unsigned rounding)
{
    return pick32(is_nan64(x), narrow_nan(x, format), narrow(x, format, rounding, false));
}

/* .sat and .relu, on a code of the format. A NaN has no sign, so codes above infinity are NaN or negative:
 * for .sat they are 0. */
INLINE u32 clamp_code(u32 code, Format format, LaneMods m)
{
    const u32 one = (u32)format.bias << format.mantissa;
    const u32 at_most_one = pick32(code > one, one, code);
    const u32 saturated = pick32(code > format.infinity, 0, at_most_one);
    const u32 x = pick32(m.sat, saturated, code);
    return pick32(m.relu & ((x & format.sign) != 0), 0, x);
}

/* s rounded to odd, where s + error is the exact value. */
INLINE f64 make_odd(f64 s, f64 error)
{
    const u64 bits = bits64(s);
    const u64 inexact = error != 0.0;
    const u64 toward = 1 - ((bits64(error) ^ bits) >> 63) * 2;
    return float64(bits + (inexact & ~bits & 1) * toward);
}

/* a + b rounded to odd; neither may be so large that the sum overflows. The error term of infinities
 * and NaNs is a NaN, which compares unequal to 0: they are left as they are. */
INLINE f64 add_odd(f64 a, f64 b)
{
    const f64 s = a + b;
    const f64 part = s - a;
    const f64 error = (a - (s - part)) + (b - part);
    const bool finite = (bits64(s) >> 52 & 0x7ff) != 0x7ff;
    return make_odd(s, float64(pick64(finite, bits64(error), 0)));
}

/* An integer given by sign and magnitude, as a double. From 2^53 on it has more bits than that: those
 * below the double's last one are rounded away first. */
INLINE f64 integer_to_f64(u64 magnitude, bool negative, unsigned rounding)
{
    const int top = 63 - __builtin_clzll(magnitude | 1);
    const int shift = top > 52 ? top - 52 : 0;
    const u64 rest_mask = ((u64)1 << shift) - 1, rest = magnitude & rest_mask;
    const u64 kept = magnitude >> shift;
    const u64 half = rest_mask - (rest_mask >> 1);
    const bool outward = rounding == pick32(negative, ROUND_DOWN, ROUND_UP) && rest;
    const bool nearest = rounding == ROUND_NEAREST && (rest > half || (rest && rest == half && (kept & 1)));
    const bool odd = rounding == ROUND_ODD && rest && !(kept & 1);
    const f64 value = (f64)(s64)(kept + (outward || nearest || odd)) * float64((u64)(1023 + shift) << 52);
    return negative ? -value : value;
}

/* f16 and bf16 as f32: exact; a NaN keeps its payload and stays a NaN. */
INLINE f32 f16_to_f32(h16 h)
{
    const u32 magnitude = h & 0x7fffu;
    const u32 sign = (u32)(h & 0x8000u) << 16;
    const f32 small = (f32)(s32)magnitude * 0x1p-24f;
    const u32 normal = (magnitude << 13) + (112u << 23);
    const u32 special = (magnitude << 13) | 0x7f800000u;
    const u32 large = pick32(magnitude >= 0x7c00u, special, normal);
    return float32(pick32(magnitude < 0x400u, bits32(small), large) | sign);
}

static inline f32 bf16_to_f32(h16 h) { return float32((u32)h << 16); }

#endif
