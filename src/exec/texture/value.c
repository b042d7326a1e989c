/* Bytes of texels to what registers get: channels as the format says, then the filter.
 *
 * Rounding is that of an H200, found by asking one (tests/device/texture). Weights are whole 256ths and add
 * up to 1: the slices' weights are shared out along x and those along y. Normalized integers are filtered as
 * integers of 16 bits, halves and sRGB to halves, ties going away from zero. */
#include "exec/texture/channel.h"

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

static void weigh(const uint16_t *fraction, uint32_t corners, int32_t *weight)
{
    switch (corners) {
    case 2:
        weight[0] = FRACTION_ONE - fraction[0];
        weight[1] = fraction[0];
        break;
    case 4:
        weigh_slice(FRACTION_ONE, fraction[0], fraction[1], weight, 1);
        break;
    default:
        weigh_slice(FRACTION_ONE - fraction[2], fraction[0], fraction[1], weight, 1);
        weigh_slice(fraction[2], fraction[0], fraction[1], weight + 4, 1);
        break;
    }
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

/* As trunc() and round() do, the sign of zero included; numbers that are large are whole. */
static inline double cut(double x) { return fabs(x) < 0x1p52 ? copysign((double)(int64_t)x, x) : x; }

static inline double cut_or_raise(double x)
{
    const double whole = cut(x);
    return fabs(x - whole) >= 0.5 ? whole + copysign(1, x) : whole;
}

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
    for (unsigned channel = 0; channel < TEXTURE_CHANNELS; channel++)
        value[channel] = is_outside || channel >= texture->channels ? 0
                         : corners > 1 ? filter(lane, texels, stride, corners, channel, weight)
                                       : channel_bits(texture, texels, channel);
}
