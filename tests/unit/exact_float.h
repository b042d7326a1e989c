/* The reference of the floating-point tests: numbers as integers times powers of two, so that sums,
 * products, quotients and roots are exact (or known to lie just above a number), and one function that
 * rounds them to a format. It shares nothing with the code under test. */
#ifndef TESTS_EXACT_FLOAT_H
#define TESTS_EXACT_FLOAT_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/lane.h"

__extension__ typedef unsigned __int128 Bits128;

typedef struct ExactFormat {
    int mantissa, exponent; /* bits */
    uint64_t nan;           /* what an invalid operation gives */
    bool no_infinity;       /* e4m3: the largest exponent holds numbers, all ones is the NaN */
} ExactFormat;

static const ExactFormat exact_f16 = {10, 5, 0x7fff, false};
static const ExactFormat exact_bf16 = {7, 8, 0x7fff, false};
static const ExactFormat exact_f32 = {23, 8, 0x7fffffff, false};
static const ExactFormat exact_f64 = {52, 11, 0xfff8000000000000u, false};
static const ExactFormat exact_e4m3 = {3, 4, 0x7f, true};
static const ExactFormat exact_e5m2 = {2, 5, 0x7f, false};

typedef enum ExactKind { EXACT_NUMBER, EXACT_INFINITY, EXACT_NAN } ExactKind;

/* (-1)^negative * m * 2^e, plus less than 2^e in magnitude where `sticky` is set. */
typedef struct Exact {
    ExactKind kind;
    bool negative, sticky;
    Bits128 m;
    int e;
} Exact;

static inline int exact_bias(ExactFormat f) { return (1 << (f.exponent - 1)) - 1; }
static inline uint64_t exact_sign_bit(ExactFormat f) { return (uint64_t)1 << (f.mantissa + f.exponent); }

static inline uint64_t exact_infinity(ExactFormat f)
{
    return (((uint64_t)1 << f.exponent) - 1) << f.mantissa;
}

static inline Exact exact_from(uint64_t bits, ExactFormat f)
{
    const uint64_t magnitude = bits & (exact_sign_bit(f) - 1);
    const int field = (int)(magnitude >> f.mantissa);
    const uint64_t fraction = magnitude & (((uint64_t)1 << f.mantissa) - 1);
    Exact x = {.negative = (bits & exact_sign_bit(f)) != 0};
    if (f.no_infinity ? magnitude == exact_sign_bit(f) - 1 : magnitude > exact_infinity(f))
        x.kind = EXACT_NAN;
    else if (!f.no_infinity && magnitude == exact_infinity(f))
        x.kind = EXACT_INFINITY;
    x.m = field ? fraction | (uint64_t)1 << f.mantissa : fraction;
    x.e = (field ? field : 1) - exact_bias(f) - f.mantissa;
    return x;
}

static inline int exact_length(Bits128 m)
{
    int n = 0;
    for (; m; m >>= 1)
        n++;
    return n;
}

/* m / 2^shift rounded; `sticky` as above. */
static inline Bits128 exact_shift(Exact x, int shift, Rounding rounding)
{
    if (shift <= 0)
        return x.m << -shift;
    const Bits128 kept = shift < 128 ? x.m >> shift : 0;
    const Bits128 rest = shift < 128 ? x.m & (((Bits128)1 << shift) - 1) : x.m;
    const Bits128 half = shift <= 128 ? (Bits128)1 << (shift - 1) : 0;
    const bool any = rest || x.sticky;
    const bool above = half && (rest > half || (rest == half && x.sticky));
    const bool tie = half && rest == half && !x.sticky;
    switch (rounding) {
    case ROUND_NEAREST:
        return kept + (above || (tie && (kept & 1)));
    case ROUND_NEAREST_AWAY:
        return kept + (above || tie);
    case ROUND_DOWN:
        return kept + (any && x.negative);
    case ROUND_UP:
        return kept + (any && !x.negative);
    default:
        return kept;
    }
}

static inline uint64_t exact_to(Exact x, ExactFormat f, Rounding rounding)
{
    const uint64_t sign = x.negative ? exact_sign_bit(f) : 0;
    const uint64_t largest = f.no_infinity ? exact_sign_bit(f) - 2 : exact_infinity(f) - 1;
    if (x.kind == EXACT_NAN)
        return f.nan;
    if (x.kind == EXACT_INFINITY)
        return sign | exact_infinity(f);
    if (x.m == 0 && !x.sticky)
        return sign;
    const int top = exact_length(x.m) - 1 + x.e; /* exponent of the leading bit */
    const int lowest = 1 - exact_bias(f);
    const int unit = (top > lowest ? top : lowest) - f.mantissa;
    const uint64_t m = (uint64_t)exact_shift(x, unit - x.e, rounding);
    const uint64_t code = m + ((uint64_t)(unit + f.mantissa - lowest) << f.mantissa);
    const bool inward = rounding == ROUND_ZERO || (rounding == ROUND_DOWN && !x.negative) ||
                        (rounding == ROUND_UP && x.negative);
    if (code <= largest)
        return sign | code;
    return sign | (inward ? largest : f.no_infinity ? largest + 1 : exact_infinity(f));
}

static inline Exact exact_multiply(Exact a, Exact b)
{
    const bool zero = (a.kind == EXACT_NUMBER && !a.m) || (b.kind == EXACT_NUMBER && !b.m);
    Exact r = {.negative = a.negative != b.negative, .m = a.m * b.m, .e = a.e + b.e};
    if (a.kind == EXACT_NAN || b.kind == EXACT_NAN)
        r.kind = EXACT_NAN;
    else if (a.kind == EXACT_INFINITY || b.kind == EXACT_INFINITY)
        r.kind = zero ? EXACT_NAN : EXACT_INFINITY;
    return r;
}

static inline Exact exact_add(Exact a, Exact b, Rounding rounding)
{
    if (a.kind == EXACT_NAN || b.kind == EXACT_NAN ||
        (a.kind == EXACT_INFINITY && b.kind == EXACT_INFINITY && a.negative != b.negative))
        return (Exact){.kind = EXACT_NAN};
    if (a.kind == EXACT_INFINITY || b.kind == EXACT_INFINITY)
        return a.kind == EXACT_INFINITY ? a : b;
    if (!a.m && !b.m)
        return (Exact){.negative = a.negative == b.negative ? a.negative : rounding == ROUND_DOWN};
    if (!a.m || !b.m)
        return a.m ? a : b;
    if (exact_length(a.m) + a.e < exact_length(b.m) + b.e) {
        const Exact swapped = a;
        a = b;
        b = swapped;
    }
    /* a's leading bit goes to bit 125; what b loses becomes sticky, and a difference just below. */
    const int left = 126 - exact_length(a.m);
    Exact r = {.negative = a.negative, .m = a.m << left, .e = a.e - left};
    const int right = r.e - b.e;
    const Bits128 moved = right <= 0 ? b.m << -right : right < 128 ? b.m >> right : 0;
    r.sticky = right > 0 && (right < 128 ? (b.m & (((Bits128)1 << right) - 1)) != 0 : b.m != 0);
    if (a.negative == b.negative) {
        r.m += moved;
    } else if (moved > r.m) {
        r.m = moved - r.m; /* same leading bit, so nothing was lost */
        r.negative = b.negative;
    } else {
        r.m -= moved + r.sticky;
    }
    if (!r.m && !r.sticky)
        r.negative = rounding == ROUND_DOWN;
    return r;
}

static inline Exact exact_divide(Exact a, Exact b)
{
    const bool negative = a.negative != b.negative;
    const bool a_zero = a.kind == EXACT_NUMBER && !a.m, b_zero = b.kind == EXACT_NUMBER && !b.m;
    if (a.kind == EXACT_NAN || b.kind == EXACT_NAN || (a_zero && b_zero) ||
        (a.kind == EXACT_INFINITY && b.kind == EXACT_INFINITY))
        return (Exact){.kind = EXACT_NAN};
    if (a.kind == EXACT_INFINITY || b_zero)
        return (Exact){.kind = EXACT_INFINITY, .negative = negative};
    if (a_zero || b.kind == EXACT_INFINITY)
        return (Exact){.negative = negative};
    const int left = 126 - exact_length(a.m);
    const Bits128 dividend = a.m << left;
    const bool sticky = dividend % b.m != 0;
    return (Exact){.negative = negative, .m = dividend / b.m, .e = a.e - left - b.e, .sticky = sticky};
}

static inline Exact exact_root(Exact a)
{
    if (a.kind == EXACT_NAN || (a.negative && (a.m || a.kind == EXACT_INFINITY)))
        return (Exact){.kind = EXACT_NAN};
    if (a.kind == EXACT_INFINITY || !a.m)
        return a;
    int left = 126 - exact_length(a.m);
    left -= (a.e - left) & 1;
    const Bits128 square = a.m << left;
    Bits128 root = 0;
    for (int bit = 63; bit >= 0; bit--) {
        const Bits128 next = root | (Bits128)1 << bit;
        if (next * next <= square)
            root = next;
    }
    return (Exact){.m = root, .e = (a.e - left) / 2, .sticky = root * root != square};
}

#endif
