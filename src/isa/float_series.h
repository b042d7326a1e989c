/* Elementary functions for the .approx instructions: range reduction and a minimax polynomial in double
 * precision, accurate to 2^-34 or better, so that rounding to f32 or less decides the last bit.
 *
 * The polynomials are summed in pairs, since a chain of additions and multiplications would wait for
 * itself. No table, no branch, no call: the loops that use these become vector code. None of them looks
 * at NaN or at the special values that PTX lists; the lane functions do. */
#ifndef ISA_FLOAT_SERIES_H
#define ISA_FLOAT_SERIES_H

#include "isa/float_bits.h"

/* Adding this puts a number's nearest integer into the low bits of the sum. */
#define ROUNDING_SHIFT 0x1.8p52

/* x cut to [-limit, limit]. */
INLINE f64 clamp64(f64 x, f64 limit)
{
    const u64 low = pick64(x > -limit, bits64(x), bits64(-limit));
    return float64(pick64(float64(low) < limit, low, bits64(limit)));
}

/* 2^x. Past +-400 every result format has overflowed or vanished. */
INLINE f64 series_exp2(f64 x)
{
    const f64 y = clamp64(x, 400.0);
    const f64 shifted = y + ROUNDING_SHIFT;
    const f64 r = y - (shifted - ROUNDING_SHIFT);
    const f64 r2 = r * r;
    const f64 low = (0x1.ffffffffabbcep-1 + 0x1.62e42ff11628dp-1 * r) +
                    (0x1.ebfbe0a4be775p-3 + 0x1.c6b08aaf2eb0bp-5 * r) * r2;
    const f64 high = (0x1.3b29dc40ddc8ep-7 + 0x1.5d8a70886bd8bp-10 * r) +
                     (0x1.446a1fd609e3ap-13 + 0x1.fe1783cfe3fc0p-17 * r) * r2;
    const f64 p = low + high * (r2 * r2);
    return float64(bits64(p) + (bits64(shifted) << 52));
}

/* log2 of a positive finite number that is normal as a double: the exponent, and for a mantissa m in
 * [sqrt(1/2), sqrt(2)) the series of atanh((m - 1) / (m + 1)). */
INLINE f64 series_log2(f64 x)
{
    const u64 root_half = 0x3fe6a09e667f3bcdu;
    const u64 steps = (bits64(x) - root_half) >> 52; /* modulo 4096 */
    const f64 m = float64(bits64(x) - (steps << 52));
    const f64 exponent = float64(bits64(ROUNDING_SHIFT) + steps) - ROUNDING_SHIFT;
    const f64 whole = exponent - when64(exponent >= 2048.0, 4096.0);
    const f64 s = (m - 1.0) / (m + 1.0), z = s * s;
    const f64 z2 = z * z;
    const f64 low = 0x1.71547652b8251p+1 + 0x1.ec709dc53c676p-1 * z;
    const f64 middle = 0x1.2776c2933e546p-1 + 0x1.a61a2ec9e534bp-2 * z;
    const f64 high = 0x1.4795563220119p-2 + 0x1.21b0ea96e8ff7p-2 * z;
    const f64 p = low + (middle + high * z2) * z2;
    return p * s + whole;
}

/* sin(2 pi r) for r in [-1/4, 1/4]. */
INLINE f64 series_sine(f64 r)
{
    const f64 z = r * r, z2 = z * z;
    const f64 low = (0x1.921fb54442b5fp+2 - 0x1.4abbce6247ec4p+5 * z) +
                    (0x1.466bc66dc7d91p+6 - 0x1.32d2c96c61292p+6 * z) * z2;
    const f64 high = (0x1.5076fe9f66feap+5 - 0x1.e297cfd4b2c98p+3 * z) + 0x1.d4ec698914699p+1 * z2;
    const f64 p = low + high * (z2 * z2);
    return p * r;
}

/* tanh, by 2^(2x / ln 2). GPUs give x itself below 2^-8, where that cancels, and 1 from 8 on. */
INLINE f64 series_tanh(f64 x)
{
    const u64 sign = bits64(x) & SIGN64;
    const f64 y = clamp64(x, 8.0), magnitude = float64(bits64(y) & ~SIGN64);
    const f64 power = series_exp2(y * 0x1.71547652b82fep+1);
    const u64 inside = bits64((power - 1.0) / (power + 1.0));
    const u64 from_small = pick64(magnitude < 0x1p-8, bits64(y), inside);
    return float64(pick64(magnitude < 8.0, from_small, bits64(1.0) | sign));
}

#endif
