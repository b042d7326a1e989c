/* cuMemcpy2D and cuMemcpy3D, and their asynchronous, unaligned and peer forms. */
#include "rt/libcuda/box.h"

#include "rt/array.h"
#include "rt/libcuda/libcuda.h"
#include "rt/memory.h"

enum { MEMORY_HOST = 1, MEMORY_DEVICE, MEMORY_ARRAY, MEMORY_UNIFIED }; /* CUmemorytype */

static RtError translate_array(const BoxSide *side, const WbCopy *copy, WbRegion *region)
{
    RtArray *array = NULL;
    RtError error = rt_array_get(side->array, &array);
    return error ? error : rt_array_box(array, side->x, side->y, side->z, copy, region);
}

/* Pitch and height may be 0 where there is one row or one slice. */
static RtError translate_side(const BoxSide *side, const WbCopy *copy, WbRegion *region)
{
    if (side->level)
        return rt_fail(RT_INVALID_VALUE, "Mipmap levels cannot be copied.");
    if (side->memory == MEMORY_ARRAY)
        return translate_array(side, copy, region);
    const size_t pitch = side->pitch ? side->pitch : copy->width + side->x,
                 height = side->height ? side->height : copy->height + side->y;
    if (pitch < copy->width + side->x)
        return rt_fail(RT_INVALID_VALUE, "Rows of %zu bytes do not fit a pitch of %zu bytes.",
                       copy->width + side->x, pitch);
    const size_t offset = (side->z * height + side->y) * pitch + side->x;
    switch (side->memory) {
    case MEMORY_HOST:
        *region = rt_region((const uint8_t *)side->host + offset, pitch, pitch * height);
        break;
    case MEMORY_DEVICE:
    case MEMORY_UNIFIED:
        *region = rt_region((const void *)(uintptr_t)(side->device + offset), pitch, pitch * height);
        break;
    default:
        return rt_fail(RT_INVALID_VALUE, "Memory is of type 1 to 4, not %d.", side->memory);
    }
    return RT_SUCCESS;
}

RtError box_translate(const BoxCopy *box, WbCopy *copy, int *kind)
{
    const bool from_host = box->source.memory == MEMORY_HOST,
               to_host = box->destination.memory == MEMORY_HOST;
    *copy = (WbCopy){.width = box->width, .height = box->height, .depth = box->depth};
    *kind = box->source.memory == MEMORY_UNIFIED || box->destination.memory == MEMORY_UNIFIED ? 4
            : from_host ? (to_host ? 0 : 1)
                        : (to_host ? 2 : 3);
    RtError error = translate_side(&box->source, copy, &copy->source);
    return error ? error : translate_side(&box->destination, copy, &copy->destination);
}

static RtError copy_box(const BoxCopy *box, void *handle, bool waits)
{
    NEED(box);
    RtStream *stream;
    WbCopy copy;
    int kind;
    RtError error = rt_stream_get(handle, &stream);
    if (!error)
        error = box_translate(box, &copy, &kind);
    return error ? error : rt_copy(&copy, kind, stream, waits);
}

static BoxSide deepen(const FlatSide *side)
{
    return (BoxSide){.x = side->x,
                     .y = side->y,
                     .memory = side->memory,
                     .host = side->host,
                     .device = side->device,
                     .array = side->array,
                     .pitch = side->pitch};
}

static RtError copy_flat(const FlatCopy *flat, void *handle, bool waits)
{
    NEED(flat);
    const BoxCopy box = {deepen(&flat->source), deepen(&flat->destination), flat->width, flat->height, 1};
    return copy_box(&box, handle, waits);
}

DEFAULT_STREAM_CALL(cuMemcpy2D_v2, (const void *copy), copy_flat(copy, stream, true))
DEFAULT_STREAM_CALL(cuMemcpy2DUnaligned_v2, (const void *copy), copy_flat(copy, stream, true))
STREAM_CALL(cuMemcpy2DAsync_v2, (const void *copy, void *stream), copy_flat(copy, stream, false))
DEFAULT_STREAM_CALL(cuMemcpy3D_v2, (const void *copy), copy_box(copy, stream, true))
STREAM_CALL(cuMemcpy3DAsync_v2, (const void *copy, void *stream), copy_box(copy, stream, false))
DEFAULT_STREAM_CALL(cuMemcpy3DPeer, (const void *copy), copy_box(copy, stream, true))
STREAM_CALL(cuMemcpy3DPeerAsync, (const void *copy, void *stream), copy_box(copy, stream, false))

/* -- arrays of one dimension, by bytes -- */

static BoxSide array_side(void *array, size_t offset)
{
    return (BoxSide){.x = offset, .memory = MEMORY_ARRAY, .array = array};
}

static BoxSide host_side(const void *host)
{
    return (BoxSide){.memory = MEMORY_HOST, .host = (void *)(uintptr_t)host};
}

static BoxSide device_side(uint64_t address) { return (BoxSide){.memory = MEMORY_DEVICE, .device = address}; }

static RtError copy_row(BoxSide destination, BoxSide source, size_t size, void *handle, bool waits)
{
    const BoxCopy box = {source, destination, size, 1, 1};
    return copy_box(&box, handle, waits);
}

DEFAULT_STREAM_CALL(cuMemcpyHtoA_v2, (void *array, size_t offset, const void *source, size_t size),
                    copy_row(array_side(array, offset), host_side(source), size, stream, true))
DEFAULT_STREAM_CALL(cuMemcpyAtoH_v2, (void *destination, void *array, size_t offset, size_t size),
                    copy_row(host_side(destination), array_side(array, offset), size, stream, true))
DEFAULT_STREAM_CALL(cuMemcpyDtoA_v2, (void *array, size_t offset, uint64_t source, size_t size),
                    copy_row(array_side(array, offset), device_side(source), size, stream, true))
DEFAULT_STREAM_CALL(cuMemcpyAtoD_v2, (uint64_t destination, void *array, size_t offset, size_t size),
                    copy_row(device_side(destination), array_side(array, offset), size, stream, true))
DEFAULT_STREAM_CALL(cuMemcpyAtoA_v2, (void *destination, size_t to, void *source, size_t from, size_t size),
                    copy_row(array_side(destination, to), array_side(source, from), size, stream, true))
STREAM_CALL(cuMemcpyHtoAAsync_v2, (void *array, size_t offset, const void *source, size_t size, void *stream),
            copy_row(array_side(array, offset), host_side(source), size, stream, false))
STREAM_CALL(cuMemcpyAtoHAsync_v2, (void *destination, void *array, size_t offset, size_t size, void *stream),
            copy_row(host_side(destination), array_side(array, offset), size, stream, false))
