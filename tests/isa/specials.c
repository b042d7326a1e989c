/* The tables behind specials.h: zeros, ones, infinities, NaNs of both kinds, subnormals, limits, ties. */
#include "specials.h"

#define COUNT(array) ((unsigned)(sizeof(array) / sizeof *(array)))

static const uint32_t special_f32[] = {
    0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001,
    0xffc12345, 0x00000001, 0x007fffff, 0x80000001, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x3f800001,
    0x3f7fffff, 0x3f000000, 0x40000000, 0xc0200000, 0x40400000, 0x807fffff, 0xff800001, 0x4b000000,
    0x33800000, 0x33000000, 0x80800000, 0x7effffff, 0x00400000, 0x7fffffff, 0xffffffff, 0x4b7fffff,
    0x5f000000, 0x3dcccccd, 0x3fc00000, 0x7e800000, 0x01000000, 0x00ffffff, 0xbf000000, 0x1f800000,
    0x5f800000, 0x7f000000, 0x20000000, 0x3eaaaaab};
static const uint32_t integer_f32[] = {
    0x3effffff, 0x3f000001, 0x3fc00000, 0xbfc00000, 0x40200000, 0x42fe0000, 0x42ff0000, 0x43000000,
    0xc3000000, 0xc3008000, 0x437f0000, 0x437f8000, 0x43800000, 0x46fffe00, 0x46ffff00, 0x47000000,
    0xc7000000, 0xc7000100, 0x477fff00, 0x477fff80, 0x47800000, 0x4effffff, 0x4f000000, 0xcf000000,
    0xcf000001, 0x4f7fffff, 0x4f800000, 0x5effffff, 0x5f000000, 0xdf000000, 0xdf000001, 0x5f7fffff,
    0x5f800000, 0x4afffffe, 0x4affffff, 0xcaffffff, 0x4b000001, 0xbf7fffff};

static const uint16_t special_f16[] = {0x0000, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x7c01,
                                       0xfe12, 0x0001, 0x03ff, 0x8001, 0x0400, 0x7bff, 0xfbff, 0x3c01,
                                       0x3bff, 0x3800, 0x4000, 0xc100, 0x4200, 0x83ff, 0xfc01, 0x6400,
                                       0x1000, 0x0c00, 0x8400, 0x77ff, 0x0200, 0x7fff, 0xffff, 0x67ff,
                                       0x5c00, 0x2e66, 0x3e00, 0x7800, 0x0800, 0x07ff, 0xb800, 0x3555};
static const uint16_t integer_f16[] = {0x37ff, 0x3801, 0x3e00, 0xbe00, 0x4100, 0x57f0, 0x57f8,
                                       0x5800, 0xd800, 0xd804, 0x5bf8, 0x5bfc, 0x5c00, 0x7800,
                                       0xf800, 0xf801, 0x63ff, 0x67ff, 0xe3ff};

static const uint16_t special_bf16[] = {0x0000, 0x8000, 0x3f80, 0xbf80, 0x7f80, 0xff80, 0x7fc0, 0x7f81,
                                        0xffc1, 0x0001, 0x007f, 0x8001, 0x0080, 0x7f7f, 0xff7f, 0x3f81,
                                        0x3f7f, 0x3f00, 0x4000, 0xc020, 0x4040, 0x807f, 0xff81, 0x4b00,
                                        0x3380, 0x3300, 0x8080, 0x7eff, 0x0040, 0x7fff, 0xffff, 0x437f,
                                        0x5f00, 0x3dcd, 0x3fc0, 0x7e80, 0x0100, 0x00ff, 0xbf00, 0x3eab};
static const uint16_t integer_bf16[] = {0x3eff, 0x3f01, 0x3fc0, 0xbfc0, 0x4020, 0x42fe, 0x42ff,
                                        0x4300, 0xc300, 0xc301, 0x437f, 0x4380, 0x46ff, 0x4700,
                                        0xc700, 0x477f, 0x4780, 0x4eff, 0x4f00, 0xcf00, 0xcf01,
                                        0x4f7f, 0x4f80, 0x5eff, 0x5f00, 0xdf00, 0x5f80};

static const uint64_t special_f64[] = {
    0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000,
    0xfff0000000000000, 0x7ff8000000000000, 0x7ff0000000000001, 0xfff8123456789abc, 0x0000000000000001,
    0x000fffffffffffff, 0x8000000000000001, 0x0010000000000000, 0x7fefffffffffffff, 0xffefffffffffffff,
    0x3ff0000000000001, 0x3fefffffffffffff, 0x3fe0000000000000, 0x4000000000000000, 0xc004000000000000,
    0x4008000000000000, 0x800fffffffffffff, 0xfff0000000000001, 0x4330000000000000, 0x3ca0000000000000,
    0x3c90000000000000, 0x8010000000000000, 0x7fdfffffffffffff, 0x0008000000000000, 0x7fffffffffffffff,
    0xffffffffffffffff, 0x433fffffffffffff, 0x43e0000000000000, 0x3fb999999999999a, 0x3ff8000000000000,
    0x7fd0000000000000, 0x0020000000000000, 0x36a0000000000000, 0x36a0000000000001, 0x3690000000000000,
    0x380fffffe0000000, 0x380fffffffffffff, 0x3810000000000000, 0x47efffffe0000000, 0x47efffffefffffff,
    0x47effffff0000000, 0x47f0000000000000, 0xbfe0000000000000, 0x1ff0000000000000, 0x3fd5555555555555};
static const uint64_t integer_f64[] = {
    0x3fdfffffffffffff, 0x3fe0000000000001, 0x3ff8000000000000, 0xbff8000000000000, 0x4004000000000000,
    0x405fc00000000000, 0x405fe00000000000, 0x4060000000000000, 0xc060000000000000, 0xc060100000000000,
    0x406fe00000000000, 0x406ff00000000000, 0x4070000000000000, 0x40dfffc000000000, 0x40dfffe000000000,
    0x40e0000000000000, 0xc0e0000000000000, 0xc0e0001000000000, 0x40efffe000000000, 0x40effff000000000,
    0x40f0000000000000, 0x41dfffffffc00000, 0x41dfffffffe00000, 0x41e0000000000000, 0xc1e0000000000000,
    0xc1e0000000100000, 0xc1e0000000200000, 0x41efffffffe00000, 0x41effffffff00000, 0x41f0000000000000,
    0x43dfffffffffffff, 0x43e0000000000000, 0xc3e0000000000000, 0xc3e0000000000001, 0x43efffffffffffff,
    0x43f0000000000000, 0x432fffffffffffff, 0xbfefffffffffffff};

/* Written for 64 bits; narrower types take the low bits. The limits of every width follow apart. */
static const uint64_t special_integer[] = {0,
                                           1,
                                           UINT64_MAX,
                                           2,
                                           UINT64_MAX - 1,
                                           3,
                                           7,
                                           8,
                                           0x5555555555555555,
                                           0xaaaaaaaaaaaaaaaa,
                                           10,
                                           31,
                                           32,
                                           33,
                                           0xff,
                                           0x100,
                                           0x0123456789abcdef,
                                           0xfedcba9876543210,
                                           15,
                                           16,
                                           63,
                                           64,
                                           100,
                                           127,
                                           128,
                                           1000,
                                           0x00ff00ff00ff00ff,
                                           0xff7f,
                                           0x8080,
                                           0xffffff,
                                           0x1000001,
                                           0x1ffffff,
                                           0xdeadbeefcafebabe};
enum { LIMITS = 7 };

/* The smallest and largest signed number and what lies around them and around the square root. */
static uint64_t integer_limit(unsigned number, unsigned bits)
{
    const uint64_t top = (uint64_t)1 << (bits - 1), middle = (uint64_t)1 << (bits / 2);
    const uint64_t limits[LIMITS] = {top, top - 1, top + 1, top - 2, middle, middle - 1, middle + 1};
    return limits[number];
}

unsigned specials_integer_count(void) { return COUNT(special_integer) + LIMITS; }

uint64_t specials_integer(unsigned number, unsigned bits)
{
    const unsigned first = 3;
    const uint64_t all = bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    if (number < first)
        return special_integer[number] & all;
    if (number < first + LIMITS)
        return integer_limit(number - first, bits) & all;
    return special_integer[number - LIMITS] & all;
}

unsigned specials_float_count(unsigned bits, unsigned bias, char letter)
{
    const unsigned near_integers = bits == 64   ? COUNT(integer_f64)
                                   : bits == 32 ? COUNT(integer_f32)
                                   : bias == 15 ? COUNT(integer_f16)
                                                : COUNT(integer_bf16);
    const unsigned plain = bits == 64   ? COUNT(special_f64)
                           : bits == 32 ? COUNT(special_f32)
                           : bias == 15 ? COUNT(special_f16)
                                        : COUNT(special_bf16);
    return plain + (letter == 'i' ? near_integers : 0);
}

uint64_t specials_float(unsigned bits, unsigned bias, unsigned number)
{
    const unsigned plain = specials_float_count(bits, bias, 0);
    if (number < plain)
        return bits == 64   ? special_f64[number]
               : bits == 32 ? special_f32[number]
               : bias == 15 ? special_f16[number]
                            : special_bf16[number];
    number -= plain;
    return bits == 64   ? integer_f64[number]
           : bits == 32 ? integer_f32[number]
           : bias == 15 ? integer_f16[number]
                        : integer_bf16[number];
}
