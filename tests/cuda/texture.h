/* Textures for tests: made of an array in few words, and what reading them at a place must give. */
#pragma once

#include <cmath>
#include <vector>

#include "check.h"

static inline cudaTextureDesc texture_description(cudaTextureAddressMode address,
                                                  cudaTextureFilterMode filter, bool normalized,
                                                  cudaTextureReadMode read = cudaReadModeElementType)
{
    cudaTextureDesc description = {};
    for (cudaTextureAddressMode &mode : description.addressMode)
        mode = address;
    description.filterMode = filter;
    description.readMode = read;
    description.normalizedCoords = normalized;
    return description;
}

static inline cudaTextureObject_t texture_of(cudaArray_t array, const cudaTextureDesc &description)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureObject_t texture;
    CUDA(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    return texture;
}

static inline cudaSurfaceObject_t surface_of(cudaArray_t array)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface;
    CUDA(cudaCreateSurfaceObject(&surface, &resource));
    return surface;
}

/* The element that index i means in a row of `size`; -1 for the border. */
static inline int addressed(int i, int size, cudaTextureAddressMode mode)
{
    switch (mode) {
    case cudaAddressModeWrap:
        return (i % size + size) % size;
    case cudaAddressModeMirror: {
        int around = (i % (2 * size) + 2 * size) % (2 * size);
        return around < size ? around : 2 * size - 1 - around;
    }
    case cudaAddressModeBorder:
        return i < 0 || i >= size ? -1 : i;
    default:
        return i < 0 ? 0 : i >= size ? size - 1 : i;
    }
}

/* One dimension of a filtered read: two elements and the weight of the second. Weights that are multiples of
 * 1/256 are exact on hardware. */
struct Taps {
    int first, second;
    float weight;
};

static inline Taps taps(float x, int size, const cudaTextureDesc &description, int dimension)
{
    cudaTextureAddressMode mode = description.addressMode[dimension];
    if (description.normalizedCoords)
        x *= size;
    else if (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror)
        mode = cudaAddressModeClamp; // those two need normalized coordinates
    if (description.filterMode == cudaFilterModePoint) {
        int i = addressed((int)floorf(x), size, mode);
        return {i, i, 0};
    }
    float floor = floorf(x - 0.5f);
    return {addressed((int)floor, size, mode), addressed((int)floor + 1, size, mode), x - 0.5f - floor};
}

/* What tex2D must give for floats; a border is zero. */
static inline float expected_2d(const std::vector<float> &image, int width, int height, float x, float y,
                                const cudaTextureDesc &description)
{
    Taps h = taps(x, width, description, 0), v = taps(y, height, description, 1);
    auto at = [&](int i, int j) { return i < 0 || j < 0 ? 0.0f : image[j * width + i]; };
    float top = at(h.first, v.first) * (1 - h.weight) + at(h.second, v.first) * h.weight;
    float bottom = at(h.first, v.second) * (1 - h.weight) + at(h.second, v.second) * h.weight;
    return top * (1 - v.weight) + bottom * v.weight;
}
