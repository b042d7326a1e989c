/* CUDA arrays: memory for textures and surfaces, whose layout is ours to choose: rows one after the other. */
#ifndef RT_ARRAY_H
#define RT_ARRAY_H

#include "rt/memory.h"

/* What cudaArray_t and CUarray point to. */
typedef struct RtArray {
    int device;
    uint64_t address;
    size_t width, height, depth; /* elements; 0 where there is no height or depth; depth: layers, too */
    unsigned flags;                /* CUDA's: 1 layered, 2 surface load/store, 4 cube map, 8 gather */
    WbChannel channel;
    uint32_t channels, channel_bits;
    size_t element_bytes, row_pitch, slice_pitch;
} RtArray;

/* `wanted` has all but device, address, element_bytes and pitches. */
RtError rt_array_create(const RtArray *wanted, RtArray **array);
/* Waits for everything before. Null is fine. */
RtError rt_array_destroy(void *handle);
/* The array of a handle as a program passes it. */
RtError rt_array_get(const void *handle, RtArray **array);
/* The bytes of an array from an element's place on. */
WbRegion rt_array_region(const RtArray *array, size_t x_bytes, size_t y, size_t z);
/* The same if the copy's width, height and depth from there on lie in the array; else an error. */
RtError rt_array_box(const RtArray *array, size_t x_bytes, size_t y, size_t z, const WbCopy *copy,
                     WbRegion *region);
/* Shape, size and format of a texture of the whole array. */
WbTexture rt_array_texture(const RtArray *array);

#endif
