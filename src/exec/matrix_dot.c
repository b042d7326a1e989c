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
 * product has the sum of its factors' exponents though its significand may be as large as 4. */
#include "exec/matrix_dot.h"

enum { DOT_PRODUCTS = 16, DOT_FRACTION = 25 };

enum {
    SIGNIFICAND_BITS = 10,       /* fraction bits of every significand in a DotVector */
    EXPONENT_ZERO = -(1 << 12),  /* of a zero: never the largest */
    EXPONENT_INFINITY = 1 << 12,
    EXPONENT_NAN = 1 << 13,
    EXPONENT_LEAST = -126        /* the accumulator takes part with at least this one */
};

static const uint32_t CANONICAL_NAN_F32 = 0x7fffffff, CANONICAL_NAN_F16 = 0x7fff;

typedef struct FloatFormat {
    uint8_t exponent_bits, fraction_bits;
    uint8_t unused_bits;  /* below the fraction: not looked at */
    bool has_infinity;    /* else only the pattern of all ones is special, a NaN */
} FloatFormat;

static inline FloatFormat format_of(Type type)
{
    switch (type) {
    case TYPE_f16: return (FloatFormat){5, 10, 0, true};
    case TYPE_bf16: return (FloatFormat){8, 7, 0, true};
    case TYPE_tf32: return (FloatFormat){8, 10, 13, true};
    case TYPE_e5m2: return (FloatFormat){5, 2, 0, true};
    case TYPE_e4m3: return (FloatFormat){4, 3, 0, false};
    default: return (FloatFormat){8, 23, 0, true};
    }
}

/* The significand comes with the format's own number of fraction bits. */
static inline void take_apart(FloatFormat format, uint32_t bits, int32_t *significand, int32_t *exponent)
{
    bits >>= format.unused_bits;
    const uint32_t top = (1u << format.exponent_bits) - 1, fraction_mask = (1u << format.fraction_bits) - 1;
    const uint32_t encoded = bits >> format.fraction_bits & top, fraction = bits & fraction_mask;
    const bool negative = bits >> (format.exponent_bits + format.fraction_bits) & 1;
    const int32_t bias = (int32_t)(top >> 1);
    uint32_t magnitude = fraction | (encoded ? 1u << format.fraction_bits : 0);
    *exponent = (int32_t)(encoded ? encoded : 1) - bias;
    if (encoded == top && (format.has_infinity || fraction == fraction_mask))
        *exponent = fraction ? EXPONENT_NAN : EXPONENT_INFINITY;
    else if (!magnitude)
        *exponent = EXPONENT_ZERO;
    *significand = negative ? -(int32_t)magnitude : (int32_t)magnitude;
}

/* Made for each format apart, so that all shifts are known and the loop becomes vector code. */
static inline __attribute__((always_inline)) void load_elements(DotVector *vector, FloatFormat format,
                                                                const uint64_t *bits, unsigned length)
{
    int32_t most = EXPONENT_ZERO;
    for (unsigned i = 0; i < length; i++) {
        int32_t significand, exponent;
        take_apart(format, (uint32_t)bits[i], &significand, &exponent);
        vector->significand[i] = significand * (1 << (SIGNIFICAND_BITS - format.fraction_bits));
        vector->exponent[i] = exponent;
        most = exponent > most ? exponent : most;
    }
    vector->special = most >= EXPONENT_INFINITY;
}

void dot_vector_load(DotVector *vector, Type type, const uint64_t *bits, unsigned length)
{
    switch (type) {
    case TYPE_f16:
        load_elements(vector, format_of(TYPE_f16), bits, length);
        break;
    case TYPE_bf16:
        load_elements(vector, format_of(TYPE_bf16), bits, length);
        break;
    case TYPE_tf32:
        load_elements(vector, format_of(TYPE_tf32), bits, length);
        break;
    default:
        load_elements(vector, format_of(type), bits, length);
    }
    for (unsigned i = length; i % DOT_PRODUCTS; i++) {
        vector->significand[i] = 0;
        vector->exponent[i] = EXPONENT_ZERO;
    }
}

/* sum * 2^scale, cut off towards zero. */
static uint32_t pack_f32(int64_t sum, int32_t scale)
{
    const uint32_t sign = sum < 0 ? 0x80000000u : 0;
    const uint64_t magnitude = (uint64_t)(sum < 0 ? -sum : sum);
    if (!magnitude)
        return 0;
    const int32_t top = 63 - __builtin_clzll(magnitude), exponent = scale + top;
    if (exponent > 127)
        return sign | 0x7f800000u;
    const int32_t last = (exponent < -126 ? -126 : exponent) - 23; /* exponent of the last bit */
    const uint64_t cut = scale >= last ? magnitude << (scale - last) : magnitude >> (last - scale);
    return sign | (uint32_t)(((uint64_t)(last + 149) << 23) + cut);
}

/* sum * 2^scale, rounded to nearest even. */
static uint32_t pack_f16(int64_t sum, int32_t scale)
{
    const uint32_t sign = sum < 0 ? 0x8000u : 0;
    const uint64_t magnitude = (uint64_t)(sum < 0 ? -sum : sum);
    if (!magnitude)
        return 0;
    const int32_t top = 63 - __builtin_clzll(magnitude), exponent = scale + top;
    if (exponent > 15)
        return sign | 0x7c00u;
    const int32_t last = (exponent < -14 ? -14 : exponent) - 10;
    uint64_t rounded;
    if (scale >= last) {
        rounded = magnitude << (scale - last);
    } else if (last - scale > 62) {
        rounded = 0;
    } else {
        const int32_t shift = last - scale;
        const uint64_t half = (uint64_t)1 << (shift - 1), rest = magnitude & (2 * half - 1);
        rounded = magnitude >> shift;
        rounded += rest > half || (rest == half && (rounded & 1));
    }
    return sign | (uint32_t)(((uint64_t)(last + 24) << 10) + rounded);
}

/* DOT_PRODUCTS pairs of factors and what they are added to; c has 23 fraction bits. */
typedef struct Terms {
    const int32_t *a, *a_exponent, *b, *b_exponent;
    int32_t c, c_exponent;
} Terms;

static bool has_special(const Terms *terms)
{
    bool special = terms->c_exponent >= EXPONENT_INFINITY;
    for (unsigned i = 0; i < DOT_PRODUCTS; i++)
        special |= terms->a_exponent[i] >= EXPONENT_INFINITY || terms->b_exponent[i] >= EXPONENT_INFINITY;
    return special;
}

/* The result where an infinity or a NaN takes part. */
static uint32_t dot_special(const Terms *terms, Type d_type)
{
    bool nan = terms->c_exponent == EXPONENT_NAN;
    bool infinite[2] = {false, false}; /* of either sign */
    if (terms->c_exponent == EXPONENT_INFINITY)
        infinite[terms->c < 0] = true;
    for (unsigned i = 0; i < DOT_PRODUCTS; i++) {
        const int32_t ea = terms->a_exponent[i], eb = terms->b_exponent[i];
        if (ea < EXPONENT_INFINITY && eb < EXPONENT_INFINITY)
            continue;
        if (ea == EXPONENT_NAN || eb == EXPONENT_NAN || ea == EXPONENT_ZERO || eb == EXPONENT_ZERO)
            nan = true;
        else
            infinite[(terms->a[i] < 0) != (terms->b[i] < 0)] = true;
    }
    const bool half = d_type == TYPE_f16;
    if (nan || (infinite[0] && infinite[1]))
        return half ? CANONICAL_NAN_F16 : CANONICAL_NAN_F32;
    return (half ? 0x7c00u : 0x7f800000u) | (infinite[1] ? half ? 0x8000u : 0x80000000u : 0);
}

/* The sum of finite terms, as an integer times 2^(*scale). The loops have a fixed count for the sake of
 * vector code. */
static int64_t dot_finite(const Terms *terms, int32_t *scale)
{
    int32_t largest = terms->c_exponent < EXPONENT_LEAST ? EXPONENT_LEAST : terms->c_exponent;
    for (unsigned i = 0; i < DOT_PRODUCTS; i++) {
        const int32_t exponent = terms->a_exponent[i] + terms->b_exponent[i];
        largest = exponent > largest ? exponent : largest;
    }
    int32_t products = 0; /* 16 times at most 2047 * 2047 * 2^5: still less than 2^31 */
    for (unsigned i = 0; i < DOT_PRODUCTS; i++) {
        const int32_t product = terms->a[i] * terms->b[i];
        const int32_t down = largest - terms->a_exponent[i] - terms->b_exponent[i];
        const uint32_t magnitude = (uint32_t)(product < 0 ? -product : product)
                                   << (DOT_FRACTION - 2 * SIGNIFICAND_BITS);
        const int32_t part = (int32_t)(magnitude >> (down > 31 ? 31 : down));
        products += product < 0 ? -part : part;
    }
    const int32_t down = largest - terms->c_exponent;
    const uint32_t magnitude = (uint32_t)(terms->c < 0 ? -terms->c : terms->c) << (DOT_FRACTION - 23);
    const int32_t part = (int32_t)(magnitude >> (down > 31 ? 31 : down));
    *scale = largest - DOT_FRACTION;
    return (int64_t)products + (terms->c < 0 ? -part : part);
}

/* Of .f32 or .f16: for each the shifts are known. */
static inline void take_accumulator(Terms *terms, Type type, uint32_t c)
{
    if (type == TYPE_f32) {
        take_apart(format_of(TYPE_f32), c, &terms->c, &terms->c_exponent);
        return;
    }
    take_apart(format_of(TYPE_f16), c, &terms->c, &terms->c_exponent);
    terms->c *= 1 << (23 - 10);
}

uint32_t matrix_dot(const DotVector *a, const DotVector *b, unsigned length, Type c_type, uint32_t c,
                    Type d_type)
{
    for (unsigned from = 0; from < length; from += DOT_PRODUCTS) {
        Terms terms = {.a = &a->significand[from], .a_exponent = &a->exponent[from],
                       .b = &b->significand[from], .b_exponent = &b->exponent[from]};
        take_accumulator(&terms, c_type, c);
        const bool maybe_special = a->special || b->special || terms.c_exponent >= EXPONENT_INFINITY;
        if (maybe_special && has_special(&terms)) {
            c = dot_special(&terms, d_type);
        } else {
            int32_t scale;
            const int64_t sum = dot_finite(&terms, &scale);
            c = d_type == TYPE_f16 ? pack_f16(sum, scale) : pack_f32(sum, scale);
        }
        c_type = d_type;
    }
    return c;
}
