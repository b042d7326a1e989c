/* What both ways of turning texels into values share: one lane at a time (value.c) and a whole warp at once
 * (row.c). The two must agree to the last bit, so what they compute is said here once. */
#ifndef EXEC_TEXTURE_CHANNEL_H
#define EXEC_TEXTURE_CHANNEL_H

#include <float.h>
#include <math.h>

#include "exec/texture/texture.h"
#include "isa/float_narrow.h"

enum { SRGB_CHANNELS = 3 };

/* -- one channel of one texel -- */

static inline bool is_signed(const WbTexture *texture) { return texture->channel == WB_CHANNEL_SIGNED; }

static inline uint32_t stored_channel(const WbTexture *texture, const uint8_t *data, unsigned channel)
{
    uint16_t half;
    uint32_t word;
    switch (texture->channel_bits) {
    case 8:
        return data[channel];
    case 16:
        memcpy(&half, data + 2 * channel, sizeof half);
        return half;
    default:
        memcpy(&word, data + 4 * channel, sizeof word);
        return word;
    }
}

/* A border has the texture's format: floats are cut to halves, of integers that are not normalized it is the
 * bits. */
static inline uint32_t border_channel(const WbTexture *texture, unsigned channel)
{
    const float color = texture->border[channel];
    if (texture->normalized_values) {
        const float most = (float)((1u << (texture->channel_bits - is_signed(texture))) - 1);
        const float least = is_signed(texture) ? -1 : 0;
        return (uint32_t)(int32_t)lrintf((color < least ? least : color > 1 ? 1 : color) * most);
    }
    if (texture->channel == WB_CHANNEL_FLOAT && texture->channel_bits == 16)
        return narrow(color, FORMAT_F16, ROUND_ZERO, false);
    return bits32(color);
}

/* Extended to 32 bits, by the sign if there is one. */
static inline uint32_t raw_channel(const WbTexture *texture, const TextureTexel *texel, unsigned channel)
{
    const uint32_t bits =
        texel->address ? stored_channel(texture, texel->data, channel) : border_channel(texture, channel);
    const unsigned unused = 32 - texture->channel_bits;
    return is_signed(texture) ? (uint32_t)((int32_t)(bits << unused) >> unused) : bits << unused >> unused;
}

/* The last of two or four channels is no colour. */
static inline bool is_colour(const WbTexture *texture, unsigned channel)
{
    return texture->srgb && channel < SRGB_CHANNELS && (channel == 0 || channel + 1 < texture->channels);
}

/* Integers that stand for 1. */
static inline float scale_of(const WbTexture *texture, unsigned bits)
{
    return (float)((1u << (bits - is_signed(texture))) - 1);
}

static inline float normalized_channel(const WbTexture *texture, uint32_t raw, unsigned channel)
{
    if (is_colour(texture, channel))
        return texture_srgb(raw);
    const float value = (float)(int32_t)raw / scale_of(texture, texture->channel_bits);
    return value < -1 ? -1 : value;
}

/* -- weights -- */

static inline int32_t share(int32_t whole, int32_t fraction)
{
    return (whole * fraction + FRACTION_ONE / 2) / FRACTION_ONE;
}

/* The four corners of a slice, which together weigh `whole`; a corner's weight is `stride` entries behind
 * that of the one before. */
static inline void weigh_slice(int32_t whole, int32_t along_x, int32_t along_y, int32_t *weight,
                               uint32_t stride)
{
    const int32_t right = share(whole, along_x), left = whole - right;
    weight[3 * stride] = share(right, along_y);
    weight[stride] = right - weight[3 * stride];
    weight[0] = share(left, FRACTION_ONE - along_y);
    weight[2 * stride] = left - weight[0];
}

/* Sums of weighted integers, in 256ths, to integers of 16 bits. */
static inline int32_t settle_sum(const WbTexture *texture, int32_t sum)
{
    const int32_t half = FRACTION_ONE / 2;
    if (texture->channel_bits == 16)
        sum = (sum + half) >> 8;
    else if (is_signed(texture))
        sum += ((sum >> 4) + (sum >> 12) + 4) >> 3; /* 32767 for 127 * 256 */
    else
        sum = (sum * 257 + half) >> 8;
    return sum < -32767 ? -32767 : sum;
}

/* -- parts of doubles -- */

/* 2^exponent, and by what a double that is not subnormal exceeds half of a power of two: as ldexp() and
 * frexp() have it, in much less time. */
static inline double power_of_two(int exponent) { return float64((uint64_t)(exponent + 1023) << 52); }

static inline int exponent_of(double x) { return (int)(bits64(x) >> 52 & 0x7ff) - 1022; }

/* The last bit of a number that has so many significant ones; not below 2^least. */
static inline int unit_of(double x, int bits, int least)
{
    const int exponent = exponent_of(x) - bits;
    return exponent > least ? exponent : least;
}

/* Significant bits of a format, the exponent of the last bit that there is, and bits that a number has in
 * sums. */
typedef struct Precision {
    int bits, least, kept;
    uint32_t nan;
} Precision;

static const Precision float_precision = {24, -149, 28, 0x7FFFFFFF},
                       half_precision = {11, -24, 15, 0x7FFFE000};

#endif
