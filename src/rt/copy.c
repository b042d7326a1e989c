/* Copies and fills: what CUDA checks when they are put into a stream, and which of them the host waits
 * for. */
#include "rt/memory.h"

#include <inttypes.h>

#include "base/host_range.h"

#include "rt/graph.h"

enum { KIND_COUNT = 5 };

/* One side of a copy as `kind` announces it. */
typedef enum Expected { EXPECT_HOST, EXPECT_DEVICE, EXPECT_ANY } Expected;

static WbAddress find(uint64_t address)
{
    WbAddress found;
    if (wb_address_find(rt_gpu(), address, &found) != WB_OK)
        found.memory = WB_MEMORY_NONE;
    return found;
}

WbRegion rt_region(const void *pointer, size_t row_pitch, size_t slice_pitch)
{
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    return (WbRegion){address, find(address).memory == WB_MEMORY_NONE, row_pitch, slice_pitch};
}

/* Bytes from the first to behind the last of a box; SIZE_MAX where that overflows. */
static uint64_t box_span(size_t row_pitch, size_t slice_pitch, size_t width, size_t height, size_t depth)
{
    uint64_t rows, slices, sum;
    if (__builtin_mul_overflow((uint64_t)row_pitch, (uint64_t)height - 1, &rows) ||
        __builtin_mul_overflow((uint64_t)slice_pitch, (uint64_t)depth - 1, &slices) ||
        __builtin_add_overflow(rows, slices, &sum) || __builtin_add_overflow(sum, (uint64_t)width, &sum))
        return UINT64_MAX;
    return sum;
}

/* Whether the process can touch the rows of a box. Those that lie close are asked for at once: what is
 * between them is in the same pages. */
static bool can_touch(const WbRegion *region, const WbCopy *copy, uint64_t span, bool writes)
{
    enum { FAR = 4096 };
    if (copy->depth == 1 && (copy->height == 1 || region->row_pitch - copy->width < FAR))
        return host_range_prepare(region->address, span, writes);
    for (size_t z = 0; z < copy->depth; z++)
        for (size_t y = 0; y < copy->height; y++)
            if (!host_range_prepare(region->address + z * region->slice_pitch + y * region->row_pitch,
                                    copy->width, writes))
                return false;
    return true;
}

/* Host memory that the GPU does not know: a pointer into nothing, such as one to freed device memory, or a
 * size that goes beyond what is there, must not crash. */
static RtError check_host(const WbRegion *region, const WbCopy *copy, uint64_t span, const char *side)
{
    const bool writes = region == &copy->destination;
    const uint64_t address = region->address;
    if (address == 0)
        return rt_fail(RT_INVALID_VALUE, "The %s is a null pointer.", side);
    if (span <= UINT64_MAX - address && can_touch(region, copy, span, writes))
        return RT_SUCCESS;
    const uint64_t room = host_range_reach(address, span, writes);
    if (!room)
        return rt_fail(RT_INVALID_VALUE,
                       "The %s, %" PRIu64 " bytes at 0x%" PRIx64
                       ", is neither device memory that is allocated now nor host memory%s.",
                       side, span, address, writes ? " that can be written" : "");
    return rt_fail(RT_INVALID_VALUE,
                   "The %s, %" PRIu64 " bytes at 0x%" PRIx64
                   ", goes beyond the host memory that is there: only the first %" PRIu64 " can be %s.",
                   side, span, address, room, writes ? "written" : "read");
}

static RtError check_range(uint64_t address, uint64_t span, const WbAddress *found, const char *side)
{
    const uint64_t room = found->base + found->size - address;
    if (span <= room)
        return RT_SUCCESS;
    return rt_fail(RT_INVALID_VALUE,
                   "The %s needs %" PRIu64 " bytes from 0x%" PRIx64 " on, but the allocation at 0x%" PRIx64
                   " has only %" PRIu64 " from there.",
                   side, span, address, found->base, room);
}

static RtError check_side(const WbRegion *region, const WbCopy *copy, Expected expected, const char *side)
{
    const uint64_t span =
        box_span(region->row_pitch, region->slice_pitch, copy->width, copy->height, copy->depth);
    const WbAddress found = find(region->address);
    RtError error = rt_memory_check_freed(region->address, side);
    if (error)
        return error;
    if (expected == EXPECT_DEVICE && found.memory == WB_MEMORY_NONE)
        return rt_fail(RT_INVALID_VALUE,
                       "The %s should be on the device, but 0x%" PRIx64 " is in no memory of the device.",
                       side, region->address);
    if (expected == EXPECT_HOST && (found.memory == WB_MEMORY_DEVICE || found.memory == WB_MEMORY_VARIABLE))
        return rt_fail(RT_INVALID_VALUE,
                       "The %s should be on the host, but 0x%" PRIx64 " is in memory of the device.", side,
                       region->address);
    if (found.memory == WB_MEMORY_NONE)
        return check_host(region, copy, span, side);
    return check_range(region->address, span, &found, side);
}

static bool is_on_device(const WbRegion *region)
{
    const WbMemory memory = find(region->address).memory;
    return memory == WB_MEMORY_DEVICE || memory == WB_MEMORY_VARIABLE;
}

/* The host waits for a copy unless it stays on the device: then CUDA does not, even if the call is a
 * synchronous one. */
static bool host_waits(const WbCopy *copy, const RtStream *stream, bool waits)
{
    if (stream->capture)
        return false;
    if (copy->destination.is_host)
        return true;
    return waits && !(is_on_device(&copy->destination) && is_on_device(&copy->source));
}

RtError rt_copy_prepare(const WbCopy *copy, int kind, RtOperation *operation)
{
    static const Expected sources[KIND_COUNT] = {EXPECT_HOST, EXPECT_HOST, EXPECT_DEVICE, EXPECT_DEVICE,
                                                 EXPECT_ANY};
    static const Expected destinations[KIND_COUNT] = {EXPECT_HOST, EXPECT_DEVICE, EXPECT_HOST, EXPECT_DEVICE,
                                                      EXPECT_ANY};
    *operation = (RtOperation){.kind = RT_COPY, .copy = *copy};
    if (kind < 0 || kind >= KIND_COUNT)
        return rt_fail(RT_INVALID_MEMCPY_DIRECTION, "%d is no direction of a copy: 0 to 4 are.", kind);
    if (copy->width == 0 || copy->height == 0 || copy->depth == 0)
        return RT_SUCCESS;
    RtError error = check_side(&copy->source, copy, sources[kind], "source");
    return error ? error : check_side(&copy->destination, copy, destinations[kind], "destination");
}

/* The devices that have the two sides, a bit each; none of host memory. */
static uint32_t devices_of(const WbCopy *copy)
{
    const WbAddress sides[2] = {find(copy->source.address), find(copy->destination.address)};
    uint32_t devices = 0;
    for (int i = 0; i < 2; i++)
        if (sides[i].memory == WB_MEMORY_DEVICE || sides[i].memory == WB_MEMORY_VARIABLE)
            devices |= (uint32_t)1 << sides[i].gpu;
    return devices;
}

/* CUDA: a copy in the default stream that has to do with another device comes behind all that was put into
 * streams there, and before all that is put into them later. */
static RtError do_between(RtStream *stream, RtOperation *operation)
{
    const uint32_t others = devices_of(&operation->copy) & ~((uint32_t)1 << stream->device);
    const bool is_default = !stream->stream && !stream->capture;
    RtError error = RT_SUCCESS;
    for (int i = 0; i < rt_device_count() && is_default && !error; i++)
        if (others >> i & 1)
            error = rt_stream_follow(stream->device, NULL, i, NULL);
    if (!error)
        error = rt_stream_do(stream, operation);
    for (int i = 0; i < rt_device_count() && is_default && !error; i++)
        if (others >> i & 1)
            error = rt_stream_follow(i, NULL, stream->device, NULL);
    return error;
}

RtError rt_copy(const WbCopy *copy, int kind, RtStream *stream, bool waits)
{
    RtOperation operation;
    RtError error = rt_copy_prepare(copy, kind, &operation);
    if (copy->width == 0 || copy->height == 0 || copy->depth == 0)
        return error;
    if (error == RT_SUCCESS && waits)
        error = rt_capture_forbids_waiting(stream);
    if (error != RT_SUCCESS)
        return error;
    /* CUDA stages pageable memory at the call, so the program may change it right behind; a graph reads it at
     * every launch. */
    operation.copy.reads_now = copy->source.is_host && !stream->capture;
    const bool wait = host_waits(copy, stream, waits);
    error = rt_device_count() > 1 ? do_between(stream, &operation) : rt_stream_do(stream, &operation);
    return error == RT_SUCCESS && wait ? rt_stream_drain(stream) : error;
}

RtError rt_copy_bytes(void *destination, const void *source, size_t size, int kind, RtStream *stream,
                      bool waits)
{
    const WbCopy copy = {.destination = rt_region(destination, size, size),
                         .source = rt_region(source, size, size),
                         .width = size,
                         .height = 1,
                         .depth = 1};
    return rt_copy(&copy, kind, stream, waits);
}

RtError rt_fill_prepare(const WbFill *fill, RtOperation *operation)
{
    size_t width;
    *operation = (RtOperation){.kind = RT_FILL, .fill = *fill};
    if (fill->width == 0 || fill->height == 0 || fill->depth == 0)
        return RT_SUCCESS;
    if (__builtin_mul_overflow(fill->width, (size_t)fill->element_bytes, &width))
        return rt_fail(RT_INVALID_VALUE, "%zu elements of %u bytes are more than any memory has.",
                       fill->width, fill->element_bytes);
    RtError error = rt_memory_check_freed(fill->address, "destination");
    if (error)
        return error;
    const WbAddress found = find(fill->address);
    if (found.memory == WB_MEMORY_NONE)
        return rt_fail(RT_INVALID_VALUE, "0x%" PRIx64 " is in no memory of the device.", fill->address);
    const uint64_t span = box_span(fill->row_pitch, fill->slice_pitch, width, fill->height, fill->depth);
    return check_range(fill->address, span, &found, "destination");
}

RtError rt_fill(const WbFill *fill, RtStream *stream, bool waits)
{
    RtOperation operation;
    RtError error = rt_fill_prepare(fill, &operation);
    if (fill->width == 0 || fill->height == 0 || fill->depth == 0)
        return error;
    if (error == RT_SUCCESS && waits)
        error = rt_capture_forbids_waiting(stream);
    if (error != RT_SUCCESS)
        return error;
    error = rt_stream_do(stream, &operation);
    /* Only of host memory does CUDA wait for the result. */
    const bool wait = waits && find(fill->address).memory == WB_MEMORY_HOST;
    return error == RT_SUCCESS && wait ? rt_stream_drain(stream) : error;
}
