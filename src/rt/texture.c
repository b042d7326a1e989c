/* Objects that show arrays or memory to texture and surface instructions: CUDA's descriptions are put
 * together into the C API's one. What a program described is kept, for it may ask for it back. */
#include "rt/texture.h"

#include <inttypes.h>
#include <string.h>

#include "base/vec.h"

enum { SURFACE_FLAG = 2 }; /* of arrays */

static VEC(RtTexture) objects;

static const char *name_of(bool is_surface) { return is_surface ? "surface" : "texture"; }

/* Devices may have given out the same handle: then the current one's is meant. */
static RtError find(uint64_t handle, bool is_surface, uint32_t *index)
{
    *index = UINT32_MAX;
    for (uint32_t i = 0; i < objects.count; i++) {
        const RtTexture *object = &objects.items[i];
        if (object->handle == handle && object->is_surface == is_surface &&
            (*index == UINT32_MAX || object->device == rt_device()))
            *index = i;
    }
    if (*index != UINT32_MAX)
        return RT_SUCCESS;
    return rt_fail(RT_INVALID_VALUE, "0x%" PRIx64 " is no %s object, or one that has been destroyed.", handle,
                   name_of(is_surface));
}

static void set_format(const RtTextureSource *source, WbTexture *texture)
{
    texture->address = source->address;
    texture->channel = source->channel;
    texture->channels = source->channels;
    texture->channel_bits = source->channel_bits;
}

static RtError describe_linear(const RtTextureSource *source, WbTexture *texture)
{
    const size_t element = (size_t)source->channels * source->channel_bits / 8;
    set_format(source, texture);
    texture->shape = WB_TEXTURE_BUFFER;
    texture->width = element ? source->bytes / element : 0;
    if (texture->width == 0)
        return rt_fail(RT_INVALID_VALUE, "A texture of %zu bytes has no element of %u channels of %u bits.",
                       source->bytes, source->channels, source->channel_bits);
    return RT_SUCCESS;
}

static RtError describe_pitch(const RtTextureSource *source, WbTexture *texture)
{
    const size_t element = (size_t)source->channels * source->channel_bits / 8;
    size_t row;
    set_format(source, texture);
    texture->shape = WB_TEXTURE_2D;
    texture->width = source->width;
    texture->height = source->height;
    texture->row_pitch = source->pitch;
    if (!source->width || !source->height || __builtin_mul_overflow(source->width, element, &row) ||
        row > source->pitch)
        return rt_fail(RT_INVALID_VALUE, "A texture of %zu x %zu elements cannot have rows %zu bytes apart.",
                       source->width, source->height, source->pitch);
    return RT_SUCCESS;
}

/* What of the C API's description the source decides. */
static RtError describe(const RtTextureSource *source, bool is_surface, WbTexture *texture)
{
    RtArray *array;
    RtError error;
    memset(texture, 0, sizeof *texture);
    if (is_surface && source->kind != RT_RESOURCE_ARRAY)
        return rt_fail(RT_INVALID_VALUE, "A surface shows an array, no other resource.");
    switch (source->kind) {
    case RT_RESOURCE_ARRAY:
        error = rt_array_get(source->array, &array);
        if (error != RT_SUCCESS)
            return error;
        if (is_surface && !(array->flags & SURFACE_FLAG))
            return rt_fail(RT_INVALID_VALUE, "The surface's array was not made for it: give it the flag "
                                             "cudaArraySurfaceLoadStore.");
        *texture = rt_array_texture(array);
        return RT_SUCCESS;
    case RT_RESOURCE_LINEAR:
        return describe_linear(source, texture);
    case RT_RESOURCE_PITCH:
        return describe_pitch(source, texture);
    case RT_RESOURCE_MIPMAP:
        return rt_fail(RT_NOT_SUPPORTED,
                       "Textures of mipmapped arrays are not simulated; show one level as an array.");
    default:
        return rt_fail(RT_INVALID_VALUE, "There is no resource type %d.", (int)source->kind);
    }
}

static RtError add_sampler(const RtSampler *sampler, WbTexture *texture)
{
    const bool is_cube = texture->shape == WB_TEXTURE_CUBE || texture->shape == WB_TEXTURE_CUBE_LAYERED;
    const bool is_buffer = texture->shape == WB_TEXTURE_BUFFER;
    if (is_cube && sampler->is_seamless && sampler->is_linear)
        return rt_fail(RT_NOT_SUPPORTED,
                       "Filtering across the edges of a cube is not simulated; leave seamlessCubemap 0.");
    for (unsigned axis = 0; axis < 3; axis++) {
        if (!is_buffer && (sampler->addressing[axis] < WB_WRAP || sampler->addressing[axis] > WB_BORDER))
            return rt_fail(RT_INVALID_VALUE, "There is no address mode %d.", sampler->addressing[axis]);
        texture->addressing[axis] = (WbAddressing)sampler->addressing[axis];
    }
    /* CUDA: linear memory is never filtered, whatever the sampler says. */
    texture->linear = sampler->is_linear && !is_buffer;
    texture->normalized_coordinates = sampler->normalized_coordinates;
    texture->normalized_values = sampler->normalized_values && texture->channel != WB_CHANNEL_FLOAT;
    texture->srgb = sampler->srgb;
    memcpy(texture->border, sampler->border, sizeof texture->border);
    return RT_SUCCESS;
}

static void keep(const RtTextureSource *source, const RtSampler *sampler, uint64_t handle)
{
    RtTexture object = {
        .device = rt_device(), .handle = handle, .is_surface = !sampler, .source = *source};
    if (sampler)
        object.sampler = *sampler;
    VEC_PUSH(&objects, object);
}

RtError rt_texture_describe(const RtTextureSource *source, const RtSampler *sampler, WbTexture *texture)
{
    RtError error = describe(source, !sampler, texture);
    return error || !sampler ? error : add_sampler(sampler, texture);
}

RtError rt_texture_create(const RtTextureSource *source, const RtSampler *sampler, uint64_t *handle)
{
    WbTexture texture;
    RtError error = rt_texture_describe(source, sampler, &texture);
    if (error == RT_SUCCESS)
        error = rt_check(wb_texture_create(rt_gpu(), &texture, handle));
    if (error == RT_SUCCESS)
        keep(source, sampler, *handle);
    return error;
}

RtError rt_surface_create(const RtTextureSource *source, uint64_t *handle)
{
    WbTexture surface;
    RtError error = rt_texture_describe(source, NULL, &surface);
    if (error == RT_SUCCESS)
        error = rt_check(wb_surface_create(rt_gpu(), &surface, handle));
    if (error == RT_SUCCESS)
        keep(source, NULL, *handle);
    return error;
}

RtError rt_texture_destroy(uint64_t handle, bool is_surface)
{
    uint32_t index;
    if (!handle)
        return RT_SUCCESS;
    RtError error = find(handle, is_surface, &index);
    if (error != RT_SUCCESS)
        return error;
    const int device = objects.items[index].device;
    objects.items[index] = objects.items[--objects.count];
    return RT_ON(device, rt_check(wb_texture_destroy(rt_gpu(), handle)));
}

RtError rt_texture_get(uint64_t handle, bool is_surface, const RtTexture **texture)
{
    uint32_t index;
    RtError error = find(handle, is_surface, &index);
    if (error == RT_SUCCESS)
        *texture = &objects.items[index];
    return error;
}
