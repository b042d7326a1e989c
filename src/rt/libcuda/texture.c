/* Texture and surface objects: the driver's descriptions to those of rt/texture.c and back. */
#include "rt/texture.h"

#include <string.h>

#include "rt/libcuda/array.h"
#include "rt/libcuda/libcuda.h"

/* Layout of CUDA_RESOURCE_DESC. */
typedef struct ResourceDescription {
    int kind; /* RtResource */
    union {
        void *array;
        struct {
            uint64_t address;
            int format;
            unsigned channels;
            size_t bytes;
        } linear;
        struct {
            uint64_t address;
            int format;
            unsigned channels;
            size_t width, height, pitch;
        } pitch;
        int reserved[32];
    } of;
    unsigned flags;
} ResourceDescription;

/* Layout of CUDA_TEXTURE_DESC. */
typedef struct TextureDescription {
    int addressing[3], filter;
    unsigned flags, anisotropy;
    int mipmap_filter;
    float mipmap_bias, mipmap_least, mipmap_most;
    float border[4];
    int reserved[12];
} TextureDescription;
_Static_assert(sizeof(ResourceDescription) == 144 && sizeof(TextureDescription) == 104, "as CUDA has it");

/* Numbers of CU_TRSF_... */
enum {
    READ_AS_INTEGER = 1,
    NORMALIZED_COORDINATES = 2,
    SRGB = 0x10,
    KEEPS_TRILINEAR = 0x20,
    SEAMLESS = 0x40
};

/* -- descriptions -- */

static RtError take_array(RtTextureSource *source)
{
    RtArray *array = NULL;
    RtError error = rt_array_get(source->array, &array);
    if (!error) {
        source->channel = array->channel;
        source->channel_bits = array->channel_bits;
        source->channels = array->channels;
    }
    return error;
}

static RtError take_source(const ResourceDescription *from, RtTextureSource *to)
{
    NEED(from);
    *to = (RtTextureSource){.kind = (RtResource)from->kind};
    switch (to->kind) {
    case RT_RESOURCE_ARRAY:
        to->array = from->of.array;
        return take_array(to);
    case RT_RESOURCE_LINEAR:
        to->address = from->of.linear.address;
        to->channels = from->of.linear.channels;
        to->bytes = from->of.linear.bytes;
        return format_take(from->of.linear.format, &to->channel, &to->channel_bits);
    case RT_RESOURCE_PITCH:
        to->address = from->of.pitch.address;
        to->channels = from->of.pitch.channels;
        to->width = from->of.pitch.width;
        to->height = from->of.pitch.height;
        to->pitch = from->of.pitch.pitch;
        return format_take(from->of.pitch.format, &to->channel, &to->channel_bits);
    default:
        return RT_SUCCESS; /* rt_texture_create() refuses it */
    }
}

static void give_source(const RtTextureSource *from, ResourceDescription *to)
{
    const int format = format_of(from->channel, from->channel_bits);
    memset(to, 0, sizeof *to);
    to->kind = (int)from->kind;
    switch (from->kind) {
    case RT_RESOURCE_LINEAR:
        to->of.linear.address = from->address;
        to->of.linear.format = format;
        to->of.linear.channels = from->channels;
        to->of.linear.bytes = from->bytes;
        break;
    case RT_RESOURCE_PITCH:
        to->of.pitch.address = from->address;
        to->of.pitch.format = format;
        to->of.pitch.channels = from->channels;
        to->of.pitch.width = from->width;
        to->of.pitch.height = from->height;
        to->of.pitch.pitch = from->pitch;
        break;
    default:
        to->of.array = from->array;
        break;
    }
}

/* Small integers are read as numbers from 0 or -1 to 1, unless the program wants the integers. */
static bool normalizes(unsigned flags, const RtTextureSource *source)
{
    return !(flags & READ_AS_INTEGER) && source->channel != WB_CHANNEL_FLOAT && source->channel_bits < 32;
}

static RtSampler take_sampler(const TextureDescription *from, const RtTextureSource *source)
{
    RtSampler to = {
        .is_linear = from->filter == 1,
        .normalized_coordinates = from->flags & NORMALIZED_COORDINATES,
        .normalized_values = normalizes(from->flags, source),
        .srgb = from->flags & SRGB,
        .is_seamless = from->flags & SEAMLESS,
        .anisotropy = from->anisotropy,
        .mipmap_filter = from->mipmap_filter,
        .mipmap_bias = from->mipmap_bias,
        .mipmap_least = from->mipmap_least,
        .mipmap_most = from->mipmap_most,
        .keeps_trilinear = from->flags & KEEPS_TRILINEAR,
    };
    memcpy(to.addressing, from->addressing, sizeof to.addressing);
    memcpy(to.border, from->border, sizeof to.border);
    return to;
}

static void give_sampler(const RtSampler *from, const RtTextureSource *source, TextureDescription *to)
{
    *to = (TextureDescription){
        .filter = from->is_linear,
        .flags = (from->normalized_values || source->channel == WB_CHANNEL_FLOAT ? 0 : READ_AS_INTEGER) |
                 (from->normalized_coordinates ? NORMALIZED_COORDINATES : 0) | (from->srgb ? SRGB : 0) |
                 (from->keeps_trilinear ? KEEPS_TRILINEAR : 0) | (from->is_seamless ? SEAMLESS : 0),
        .anisotropy = from->anisotropy,
        .mipmap_filter = from->mipmap_filter,
        .mipmap_bias = from->mipmap_bias,
        .mipmap_least = from->mipmap_least,
        .mipmap_most = from->mipmap_most,
    };
    memcpy(to->addressing, from->addressing, sizeof to->addressing);
    memcpy(to->border, from->border, sizeof to->border);
}

/* -- textures -- */

static RtError create_texture(uint64_t *handle, const void *resource, const TextureDescription *description,
                              const void *view)
{
    NEED(handle);
    NEED(description);
    RtTextureSource source;
    if (view)
        return rt_fail(RT_NOT_SUPPORTED,
                       "Textures show the whole resource as it is: views are not simulated.");
    RtError error = take_source(resource, &source);
    if (error)
        return error;
    const RtSampler sampler = take_sampler(description, &source);
    return rt_texture_create(&source, &sampler, handle);
}

EXPORT int cuTexObjectCreate(uint64_t *texture, const void *resource, const void *description,
                             const void *view)
{
    return LIBCUDA(create_texture(texture, resource, description, view));
}

EXPORT int cuTexObjectDestroy(uint64_t texture) { return LIBCUDA(rt_texture_destroy(texture, false)); }

static RtError get_resource(void *resource, uint64_t handle, bool is_surface)
{
    NEED(resource);
    const RtTexture *texture = NULL;
    RtError error = rt_texture_get(handle, is_surface, &texture);
    if (!error)
        give_source(&texture->source, resource);
    return error;
}

EXPORT int cuTexObjectGetResourceDesc(void *resource, uint64_t texture)
{
    return LIBCUDA(get_resource(resource, texture, false));
}

static RtError get_description(void *description, uint64_t handle)
{
    NEED(description);
    const RtTexture *texture = NULL;
    RtError error = rt_texture_get(handle, false, &texture);
    if (!error)
        give_sampler(&texture->sampler, &texture->source, description);
    return error;
}

EXPORT int cuTexObjectGetTextureDesc(void *description, uint64_t texture)
{
    return LIBCUDA(get_description(description, texture));
}

/* -- surfaces -- */

static RtError create_surface(uint64_t *handle, const void *resource)
{
    NEED(handle);
    RtTextureSource source;
    RtError error = take_source(resource, &source);
    return error ? error : rt_surface_create(&source, handle);
}

EXPORT int cuSurfObjectCreate(uint64_t *surface, const void *resource)
{
    return LIBCUDA(create_surface(surface, resource));
}

EXPORT int cuSurfObjectDestroy(uint64_t surface) { return LIBCUDA(rt_texture_destroy(surface, true)); }

EXPORT int cuSurfObjectGetResourceDesc(void *resource, uint64_t surface)
{
    return LIBCUDA(get_resource(resource, surface, true));
}
