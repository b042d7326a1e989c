/* How a tensor core adds up products. It is not a chain of fused multiply-adds: the products are exact,
 * all of them and the accumulator are shifted to the largest exponent among them and cut off (not
 * rounded) at a fixed bit, added as integers, and the sum is brought into the result's format once.
 *
 * Parameters, for sm_90:
 *   DOT_PRODUCTS    products that are added in one go; longer dot products go through the result's
 *                   format in between
 *   DOT_FRACTION    bits kept below the largest exponent: 23 of .f32 and two more (sm_70 has none more,
 *                   sm_75 to sm_89 one)
 *   rounding        an .f32 result is cut off towards zero, an .f16 result rounded to nearest even
 * Sources: M. Fasi, N. Higham, M. Mikaitis, S. Pranesh, "Numerical behavior of NVIDIA tensor cores"
 * (2021); F. Khattak, M. Mikaitis, "Accurate models of NVIDIA tensor cores" (arXiv 2512.07004);
 * P. Xie et al., "MMA-Sim" (arXiv 2511.10909).
 *
 * An exponent here is that of the format's encoding: a subnormal number is not normalized first, and a
 * product has the sum of its factors' exponents though its significand may be as large as 4.
 *
 * Neighbours in a row of D are computed together, one in each element of a vector. Where an infinity or
 * a NaN takes part in some of them, all are computed as if it were a number first, and then those are
 * replaced. */
#include <math.h>
#include <string.h>

#include "exec/matrix/dot.h"
#include "isa/float_bits.h"

enum { DOT_PRODUCTS = 16, DOT_FRACTION = 25 };

enum {
    SIGNIFICAND_BITS = 10,       /* fraction bits of every significand in DotFactors */
    EXPONENT_ZERO = -(1 << 12),  /* of a zero: never the largest */
    EXPONENT_INFINITY = 1 << 12,
    EXPONENT_NAN = 1 << 13,
    EXPONENT_LEAST = -126        /* the accumulator takes part with at least this one */
};

static const uint32_t CANONICAL_NAN_F32 = 0x7fffffff, CANONICAL_NAN_F16 = 0x7fff;

typedef struct FloatFormat {
    uint8_t exponent_bits, fraction_bits;
    uint8_t unused_bits;  /* below the fraction: not looked at */
    int has_infinity;     /* -1, or 0: only the pattern of all ones is special, a NaN */
} FloatFormat;

static inline FloatFormat format_of(Type type)
{
    switch (type) {
    case TYPE_f16: return (FloatFormat){5, 10, 0, -1};
    case TYPE_bf16: return (FloatFormat){8, 7, 0, -1};
    case TYPE_tf32: return (FloatFormat){8, 10, 13, -1};
    case TYPE_e5m2: return (FloatFormat){5, 2, 0, -1};
    case TYPE_e4m3: return (FloatFormat){4, 3, 0, 0};
    default: return (FloatFormat){8, 23, 0, -1};
    }
}

/* One number for each column; a comparison gives -1 where it holds. */
typedef int32_t Ints __attribute__((vector_size(DOT_COLUMNS * 4)));
typedef uint32_t Words __attribute__((vector_size(DOT_COLUMNS * 4)));

typedef struct Parts {
    Ints significand; /* with the format's own number of fraction bits */
    Ints exponent;
    Ints special;     /* -1: an infinity or a NaN */
} Parts;

INLINE void take_apart(FloatFormat format, const uint32_t *from, Parts *parts)
{
    Words bits;
    memcpy(&bits, from, sizeof bits);
    bits >>= format.unused_bits;
    const int32_t top = (1 << format.exponent_bits) - 1, fraction_mask = (1 << format.fraction_bits) - 1;
    const Ints encoded = (Ints)(bits >> format.fraction_bits) & top, fraction = (Ints)bits & fraction_mask;
    const Ints sign = -((Ints)(bits >> (format.exponent_bits + format.fraction_bits)) & 1);
    const Ints subnormal = encoded == 0, magnitude = fraction | (~subnormal & 1 << format.fraction_bits);
    const Ints special = (encoded == top) & (format.has_infinity | (fraction == fraction_mask));
    const Ints nan = fraction != 0, zero = magnitude == 0;
    const Ints of_special = (nan & EXPONENT_NAN) | (~nan & EXPONENT_INFINITY);
    const Ints of_number = (zero & EXPONENT_ZERO) | (~zero & (encoded - subnormal - (top >> 1)));
    parts->exponent = (special & of_special) | (~special & of_number);
    parts->significand = (magnitude ^ sign) - sign;
    parts->special = special;
}

INLINE bool has_any(const Ints *flags)
{
    uint64_t words[sizeof *flags / 8], any = 0;
    memcpy(words, flags, sizeof *flags);
    for (unsigned i = 0; i < sizeof *flags / 8; i++)
        any |= words[i];
    return any != 0;
}

/* Made for each format apart, so that all shifts are known. */
INLINE void load_elements(DotFactors *factors, FloatFormat format, const uint32_t *bits, unsigned count)
{
    Ints special = {0};
    for (unsigned i = 0; i < count; i += DOT_COLUMNS) {
        Parts parts;
        take_apart(format, &bits[i], &parts);
        parts.significand *= 1 << (SIGNIFICAND_BITS - format.fraction_bits);
        memcpy(&factors->significand[i], &parts.significand, sizeof parts.significand);
        memcpy(&factors->exponent[i], &parts.exponent, sizeof parts.exponent);
        special |= parts.special;
    }
    factors->special = has_any(&special);
}

void dot_factors_load(DotFactors *factors, Type type, const uint32_t *bits, unsigned count)
{
    switch (type) {
    case TYPE_f16:
        load_elements(factors, format_of(TYPE_f16), bits, count);
        break;
    case TYPE_bf16:
        load_elements(factors, format_of(TYPE_bf16), bits, count);
        break;
    case TYPE_tf32:
        load_elements(factors, format_of(TYPE_tf32), bits, count);
        break;
    default:
        load_elements(factors, format_of(type), bits, count);
    }
}

/* Up to DOT_PRODUCTS factors of each column, and what their products are added to; c has 23 fraction
 * bits. */
typedef struct Terms {
    const int32_t *a, *a_exponent, *b, *b_exponent;
    unsigned count, b_stride;
    Parts c;
} Terms;

static bool has_special(const Terms *terms, unsigned column)
{
    bool special = terms->c.exponent[column] >= EXPONENT_INFINITY;
    for (unsigned i = 0; i < terms->count; i++)
        special |= terms->a_exponent[i] >= EXPONENT_INFINITY ||
                   terms->b_exponent[i * terms->b_stride + column] >= EXPONENT_INFINITY;
    return special;
}

/* The result where an infinity or a NaN takes part. */
static uint32_t dot_special(const Terms *terms, unsigned column, Type d_type)
{
    const int32_t c_exponent = terms->c.exponent[column];
    bool nan = c_exponent == EXPONENT_NAN;
    bool infinite[2] = {false, false}; /* of either sign */
    if (c_exponent == EXPONENT_INFINITY)
        infinite[terms->c.significand[column] < 0] = true;
    for (unsigned i = 0; i < terms->count; i++) {
        const unsigned at = i * terms->b_stride + column;
        const int32_t ea = terms->a_exponent[i], eb = terms->b_exponent[at];
        if (ea < EXPONENT_INFINITY && eb < EXPONENT_INFINITY)
            continue;
        if (ea == EXPONENT_NAN || eb == EXPONENT_NAN || ea == EXPONENT_ZERO || eb == EXPONENT_ZERO)
            nan = true;
        else
            infinite[(terms->a[i] < 0) != (terms->b[at] < 0)] = true;
    }
    const bool half = d_type == TYPE_f16;
    if (nan || (infinite[0] && infinite[1]))
        return half ? CANONICAL_NAN_F16 : CANONICAL_NAN_F32;
    return (half ? 0x7c00u : 0x7f800000u) | (infinite[1] ? half ? 0x8000u : 0x80000000u : 0);
}

/* *value * 2^(up - *down), cut off towards zero. */
INLINE void shift_down(Ints *value, unsigned up, const Ints *down)
{
    /* Shifts by more than 31 are not defined in C; such a term has no bits left at the common exponent. */
    const Ints sign = *value >> 31, out = *down > 31;
    const Words magnitude = (Words)((*value ^ sign) - sign) << up;
    const Ints part = (Ints)(magnitude >> (Words)((*down & ~out) | (out & 31)));
    *value = (part ^ sign) - sign;
}

INLINE void raise(Ints *most, const Ints *exponent)
{
    const Ints more = *exponent > *most;
    /* A maximum without a branch: a comparison of vectors gives all ones or zeros. */
    *most = (more & *exponent) | (~more & *most);
}

/* The largest exponent among the terms of each column, by way of that of each fourth one: a chain of
 * comparisons would take its time. */
INLINE void find_largest(const Terms *terms, Ints *largest)
{
    Ints most[4] = {EXPONENT_LEAST - (Ints){0}, terms->c.exponent, terms->c.exponent, terms->c.exponent};
    for (unsigned i = 0; i < terms->count; i += 4) {
        for (unsigned j = 0; j < 4; j++) {
            Ints exponent;
            memcpy(&exponent, &terms->b_exponent[(i + j) * terms->b_stride], sizeof exponent);
            exponent += terms->a_exponent[i + j];
            raise(&most[j], &exponent);
        }
    }
    raise(&most[0], &most[1]);
    raise(&most[2], &most[3]);
    raise(&most[0], &most[2]);
    *largest = most[0];
}

/* The sums of finite terms, which are exact as .f64: integers of 33 bits times a power of two. */
INLINE void add_terms(const Terms *terms, f64 *sums)
{
    Ints largest, products = {0}, c = terms->c.significand;
    find_largest(terms, &largest);
    /* 16 products of at most 2047 * 2047 * 2^5 each are still less than 2^31 */
    for (unsigned i = 0; i < terms->count; i++) {
        Ints product, exponent;
        memcpy(&product, &terms->b[i * terms->b_stride], sizeof product);
        memcpy(&exponent, &terms->b_exponent[i * terms->b_stride], sizeof exponent);
        product *= terms->a[i];
        const Ints down = largest - (exponent + terms->a_exponent[i]);
        shift_down(&product, DOT_FRACTION - 2 * SIGNIFICAND_BITS, &down);
        products += product;
    }
    const Ints down = largest - terms->c.exponent;
    shift_down(&c, DOT_FRACTION - 23, &down);
    for (unsigned j = 0; j < DOT_COLUMNS; j++) {
        /* Powers of two are written by their exponent; the product with one is exact. */
        const f64 scale = float64((uint64_t)(1023 - DOT_FRACTION + largest[j]) << 52);
        sums[j] = ((f64)products[j] + (f64)c[j]) * scale;
    }
}

/* Of .f32 or .f16: for each the shifts are known. */
INLINE void take_accumulators(Terms *terms, Type type, const uint32_t *c)
{
    const FloatFormat format = format_of(type == TYPE_f32 ? TYPE_f32 : TYPE_f16);
    take_apart(format, c, &terms->c);
    terms->c.significand *= 1 << (23 - format.fraction_bits);
}

/* Cut off towards zero: the nearest number, or the one before where that is too large. */
INLINE uint32_t pack_f32(f64 sum)
{
    const f32 near = (f32)sum;
    const bool beyond = fabs((f64)near) > fabs(sum), overflow = fabs(sum) >= 0x1p128;
    return bits32(near) - (beyond & !overflow);
}

/* Rounded to nearest even, by adding a number whose last bit counts as much as the result's. The encoding
 * is the number's multiple of 2^-24 up to 2^-14, and from there on its bits as .f64 less those of 2^-14. */
INLINE uint32_t pack_f16(f64 sum)
{
    const f64 least = 0x1p-14, magnitude = fabs(sum);
    const f64 normal = magnitude > least ? magnitude : least;
    const f64 adder = float64((bits64(normal) & 0x7ff0000000000000u) + ((uint64_t)(52 - 10) << 52));
    const f64 rounded = (magnitude + adder) - adder;
    const f64 low = rounded < least ? rounded : least, high = rounded > least ? rounded : least;
    const uint32_t encoded = (uint32_t)(int32_t)(low * 0x1p24) +
                             (uint32_t)((bits64(high) - bits64(least)) >> 42);
    return (encoded > 0x7c00u ? 0x7c00u : encoded) | (uint32_t)(bits64(sum) >> 63) << 15;
}

/* One step: up to DOT_PRODUCTS products of each column. */
INLINE void dot_step(Terms *terms, bool special, Type c_type, const uint32_t *c, Type d_type, uint32_t *d)
{
    f64 sums[DOT_COLUMNS];
    take_accumulators(terms, c_type, c);
    special |= has_any(&terms->c.special);
    add_terms(terms, sums);
    for (unsigned j = 0; j < DOT_COLUMNS; j++)
        d[j] = d_type == TYPE_f16 ? pack_f16(sums[j]) : pack_f32(sums[j]);
    for (unsigned j = 0; special && j < DOT_COLUMNS; j++)
        d[j] = has_special(terms, j) ? dot_special(terms, j, d_type) : d[j];
}

void matrix_dot(const DotProducts *products, const uint32_t *c, uint32_t *d)
{
    const DotFactors *a = products->a, *b = products->b;
    const bool special = a->special || b->special, to_half = products->d_type == TYPE_f16;
    bool from_half = products->c_type == TYPE_f16;
    for (unsigned from = 0; from < products->length; from += DOT_PRODUCTS) {
        const unsigned a_from = products->a_from + from, rest = products->length - from;
        const unsigned b_from = products->b_from + from * products->b_stride;
        Terms terms = {.a = &a->significand[a_from], .a_exponent = &a->exponent[a_from],
                       .b = &b->significand[b_from], .b_exponent = &b->exponent[b_from],
                       .count = rest < DOT_PRODUCTS ? rest : DOT_PRODUCTS, .b_stride = products->b_stride};
        if (!from_half && !to_half)
            dot_step(&terms, special, TYPE_f32, c, TYPE_f32, d);
        else if (from_half && to_half)
            dot_step(&terms, special, TYPE_f16, c, TYPE_f16, d);
        else
            dot_step(&terms, special, from_half ? TYPE_f16 : TYPE_f32, c, to_half ? TYPE_f16 : TYPE_f32, d);
        /* The next step adds to what this one left, in the result's format. */
        from_half = to_half;
        c = d;
    }
}
