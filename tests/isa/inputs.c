/* Special values first, paired with each other, then random bits; half of the vectors each. */
#include "inputs.h"
#include "specials.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static uint64_t mask(unsigned bits) { return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1; }

/* A class taken apart. */
typedef struct Class {
    char letter; /* 0: none */
    bool is_float, is_pair;
    unsigned bits;     /* of one element */
    unsigned fraction; /* stored mantissa bits of a float */
    unsigned bias;
} Class;

static bool begins(const char *text, const char *start, const char **rest)
{
    const size_t length = strlen(start);
    if (strncmp(text, start, length) != 0)
        return false;
    *rest = text + length;
    return true;
}

static Class class_of(const char *name)
{
    Class c = {0};
    const char *rest = name;
    if (begins(name, "bf16", &rest))
        c = (Class){.is_float = true, .bits = 16, .fraction = 7, .bias = 127};
    else if (begins(name, "f16", &rest))
        c = (Class){.is_float = true, .bits = 16, .fraction = 10, .bias = 15};
    else if (begins(name, "f32", &rest) || begins(name, "tf32", &rest))
        c = (Class){.is_float = true, .bits = 32, .fraction = 23, .bias = 127};
    else if (begins(name, "f64", &rest))
        c = (Class){.is_float = true, .bits = 64, .fraction = 52, .bias = 1023};
    else if (begins(name, "e4m3x2", &rest) || begins(name, "e5m2x2", &rest))
        c = (Class){.letter = 'e', .bits = 16};
    else if (begins(name, "pred", &rest))
        c = (Class){.letter = 'p', .bits = 32};
    else {
        char *end;
        c.bits = (unsigned)strtoul(name + 1, &end, 10);
        rest = end;
    }
    c.is_pair = begins(rest, "x2", &rest);
    if (*rest)
        c.letter = *rest;
    return c;
}

unsigned inputs_bits(const char *name)
{
    const Class c = class_of(name);
    return c.is_pair ? 2 * c.bits : c.bits;
}

static uint64_t random_integer(const Class *c, uint64_t seed)
{
    uint64_t value = mix(seed);
    const uint64_t shape = mix(seed ^ 0x5bd1e995);
    if (shape & 1)
        value &= mask((unsigned)(shape >> 8) % c->bits + 1);
    if ((shape & 6) == 6)
        value = ~value;
    if ((shape & 0x18) == 0x18)
        value = value << ((shape >> 16) % c->bits);
    return value & mask(c->bits);
}

static uint64_t float_make(const Class *c, bool negative, int exponent, uint64_t fraction)
{
    const int biased = exponent + (int)c->bias;
    const int top = (1 << (c->bits - 1 - c->fraction)) - 2;
    const uint64_t field = (uint64_t)(biased < 0 ? 0 : biased > top ? top : biased);
    return (uint64_t)negative << (c->bits - 1) | field << c->fraction | (fraction & mask(c->fraction));
}

/* Random bits; an exponent near 1; a subnormal or a huge number; few bits set in the fraction. */
static uint64_t random_float(const Class *c, uint64_t seed)
{
    const uint64_t bits = mix(seed), shape = mix(seed ^ 0x27d4eb2f);
    const int near = (int)(shape >> 8 & 15) - 8;
    const uint64_t sparse = (shape >> 40 & 1 ? mask(c->fraction) : 0) ^ (uint64_t)1
                                                                            << (shape >> 20) % c->fraction;
    switch (shape & 7) {
    case 0:
        return bits & mask(c->bits);
    case 1:
        return float_make(c, bits >> 63, -(int)c->bias + (int)(shape >> 8 & 3), bits);
    case 2:
        return float_make(c, bits >> 63, (int)c->bias - (int)(shape >> 8 & 3), bits);
    case 3:
        return float_make(c, bits >> 63, near, sparse);
    case 4:
        return float_make(c, bits >> 63, (int)((uint32_t)(bits >> 32) % (2 * c->bias)) - (int)c->bias,
                          sparse);
    default:
        return float_make(c, bits >> 63, near, bits);
    }
}

/* n + 0, 1/4, 1/2, 3/4 and neighbours, for n of any size. */
static uint64_t near_integer(const Class *c, uint64_t seed)
{
    const uint64_t bits = mix(seed), shape = mix(seed ^ 0x165667b1);
    const unsigned exponent = (unsigned)(shape >> 8) % 66;
    uint64_t fraction = bits & mask(c->fraction);
    if (exponent + 2 < c->fraction) {
        const unsigned low = c->fraction - exponent;
        fraction &= ~mask(low);
        fraction |= (shape >> 16 & 3) << (low - 2);
        if (low > 2)
            fraction += (shape >> 20 & 3) == 1 ? 1 : (shape >> 20 & 3) == 2 ? (uint64_t)-1 : 0;
    }
    return float_make(c, bits >> 63, (int)exponent - (shape >> 24 & 1 ? 2 : 0), fraction);
}

/* A number whose lower bits are at, just above or just below a tie of a narrower format. */
static uint64_t near_tie(const Class *c, uint64_t seed)
{
    static const unsigned kept[] = {10, 7, 3, 2, 23, 10, 7, 23};
    static const int reach[] = {16, 130, 10, 18, 140, 26, 136, 152};
    const uint64_t bits = mix(seed), shape = mix(seed ^ 0x85ebca6b);
    const unsigned format = (unsigned)(shape & 7);
    const unsigned keep = kept[format] < c->fraction ? kept[format] : 10;
    const unsigned low = c->fraction - keep;
    static const int nudge[] = {0, 0, 1, -1};
    const uint64_t tie = (uint64_t)1 << (low - 1);
    const uint64_t tail = shape >> 3 & 1   ? bits
                          : shape >> 4 & 1 ? tie + (uint64_t)nudge[shape >> 8 & 3]
                                           : (uint64_t)(nudge[shape >> 8 & 3] > 0);
    const int exponent = (int)((shape >> 16) % (2 * (unsigned)reach[format] + 1)) - reach[format];
    return float_make(c, bits >> 63, exponent, (bits & ~mask(low)) | (tail & mask(low)));
}

static uint64_t small_integer(const Class *c, uint64_t seed)
{
    const int value = (int)(mix(seed) % 9) - 4;
    const unsigned magnitude = (unsigned)abs(value);
    if (magnitude == 0)
        return 0;
    const unsigned exponent = magnitude >= 4 ? 2 : magnitude >= 2 ? 1 : 0;
    const uint64_t fraction = ((uint64_t)magnitude << c->fraction >> exponent) & mask(c->fraction);
    return float_make(c, value < 0, (int)exponent, fraction);
}

/* The smallest normal number or one, up to a factor of two, a few units in the last place off. */
static uint64_t near_tiny(const Class *c, uint64_t bits)
{
    const int exponent = bits >> 32 & 1 ? -(int)(bits >> 33 & 1) : (int)(bits >> 33 & 1) + 1 - (int)c->bias;
    return float_make(c, bits >> 63, exponent, (bits >> 40 & 7) - 4);
}

/* 0x7ff7 is the NaN that .oob instructions treat apart in both 16-bit formats. */
static uint64_t near_nan(const Class *c, uint64_t bits)
{
    static const uint16_t known[] = {0x7ff7, 0xfff7, 0x7ff8, 0x7ff6};
    if (bits >> 32 & 1)
        return random_float(c, bits);
    if (bits >> 33 & 1)
        return known[bits >> 40 & 3];
    return (bits & mask(c->bits)) | mask(c->bits - 1 - c->fraction) << c->fraction;
}

/* Four bytes that are small, with few bits, both as e4m3 and as e5m2. */
static uint64_t small_bytes(uint64_t seed)
{
    static const uint8_t bytes[] = {0x00, 0x38, 0x3c, 0xb8, 0xbc};
    uint64_t word = 0;
    for (unsigned k = 0; k < 4; k++)
        word = word << 8 | bytes[mix(seed + k) % sizeof bytes];
    return word;
}

static uint64_t random_of(const Class *c, uint64_t seed)
{
    const uint64_t bits = mix(seed);
    switch (c->letter) {
    case 'i':
        return bits >> 60 & 3 ? near_integer(c, bits) : random_float(c, bits);
    case 'n':
        return bits >> 60 & 3 ? near_tie(c, bits) : random_float(c, bits);
    case 'r':
        return float_make(c, bits >> 63, (int)(bits >> 52 & 15) - 8, bits);
    case 'm':
        return float_make(c, bits >> 63, (int)(bits >> 60 & 1) - 1, bits);
    case 't':
        return near_tiny(c, bits);
    case 'o':
        return near_nan(c, bits);
    case 'k':
        return small_integer(c, seed);
    case 'q':
        return small_bytes(seed);
    case 's':
        return bits >> 62 ? bits % 72 : bits & mask(c->bits);
    case 'l':
        return bits & 31;
    case 'g':
        return (bits & 1 ? bits >> 8 & 3 : bits >> 8 & 0x100000003) & mask(c->bits);
    case 'e':
        return bits & 0xffff;
    case 'p':
        return bits & 1;
    default:
        return c->is_float ? random_float(c, seed) : random_integer(c, seed);
    }
}

/* The number of special values of a class: 0 where every vector is random. */
static unsigned special_count(const Class *c)
{
    if (c->letter && strchr("mkglpqto", c->letter))
        return 0;
    if (c->letter == 's')
        return 72;
    if (c->letter == 'e')
        return 256;
    return c->is_float ? specials_float_count(c->bits, c->bias, c->letter) : specials_integer_count();
}

static uint64_t special_of(const Class *c, unsigned number)
{
    if (c->letter == 's')
        return number;
    if (c->letter == 'e')
        return number | ((number * 167 + 13) & 255) << 8;
    if (!c->is_float)
        return specials_integer(number, c->bits);
    const uint64_t value = specials_float(c->bits, c->bias, number);
    const unsigned exponent = (unsigned)(value >> c->fraction & mask(c->bits - 1 - c->fraction));
    const bool is_large = exponent > c->bias + 7 && exponent < mask(c->bits - 1 - c->fraction);
    return c->letter == 'r' && is_large ? float_make(c, value >> (c->bits - 1), 7, value) : value;
}

/* Pairs in the order of the larger number, so that the first n specials are all paired after n * n. */
static void shell_pair(unsigned pair, unsigned *x, unsigned *y)
{
    unsigned side = 0;
    while ((side + 1) * (side + 1) <= pair)
        side++;
    const unsigned rest = pair - side * side;
    *x = rest <= side ? side : rest - side - 1;
    *y = rest <= side ? rest : side;
}

/* Element `part` of operand `slot`. `pick` is the special that this operand takes, or UINT32_MAX. */
static uint64_t element(const Class *c, unsigned vector, unsigned slot, unsigned part, unsigned pick)
{
    const uint64_t seed = mix((uint64_t)vector << 16 | slot << 8 | part << 4 | 1);
    const unsigned count = special_count(c);
    uint64_t value;
    if (pick != UINT32_MAX && count)
        value = special_of(c, pick % count);
    else if (count && (seed & 15) == 0)
        value = special_of(c, (unsigned)(seed >> 32) % count);
    else
        value = random_of(c, seed);
    return c->letter == 'z' && value == 0 ? 3 : value;
}

static uint64_t negated_product(const Class *c, uint64_t a, uint64_t b, unsigned nudge)
{
    uint64_t bits = 0;
    if (c->bits == 32) {
        float x, y, product;
        const uint32_t low[2] = {(uint32_t)a, (uint32_t)b};
        memcpy(&x, &low[0], 4);
        memcpy(&y, &low[1], 4);
        product = -(x * y);
        memcpy(&bits, &product, 4);
    } else {
        double x, y, product;
        memcpy(&x, &a, 8);
        memcpy(&y, &b, 8);
        product = -(x * y);
        memcpy(&bits, &product, 8);
    }
    const uint64_t magnitude = bits & mask(c->bits - 1);
    const bool finite_nonzero = magnitude && magnitude >> c->fraction < mask(c->bits - 1 - c->fraction);
    return finite_nonzero && nudge < 2 ? bits + nudge : finite_nonzero ? bits : 0;
}

void inputs_vector(const char *const *names, unsigned count, unsigned vector, uint64_t *values)
{
    unsigned pick[2] = {UINT32_MAX, UINT32_MAX};
    const Class first = count ? class_of(names[0]) : (Class){0};
    if (count == 1 && vector < special_count(&first))
        pick[0] = vector;
    if (count > 1 && vector % 4 < 2)
        shell_pair(vector / 4 * 2 + vector % 4, &pick[0], &pick[1]);
    for (unsigned slot = 0; slot < count; slot++) {
        const Class c = class_of(names[slot]);
        const unsigned specials = special_count(&c);
        unsigned number = slot < 2 ? pick[slot] : (unsigned)(mix((uint64_t)vector * 31 + slot) % 24);
        if (slot >= 2 && vector % 4 >= 2)
            number = UINT32_MAX;
        if (slot < 2 && count > 1 && number >= specials)
            number = UINT32_MAX;
        values[slot] = element(&c, vector, slot, 0, number);
        if (c.is_pair) {
            const unsigned other = number == UINT32_MAX ? number : number * 7 + vector;
            values[slot] |= element(&c, vector, slot, 1, other) << c.bits;
        }
    }
    if (count == 3 && vector % 8 == 3 && first.is_float && !first.letter && first.bits >= 32 &&
        strcmp(names[0], names[1]) == 0 && strcmp(names[0], names[2]) == 0)
        values[2] = negated_product(&first, values[0], values[1], vector / 8 % 4);
}
