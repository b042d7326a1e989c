/* Allocating and freeing memory, asking about it, and advice on it. */
#include "rt/cudart/cudart.h"
#include "rt/pool.h"

#include "rt/cudart/abi.h"
#include "rt/device.h"
#include "rt/managed.h"
#include "rt/memory.h"

static uint64_t address_of(const void *pointer) { return (uint64_t)(uintptr_t)pointer; }

/* -- device memory -- */

static RtError allocate(void **pointer, size_t size)
{
    uint64_t address;
    NEED(pointer);
    RtError error = rt_memory_alloc(size, &address);
    *pointer = (void *)(uintptr_t)address;
    return error;
}

EXPORT int cudaMalloc(void **pointer, size_t size) { return CUDART(allocate(pointer, size)); }

EXPORT int cudaFree(void *pointer) { return CUDART(rt_memory_free(address_of(pointer))); }

static RtError allocate_pitched(void **pointer, size_t *pitch, size_t width, size_t height)
{
    uint64_t address;
    NEED(pointer);
    NEED(pitch);
    RtError error = rt_memory_alloc_pitched(width, height, &address, pitch);
    *pointer = (void *)(uintptr_t)address;
    return error;
}

EXPORT int cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    return CUDART(allocate_pitched(pointer, pitch, width, height));
}

static RtError allocate_box(PitchedPointer *box, Extent extent)
{
    size_t rows;
    NEED(box);
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
        return rt_fail(RT_MEMORY_ALLOCATION, "%zu slices of %zu rows are more than any GPU has.",
                       extent.depth, extent.height);
    *box = (PitchedPointer){.width = extent.width, .height = extent.height};
    return allocate_pitched(&box->pointer, &box->pitch, extent.width, rows);
}

EXPORT int cudaMalloc3D(PitchedPointer *box, Extent extent) { return CUDART(allocate_box(box, extent)); }

static RtError get_info(size_t *free, size_t *total)
{
    NEED(free);
    NEED(total);
    return rt_memory_info(free, total);
}

EXPORT int cudaMemGetInfo(size_t *free, size_t *total) { return CUDART(get_info(free, total)); }

/* -- managed memory -- */

enum { ATTACH_GLOBAL = 1, ATTACH_HOST = 2 };

static RtError allocate_managed(void **pointer, size_t size, unsigned flags)
{
    NEED(pointer);
    if (size == 0 || (flags != ATTACH_GLOBAL && flags != ATTACH_HOST))
        return rt_fail(RT_INVALID_VALUE,
                       "Managed memory needs at least one byte and the flag 1 (global) or 2 (host); it was "
                       "given %zu bytes and 0x%x.",
                       size, flags);
    return rt_host_alloc(size, WB_MEMORY_MANAGED, flags, pointer);
}

EXPORT int cudaMallocManaged(void **pointer, size_t size, unsigned flags)
{
    return CUDART(allocate_managed(pointer, size, flags));
}

static RtError check_managed(const void *pointer, size_t size)
{
    const RtAllocation *allocation = rt_allocation_find(address_of(pointer));
    if (!allocation || allocation->kind != RT_MANAGED_MEMORY ||
        size > allocation->base + allocation->size - address_of(pointer))
        return rt_fail(RT_INVALID_VALUE, "The %zu bytes at %p are not in managed memory.", size, pointer);
    return RT_SUCCESS;
}

static RtError check_location(Location location)
{
    if (location.type == LOCATION_DEVICE)
        return rt_device_check(location.id);
    if (location.type < LOCATION_DEVICE || location.type > LOCATION_THIS_NUMA)
        return rt_fail(RT_INVALID_VALUE, "%d is no kind of a place of memory.", location.type);
    return RT_SUCCESS;
}

static int place_of(Location location)
{
    return location.type == LOCATION_DEVICE ? location.id : (int)RT_PLACE_HOST;
}

static RtError advise(const void *pointer, size_t size, int advice, Location location)
{
    enum { LAST_ADVICE = 6, ACCESSED_BY = 5, PREFERRED = 3 };
    if (size == 0 || advice < 1 || advice > LAST_ADVICE)
        return rt_fail(RT_INVALID_VALUE, "Advice needs at least one byte and is 1 to 6; it was %d.", advice);
    RtError error = check_managed(pointer, size);
    const bool has_place = advice == PREFERRED || advice >= ACCESSED_BY;
    if (error == RT_SUCCESS && has_place)
        error = check_location(location);
    return error ? error : rt_managed_advise(address_of(pointer), size, advice, place_of(location));
}

static RtError prefetch(const void *pointer, size_t size, Location location, unsigned flags, void *handle)
{
    RtStream *stream = NULL;
    if (size == 0 || flags != 0)
        return rt_fail(RT_INVALID_VALUE, "A prefetch needs at least one byte and no flags.");
    RtError error = rt_stream_get(handle, &stream);
    if (error == RT_SUCCESS)
        error = check_managed(pointer, size);
    if (error == RT_SUCCESS)
        error = check_location(location);
    return error ? error : rt_managed_prefetch(address_of(pointer), size, place_of(location), stream);
}

/* The form with a location came in CUDA 12 as _v2 and took the plain name in 13. */
#if CUDART_MAJOR >= 13
#define WITH_LOCATION(name) name
#else
#define WITH_LOCATION(name) name##_v2

/* A device's number as CUDA before 13 takes it: -1 is the host. */
static Location location_of(int device)
{
    return device == -1 ? (Location){LOCATION_HOST, 0} : (Location){LOCATION_DEVICE, device};
}

EXPORT int cudaMemAdvise(const void *pointer, size_t size, int advice, int device)
{
    return CUDART(advise(pointer, size, advice, location_of(device)));
}

EXPORT_BOTH(cudaMemPrefetchAsync, (const void *pointer, size_t size, int device, void *stream),
            prefetch(pointer, size, location_of(device), 0, stream))
#endif

EXPORT int WITH_LOCATION(cudaMemAdvise)(const void *pointer, size_t size, int advice, Location location)
{
    return CUDART(advise(pointer, size, advice, location));
}

#define EXPORT_BOTH_EXPANDED(...) EXPORT_BOTH(__VA_ARGS__)
EXPORT_BOTH_EXPANDED(WITH_LOCATION(cudaMemPrefetchAsync),
                     (const void *pointer, size_t size, Location location, unsigned flags, void *stream),
                     prefetch(pointer, size, location, flags, stream))

/* -- what a pointer is -- */

/* What is mapped is the device's, though it lies at the host's address. */
static bool is_of_device(uint64_t address)
{
    const RtAllocation *allocation = rt_allocation_find(address);
    return allocation && (allocation->kind == RT_MAPPED_MEMORY || allocation->kind == RT_IMPORTED_MEMORY);
}

static bool is_freed(uint64_t address)
{
    const RtAllocation *allocation = rt_allocation_find(address);
    return (allocation && allocation->released) || rt_pool_has_idle(address);
}

/* Of host memory it is the device that was current when it was allocated. */
static int device_of(const WbAddress *found, uint64_t address)
{
    const RtAllocation *allocation = rt_allocation_find(address);
    return allocation ? allocation->device : (int)found->gpu;
}

static RtError get_attributes(PointerAttributes *attributes, const void *pointer)
{
    enum { UNREGISTERED, HOST, DEVICE, MANAGED, NO_DEVICE = -2 };
    NEED(attributes);
    NEED(pointer);
    WbAddress found = {.memory = WB_MEMORY_NONE};
    void *const both = (void *)(uintptr_t)pointer;
    wb_address_find(rt_gpu(), address_of(pointer), &found);
    *attributes = (PointerAttributes){
        .device = device_of(&found, address_of(pointer)), .device_pointer = both, .host_pointer = both};
    if (is_of_device(address_of(pointer)))
        found.memory = WB_MEMORY_DEVICE;
    if (is_freed(address_of(pointer)))
        found.memory = WB_MEMORY_NONE;
    switch (found.memory) {
    case WB_MEMORY_HOST:
        attributes->type = HOST;
        break;
    case WB_MEMORY_MANAGED:
        attributes->type = MANAGED;
        break;
    case WB_MEMORY_DEVICE:
    case WB_MEMORY_VARIABLE:
        attributes->type = DEVICE;
        attributes->host_pointer = NULL;
        break;
    default:
        attributes->type = UNREGISTERED;
        attributes->device = NO_DEVICE;
        attributes->device_pointer = NULL;
        break;
    }
    return RT_SUCCESS;
}

EXPORT int cudaPointerGetAttributes(PointerAttributes *attributes, const void *pointer)
{
    return CUDART(get_attributes(attributes, pointer));
}
