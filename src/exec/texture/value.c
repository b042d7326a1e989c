/* Bytes of texels to what registers get: channels as the format says, then the filter.
 *
 * Rounding is that of an H200, found by asking one (tests/device/texture). Weights are whole 256ths and add
 * up to 1: the slices' weights are shared out along x and those along y. Normalized integers are filtered as
 * integers of 16 bits, halves and sRGB to halves, ties going away from zero. */
#include <float.h>
#include <math.h>

#include "exec/texture/texture.h"
#include "isa/float_narrow.h"

enum { SRGB_CHANNELS = 3 };

/* -- one channel of one texel -- */

static bool is_signed(const WbTexture *texture) { return texture->channel == WB_CHANNEL_SIGNED; }

static uint32_t stored_channel(const WbTexture *texture, const uint8_t *data, unsigned channel)
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
static uint32_t border_channel(const WbTexture *texture, unsigned channel)
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
static uint32_t raw_channel(const WbTexture *texture, const TextureTexel *texel, unsigned channel)
{
    const uint32_t bits =
        texel->address ? stored_channel(texture, texel->data, channel) : border_channel(texture, channel);
    const unsigned unused = 32 - texture->channel_bits;
    return is_signed(texture) ? (uint32_t)((int32_t)(bits << unused) >> unused) : bits << unused >> unused;
}

/* The last of two or four channels is no colour. */
static bool is_colour(const WbTexture *texture, unsigned channel)
{
    return texture->srgb && channel < SRGB_CHANNELS && (channel == 0 || channel + 1 < texture->channels);
}

/* Integers that stand for 1. */
static float scale_of(const WbTexture *texture, unsigned bits)
{
    return (float)((1u << (bits - is_signed(texture))) - 1);
}

static float normalized_channel(const WbTexture *texture, uint32_t raw, unsigned channel)
{
    if (is_colour(texture, channel))
        return texture_srgb(raw);
    const float value = (float)(int32_t)raw / scale_of(texture, texture->channel_bits);
    return value < -1 ? -1 : value;
}

/* As a register gets it without a filter. */
static uint32_t channel_bits(const WbTexture *texture, const TextureTexel *texel, unsigned channel)
{
    if (channel >= texture->channels)
        return 0;
    const uint32_t raw = raw_channel(texture, texel, channel);
    if (texture->normalized_values)
        return bits32(normalized_channel(texture, raw, channel));
    return texture->channel == WB_CHANNEL_FLOAT && texture->channel_bits == 16
               ? bits32(f16_to_f32((uint16_t)raw))
               : raw;
}

/* -- the filter -- */

static int32_t share(int32_t whole, int32_t fraction)
{
    return (whole * fraction + FRACTION_ONE / 2) / FRACTION_ONE;
}

/* The four corners of a slice, which together weigh `whole`. */
static void weigh_slice(int32_t whole, const uint16_t *fraction, int32_t *weight)
{
    const int32_t right = share(whole, fraction[0]), left = whole - right;
    weight[3] = share(right, fraction[1]);
    weight[1] = right - weight[3];
    weight[0] = share(left, FRACTION_ONE - fraction[1]);
    weight[2] = left - weight[0];
}

static void weigh(const uint16_t *fraction, uint32_t corners, int32_t *weight)
{
    switch (corners) {
    case 2:
        weight[0] = FRACTION_ONE - fraction[0];
        weight[1] = fraction[0];
        break;
    case 4:
        weigh_slice(FRACTION_ONE, fraction, weight);
        break;
    default:
        weigh_slice(FRACTION_ONE - fraction[2], fraction, weight);
        weigh_slice(fraction[2], fraction, weight + 4);
        break;
    }
}

/* Sums of weighted integers, in 256ths, to integers of 16 bits. */
static int32_t settle_sum(const WbTexture *texture, int32_t sum)
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

static float filter_integers(const TextureLane *lane, const TextureTexel *texels, uint32_t stride,
                             uint32_t corners, unsigned channel, const int32_t *weight)
{
    const WbTexture *texture = &lane->object->texture;
    int32_t sum = 0;
    for (uint32_t corner = 0; corner < corners; corner++)
        sum += weight[corner] * (int32_t)raw_channel(texture, &texels[corner * stride], channel);
    return (float)settle_sum(texture, sum) / scale_of(texture, 16);
}

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

/* As trunc() and round() do, the sign of zero included; numbers that are large are whole. */
static inline double cut(double x)
{
    return fabs(x) < 0x1p52 ? copysign((double)(int64_t)x, x) : x;
}

static inline double cut_or_raise(double x)
{
    const double whole = cut(x);
    return fabs(x - whole) >= 0.5 ? whole + copysign(1, x) : whole;
}

/* Significant bits of a format, the exponent of the last bit that there is, and bits that a number has in
 * sums. */
typedef struct Precision {
    int bits, least, kept;
    uint32_t nan;
} Precision;

static const Precision float_precision = {24, -149, 28, 0x7FFFFFFF},
                       half_precision = {11, -24, 15, 0x7FFFE000};

/* A number to be weighed, and the exponent of its last bit in the sum. */
typedef struct Term {
    double value;
    int unit;
} Term;

enum { NO_UNIT = -1000 };

static Term term_of(const WbTexture *texture, const TextureTexel *texel, unsigned channel,
                    const Precision *precision)
{
    const double value = float32(channel_bits(texture, texel, channel));
    if (is_colour(texture, channel)) {
        const double unit = texture_srgb_unit(raw_channel(texture, texel, channel));
        return (Term){value, unit ? exponent_of(unit) - 1 : NO_UNIT};
    }
    if (fabs(value) < FLT_MIN)
        return (Term){copysign(0, value), NO_UNIT};
    return (Term){value, isfinite(value) ? unit_of(value, precision->kept, NO_UNIT) : NO_UNIT};
}

/* The weighted corners of a slice, all cut to the last bit of the largest. */
static double sum_slice(const Term *terms, const int32_t *weight, uint32_t corners)
{
    double sum = -0.0;
    int unit = NO_UNIT;
    for (uint32_t corner = 0; corner < corners; corner++)
        if (weight[corner] && terms[corner].unit > unit)
            unit = terms[corner].unit;
    const bool is_cut = unit != NO_UNIT;
    const double one = power_of_two(is_cut ? unit : 0), part = power_of_two(is_cut ? -unit : 0);
    for (uint32_t corner = 0; corner < corners; corner++)
        if (weight[corner])
            sum += (is_cut ? cut(terms[corner].value * part) * one : terms[corner].value) * weight[corner];
    return sum / FRACTION_ONE;
}

/* Ties go away from zero. */
static float filter_floats(const TextureLane *lane, const TextureTexel *texels, uint32_t stride,
                           uint32_t corners, unsigned channel, const int32_t *weight)
{
    const WbTexture *texture = &lane->object->texture;
    const Precision *precision = texture->channel_bits == 32 ? &float_precision : &half_precision;
    Term terms[TEXTURE_TEXELS];
    for (uint32_t corner = 0; corner < corners; corner++)
        terms[corner] = term_of(texture, &texels[corner * stride], channel, precision);
    double sum = sum_slice(terms, weight, corners < 4 ? corners : 4);
    if (corners > 4)
        sum += sum_slice(terms + 4, weight + 4, 4);
    if (isnan(sum))
        return float32(precision->nan);
    if (isinf(sum) || sum == 0)
        return (float)sum;
    const int last = unit_of(sum, precision->bits, precision->least);
    return (float)(cut_or_raise(sum * power_of_two(-last)) * power_of_two(last));
}

static uint32_t filter(const TextureLane *lane, const TextureTexel *texels, uint32_t stride, uint32_t corners,
                       unsigned channel, const int32_t *weight)
{
    const WbTexture *texture = &lane->object->texture;
    if (texture->normalized_values && !is_colour(texture, channel))
        return bits32(filter_integers(lane, texels, stride, corners, channel, weight));
    return bits32(filter_floats(lane, texels, stride, corners, channel, weight));
}

/* -- the same for all channels of floats of 32 bits, with loops that the compiler makes vector code of -- */

typedef struct Texel32 {
    uint32_t bits[TEXTURE_CHANNELS];
} Texel32;

/* Channels that there are not are zero; false: some are no numbers, which the general way knows about. */
static bool read_floats(const WbTexture *texture, const TextureTexel *texels, uint32_t stride,
                        uint32_t corners, Texel32 *to)
{
    uint32_t most = 0;
    for (uint32_t corner = 0; corner < corners; corner++) {
        const TextureTexel *texel = &texels[corner * stride];
        to[corner] = (Texel32){{0}};
        for (unsigned channel = 0; channel < texture->channels; channel++)
            to[corner].bits[channel] = texel->address ? stored_channel(texture, texel->data, channel)
                                                      : border_channel(texture, channel);
        for (unsigned channel = 0; channel < TEXTURE_CHANNELS; channel++) {
            const uint32_t exponent = to[corner].bits[channel] << 1 >> 24;
            most = exponent > most ? exponent : most;
        }
    }
    return most < 0xff;
}

/* As sum_slice(): a number with exponent e counts in units of 2^(e - 154), its last of 28 bits. */
static void add_slice(const Texel32 *texels, const int32_t *weight, uint32_t corners, double *sum)
{
    uint32_t largest[TEXTURE_CHANNELS] = {0};
    double slice[TEXTURE_CHANNELS] = {-0.0, -0.0, -0.0, -0.0};
    for (uint32_t corner = 0; corner < corners; corner++)
        for (unsigned i = 0; weight[corner] && i < TEXTURE_CHANNELS; i++) {
            const uint32_t exponent = texels[corner].bits[i] << 1 >> 24;
            largest[i] = exponent > largest[i] ? exponent : largest[i];
        }
    for (uint32_t corner = 0; corner < corners; corner++)
        for (unsigned i = 0; weight[corner] && i < TEXTURE_CHANNELS; i++) {
            const uint32_t bits = texels[corner].bits[i];
            const double value = float32(bits << 1 >> 24 ? bits : bits & 0x80000000u);
            const int unit = largest[i] ? (int)largest[i] - 154 : 0;
            const double whole = copysign((double)(int32_t)(value * power_of_two(-unit)), value);
            slice[i] += whole * power_of_two(unit) * weight[corner];
        }
    for (unsigned i = 0; i < TEXTURE_CHANNELS; i++)
        sum[i] += slice[i] / FRACTION_ONE;
}

static bool filter_floats_together(const TextureLane *lane, const TextureTexel *texels, uint32_t stride,
                                   uint32_t corners, const int32_t *weight, uint32_t value[TEXTURE_CHANNELS])
{
    Texel32 read[TEXTURE_TEXELS];
    double sum[TEXTURE_CHANNELS] = {-0.0, -0.0, -0.0, -0.0};
    if (!read_floats(&lane->object->texture, texels, stride, corners, read))
        return false;
    add_slice(read, weight, corners < 4 ? corners : 4, sum);
    if (corners > 4)
        add_slice(read + 4, weight + 4, 4, sum);
    for (unsigned i = 0; i < TEXTURE_CHANNELS; i++) {
        const int last = unit_of(sum[i], float_precision.bits, float_precision.least);
        const double x = sum[i] * power_of_two(-last), whole = copysign((double)(int32_t)x, x);
        const double rounded = fabs(x - whole) >= 0.5 ? whole + copysign(1, x) : whole;
        value[i] = i < lane->object->texture.channels ? bits32((float)(rounded * power_of_two(last))) : 0;
    }
    return true;
}

/* -- results -- */

/* Corners counter-clockwise from the lower left one, as seen with y upwards. */
static void gather(const TextureForm *form, const WbTexture *texture, const TextureTexel *texels,
                   uint32_t stride, uint32_t value[TEXTURE_CHANNELS])
{
    static const uint8_t corners[TEXTURE_CHANNELS] = {2, 3, 1, 0};
    for (unsigned i = 0; i < TEXTURE_CHANNELS; i++)
        value[i] = channel_bits(texture, &texels[corners[i] * stride], form->channel);
}

void texture_value(const TextureForm *form, const TextureLane *lane, const TextureTexel *texels,
                   uint32_t stride, uint32_t value[TEXTURE_CHANNELS])
{
    const WbTexture *texture = &lane->object->texture;
    const uint32_t corners = texture_footprint(form, lane->object);
    const bool is_outside = form->has_integers && !texels->address;
    if (form->gathers) {
        gather(form, texture, texels, stride, value);
        return;
    }
    int32_t weight[TEXTURE_TEXELS];
    if (corners > 1)
        weigh(lane->fraction, corners, weight);
    if (corners > 1 && texture->channel == WB_CHANNEL_FLOAT && texture->channel_bits == 32 &&
        filter_floats_together(lane, texels, stride, corners, weight, value))
        return;
    for (unsigned channel = 0; channel < TEXTURE_CHANNELS; channel++)
        value[channel] = is_outside || channel >= texture->channels ? 0
                         : corners > 1 ? filter(lane, texels, stride, corners, channel, weight)
                                       : channel_bits(texture, texels, channel);
}
