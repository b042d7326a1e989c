/* Conversions between floats and the 16-bit types, binary16 and bfloat16: to the nearest, ties to even. */
#include "reference.h"

#include <math.h>
#include <string.h>

static uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float bits_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Drops the lower bits of a magnitude; a carry into the exponent is right. */
static uint32_t drop_bits(uint32_t bits, uint32_t count)
{
    return (bits + (1u << (count - 1)) - 1 + (bits >> count & 1)) >> count;
}

static uint16_t to_binary16(float value)
{
    const uint32_t bits = float_bits(value), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    uint32_t half;
    if (magnitude > 0x7f800000)
        half = 0x7e00 | (magnitude >> 13 & 0x1ff); /* a quiet NaN */
    else if (magnitude < 0x38800000)
        half = (uint32_t)rintf(fabsf(value) * 0x1p24f); /* subnormal: multiples of 2^-24 */
    else
        half = drop_bits(magnitude - 0x38000000, 13);
    if (magnitude <= 0x7f800000 && half > 0x7c00)
        half = 0x7c00;
    return (uint16_t)(sign | half);
}

static float from_binary16(uint16_t bits)
{
    const uint32_t sign = (uint32_t)(bits & 0x8000) << 16, magnitude = bits & 0x7fff;
    if (magnitude >= 0x7c00)
        return bits_float(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
    if (magnitude >= 0x0400)
        return bits_float(sign | (magnitude + 0x1c000) << 13);
    const float value = (float)magnitude * 0x1p-24f;
    return sign ? -value : value;
}

static uint16_t to_bfloat16(float value)
{
    const uint32_t bits = float_bits(value), magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000)
        return (uint16_t)(bits >> 16 | 0x40); /* a quiet NaN */
    return (uint16_t)((bits >> 16 & 0x8000) | drop_bits(magnitude, 16));
}

uint16_t reference_to_half(WbRnnType type, float value)
{
    return type == WBRNN_BF16 ? to_bfloat16(value) : to_binary16(value);
}

float reference_from_half(WbRnnType type, uint16_t bits)
{
    return type == WBRNN_BF16 ? bits_float((uint32_t)bits << 16) : from_binary16(bits);
}

float reference_round(WbRnnType type, float value)
{
    return type == WBRNN_F32 ? value : reference_from_half(type, reference_to_half(type, value));
}
