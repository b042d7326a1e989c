/* A fetch of a whole warp from one texture, in loops over lanes that the compiler makes vector code of.
 *
 * Lanes nearly always read the same object. What that object is then has to be asked once and not for every
 * lane, and the arithmetic of place.c and value.c is the same for all lanes. It is done here step by step for
 * whole rows of lanes, with the same operations in the same order, so that every bit is what the general way
 * gives. What is rare is left to that: cubes, integer coordinates, gathers, places far outside, numbers that
 * are none, filtered halves and sRGB.
 *
 * Lanes that do not execute are computed, too, from whatever their registers hold; their texels have no
 * address, and nobody reads their values. */
#include "exec/texture/channel.h"
#include "exec/texture/row.h"

/* -- coordinates to texels -- */

/* Places within this many texels fit into 32 bits in 256ths; textures of half the size are mirrored within.
 * A lane beyond it has the general way. */
static const double row_furthest = 0x1p22;
enum { ROW_LARGEST = 1 << 21 };

/* One axis of all lanes: both texels of each, -1 for one beyond a border, and the weight of the second. */
typedef struct AxisRow {
    int32_t index[2][MAX_WIDTH];
    int32_t fraction[MAX_WIDTH];
} AxisRow;

/* As place_of(): the remainder is that of fmod() brought above zero, since the period is a power of two and
 * the division by it therefore exact. */
static void normalize_row(double *place, uint32_t width, double size, WbAddressing addressing)
{
    const double period = addressing == WB_WRAP ? TEXTURE_UNITS : 2 * TEXTURE_UNITS;
    const bool repeats = addressing == WB_WRAP || addressing == WB_MIRROR;
    for (uint32_t i = 0; i < width; i++)
        place[i] = floor(place[i] * TEXTURE_UNITS);
    for (uint32_t i = 0; repeats && i < width; i++) {
        const double rest = place[i] - floor(place[i] / period) * period;
        place[i] = rest == rest ? rest : 0; /* of an infinite one there is none */
    }
    for (uint32_t i = 0; i < width; i++)
        place[i] = place[i] / TEXTURE_UNITS * size;
}

/* As bring_in(), for an index that is at most one off a texture that repeats. */
static void bring_row_in(int32_t *index, uint32_t width, int32_t size, WbAddressing addressing)
{
    switch (addressing) {
    case WB_WRAP:
        for (uint32_t i = 0; i < width; i++)
            index[i] += index[i] < 0 ? size : index[i] >= size ? -size : 0;
        break;
    case WB_MIRROR:
        for (uint32_t i = 0; i < width; i++) {
            const int32_t once = index[i] + (index[i] < 0 ? 2 * size : index[i] >= 2 * size ? -2 * size : 0);
            index[i] = once < size ? once : 2 * size - 1 - once;
        }
        break;
    case WB_BORDER:
        for (uint32_t i = 0; i < width; i++)
            index[i] = index[i] >= 0 && index[i] < size ? index[i] : -1;
        break;
    default:
        for (uint32_t i = 0; i < width; i++)
            index[i] = index[i] < 0 ? 0 : index[i] >= size ? size - 1 : index[i];
        break;
    }
}

static void place_row_between(double *place, uint32_t width, int32_t size, WbAddressing addressing,
                              AxisRow *row)
{
    const double least = 0.5, most = (double)size - 0.5;
    for (uint32_t i = 0; addressing == WB_CLAMP && i < width; i++)
        place[i] = place[i] < least ? least : place[i] > most ? most : place[i];
    for (uint32_t i = 0; i < width; i++) {
        const int32_t fixed = (int32_t)floor((place[i] - 0.5) * FRACTION_ONE + 0.5);
        row->index[0][i] = fixed >> 8;
        row->index[1][i] = (fixed >> 8) + 1;
        row->fraction[i] = fixed & (FRACTION_ONE - 1);
    }
    bring_row_in(row->index[0], width, size, addressing);
    bring_row_in(row->index[1], width, size, addressing);
}

/* False: a lane lies too far out. */
static bool place_row(const WbTexture *texture, unsigned axis, const uint32_t *bits, uint32_t width,
                      AxisRow *row)
{
    const int32_t size = (int32_t)texture_axis_size(texture, axis);
    const WbAddressing addressing = texture_addressing(texture, axis);
    double place[MAX_WIDTH], furthest = 0;
    for (uint32_t i = 0; i < width; i++) {
        const float at = float32(bits[i]);
        place[i] = at != at || fabsf(at) < FLT_MIN ? 0 : at;
    }
    if (texture->normalized_coordinates)
        normalize_row(place, width, size, addressing);
    for (uint32_t i = 0; i < width; i++)
        furthest = fabs(place[i]) > furthest ? fabs(place[i]) : furthest;
    if (furthest > row_furthest)
        return false;
    if (texture->linear) {
        place_row_between(place, width, size, addressing, row);
        return true;
    }
    for (uint32_t i = 0; i < width; i++) {
        row->index[0][i] = (int32_t)floor(place[i]);
        row->fraction[i] = 0;
    }
    bring_row_in(row->index[0], width, size, addressing);
    return true;
}

static bool is_plain(const TextureForm *form, const WbTexture *texture)
{
    return !form->has_integers && !form->gathers && !form->is_layered &&
           texture_filtered_axes(form, texture) == form->axes && !texture_is_cube(texture) &&
           texture_axis_size(texture, 0) <= ROW_LARGEST && texture_axis_size(texture, 1) <= ROW_LARGEST &&
           texture_axis_size(texture, 2) <= ROW_LARGEST;
}

bool texture_place_row(TextureFetch *fetch, const TextureObject *object, const uint32_t *const axes[3],
                       Mask mask)
{
    const WbTexture *texture = &object->texture;
    const uint32_t width = fetch->width;
    TextureLane *lanes = fetch_lanes(fetch);
    AxisRow rows[3];
    if (!is_plain(fetch->form, texture))
        return false;
    for (unsigned axis = 0; axis < 3; axis++) {
        if (axis >= fetch->form->axes)
            memset(&rows[axis], 0, sizeof rows[axis]);
        else if (!place_row(texture, axis, axes[axis], width, &rows[axis]))
            return false;
        for (uint32_t i = 0; i < width; i++)
            lanes[i].fraction[axis] = (uint16_t)rows[axis].fraction[i];
    }
    for (uint32_t corner = 0; corner < fetch->texels; corner++) {
        TextureTexel *texels = fetch_texels(fetch, corner);
        const int32_t *x = rows[0].index[corner & 1], *y = rows[1].index[corner >> 1 & 1],
                      *z = rows[2].index[corner >> 2];
        for (uint32_t i = 0; i < width; i++) {
            const uint64_t address = texture->address + (uint64_t)(int64_t)z[i] * texture->slice_pitch +
                                     (uint64_t)(int64_t)y[i] * texture->row_pitch +
                                     (uint64_t)(int64_t)x[i] * object->element_bytes;
            texels[i].address = (x[i] | y[i] | z[i]) >= 0 && mask >> i & 1 ? address : 0;
        }
    }
    return true;
}

/* -- texels to values -- */

/* As raw_channel(). */
static void read_row(const WbTexture *texture, const TextureTexel *texels, uint32_t width, unsigned channel,
                     uint32_t *raw)
{
    const uint32_t border = border_channel(texture, channel);
    const unsigned unused = 32 - texture->channel_bits;
    const bool is_extended = is_signed(texture);
    for (uint32_t i = 0; i < width; i++)
        raw[i] = texels[i].address ? stored_channel(texture, texels[i].data, channel) : border;
    for (uint32_t i = 0; unused && i < width; i++)
        raw[i] = is_extended ? (uint32_t)((int32_t)(raw[i] << unused) >> unused) : raw[i] << unused >> unused;
}

/* One texel a lane, as channel_bits() has it. */
static void value_row_nearest(const WbTexture *texture, const TextureTexel *texels, uint32_t width,
                              unsigned channel, uint32_t *value)
{
    read_row(texture, texels, width, channel, value);
    if (texture->normalized_values)
        for (uint32_t i = 0; i < width; i++)
            value[i] = bits32(normalized_channel(texture, value[i], channel));
    else if (texture->channel == WB_CHANNEL_FLOAT && texture->channel_bits == 16)
        for (uint32_t i = 0; i < width; i++)
            value[i] = bits32(f16_to_f32((uint16_t)value[i]));
}

typedef struct WeightRows {
    int32_t of[TEXTURE_TEXELS][MAX_WIDTH];
} WeightRows;

static void weigh_rows(const TextureLane *lanes, uint32_t width, uint32_t corners, WeightRows *weight)
{
    int32_t fraction[3][MAX_WIDTH];
    for (uint32_t i = 0; i < width; i++)
        for (unsigned axis = 0; axis < 3; axis++)
            fraction[axis][i] = lanes[i].fraction[axis];
    if (corners == 2) {
        for (uint32_t i = 0; i < width; i++) {
            weight->of[0][i] = FRACTION_ONE - fraction[0][i];
            weight->of[1][i] = fraction[0][i];
        }
        return;
    }
    for (uint32_t i = 0; i < width; i++)
        weigh_slice(corners == 4 ? FRACTION_ONE : FRACTION_ONE - fraction[2][i], fraction[0][i],
                    fraction[1][i], &weight->of[0][i], MAX_WIDTH);
    for (uint32_t i = 0; corners > 4 && i < width; i++)
        weigh_slice(fraction[2][i], fraction[0][i], fraction[1][i], &weight->of[4][i], MAX_WIDTH);
}

/* As filter_integers(). */
static void filter_integer_row(TextureFetch *fetch, const WbTexture *texture, unsigned channel,
                               const WeightRows *weight, uint32_t *value)
{
    const uint32_t width = fetch->width;
    int32_t sum[MAX_WIDTH] = {0};
    for (uint32_t corner = 0; corner < fetch->texels; corner++) {
        uint32_t raw[MAX_WIDTH];
        read_row(texture, fetch_texels(fetch, corner), width, channel, raw);
        for (uint32_t i = 0; i < width; i++)
            sum[i] += weight->of[corner][i] * (int32_t)raw[i];
    }
    for (uint32_t i = 0; i < width; i++)
        value[i] = bits32((float)settle_sum(texture, sum[i]) / scale_of(texture, 16));
}

/* As sum_slice(), for numbers of 32 bits: one with exponent e counts in units of 2^(e - 154), the last of its
 * 28 bits. Subnormal ones are zero. A corner without weight does not count, not even for the unit: it is made
 * a negative zero, which changes no sum. */
static void add_slice_row(uint32_t (*bits)[MAX_WIDTH], const int32_t (*weight)[MAX_WIDTH], uint32_t corners,
                          uint32_t width, double *sum)
{
    const uint32_t sign = 0x80000000u;
    int32_t unit[MAX_WIDTH] = {0};
    double slice[MAX_WIDTH], one[MAX_WIDTH], part[MAX_WIDTH];
    for (uint32_t corner = 0; corner < corners; corner++)
        for (uint32_t i = 0; i < width; i++) {
            const uint32_t all = weight[corner][i] ? bits[corner][i] : sign;
            const int32_t exponent = (int32_t)(all << 1 >> 24);
            bits[corner][i] = exponent ? all : all & sign;
            unit[i] = exponent > unit[i] ? exponent : unit[i];
        }
    for (uint32_t i = 0; i < width; i++) {
        const int32_t power = unit[i] ? unit[i] - 154 : 0;
        one[i] = power_of_two(power);
        part[i] = power_of_two(-power);
        slice[i] = -0.0;
    }
    for (uint32_t corner = 0; corner < corners; corner++)
        for (uint32_t i = 0; i < width; i++) {
            const double value = float32(bits[corner][i]);
            const double whole = copysign((double)(int32_t)(value * part[i]), value);
            slice[i] += whole * one[i] * weight[corner][i];
        }
    for (uint32_t i = 0; i < width; i++)
        sum[i] += slice[i] / FRACTION_ONE;
}

/* As filter_floats(); false: some are no numbers, which the general way knows about. */
static bool filter_float_row(TextureFetch *fetch, const WbTexture *texture, unsigned channel,
                             const WeightRows *weight, uint32_t *value)
{
    const uint32_t width = fetch->width, corners = fetch->texels;
    uint32_t bits[TEXTURE_TEXELS][MAX_WIDTH], most = 0;
    double sum[MAX_WIDTH];
    for (uint32_t corner = 0; corner < corners; corner++) {
        read_row(texture, fetch_texels(fetch, corner), width, channel, bits[corner]);
        for (uint32_t i = 0; i < width; i++)
            most = bits[corner][i] << 1 > most ? bits[corner][i] << 1 : most;
    }
    if (most >> 24 == 0xff)
        return false;
    for (uint32_t i = 0; i < width; i++)
        sum[i] = -0.0;
    add_slice_row(bits, weight->of, corners < 4 ? corners : 4, width, sum);
    if (corners > 4)
        add_slice_row(bits + 4, weight->of + 4, 4, width, sum);
    for (uint32_t i = 0; i < width; i++) {
        const int last = unit_of(sum[i], float_precision.bits, float_precision.least);
        const double x = sum[i] * power_of_two(-last), whole = copysign((double)(int32_t)x, x);
        const double rounded = fabs(x - whole) >= 0.5 ? whole + copysign(1, x) : whole;
        value[i] = bits32((float)(rounded * power_of_two(last)));
    }
    return true;
}

bool texture_value_row(TextureFetch *fetch, const TextureObject *object, TextureRows *value)
{
    const WbTexture *texture = &object->texture;
    const uint32_t width = fetch->width;
    const bool is_filtered = fetch->texels > 1, is_integer = texture->normalized_values && !texture->srgb;
    WeightRows weight;
    if (fetch->form->gathers || fetch->form->has_integers)
        return false;
    if (is_filtered && !is_integer && (texture->channel != WB_CHANNEL_FLOAT || texture->channel_bits != 32))
        return false;
    if (is_filtered)
        weigh_rows(fetch_lanes(fetch), width, fetch->texels, &weight);
    for (unsigned channel = 0; channel < TEXTURE_CHANNELS; channel++) {
        uint32_t *to = value->of[channel];
        if (channel >= texture->channels)
            memset(to, 0, width * sizeof *to);
        else if (!is_filtered)
            value_row_nearest(texture, fetch_texels(fetch, 0), width, channel, to);
        else if (is_integer)
            filter_integer_row(fetch, texture, channel, &weight, to);
        else if (!filter_float_row(fetch, texture, channel, &weight, to))
            return false;
    }
    return true;
}
