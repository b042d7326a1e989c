/* f16 and bf16 arithmetic, correctly rounded.
 *
 * A double holds sums and products of halves exactly or so finely that rounding twice cannot differ from
 * rounding once (53 bits are more than twice 11 and two more); the one exception, fma, is rounded to odd
 * first. */
#include "isa/define.h"
#include "isa/float_narrow.h"
#include "isa/float_series.h"

#define f16_INFINITY 0x7c00u
#define bf16_INFINITY 0x7f80u

/* Value of a half operand, and half of a result, with the suffixes of the instruction. `exponents` are
 * the bits of the exponent field. */
INLINE u32 half_flush(u32 h, u32 exponents, bool ftz)
{
    return h & pick32(ftz & ((h & exponents) == 0), 0x8000u, 0xffffu);
}

/* .ftz flushes a result that would round below the smallest normal number had it an exponent of unlimited
 * range. Tenths of a unit matter: r must not be rounded to the format before. */
INLINE h16 half_finish(f64 r, Format format, LaneMods m)
{
    const f64 smallest_normal = float64((u64)(1023 - format.bias + 1) << 52);
    const f64 half_unit = float64((u64)(1023 - format.bias - format.mantissa - 1) << 52);
    const bool tiny = __builtin_fabs(r) < smallest_normal - half_unit;
    const u32 rounded = narrow(r, format, ROUND_NEAREST, false);
    return (h16)clamp_code(rounded & pick32(m.ftz & tiny, format.sign, 0xffffu), format, m);
}

INLINE f64 f16_value(h16 h, LaneMods m) { return f16_to_f32((h16)half_flush(h, f16_INFINITY, m.ftz)); }
INLINE f64 bf16_value(h16 h, LaneMods m) { return bf16_to_f32((h16)half_flush(h, bf16_INFINITY, m.ftz)); }
INLINE h16 f16_finish(f64 r, LaneMods m) { return half_finish(r, FORMAT_F16, m); }
INLINE h16 bf16_finish(f64 r, LaneMods m) { return half_finish(r, FORMAT_BF16, m); }

/* The special function unit computes in f32 and cuts the result off; only overflow is not cut. r is a
 * function of x. */
INLINE h16 half_cut(f64 r, f64 x, Format format, LaneMods m)
{
    const f64 single = (f64)(f32)r, past = float64((u64)(1023 + format.bias + 1) << 52);
    const u32 cut = pick32(single < past, narrow(single, format, ROUND_ZERO, false), format.infinity);
    return (h16)half_flush(pick32(is_nan64(x), format.nan, cut), format.infinity, m.ftz);
}

INLINE h16 f16_cut(f64 r, f64 x, LaneMods m) { return half_cut(r, x, FORMAT_F16, m); }
INLINE h16 bf16_cut(f64 r, f64 x, LaneMods m) { return half_cut(r, x, FORMAT_BF16, m); }

/* A number that grows with the value of a half, -0 below +0. */
INLINE u32 half_order(u32 h) { return h ^ pick32(h >> 15, 0xffffu, 0x8000u); }

/* Minimum or maximum with the rules of extremum32, on the codes: `infinity` ends the numbers. */
INLINE h16 half_extremum(u32 first, u32 second, u32 infinity, bool larger, LaneMods m)
{
    const u32 a = half_flush(first, infinity, m.ftz), b = half_flush(second, infinity, m.ftz);
    const u32 sign_bit = pick32(m.xorsign, 0x8000u, 0);
    const u32 x = a & ~sign_bit, y = b & ~sign_bit, sign = (a ^ b) & sign_bit;
    const bool a_nan = (a & 0x7fffu) > infinity, b_nan = (b & 0x7fffu) > infinity;
    const bool takes_x = (half_order(x) > half_order(y)) == larger;
    const u32 number = pick32(a_nan, y, pick32(b_nan, x, pick32(takes_x, x, y)));
    const bool invalid = (a_nan & b_nan) | (m.nan & (a_nan | b_nan));
    return (h16)pick32(invalid, 0x7fffu, number | sign);
}

/* The NaN that a tensor copy puts where its box leaves the tensor, of either sign: .oob takes a product
 * with it for 0. */
#define OUT_OF_BOUNDS 0x7ff7u
#define MAGNITUDE16 0x7fffu

#define HALF_FUNCTIONS(F)                                                                                    \
    INLINE h16 F##_add(h16 a, h16 b, LaneMods m)                                                             \
    {                                                                                                        \
        return F##_finish(F##_value(a, m) + F##_value(b, m), m);                                             \
    }                                                                                                        \
    INLINE h16 F##_sub(h16 a, h16 b, LaneMods m)                                                             \
    {                                                                                                        \
        return F##_finish(F##_value(a, m) - F##_value(b, m), m);                                             \
    }                                                                                                        \
    INLINE h16 F##_mul(h16 a, h16 b, LaneMods m)                                                             \
    {                                                                                                        \
        return F##_finish(F##_value(a, m) * F##_value(b, m), m);                                             \
    }                                                                                                        \
    INLINE h16 F##_fma(h16 a, h16 b, h16 c, LaneMods m)                                                      \
    {                                                                                                        \
        return F##_finish(add_odd(F##_value(a, m) * F##_value(b, m), F##_value(c, m)), m);                   \
    }                                                                                                        \
    INLINE h16 F##_fma_oob(h16 a, h16 b, h16 c, LaneMods m)                                                  \
    {                                                                                                        \
        const bool outside = ((a & MAGNITUDE16) == OUT_OF_BOUNDS) | ((b & MAGNITUDE16) == OUT_OF_BOUNDS);    \
        return (h16)pick32(outside, 0, F##_fma(a, b, c, m));                                                 \
    }                                                                                                        \
    INLINE h16 F##_neg(h16 a, LaneMods m) { return F##_finish(-F##_value(a, m), m); }                        \
    INLINE h16 F##_abs(h16 a, LaneMods m) { return F##_finish(__builtin_fabs(F##_value(a, m)), m); }         \
    INLINE h16 F##_min(h16 a, h16 b, LaneMods m) { return half_extremum(a, b, F##_INFINITY, false, m); }     \
    INLINE h16 F##_max(h16 a, h16 b, LaneMods m) { return half_extremum(a, b, F##_INFINITY, true, m); }      \
    INLINE h16 F##_ex2(h16 a, LaneMods m)                                                                    \
    {                                                                                                        \
        const f64 x = F##_value(a, m);                                                                       \
        return F##_cut(series_exp2(x), x, m);                                                                \
    }                                                                                                        \
    INLINE h16 F##_tanh(h16 a, LaneMods m)                                                                   \
    {                                                                                                        \
        const f64 x = F##_value(a, m);                                                                       \
        return F##_cut(series_tanh(x), x, m);                                                                \
    }

HALF_FUNCTIONS(f16)
HALF_FUNCTIONS(bf16)

/* A function of the low and of the high halves of the operands. */
#define PAIR(low, high) ((u32)(low) | (u32)(high) << 16)
#define PAIR1(function) PAIR(function((h16)a, m), function((h16)(a >> 16), m))
#define PAIR2(function) PAIR(function((h16)a, (h16)b, m), function((h16)(a >> 16), (h16)(b >> 16), m))
#define PAIR3(function)                                                                                      \
    PAIR(function((h16)a, (h16)b, (h16)c, m), function((h16)(a >> 16), (h16)(b >> 16), (h16)(c >> 16), m))

#include "isa/half.def"
