/* The special function unit: special values as PTX lists them, around the series of float_series.h. */
#include "isa/define.h"
#include "isa/float_series.h"

INLINE f32 exp2_f32(f32 x)
{
    const f32 r = (f32)series_exp2(x);
    return float32(pick32(is_nan32(x), NAN32_BITS, bits32(r)));
}

INLINE f32 log2_f32(f32 x)
{
    const u32 bits = bits32(x), infinity = 0x7f800000u;
    const u32 series = bits32((f32)series_log2(x));
    const u32 of_positive = pick32(bits == infinity, infinity, series);
    const u32 of_number = pick32((bits & ~SIGN32) == 0, infinity | SIGN32, of_positive);
    const bool invalid = (bits > infinity) & (bits != SIGN32); /* NaN, or negative */
    return float32(pick32(invalid, NAN32_BITS, of_number));
}

/* Turns: the unit takes its argument in units of 2 pi, and what a program passes is multiplied before
 * by 1/(2 pi) in single precision, rounded towards zero. That product's error is what PTX's bound for
 * large arguments is about. */
INLINE f32 turns_f32(f32 x)
{
    const f64 exact = (f64)x * (f64)0x1.45f306p-3f;
    const f32 nearest = (f32)exact;
    const bool beyond = (f64)float32(bits32(nearest) & ~SIGN32) > float64(bits64(exact) & ~SIGN64);
    return float32(bits32(nearest) - beyond);
}

/* The part of a number of turns past the nearest whole one, in [-1/2, 1/2]; NaN for infinities. */
INLINE f64 partial_turn(f32 turns) { return (f64)turns - __builtin_rint((f64)turns); }

/* Beyond a quarter turn the sine comes back: sin(2 pi r) = sin(2 pi (1/2 - r)). */
INLINE f32 sin_f32(f32 x)
{
    const f64 r = partial_turn(turns_f32(x));
    const u64 sign = bits64(r) & SIGN64;
    const f64 magnitude = float64(bits64(r) ^ sign);
    const f64 rest = 0.5 - magnitude;
    const f64 folded = magnitude < rest ? magnitude : rest;
    const u32 s = bits32((f32)series_sine(float64(bits64(folded) ^ sign)));
    return float32(pick32((s & ~SIGN32) == 0, bits32(x) & SIGN32, s));
}

INLINE f32 cos_f32(f32 x)
{
    const f64 r = partial_turn(turns_f32(x));
    return (f32)series_sine(0.25 - float64(bits64(r) & ~SIGN64));
}

INLINE f32 tanh_f32(f32 x)
{
    const f32 r = (f32)series_tanh(x);
    return float32(pick32(is_nan32(x), NAN32_BITS, bits32(r)));
}

#define SMALLEST_NORMAL32 0x1p-126f

/* a * (1/b). A subnormal b is scaled so that its reciprocal exists; the reciprocal of a b above 2^126
 * would be subnormal, and is zero. */
INLINE f32 divide_approx(f32 a, f32 b)
{
    const bool tiny = float32(bits32(b) & ~SIGN32) < SMALLEST_NORMAL32;
    const f32 scale = float32(pick32(tiny, bits32(0x1p24f), bits32(1.0f)));
    const f32 reciprocal = flush32(1.0f / (b * scale), true);
    return a * reciprocal * scale;
}

/* The same with both operands scaled, so that it holds for any b. */
INLINE f32 divide_full(f32 a, f32 b)
{
    const f32 magnitude = float32(bits32(b) & ~SIGN32);
    const u32 down = pick32(magnitude > 0x1p126f, bits32(0.25f), bits32(1.0f));
    const f32 scale = float32(pick32(magnitude < SMALLEST_NORMAL32, bits32(0x1p24f), down));
    return (a * scale) * (1.0f / (b * scale));
}

/* The .ftz forms of f64 rcp and rsqrt look at the upper 32 bits of their operand and give the upper 32 bits
 * of a result, cut off; subnormals are zero both ways. */
INLINE f64 high_operand(f64 x) { return flush64(float64(bits64(x) & 0xffffffff00000000u)); }

INLINE f64 high_result(f64 x)
{
    const u64 cut = bits64(flush64(x)) & 0xffffffff00000000u;
    return float64(pick64(is_nan64(x), (u64)NAN32_BITS << 32, cut));
}

#include "isa/special.def"
