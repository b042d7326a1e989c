/* Arrays, and copies into and out of them. */
#include "rt/array.h"

#include "rt/cudart/channel.h"
#include "rt/cudart/copy.h"
#include "rt/device.h"

/* -- making and asking -- */

static RtError create(void **place, const ChannelFormat *format, Extent extent, unsigned flags)
{
    NEED(place);
    NEED(format);
    RtArray wanted = {.width = extent.width, .height = extent.height, .depth = extent.depth, .flags = flags};
    RtArray *array = NULL;
    RtError error = channel_take(format, &wanted.channel, &wanted.channels, &wanted.channel_bits);
    if (error == RT_SUCCESS)
        error = rt_array_create(&wanted, &array);
    *place = array;
    return error;
}

EXPORT int cudaMallocArray(void **array, const ChannelFormat *format, size_t width, size_t height,
                           unsigned flags)
{
    return CUDART(create(array, format, (Extent){width, height, 0}, flags));
}

EXPORT int cudaMalloc3DArray(void **array, const ChannelFormat *format, Extent extent, unsigned flags)
{
    return CUDART(create(array, format, extent, flags));
}

EXPORT int cudaFreeArray(void *array) { return CUDART(rt_array_destroy(array)); }

static RtError get_info(ChannelFormat *format, Extent *extent, unsigned *flags, void *handle)
{
    RtArray *array = NULL;
    RtError error = rt_array_get(handle, &array);
    if (error != RT_SUCCESS)
        return error;
    if (format)
        *format = channel_format(array->channel, array->channels, array->channel_bits);
    if (extent)
        *extent = (Extent){array->width, array->height, array->depth};
    if (flags)
        *flags = array->flags;
    return RT_SUCCESS;
}

EXPORT int cudaArrayGetInfo(ChannelFormat *format, Extent *extent, unsigned *flags, void *array)
{
    return CUDART(get_info(format, extent, flags, array));
}

static RtError get_requirements(ArrayRequirements *requirements, void *handle, int device)
{
    RtArray *array = NULL;
    NEED(requirements);
    RtError error = rt_device_check(device);
    if (error == RT_SUCCESS)
        error = rt_array_get(handle, &array);
    if (error == RT_SUCCESS)
        *requirements = (ArrayRequirements){.size = array->slice_pitch * (array->depth ? array->depth : 1),
                                            .alignment = (size_t)rt_device_value(14)};
    return error;
}

EXPORT int cudaArrayGetMemoryRequirements(ArrayRequirements *requirements, void *array, int device)
{
    return CUDART(get_requirements(requirements, array, device));
}

/* -- rows of an array and of memory -- */

/* A side of a copy: a place in an array, or pitched memory. */
typedef struct Side {
    void *array;
    size_t x, y; /* bytes, rows */
    const void *pointer;
    size_t pitch;
} Side;

static RtError side_region(const Side *side, const WbCopy *copy, WbRegion *region)
{
    RtArray *array = NULL;
    if (side->array) {
        RtError error = rt_array_get(side->array, &array);
        return error ? error : rt_array_box(array, side->x, side->y, 0, copy, region);
    }
    NEED(side->pointer);
    if (side->pitch < copy->width)
        return rt_fail(RT_INVALID_PITCH_VALUE, "Rows of %zu bytes cannot be %zu bytes apart.", copy->width,
                       side->pitch);
    *region = rt_region(side->pointer, side->pitch, 0);
    return RT_SUCCESS;
}

static RtError copy_sides(Side destination, Side source, size_t width, size_t height, int kind, void *handle,
                          bool waits)
{
    RtStream *stream = NULL;
    WbCopy copy = {.width = width, .height = height, .depth = 1};
    if (width == 0 || height == 0)
        return RT_SUCCESS;
    RtError error = side_region(&destination, &copy, &copy.destination);
    if (error == RT_SUCCESS)
        error = side_region(&source, &copy, &copy.source);
    if (error == RT_SUCCESS)
        error = rt_stream_get(handle, &stream);
    return error ? error : rt_copy(&copy, kind, stream, waits);
}

EXPORT_FOUR(cudaMemcpy2DToArray,
            copy_sides((Side){.array = array, .x = x, .y = y}, (Side){.pointer = source, .pitch = pitch},
                       width, height, kind, stream, waits),
            void *array, size_t x, size_t y, const void *source, size_t pitch, size_t width, size_t height,
            int kind)
EXPORT_FOUR(cudaMemcpy2DFromArray,
            copy_sides((Side){.pointer = destination, .pitch = pitch}, (Side){.array = array, .x = x, .y = y},
                       width, height, kind, stream, waits),
            void *destination, size_t pitch, void *array, size_t x, size_t y, size_t width, size_t height,
            int kind)
EXPORT_TWO(cudaMemcpy2DArrayToArray,
           copy_sides((Side){.array = destination, .x = destination_x, .y = destination_y},
                      (Side){.array = source, .x = source_x, .y = source_y}, width, height, kind, stream,
                      waits),
           void *destination, size_t destination_x, size_t destination_y, void *source, size_t source_x,
           size_t source_y, size_t width, size_t height, int kind)

/* -- bytes of an array: from a place on to the end of its row, then through the following rows -- */

static RtError find_bytes(void *handle, size_t x, size_t y, size_t size, const void **bytes)
{
    RtArray *array = NULL;
    RtError error = rt_array_get(handle, &array);
    if (error != RT_SUCCESS)
        return error;
    const size_t before = y * array->row_pitch + x;
    if (x > array->row_pitch || y >= (array->height ? array->height : 1) ||
        size > array->slice_pitch - before)
        return rt_fail(RT_INVALID_VALUE, "%zu bytes from byte %zu of row %zu on are not in the array.", size,
                       x, y);
    *bytes = (const void *)(uintptr_t)(array->address + before);
    return RT_SUCCESS;
}

/* Each side is an array or, where that is null, a pointer. */
static RtError copy_through(Side destination, Side source, size_t size, int kind, void *handle, bool waits)
{
    RtStream *stream = NULL;
    RtError error = RT_SUCCESS;
    if (destination.array)
        error = find_bytes(destination.array, destination.x, destination.y, size, &destination.pointer);
    if (error == RT_SUCCESS && source.array)
        error = find_bytes(source.array, source.x, source.y, size, &source.pointer);
    if (error == RT_SUCCESS)
        error = rt_stream_get(handle, &stream);
    return error ? error
                 : rt_copy_bytes((void *)(uintptr_t)destination.pointer, source.pointer, size, kind, stream,
                                 waits);
}

EXPORT_FOUR(cudaMemcpyToArray,
            copy_through((Side){.array = array, .x = x, .y = y}, (Side){.pointer = source}, size, kind,
                         stream, waits),
            void *array, size_t x, size_t y, const void *source, size_t size, int kind)
EXPORT_FOUR(cudaMemcpyFromArray,
            copy_through((Side){.pointer = destination}, (Side){.array = array, .x = x, .y = y}, size, kind,
                         stream, waits),
            void *destination, void *array, size_t x, size_t y, size_t size, int kind)
EXPORT_TWO(cudaMemcpyArrayToArray,
           copy_through((Side){.array = destination, .x = destination_x, .y = destination_y},
                        (Side){.array = source, .x = source_x, .y = source_y}, size, kind, stream, waits),
           void *destination, size_t destination_x, size_t destination_y, void *source, size_t source_x,
           size_t source_y, size_t size, int kind)
