/* Device memory as the host sees it. Launches that were queued before a copy run before it, as they
 * would in one CUDA stream; the call that finds one failing tells so. */
#include "api/gpu.h"

#include <inttypes.h>
#include <string.h>

/* Null pointers are fine where nothing is copied. */
static WbStatus check_host(const void *host, size_t size, const char *call, Error *error)
{
    if (host || size == 0)
        return WB_OK;
    return error_set(error, WB_ERROR_ARGUMENT, "%s of %zu bytes was given a null host pointer.", call, size);
}

WbStatus wb_malloc(WbGpu *gpu, size_t size, uint64_t *address)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(gpu);
    if (!address)
        return gpu_end(gpu, error_set(error, WB_ERROR_ARGUMENT,
                                      "wb_malloc needs a place for the address; it was null."));
    return gpu_end(gpu, space_alloc(&gpu->space, size, NULL, false, address, error));
}

/* Only what wb_malloc gave may be freed: variables live as long as their module. */
static WbStatus free_allocation(WbGpu *gpu, uint64_t address, Error *error)
{
    if (address == 0)
        return WB_OK;
    const Allocation *allocation = space_find_any(&gpu->space, address, 1);
    if (allocation && allocation->name)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "wb_free was given 0x%" PRIx64 ", which belongs to %s, not to wb_malloc.", address,
                         allocation->name);
    return space_free(&gpu->space, address, error);
}

WbStatus wb_free(WbGpu *gpu, uint64_t address)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(gpu);
    if (timeline_run(gpu, NULL, error))
        return gpu_end(gpu, error->status);
    return gpu_end(gpu, free_allocation(gpu, address, error));
}

WbStatus wb_copy_to_device(WbGpu *gpu, uint64_t destination, const void *source, size_t size)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(gpu);
    if (check_host(source, size, "wb_copy_to_device", error) || timeline_run(gpu, NULL, error))
        return gpu_end(gpu, error->status);
    if (size && space_write(&gpu->space, destination, source, size, error) == WB_OK)
        cache_touch(gpu, destination, size, CACHE_TOUCH_FROM_HOST);
    return gpu_end(gpu, error->status);
}

WbStatus wb_copy_from_device(WbGpu *gpu, void *destination, uint64_t source, size_t size)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(gpu);
    if (check_host(destination, size, "wb_copy_from_device", error) || timeline_run(gpu, NULL, error))
        return gpu_end(gpu, error->status);
    if (size && space_read(&gpu->space, source, destination, size, error) == WB_OK)
        cache_touch(gpu, source, size, CACHE_TOUCH_TO_HOST);
    return gpu_end(gpu, error->status);
}

/* The host bytes of a device range, or null with the sentence. */
static uint8_t *device_range(WbGpu *gpu, uint64_t address, size_t size, const char *call, Error *error)
{
    const Allocation *allocation = space_find_any(&gpu->space, address, size);
    if (allocation)
        return allocation->host + (address - allocation->base);
    char description[512];
    error_set(error, WB_ERROR_ARGUMENT,
              "%s: the %zu bytes at 0x%" PRIx64 " are not in one allocation: the address is %s.", call, size,
              address, space_describe(&gpu->space, address, description, sizeof description));
    return NULL;
}

WbStatus wb_copy_on_device(WbGpu *gpu, uint64_t destination, uint64_t source, size_t size)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(gpu);
    if (timeline_run(gpu, NULL, error) || size == 0)
        return gpu_end(gpu, error->status);
    uint8_t *to = device_range(gpu, destination, size, "wb_copy_on_device", error);
    const uint8_t *from = to ? device_range(gpu, source, size, "wb_copy_on_device", error) : NULL;
    if (from) {
        memmove(to, from, size);
        cache_touch(gpu, source, size, CACHE_TOUCH_DEVICE_READ);
        cache_touch(gpu, destination, size, CACHE_TOUCH_DEVICE_WRITE);
    }
    return gpu_end(gpu, error->status);
}

WbStatus wb_set_device(WbGpu *gpu, uint64_t destination, int byte, size_t size)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(gpu);
    if (timeline_run(gpu, NULL, error) || size == 0)
        return gpu_end(gpu, error->status);
    uint8_t *to = device_range(gpu, destination, size, "wb_set_device", error);
    if (to) {
        memset(to, byte, size);
        cache_touch(gpu, destination, size, CACHE_TOUCH_DEVICE_WRITE);
    }
    return gpu_end(gpu, error->status);
}

/* What is under way may be in the middle of the pages. */
WbStatus wb_memory_share(WbGpu *gpu, uint64_t address, WbSharedPiece pieces[WB_SHARED_PIECES], size_t *count,
                         uint64_t *offset)
{
    if (!gpu || !pieces || !count || !offset)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(gpu);
    if (timeline_run(gpu, NULL, error))
        return gpu_end(gpu, error->status);
    const Allocation *allocation = space_find_any(&gpu->space, address, 1);
    if (!allocation || allocation->memory != MEMORY_DEVICE || allocation->base != address)
        return gpu_end(gpu, error_set(error, WB_ERROR_ARGUMENT,
                                      "Only device memory can be shared, by the address of its first byte."));
    SharedPiece parts[SHARED_PIECES];
    *count = backing_share(&gpu->space.backing, address, allocation->size, parts);
    if (*count == 0)
        return gpu_end(gpu, error_set(error, WB_ERROR_OUT_OF_MEMORY,
                                      "The host has no memory for the files of shared device memory."));
    for (size_t i = 0; i < *count; i++)
        pieces[i] = (WbSharedPiece){parts[i].file, parts[i].offset, parts[i].size};
    enum { HOST_PAGE = 4096 };
    *offset = address % HOST_PAGE;
    return WB_OK;
}
