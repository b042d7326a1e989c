/* Arrays are dense device memory of a known shape and format. A program cannot see how a GPU lays them out,
 * so rows lie one after the other here, and copies and textures agree on that. */
#include "rt/array.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "rt/device.h"
#include "rt/pool.h"

enum { LAYERED = 1, SURFACE = 2, CUBE = 4, GATHER = 8, KNOWN_FLAGS = 15, FACES = 6 };

static size_t at_least_one(size_t count) { return count ? count : 1; }

static RtError check_format(const RtArray *array)
{
    const uint32_t bits = array->channel_bits, channels = array->channels;
    const bool known = (channels == 1 || channels == 2 || channels == 4) &&
                       (bits == 16 || bits == 32 || (bits == 8 && array->channel != WB_CHANNEL_FLOAT));
    return known ? RT_SUCCESS
                 : rt_fail(RT_INVALID_CHANNEL_DESCRIPTOR,
                           "No array has %u channels of %u bits: 1, 2 or 4 of 8, 16 or 32 bits are possible "
                           "(floats: 16 or 32).",
                           channels, bits);
}

static RtError check_shape(const RtArray *array)
{
    const unsigned flags = array->flags;
    if (flags & ~(unsigned)KNOWN_FLAGS)
        return rt_fail(RT_NOT_SUPPORTED,
                       "Of the array's flags 0x%x the simulator knows layered (1), surface (2), cube (4) and "
                       "gather (8) only.",
                       flags);
    if (array->width == 0 || (array->depth && !array->height && !(flags & LAYERED)))
        return rt_fail(RT_INVALID_VALUE, "No array is %zu x %zu x %zu elements large.", array->width,
                       array->height, array->depth);
    if ((flags & LAYERED) && array->depth == 0)
        return rt_fail(RT_INVALID_VALUE, "A layered array needs at least one layer.");
    if ((flags & CUBE) && (array->width != array->height || array->depth % FACES ||
                           (!(flags & LAYERED) && array->depth != FACES)))
        return rt_fail(RT_INVALID_VALUE,
                       "A cube has six square faces and layered ones a multiple of six; this array is "
                       "%zu x %zu with %zu.",
                       array->width, array->height, array->depth);
    if ((flags & GATHER) && (array->height == 0 || array->depth != 0))
        return rt_fail(RT_INVALID_VALUE, "Only arrays of two dimensions can be gathered from.");
    return RT_SUCCESS;
}

static WbTextureShape shape_of(const RtArray *array)
{
    const bool layered = array->flags & LAYERED;
    if (array->flags & CUBE)
        return layered ? WB_TEXTURE_CUBE_LAYERED : WB_TEXTURE_CUBE;
    if (layered)
        return array->height ? WB_TEXTURE_2D_LAYERED : WB_TEXTURE_1D_LAYERED;
    return array->depth ? WB_TEXTURE_3D : array->height ? WB_TEXTURE_2D : WB_TEXTURE_1D;
}

/* Attributes of the device that bound width, height and depth of textures; 0 where there is no such
 * dimension. */
static const int bounds[][3] = {
    [WB_TEXTURE_1D] = {21, 0, 0},
    [WB_TEXTURE_2D] = {22, 23, 0},
    [WB_TEXTURE_3D] = {24, 25, 26},
    [WB_TEXTURE_1D_LAYERED] = {42, 0, 43},
    [WB_TEXTURE_2D_LAYERED] = {27, 28, 29},
    [WB_TEXTURE_CUBE] = {52, 52, 0},
    [WB_TEXTURE_CUBE_LAYERED] = {53, 53, 54},
};

static RtError check_size(const RtArray *array)
{
    const size_t sizes[] = {array->width, array->height, array->depth};
    const int *attributes = bounds[shape_of(array)];
    for (int i = 0; i < 3; i++) {
        if (attributes[i] && sizes[i] > (size_t)rt_device_value(attributes[i]))
            return rt_fail(RT_INVALID_VALUE,
                           "An array of %zu x %zu x %zu elements is too large: at most %d are possible where "
                           "it has %zu.",
                           sizes[0], sizes[1], sizes[2], rt_device_value(attributes[i]), sizes[i]);
    }
    return RT_SUCCESS;
}

/* Fills in sizes; total is that of all. */
static RtError lay_out(RtArray *array, size_t *total)
{
    array->element_bytes = (size_t)array->channels * array->channel_bits / 8;
    if (__builtin_mul_overflow(array->width, array->element_bytes, &array->row_pitch) ||
        __builtin_mul_overflow(array->row_pitch, at_least_one(array->height), &array->slice_pitch) ||
        __builtin_mul_overflow(array->slice_pitch, at_least_one(array->depth), total))
        return rt_fail(RT_MEMORY_ALLOCATION, "%zu x %zu x %zu elements are more than any GPU has.",
                       array->width, array->height, array->depth);
    return RT_SUCCESS;
}

RtError rt_array_create(const RtArray *wanted, RtArray **array)
{
    RtArray made = *wanted;
    size_t total = 0;
    made.device = rt_device();
    *array = NULL;
    RtError error = check_format(&made);
    if (error == RT_SUCCESS)
        error = check_shape(&made);
    if (error == RT_SUCCESS)
        error = check_size(&made);
    if (error == RT_SUCCESS)
        error = lay_out(&made, &total);
    if (error == RT_SUCCESS)
        error = rt_memory_obtain(total, &made.address);
    if (error != RT_SUCCESS)
        return error;
    rt_allocation_add((RtAllocation){.base = made.address, .size = total, .kind = RT_ARRAY_MEMORY});
    *array = xmalloc(sizeof **array);
    **array = made;
    rt_handle_add(RT_HANDLE_ARRAY, *array);
    return RT_SUCCESS;
}

RtError rt_array_get(const void *handle, RtArray **array)
{
    if (!rt_handle_is_live(RT_HANDLE_ARRAY, handle))
        return rt_fail(RT_INVALID_RESOURCE_HANDLE, "%p is no array, or one that has been freed.", handle);
    *array = (RtArray *)(uintptr_t)handle;
    return RT_SUCCESS;
}

RtError rt_array_destroy(void *handle)
{
    RtArray *array = NULL;
    if (!handle)
        return RT_SUCCESS;
    RtError error = rt_array_get(handle, &array);
    if (error == RT_SUCCESS)
        error = rt_wait_to_free_host();
    if (error != RT_SUCCESS)
        return error;
    const uint64_t address = array->address;
    const int device = array->device;
    rt_handle_remove(RT_HANDLE_ARRAY, array);
    xfree(array);
    rt_allocation_remove(address);
    return RT_ON(device, rt_check(wb_free(rt_gpu(), address)));
}

WbRegion rt_array_region(const RtArray *array, size_t x_bytes, size_t y, size_t z)
{
    return (WbRegion){.address = array->address + z * array->slice_pitch + y * array->row_pitch + x_bytes,
                      .row_pitch = array->row_pitch,
                      .slice_pitch = array->slice_pitch};
}

/* Whether count things from `first` on are among `all`. */
static bool fits(size_t first, size_t count, size_t all) { return first <= all && count <= all - first; }

RtError rt_array_box(const RtArray *array, size_t x_bytes, size_t y, size_t z, const WbCopy *copy,
                     WbRegion *region)
{
    if (!fits(x_bytes, copy->width, array->row_pitch) ||
        !fits(y, copy->height, at_least_one(array->height)) ||
        !fits(z, copy->depth, at_least_one(array->depth)))
        return rt_fail(
            RT_INVALID_VALUE,
            "%zu bytes, %zu rows and %zu slices from byte %zu, row %zu and slice %zu on are not in "
            "the array, which has %zu, %zu and %zu.",
            copy->width, copy->height, copy->depth, x_bytes, y, z, array->row_pitch,
            at_least_one(array->height), at_least_one(array->depth));
    *region = rt_array_region(array, x_bytes, y, z);
    return RT_SUCCESS;
}

WbTexture rt_array_texture(const RtArray *array)
{
    return (WbTexture){
        .shape = shape_of(array),
        .address = array->address,
        .width = array->width,
        .height = array->height,
        .depth = array->depth,
        .row_pitch = array->row_pitch,
        .slice_pitch = array->slice_pitch,
        .channel = array->channel,
        .channels = array->channels,
        .channel_bits = array->channel_bits,
    };
}
