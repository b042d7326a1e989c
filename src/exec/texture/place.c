/* Coordinates to texels.
 *
 * A coordinate becomes a place along its axis, counted in texels; with the linear filter the place lies
 * between the centres of two texels, and how far in 256ths is the weight of the second. An index beyond an
 * edge is brought back as the addressing says, for each of the two by itself. */
#include <float.h>
#include <math.h>

#include "exec/texture/texture.h"

/* Texels along an axis, -1 for one beyond a border, and the weight of the second. */
typedef struct Along {
    int64_t index[2];
    uint16_t fraction;
} Along;

/* Places further out than this are all the same to every addressing. */
static const double furthest = 0x1p40;

static int64_t remainder_of(int64_t index, int64_t size)
{
    const int64_t rest = index % size;
    return rest < 0 ? rest + size : rest;
}

/* The texel that stands for an index: itself if it is one. */
static int64_t bring_in(int64_t index, int64_t size, WbAddressing addressing)
{
    if (index >= 0 && index < size)
        return index;
    switch (addressing) {
    case WB_WRAP:
        return remainder_of(index, size);
    case WB_MIRROR: {
        const int64_t rest = remainder_of(index, 2 * size);
        return rest < size ? rest : 2 * size - 1 - rest;
    }
    case WB_BORDER:
        return -1;
    default:
        return index < 0 ? 0 : size - 1;
    }
}

/* Where a normalized coordinate lies, in texels; repeats of the texture are taken away, but one mirror image
 * stays, so that neighbours are the same to both. */
static double place_of(double at, int64_t size, WbAddressing addressing)
{
    double units = floor(at * TEXTURE_UNITS);
    const double period = addressing == WB_WRAP ? TEXTURE_UNITS : 2 * TEXTURE_UNITS;
    const bool repeats = addressing == WB_WRAP || addressing == WB_MIRROR;
    if (repeats && !(units >= 0 && units < period)) {
        units = isfinite(units) ? fmod(units, period) : 0;
        units = units < 0 ? units + period : units;
    }
    return units / TEXTURE_UNITS * (double)size;
}

/* Of numbers, as fmin() and fmax() would have it. */
static inline double between(double x, double least, double most)
{
    return x < least ? least : x > most ? most : x;
}

static Along place_nearest(double place, int64_t size, WbAddressing addressing)
{
    return (Along){.index = {bring_in((int64_t)floor(place), size, addressing)}};
}

/* The two texels around a place. With WB_CLAMP the place itself stays between the outermost centres, which
 * matters to the rounding of weights, but a gather looks beyond. */
static Along place_between(double place, int64_t size, WbAddressing addressing, bool gathers)
{
    if (addressing == WB_CLAMP && !gathers)
        place = between(place, 0.5, (double)size - 0.5);
    /* Centres of texels lie at halves. Hardware keeps 8 bits of the fraction and rounds to the nearest of
     * them. */
    const int64_t fixed = (int64_t)floor((place - 0.5) * FRACTION_ONE + 0.5);
    const int64_t index = fixed >> 8;
    return (Along){.index = {bring_in(index, size, addressing), bring_in(index + 1, size, addressing)},
                   .fraction = (uint16_t)(fixed & (FRACTION_ONE - 1))};
}

size_t texture_axis_size(const WbTexture *texture, unsigned axis)
{
    const size_t size = axis == 0 ? texture->width : axis == 1 ? texture->height : texture->depth;
    return size ? size : 1;
}

bool texture_is_cube(const WbTexture *texture)
{
    return texture->shape == WB_TEXTURE_CUBE || texture->shape == WB_TEXTURE_CUBE_LAYERED;
}

/* Places on a face are always normalized. */
static bool is_normalized(const WbTexture *texture)
{
    return texture->normalized_coordinates || texture_is_cube(texture);
}

WbAddressing texture_addressing(const WbTexture *texture, unsigned axis)
{
    const WbAddressing addressing = texture->addressing[axis];
    const bool repeats = addressing == WB_WRAP || addressing == WB_MIRROR;
    return repeats && !is_normalized(texture) ? WB_CLAMP : addressing;
}

/* The face that a direction meets, and where on it, from 0 to 1. */
static unsigned meet_face(const float at[3], float on[2])
{
    const float x = fabsf(at[0]), y = fabsf(at[1]), z = fabsf(at[2]);
    unsigned face;
    float s, t, major;
    if (z >= x && z >= y) {
        face = signbit(at[2]) ? 5 : 4;
        major = z;
        s = face == 4 ? at[0] : -at[0];
        t = -at[1];
    } else if (y >= x) {
        face = signbit(at[1]) ? 3 : 2;
        major = y;
        s = at[0];
        t = face == 2 ? at[2] : -at[2];
    } else {
        face = signbit(at[0]) ? 1 : 0;
        major = x;
        s = face == 0 ? -at[2] : at[2];
        t = -at[1];
    }
    /* The larger axis is 1 away on its face; the others go from -1 to 1 there. */
    on[0] = (s / major + 1) / 2;
    on[1] = (t / major + 1) / 2;
    return face;
}

unsigned texture_filtered_axes(const TextureForm *form, const WbTexture *texture)
{
    const bool is_plane =
        texture->shape == WB_TEXTURE_1D && texture->linear && texture->addressing[1] == WB_BORDER;
    return texture_is_cube(texture) || is_plane ? 2 : form->axes;
}

uint32_t texture_footprint(const TextureForm *form, const TextureObject *object)
{
    if (form->gathers)
        return 4;
    return object->texture.linear && !form->has_integers ? 1u << texture_filtered_axes(form, &object->texture)
                                                         : 1;
}

static void place_texels(const TextureObject *object, const Along along[3], uint32_t rows, int64_t slice,
                         TextureTexel *texels, uint32_t stride)
{
    const WbTexture *texture = &object->texture;
    for (uint32_t row = 0; row < rows; row++) {
        const int64_t x = along[0].index[row & 1], y = along[1].index[row >> 1 & 1],
                      z = along[2].index[row >> 2];
        const bool is_inside = x >= 0 && y >= 0 && z >= 0;
        /* Bits of `row` choose between the two neighbours on each axis, so 1, 2, 4 or 8 rows are all
         * corners. */
        texels[row * stride].address =
            !is_inside ? 0
                       : texture->address + (uint64_t)(z + slice) * texture->slice_pitch +
                             (uint64_t)y * texture->row_pitch + (uint64_t)x * object->element_bytes;
    }
}

/* The slice that a layer or a face of a cube is. Layers beyond the last one are that one, and so are negative
 * ones. */
static int64_t slice_of(const TextureForm *form, const WbTexture *texture, int32_t layer, unsigned face)
{
    const int64_t faces = texture_is_cube(texture) ? 6 : 1;
    const int64_t layers = (int64_t)texture->depth / faces;
    if (!form->is_layered)
        return face;
    return ((uint32_t)layer >= layers ? layers - 1 : layer) * faces + face;
}

/* By integers: outside there is none, and none at all in a line of an array: only buffers are read so. */
static Along place_integer(const WbTexture *texture, int32_t index, size_t size)
{
    const bool is_line = texture->shape == WB_TEXTURE_1D;
    return (Along){.index = {is_line ? -1 : bring_in(index, (int64_t)size, WB_BORDER)}};
}

static Along place_float(const TextureForm *form, const WbTexture *texture, unsigned axis, float at,
                         size_t size)
{
    const WbAddressing addressing = texture_addressing(texture, axis);
    /* The unit takes no NaN and flushes subnormals. */
    at = isnan(at) || fabsf(at) < FLT_MIN ? 0 : at;
    double place = is_normalized(texture) ? place_of(at, (int64_t)size, addressing) : at;
    place = between(place, -furthest, furthest);
    return texture->linear || form->gathers ? place_between(place, (int64_t)size, addressing, form->gathers)
                                            : place_nearest(place, (int64_t)size, addressing);
}

void texture_place(const TextureForm *form, const TextureObject *object, const TexturePlace *place,
                   uint16_t *fraction, TextureTexel *texels, uint32_t stride)
{
    const WbTexture *texture = &object->texture;
    Along along[3] = {0};
    float on_face[2];
    const unsigned face = texture_is_cube(texture) ? meet_face(place->at, on_face) : 0;
    for (unsigned axis = 0; axis < texture_filtered_axes(form, texture); axis++) {
        const size_t size = texture_axis_size(texture, axis);
        const float at = texture_is_cube(texture) ? on_face[axis] : place->at[axis];
        along[axis] = form->has_integers ? place_integer(texture, place->index[axis], size)
                                         : place_float(form, texture, axis, at, size);
        fraction[axis] = along[axis].fraction;
    }
    if (form->has_integers && form->is_layered && (uint32_t)place->layer >= texture->depth)
        along[0].index[0] = -1;
    place_texels(object, along, texture_footprint(form, object), slice_of(form, texture, place->layer, face),
                 texels, stride);
}
