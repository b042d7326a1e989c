/* Copies and fills of boxes of bytes, and the time that they take.
 *
 * Either side is ordinary host memory or a range of the address space. A copy takes its time on one of the
 * copy engines and takes effect at its end; it does not compete with kernels for L2 and DRAM. In a system of
 * several GPUs those that leave their GPU take theirs on links and PCIe: api/link_copy.h. */
#include "api/gpu.h"

#include <inttypes.h>
#include <string.h>

#include "base/host_range.h"

/* Bytes from the first to the last of a box. */
static bool box_bytes(size_t width, size_t height, size_t depth, size_t row, size_t slice, size_t *bytes)
{
    size_t rows, slices;
    return !__builtin_mul_overflow(height - 1, row, &rows) &&
           !__builtin_mul_overflow(depth - 1, slice, &slices) &&
           !__builtin_add_overflow(rows, slices, bytes) && !__builtin_add_overflow(*bytes, width, bytes);
}

static bool is_empty(size_t width, size_t height, size_t depth) { return !width || !height || !depth; }

/* Whether host memory is there, as it was when the copy was put into its stream. */
static bool is_mapped(const WbRegion *region, size_t width, size_t height, size_t depth, size_t bytes)
{
    if (host_range_is_mapped(region->address, bytes))
        return true;
    for (size_t z = 0; z < depth; z++) /* what is between the rows need not be */
        for (size_t y = 0; y < height; y++)
            if (!host_range_is_mapped(region->address + z * region->slice_pitch + y * region->row_pitch,
                                      width))
                return false;
    return true;
}

/* Where the box begins on the host, or null with the sentence. */
static uint8_t *find_box(WbGpu *gpu, const WbRegion *region, size_t width, size_t height, size_t depth,
                         const char *what, Error *error)
{
    size_t bytes;
    if ((height > 1 && region->row_pitch < width) ||
        !box_bytes(width, height, depth, region->row_pitch, region->slice_pitch, &bytes)) {
        error_set(error, WB_ERROR_ARGUMENT,
                  "The %s has %zu rows of %zu bytes, %zu apart, in %zu slices, %zu apart: that is no box.",
                  what, height, width, region->row_pitch, depth, region->slice_pitch);
        return NULL;
    }
    if (region->is_host && region->address && is_mapped(region, width, height, depth, bytes))
        return (uint8_t *)(uintptr_t)region->address;
    if (region->is_host && region->address) {
        error_set(error, WB_ERROR_ARGUMENT,
                  "The %s, %zu bytes at 0x%" PRIx64 ", is host memory of which some is not mapped.", what,
                  bytes, region->address);
        return NULL;
    }
    const Allocation *allocation =
        region->is_host ? NULL : space_find_any(&gpu->space, region->address, bytes);
    if (allocation)
        return allocation->host + (region->address - allocation->base);
    char description[512];
    error_set(error, WB_ERROR_ARGUMENT,
              "The %s, %zu bytes at 0x%" PRIx64 ", is not in one allocation: the address is %s.", what, bytes,
              region->address, space_describe(&gpu->space, region->address, description, sizeof description));
    return NULL;
}

WbStatus copy_check(WbGpu *gpu, const WbCopy *copy, Error *error)
{
    const size_t width = copy->width, height = copy->height, depth = copy->depth;
    if (is_empty(width, height, depth))
        return WB_OK;
    if (find_box(gpu, &copy->destination, width, height, depth, "destination", error))
        find_box(gpu, &copy->source, width, height, depth, "source", error);
    return error->status;
}

static void touch_rows(WbGpu *gpu, const WbRegion *region, size_t width, size_t height, size_t depth,
                       CacheTouchKind kind)
{
    for (size_t z = 0; !region->is_host && z < depth; z++)
        for (size_t y = 0; y < height; y++)
            cache_touch(gpu, region->address + z * region->slice_pitch + y * region->row_pitch, width, kind);
}

static void copy_rows(const WbCopy *copy, uint8_t *to, size_t to_row, size_t to_slice, const uint8_t *from,
                      size_t from_row, size_t from_slice)
{
    if (copy->height == 1 && copy->depth == 1) {
        memmove(to, from, copy->width);
        return;
    }
    for (size_t z = 0; z < copy->depth; z++)
        for (size_t y = 0; y < copy->height; y++)
            memmove(to + z * to_slice + y * to_row, from + z * from_slice + y * from_row, copy->width);
}

uint8_t *copy_stage(WbGpu *gpu, const WbCopy *copy)
{
    Error error = {0};
    if (is_empty(copy->width, copy->height, copy->depth))
        return NULL;
    const uint8_t *from =
        find_box(gpu, &copy->source, copy->width, copy->height, copy->depth, "source", &error);
    const size_t slice = copy->width * copy->height;
    uint8_t *staged = xmalloc(slice * copy->depth);
    copy_rows(copy, staged, copy->width, slice, from, copy->source.row_pitch, copy->source.slice_pitch);
    return staged;
}

WbStatus copy_perform(WbGpu *gpu, const WbCopy *copy, const uint8_t *staged, Error *error)
{
    const size_t width = copy->width, height = copy->height, depth = copy->depth;
    const WbRegion *to = &copy->destination, *from = &copy->source;
    if (is_empty(width, height, depth))
        return WB_OK;
    uint8_t *target = find_box(gpu, to, width, height, depth, "destination", error);
    if (!target)
        return error->status;
    if (staged) {
        copy_rows(copy, target, to->row_pitch, to->slice_pitch, staged, width, width * height);
        touch_rows(gpu, to, width, height, depth, CACHE_TOUCH_FROM_HOST);
        return WB_OK;
    }
    const uint8_t *source = find_box(gpu, from, width, height, depth, "source", error);
    if (source) {
        copy_rows(copy, target, to->row_pitch, to->slice_pitch, source, from->row_pitch, from->slice_pitch);
        const bool on_device = copy_engine(gpu, copy) == ENGINE_ON_DEVICE;
        touch_rows(gpu, from, width, height, depth,
                   on_device ? CACHE_TOUCH_DEVICE_READ : CACHE_TOUCH_TO_HOST);
        touch_rows(gpu, to, width, height, depth,
                   on_device ? CACHE_TOUCH_DEVICE_WRITE : CACHE_TOUCH_FROM_HOST);
    }
    return error->status;
}

static bool is_on_host(WbGpu *gpu, const WbRegion *region)
{
    const Allocation *allocation = region->is_host ? NULL : space_find_any(&gpu->space, region->address, 1);
    if (allocation && allocation->memory == MEMORY_REGISTERED && gpu->system->gpus.count > 1)
        return space_owner(&gpu->space, region->address) == HOME_HOST;
    return !allocation || allocation->memory == MEMORY_HOST || allocation->memory == MEMORY_REGISTERED;
}

CopyEngine copy_engine(WbGpu *gpu, const WbCopy *copy)
{
    const bool to_host = is_on_host(gpu, &copy->destination), from_host = is_on_host(gpu, &copy->source);
    if (!to_host && !from_host)
        return gpu->system->gpus.count == 1 || space_owner(&gpu->space, copy->source.address) ==
                                                   space_owner(&gpu->space, copy->destination.address)
                   ? ENGINE_ON_DEVICE
                   : ENGINE_PEER;
    return to_host && gpu->config.copy_engines > 1 ? ENGINE_TO_HOST : ENGINE_TO_DEVICE;
}

/* A MB/s is a byte a microsecond. */
static Cycle cycles_of(const WbGpu *gpu, uint64_t latency_ns, uint64_t bytes, uint64_t rate)
{
    return gpu_cycles(gpu, latency_ns + (bytes * 1000 + rate - 1) / rate);
}

uint64_t copy_bytes(const WbCopy *copy) { return (uint64_t)copy->width * copy->height * copy->depth; }

Cycle copy_cycles(WbGpu *gpu, const WbCopy *copy)
{
    const GpuConfig *config = &gpu->config;
    const uint64_t bytes = copy_bytes(copy);
    return copy_engine(gpu, copy) == ENGINE_ON_DEVICE
               ? cycles_of(gpu, config->device_copy_latency_ns, 2 * bytes, config->device_copy_rate)
               : cycles_of(gpu, config->host_copy_latency_ns, bytes, config->host_copy_rate);
}

static WbRegion fill_region(const WbFill *fill)
{
    return (WbRegion){
        .address = fill->address, .row_pitch = fill->row_pitch, .slice_pitch = fill->slice_pitch};
}

WbStatus fill_check(WbGpu *gpu, const WbFill *fill, Error *error)
{
    const uint32_t bytes = fill->element_bytes;
    if ((bytes != 1 && bytes != 2 && bytes != 4) || fill->address % bytes || fill->row_pitch % bytes ||
        fill->slice_pitch % bytes)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "A fill at 0x%" PRIx64
                         " has elements of %u bytes, rows %zu and slices %zu bytes apart; "
                         "elements of 1, 2 or 4 bytes must be aligned to their size.",
                         fill->address, bytes, fill->row_pitch, fill->slice_pitch);
    if (is_empty(fill->width, fill->height, fill->depth))
        return WB_OK;
    const WbRegion region = fill_region(fill);
    find_box(gpu, &region, fill->width * bytes, fill->height, fill->depth, "range to fill", error);
    return error->status;
}

static void fill_row(uint8_t *row, size_t elements, uint32_t value, uint32_t bytes)
{
    if (bytes == 1) {
        memset(row, (int)(value & 0xff), elements);
        return;
    }
    for (size_t i = 0; i < elements; i++)
        memcpy(row + i * bytes, &value, bytes);
}

WbStatus fill_perform(WbGpu *gpu, const WbFill *fill, Error *error)
{
    if (is_empty(fill->width, fill->height, fill->depth))
        return WB_OK;
    const WbRegion region = fill_region(fill);
    const size_t width = fill->width * fill->element_bytes;
    uint8_t *to = find_box(gpu, &region, width, fill->height, fill->depth, "range to fill", error);
    for (size_t z = 0; to && z < fill->depth; z++)
        for (size_t y = 0; y < fill->height; y++)
            fill_row(to + z * fill->slice_pitch + y * fill->row_pitch, fill->width, fill->value,
                     fill->element_bytes);
    if (to)
        touch_rows(gpu, &region, width, fill->height, fill->depth, CACHE_TOUCH_DEVICE_WRITE);
    return error->status;
}

uint64_t fill_bytes(const WbFill *fill)
{
    return (uint64_t)fill->width * fill->height * fill->depth * fill->element_bytes;
}

Cycle fill_cycles(WbGpu *gpu, const WbFill *fill)
{
    return cycles_of(gpu, gpu->config.device_copy_latency_ns, fill_bytes(fill), gpu->config.device_copy_rate);
}

void copy_put_bytes(WbGpu *gpu, WbStream *stream, uint64_t address, uint8_t *bytes, uint64_t size)
{
    Operation *copy = timeline_put(gpu, stream, OPERATION_COPY);
    copy->copy.copy = (WbCopy){
        .destination = {.address = address},
        .source = {.is_host = true},
        .width = size,
        .height = 1,
        .depth = 1,
        .reads_now = true,
    };
    copy->copy.staged = bytes;
    timeline_release(gpu, copy);
}
