/* Copies and fills of linear and pitched memory, and of boxes that may lie in arrays. */
#include "rt/cudart/copy.h"

#include "rt/array.h"
#include "rt/device.h"

/* -- rows of bytes -- */

static RtError copy_bytes(void *destination, const void *source, size_t size, int kind, void *handle,
                          bool waits)
{
    RtStream *stream = NULL;
    RtError error = rt_stream_get(handle, &stream);
    return error ? error : rt_copy_bytes(destination, source, size, kind, stream, waits);
}

EXPORT_FOUR(cudaMemcpy, copy_bytes(destination, source, size, kind, stream, waits), void *destination,
            const void *source, size_t size, int kind)

static RtError check_pitch(size_t pitch, size_t width)
{
    if (pitch >= width && pitch <= (size_t)rt_device_value(11))
        return RT_SUCCESS;
    return rt_fail(RT_INVALID_PITCH_VALUE, "Rows of %zu bytes cannot be %zu bytes apart.", width, pitch);
}

static RtError copy_rows(void *destination, size_t destination_pitch, const void *source, size_t source_pitch,
                         size_t width, size_t height, int kind, void *handle, bool waits)
{
    RtStream *stream = NULL;
    if (width == 0 || height == 0)
        return RT_SUCCESS;
    RtError error = check_pitch(destination_pitch, width);
    if (error == RT_SUCCESS)
        error = check_pitch(source_pitch, width);
    if (error == RT_SUCCESS)
        error = rt_stream_get(handle, &stream);
    if (error != RT_SUCCESS)
        return error;
    const WbCopy copy = {.destination = rt_region(destination, destination_pitch, 0),
                         .source = rt_region(source, source_pitch, 0),
                         .width = width,
                         .height = height,
                         .depth = 1};
    return rt_copy(&copy, kind, stream, waits);
}

EXPORT_FOUR(cudaMemcpy2D,
            copy_rows(destination, destination_pitch, source, source_pitch, width, height, kind, stream,
                      waits),
            void *destination, size_t destination_pitch, const void *source, size_t source_pitch,
            size_t width, size_t height, int kind)

/* -- boxes -- */

static RtError box_region(void *array, Position at, const PitchedPointer *memory, const WbCopy *copy,
                          const char *side, WbRegion *region)
{
    if (array) {
        RtArray *known = NULL;
        RtError error = rt_array_get(array, &known);
        if (error != RT_SUCCESS)
            return error;
        return rt_array_box(known, at.x * known->element_bytes, at.y, at.z, copy, region);
    }
    const size_t slice = memory->pitch * memory->height;
    if (copy->height > 1 || copy->depth > 1) {
        RtError error = check_pitch(memory->pitch, copy->width);
        if (error != RT_SUCCESS)
            return error;
    }
    if (copy->depth > 1 && memory->height < copy->height)
        return rt_fail(RT_INVALID_VALUE, "Slices of the %s have %zu rows; %zu are to be copied.", side,
                       memory->height, copy->height);
    *region = rt_region(memory->pointer, memory->pitch, slice);
    region->address += at.z * slice + at.y * memory->pitch + at.x;
    return RT_SUCCESS;
}

/* Bytes of what the extent's width counts: elements of the arrays that take part. */
static RtError element_bytes(const BoxCopy *box, size_t *bytes)
{
    void *const arrays[] = {box->source_array, box->destination_array};
    *bytes = 0;
    for (int i = 0; i < 2; i++) {
        RtArray *array = NULL;
        RtError error = arrays[i] ? rt_array_get(arrays[i], &array) : RT_SUCCESS;
        if (error != RT_SUCCESS)
            return error;
        if (arrays[i] && *bytes && *bytes != array->element_bytes)
            return rt_fail(RT_INVALID_VALUE, "The arrays have elements of %zu and of %zu bytes.", *bytes,
                           array->element_bytes);
        if (arrays[i])
            *bytes = array->element_bytes;
    }
    if (*bytes == 0)
        *bytes = 1;
    return RT_SUCCESS;
}

RtError cudart_box_copy(const BoxCopy *box, WbCopy *copy)
{
    size_t bytes;
    NEED(box);
    if (!box->source_array == !box->source.pointer || !box->destination_array == !box->destination.pointer)
        return rt_fail(RT_INVALID_VALUE, "Source and destination must each be either an array or a pointer.");
    RtError error = element_bytes(box, &bytes);
    *copy = (WbCopy){.height = box->extent.height, .depth = box->extent.depth};
    if (error != RT_SUCCESS || copy->height == 0 || copy->depth == 0 || box->extent.width == 0)
        return error;
    if (__builtin_mul_overflow(box->extent.width, bytes, &copy->width))
        return rt_fail(RT_INVALID_VALUE, "Rows of %zu elements are too long.", box->extent.width);
    error = box_region(box->source_array, box->source_position, &box->source, copy, "source", &copy->source);
    return error ? error
                 : box_region(box->destination_array, box->destination_position, &box->destination, copy,
                              "destination", &copy->destination);
}

static RtError copy_box(const BoxCopy *box, void *handle, bool waits)
{
    RtStream *stream = NULL;
    WbCopy copy;
    RtError error = cudart_box_copy(box, &copy);
    if (error == RT_SUCCESS)
        error = rt_stream_get(handle, &stream);
    return error ? error : rt_copy(&copy, box->kind, stream, waits);
}

EXPORT_FOUR(cudaMemcpy3D, copy_box(box, stream, waits), const BoxCopy *box)

/* -- between devices -- */

enum { DEFAULT_KIND = 4 };

static RtError check_devices(int destination, int source)
{
    RtError error = rt_device_check(destination);
    return error ? error : rt_device_check(source);
}

/* Addresses say which device has them; those that are named must exist. */
static RtError copy_peer(void *destination, int destination_device, const void *source, int source_device,
                         size_t size, void *stream, bool waits)
{
    RtError error = check_devices(destination_device, source_device);
    return error ? error : copy_bytes(destination, source, size, DEFAULT_KIND, stream, waits);
}

EXPORT_WAITING(cudaMemcpyPeer, RT_STREAM_DEFAULT,
               copy_peer(destination, destination_device, source, source_device, size, stream, waits),
               void *destination, int destination_device, const void *source, int source_device, size_t size)
EXPORT_ASYNC(cudaMemcpyPeerAsync, RT_STREAM_DEFAULT,
             copy_peer(destination, destination_device, source, source_device, size, stream, waits),
             void *destination, int destination_device, const void *source, int source_device, size_t size)

static RtError copy_peer_box(const PeerCopy *peer, void *stream, bool waits)
{
    NEED(peer);
    const BoxCopy box = {
        peer->source_array,         peer->source_position, peer->source, peer->destination_array,
        peer->destination_position, peer->destination,     peer->extent, DEFAULT_KIND};
    RtError error = check_devices(peer->destination_device, peer->source_device);
    return error ? error : copy_box(&box, stream, waits);
}

EXPORT_FOUR(cudaMemcpy3DPeer, copy_peer_box(peer, stream, waits), const PeerCopy *peer)

/* -- fills -- */

static RtError fill_box(const PitchedPointer *memory, int value, Extent extent, void *handle, bool waits)
{
    RtStream *stream = NULL;
    RtError error = rt_stream_get(handle, &stream);
    if (error != RT_SUCCESS)
        return error;
    if ((extent.height > 1 || extent.depth > 1) && memory->pitch < extent.width)
        return rt_fail(RT_INVALID_VALUE, "Rows of %zu bytes cannot be %zu bytes apart.", extent.width,
                       memory->pitch);
    const WbFill fill = {.address = (uint64_t)(uintptr_t)memory->pointer,
                         .row_pitch = memory->pitch,
                         .slice_pitch = memory->pitch * memory->height,
                         .width = extent.width,
                         .height = extent.height,
                         .depth = extent.depth,
                         .value = (uint8_t)value,
                         .element_bytes = 1};
    return rt_fill(&fill, stream, waits);
}

static RtError fill_rows(void *pointer, size_t pitch, int value, size_t width, size_t height, void *stream,
                         bool waits)
{
    const PitchedPointer memory = {pointer, pitch, width, height};
    return fill_box(&memory, value, (Extent){width, height, 1}, stream, waits);
}

EXPORT_FOUR(cudaMemset, fill_rows(pointer, size, value, size, 1, stream, waits), void *pointer, int value,
            size_t size)
EXPORT_FOUR(cudaMemset2D, fill_rows(pointer, pitch, value, width, height, stream, waits), void *pointer,
            size_t pitch, int value, size_t width, size_t height)
EXPORT_FOUR(cudaMemset3D, fill_box(&memory, value, extent, stream, waits), PitchedPointer memory, int value,
            Extent extent)
