/* Texture and surface objects, and channel descriptions. */
#include "rt/texture.h"

#include <string.h>

#include "rt/cudart/abi.h"
#include "rt/cudart/channel.h"
#include "rt/cudart/cudart.h"

/* Layout of cudaResourceDesc; CUDA 13 gave it room to grow, and flags. */
typedef struct ResourceDescription {
    int kind; /* RtResource */
    union {
        void *array;
        struct {
            void *pointer;
            ChannelFormat format;
            size_t bytes;
        } linear;
        struct {
            void *pointer;
            ChannelFormat format;
            size_t width, height, pitch;
        } pitch;
#if CUDART_MAJOR >= 13
        int reserved[32];
#endif
    } of;
#if CUDART_MAJOR >= 13
    unsigned flags;
#endif
} ResourceDescription;

/* Layout of cudaTextureDesc. In CUDA 11 the last field is there only for the functions whose names end with
 * _v2. */
typedef struct TextureDescription {
    int addressing[3], filter, read_mode, srgb;
    float border[4];
    int normalized_coordinates;
    unsigned anisotropy;
    int mipmap_filter;
    float mipmap_bias, mipmap_least, mipmap_most;
    int keeps_trilinear, is_seamless;
} TextureDescription;

enum { HAS_SEAMLESS = CUDART_MAJOR >= 12 };

/* -- channels -- */

EXPORT ChannelFormat cudaCreateChannelDesc(int x, int y, int z, int w, int kind)
{
    return (ChannelFormat){x, y, z, w, kind};
}

static RtError get_channels(ChannelFormat *format, const void *handle)
{
    RtArray *array;
    NEED(format);
    RtError error = rt_array_get(handle, &array);
    if (error == RT_SUCCESS)
        *format = channel_format(array->channel, array->channels, array->channel_bits);
    return error;
}

EXPORT int cudaGetChannelDesc(ChannelFormat *format, const void *array)
{
    return CUDART(get_channels(format, array));
}

/* -- descriptions -- */

static RtError take_source(const ResourceDescription *from, RtTextureSource *to)
{
    NEED(from);
    *to = (RtTextureSource){.kind = (RtResource)from->kind};
    const ChannelFormat *format = NULL;
    switch (to->kind) {
    case RT_RESOURCE_LINEAR:
        to->address = (uint64_t)(uintptr_t)from->of.linear.pointer;
        to->bytes = from->of.linear.bytes;
        format = &from->of.linear.format;
        break;
    case RT_RESOURCE_PITCH:
        to->address = (uint64_t)(uintptr_t)from->of.pitch.pointer;
        to->width = from->of.pitch.width;
        to->height = from->of.pitch.height;
        to->pitch = from->of.pitch.pitch;
        format = &from->of.pitch.format;
        break;
    default:
        to->array = from->of.array;
        break;
    }
    return format ? channel_take(format, &to->channel, &to->channels, &to->channel_bits) : RT_SUCCESS;
}

static ResourceDescription give_source(const RtTextureSource *from)
{
    ResourceDescription to;
    memset(&to, 0, sizeof to);
    to.kind = (int)from->kind;
    const ChannelFormat format = channel_format(from->channel, from->channels, from->channel_bits);
    void *pointer = (void *)(uintptr_t)from->address;
    switch (from->kind) {
    case RT_RESOURCE_LINEAR:
        to.of.linear.pointer = pointer;
        to.of.linear.format = format;
        to.of.linear.bytes = from->bytes;
        break;
    case RT_RESOURCE_PITCH:
        to.of.pitch.pointer = pointer;
        to.of.pitch.format = format;
        to.of.pitch.width = from->width;
        to.of.pitch.height = from->height;
        to.of.pitch.pitch = from->pitch;
        break;
    default:
        to.of.array = from->array;
        break;
    }
    return to;
}

static RtSampler take_sampler(const TextureDescription *from, bool has_seamless)
{
    RtSampler to = {
        .is_linear = from->filter == 1,
        .normalized_coordinates = from->normalized_coordinates != 0,
        .normalized_values = from->read_mode == 1,
        .srgb = from->srgb != 0,
        .is_seamless = has_seamless && from->is_seamless,
        .anisotropy = from->anisotropy,
        .mipmap_filter = from->mipmap_filter,
        .mipmap_bias = from->mipmap_bias,
        .mipmap_least = from->mipmap_least,
        .mipmap_most = from->mipmap_most,
        .keeps_trilinear = from->keeps_trilinear != 0,
    };
    memcpy(to.addressing, from->addressing, sizeof to.addressing);
    memcpy(to.border, from->border, sizeof to.border);
    return to;
}

static void give_sampler(const RtSampler *from, bool has_seamless, TextureDescription *to)
{
    memcpy(to->addressing, from->addressing, sizeof to->addressing);
    memcpy(to->border, from->border, sizeof to->border);
    to->filter = from->is_linear;
    to->read_mode = from->normalized_values;
    to->srgb = from->srgb;
    to->normalized_coordinates = from->normalized_coordinates;
    to->anisotropy = from->anisotropy;
    to->mipmap_filter = from->mipmap_filter;
    to->mipmap_bias = from->mipmap_bias;
    to->mipmap_least = from->mipmap_least;
    to->mipmap_most = from->mipmap_most;
    to->keeps_trilinear = from->keeps_trilinear;
    if (has_seamless)
        to->is_seamless = from->is_seamless;
}

/* -- textures -- */

static RtError create_texture(uint64_t *handle, const ResourceDescription *resource,
                              const TextureDescription *description, const void *view, bool has_seamless)
{
    RtTextureSource source;
    NEED(handle);
    NEED(description);
    if (view)
        return rt_fail(RT_NOT_SUPPORTED,
                       "Views of a texture's resource are not simulated; pass a null pointer.");
    RtError error = take_source(resource, &source);
    if (error != RT_SUCCESS)
        return error;
    const RtSampler sampler = take_sampler(description, has_seamless);
    return rt_texture_create(&source, &sampler, handle);
}

EXPORT int cudaCreateTextureObject(uint64_t *handle, const ResourceDescription *resource,
                                   const TextureDescription *description, const void *view)
{
    return CUDART(create_texture(handle, resource, description, view, HAS_SEAMLESS));
}

EXPORT int cudaCreateTextureObject_v2(uint64_t *handle, const ResourceDescription *resource,
                                      const TextureDescription *description, const void *view)
{
    return CUDART(create_texture(handle, resource, description, view, true));
}

EXPORT int cudaDestroyTextureObject(uint64_t handle) { return CUDART(rt_texture_destroy(handle, false)); }

static RtError get_source(ResourceDescription *resource, uint64_t handle, bool is_surface)
{
    const RtTexture *texture;
    NEED(resource);
    RtError error = rt_texture_get(handle, is_surface, &texture);
    if (error == RT_SUCCESS)
        *resource = give_source(&texture->source);
    return error;
}

EXPORT int cudaGetTextureObjectResourceDesc(ResourceDescription *resource, uint64_t handle)
{
    return CUDART(get_source(resource, handle, false));
}

static RtError get_sampler(TextureDescription *description, uint64_t handle, bool has_seamless)
{
    const RtTexture *texture;
    NEED(description);
    RtError error = rt_texture_get(handle, false, &texture);
    if (error == RT_SUCCESS)
        give_sampler(&texture->sampler, has_seamless, description);
    return error;
}

EXPORT int cudaGetTextureObjectTextureDesc(TextureDescription *description, uint64_t handle)
{
    return CUDART(get_sampler(description, handle, HAS_SEAMLESS));
}

EXPORT int cudaGetTextureObjectTextureDesc_v2(TextureDescription *description, uint64_t handle)
{
    return CUDART(get_sampler(description, handle, true));
}

static RtError get_view(const void *view, uint64_t handle)
{
    const RtTexture *texture;
    NEED(view);
    RtError error = rt_texture_get(handle, false, &texture);
    return error ? error
                 : rt_fail(RT_INVALID_VALUE, "The texture object was created without a resource view.");
}

EXPORT int cudaGetTextureObjectResourceViewDesc(void *view, uint64_t handle)
{
    return CUDART(get_view(view, handle));
}

/* -- surfaces -- */

static RtError create_surface(uint64_t *handle, const ResourceDescription *resource)
{
    RtTextureSource source;
    NEED(handle);
    RtError error = take_source(resource, &source);
    return error ? error : rt_surface_create(&source, handle);
}

EXPORT int cudaCreateSurfaceObject(uint64_t *handle, const ResourceDescription *resource)
{
    return CUDART(create_surface(handle, resource));
}

EXPORT int cudaDestroySurfaceObject(uint64_t handle) { return CUDART(rt_texture_destroy(handle, true)); }

EXPORT int cudaGetSurfaceObjectResourceDesc(ResourceDescription *resource, uint64_t handle)
{
    return CUDART(get_source(resource, handle, true));
}
