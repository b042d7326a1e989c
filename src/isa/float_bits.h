/* What every floating-point lane function needs: bits, NaN rules, flushing, saturation, minima.
 *
 * Everything here selects by masks (pick32, pick64) and not by ?:, which compilers turn into branches as
 * soon as a side of it can be computed ahead; a loop over lanes would not become vector code then.
 *
 * The NaN rules live here and nowhere else: f32 has one NaN as result, f64 hands an operand's payload
 * on. */
#ifndef ISA_FLOAT_BITS_H
#define ISA_FLOAT_BITS_H

#include <string.h>

#include "isa/element.h"

/* For what is too long for compilers to inline unasked: a call in a lane loop keeps it from becoming
 * vector code. */
#define INLINE static inline __attribute__((always_inline))

/* condition ? yes : no. */
INLINE u32 pick32(bool condition, u32 yes, u32 no) { return no ^ ((yes ^ no) & (0 - (u32)condition)); }
INLINE u64 pick64(bool condition, u64 yes, u64 no) { return no ^ ((yes ^ no) & (0 - (u64)condition)); }

static inline u32 bits32(f32 x)
{
    u32 bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline f32 float32(u32 bits)
{
    f32 x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline u64 bits64(f64 x)
{
    u64 bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline f64 float64(u64 bits)
{
    f64 x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* x where the condition holds, else +0. */
INLINE f64 when64(bool condition, f64 x) { return float64(bits64(x) & (0 - (u64)condition)); }

#define SIGN32 0x80000000u
#define SIGN64 0x8000000000000000u
#define NAN32_BITS 0x7fffffffu
#define NAN64_BITS 0xfff8000000000000u /* made by an invalid f64 operation */
#define QUIET64 0x0008000000000000u

static inline bool is_nan32(f32 x) { return x != x; }
static inline bool is_nan64(f64 x) { return x != x; }

/* Subnormals to zeros of the same sign. */
static inline f32 flush32(f32 x, bool ftz)
{
    const u32 bits = bits32(x);
    const bool tiny = (bits & 0x7f800000u) == 0;
    return float32(bits & pick32(ftz & tiny, SIGN32, 0xffffffffu));
}

static inline f64 flush64(f64 x)
{
    const u64 bits = bits64(x);
    return float64(pick64((bits & 0x7ff0000000000000u) == 0, bits & SIGN64, bits));
}

/* To [0, 1]; NaN and -0 become +0, since no comparison with them is true. */
static inline f32 saturate32(f32 x)
{
    const u32 positive = pick32(x > 0.0f, bits32(x), 0);
    return float32(pick32(float32(positive) < 1.0f, positive, bits32(1.0f)));
}

static inline f64 saturate64(f64 x)
{
    const u64 positive = pick64(x > 0.0, bits64(x), 0);
    return float64(pick64(float64(positive) < 1.0, positive, bits64(1.0)));
}

/* The result of f32 arithmetic: any NaN is the canonical one. */
static inline f32 canonical32(f32 x) { return float32(pick32(is_nan32(x), NAN32_BITS, bits32(x))); }

/* The result of f32 arithmetic with .ftz and .sat as given. */
static inline f32 finish32(f32 x, bool ftz, bool sat)
{
    const f32 plain = flush32(canonical32(x), ftz);
    return float32(pick32(sat, bits32(saturate32(plain)), bits32(plain)));
}

/* The same for a result that an exact value below the smallest normal number may have been rounded up to.
 * .ftz flushes it if it would be below that number even with an exponent of unlimited range: `scaled` is
 * the result with the exact value times 2^24. */
static inline f32 finish_scaled32(f32 x, f32 scaled, bool ftz, bool sat)
{
    const bool tiny = (bits32(scaled) & ~SIGN32) < bits32(0x1p-102f);
    const f32 plain = float32(bits32(canonical32(x)) & pick32(ftz & tiny, SIGN32, 0xffffffffu));
    return float32(pick32(sat, bits32(saturate32(plain)), bits32(plain)));
}

/* Products, quotients and what else can be rounded up that far. The operand that is scaled overflows only
 * where the result is far from tiny. */
static inline f32 multiply_flush32(f32 a, f32 b, bool ftz, bool sat)
{
    const f32 x = flush32(a, ftz), y = flush32(b, ftz);
    return finish_scaled32(x * y, x * 0x1p24f * y, ftz, sat);
}

static inline f32 divide_flush32(f32 a, f32 b, bool ftz)
{
    const f32 x = flush32(a, ftz), y = flush32(b, ftz);
    return finish_scaled32(x / y, x * 0x1p24f / y, ftz, false);
}

static inline f32 fma_flush32(f32 a, f32 b, f32 c, bool ftz, bool sat)
{
    const f32 x = flush32(a, ftz), y = flush32(b, ftz), z = flush32(c, ftz);
    const f32 scaled = __builtin_fmaf(x * 0x1p24f, y, z * 0x1p24f);
    return finish_scaled32(__builtin_fmaf(x, y, z), scaled, ftz, sat);
}

static inline f64 quiet64(f64 nan) { return float64(bits64(nan) | QUIET64); }

/* The NaN rule of f64 arithmetic, for a result r of operands a, b, c: of those that are NaNs b goes before
 * c and c before a, and is quieted; if none is, the operation was invalid. Operations of fewer operands
 * repeat one, so that of a and b, b wins. Division is made of several operations, and there a wins. */
static inline f64 propagate64(f64 r, f64 a, f64 b, f64 c)
{
    const u64 third = pick64(is_nan64(a), bits64(quiet64(a)), NAN64_BITS);
    const u64 second = pick64(is_nan64(c), bits64(quiet64(c)), third);
    const u64 first = pick64(is_nan64(b), bits64(quiet64(b)), second);
    return float64(pick64(is_nan64(r), first, bits64(r)));
}

static inline f64 propagate_divide64(f64 r, f64 a, f64 b) { return propagate64(r, b, a, a); }

/* neg and abs of f64 are additions: a NaN keeps its sign and is quieted. */
static inline f64 with_sign64(f64 x, u64 sign)
{
    const u64 number = (bits64(x) & ~SIGN64) | sign;
    return float64(pick64(is_nan64(x), bits64(quiet64(x)), number));
}

/* Minimum and maximum: of a number and a NaN the number, of two NaNs the canonical one; -0 < +0.
 * Equal operands differ at most in the sign of zero: for them the bits are joined. */
static inline f32 min32(f32 a, f32 b)
{
    const u32 less = pick32(a < b, bits32(a), bits32(b));
    const u32 ordered = pick32(a == b, bits32(a) | bits32(b), less);
    const u32 number = pick32(is_nan32(b), bits32(a), ordered);
    const f32 r = float32(pick32(is_nan32(a), bits32(b), number));
    return canonical32(r);
}

static inline f32 max32(f32 a, f32 b)
{
    const u32 more = pick32(a > b, bits32(a), bits32(b));
    const u32 ordered = pick32(a == b, bits32(a) & bits32(b), more);
    const u32 number = pick32(is_nan32(b), bits32(a), ordered);
    const f32 r = float32(pick32(is_nan32(a), bits32(b), number));
    return canonical32(r);
}

static inline f64 min64(f64 a, f64 b)
{
    const u64 less = pick64(a < b, bits64(a), bits64(b));
    const u64 ordered = pick64(a == b, bits64(a) | bits64(b), less);
    const u64 number = pick64(is_nan64(b), bits64(a), ordered);
    const f64 r = float64(pick64(is_nan64(a), bits64(b), number));
    return propagate64(r, a, b, b);
}

static inline f64 max64(f64 a, f64 b)
{
    const u64 more = pick64(a > b, bits64(a), bits64(b));
    const u64 ordered = pick64(a == b, bits64(a) & bits64(b), more);
    const u64 number = pick64(is_nan64(b), bits64(a), ordered);
    const f64 r = float64(pick64(is_nan64(a), bits64(b), number));
    return propagate64(r, a, b, b);
}

/* min and max with .NaN (any NaN gives NaN) and .xorsign.abs (compare magnitudes, then give the result
 * the sign that the product would have). `larger` says which. */
static inline f32 extremum32(f32 a, f32 b, bool larger, bool nan, bool xorsign)
{
    const u32 sign_bit = pick32(xorsign, SIGN32, 0);
    const f32 x = float32(bits32(a) & ~sign_bit), y = float32(bits32(b) & ~sign_bit);
    const f32 r = larger ? max32(x, y) : min32(x, y);
    const bool a_nan = is_nan32(a), b_nan = is_nan32(b), both_nan = is_nan32(r);
    const bool invalid = both_nan | (nan & (a_nan | b_nan));
    return float32(pick32(invalid, NAN32_BITS, bits32(r) | ((bits32(a) ^ bits32(b)) & sign_bit)));
}

#endif
