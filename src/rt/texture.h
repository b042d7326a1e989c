/* Texture and surface objects. */
#ifndef RT_TEXTURE_H
#define RT_TEXTURE_H

#include "rt/array.h"

/* What a texture shows; the numbers are CUDA's. */
typedef enum RtResource {
    RT_RESOURCE_ARRAY, RT_RESOURCE_MIPMAP, RT_RESOURCE_LINEAR, RT_RESOURCE_PITCH
} RtResource;

typedef struct RtTextureSource {
    RtResource kind;
    void *array;                  /* of RT_RESOURCE_ARRAY; the others have the rest */
    uint64_t address;
    WbChannel channel;
    uint32_t channels, channel_bits;
    size_t bytes;                 /* of RT_RESOURCE_LINEAR */
    size_t width, height, pitch;  /* of RT_RESOURCE_PITCH: elements, rows, bytes */
} RtTextureSource;

/* How a texture is read. */
typedef struct RtSampler {
    int addressing[3];            /* 0 wrap, 1 clamp, 2 mirror, 3 border */
    bool is_linear, normalized_coordinates, normalized_values, srgb, is_seamless;
    float border[4];
    /* Of mipmaps, which are not simulated: kept for those who ask. */
    unsigned anisotropy;
    int mipmap_filter;
    float mipmap_bias, mipmap_least, mipmap_most;
    bool keeps_trilinear;         /* optimizations are disabled */
} RtSampler;

/* What the object of a handle was made of. */
typedef struct RtTexture {
    int device;
    uint64_t handle;
    bool is_surface;
    RtTextureSource source;
    RtSampler sampler;            /* of a texture */
} RtTexture;

RtError rt_texture_create(const RtTextureSource *source, const RtSampler *sampler, uint64_t *handle);
RtError rt_surface_create(const RtTextureSource *source, uint64_t *handle);
/* What the C API is told of it; sampler is null for a surface. */
RtError rt_texture_describe(const RtTextureSource *source, const RtSampler *sampler, WbTexture *texture);
/* 0 is fine. */
RtError rt_texture_destroy(uint64_t handle, bool is_surface);
/* Valid until the object is destroyed. */
RtError rt_texture_get(uint64_t handle, bool is_surface, const RtTexture **texture);

#endif
