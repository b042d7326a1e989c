/* Memory of all kinds: allocated, freed, registered. CUDA's flags are checked here; rt/memory.c and rt/host.c
 * do the work. */
#include "rt/libcuda/libcuda.h"

#include "rt/libcuda/location.h"
#include "rt/device.h"
#include "rt/managed.h"
#include "rt/memory.h"

enum { ATTACH_GLOBAL = 1, ATTACH_HOST = 2 };
enum { HOST_PORTABLE = 1, HOST_MAPPED = 2, HOST_WRITE_COMBINED = 4 };
enum { REGISTER_FLAGS = 0xF };

static RtError check_size(size_t size)
{
    return size ? RT_SUCCESS : rt_fail(RT_INVALID_VALUE, "The size is 0.");
}

static RtError alloc(uint64_t *address, size_t size)
{
    NEED(address);
    RtError error = check_size(size);
    return error ? error : rt_memory_alloc(size, address);
}

EXPORT int cuMemAlloc_v2(uint64_t *address, size_t size) { return LIBCUDA(alloc(address, size)); }

static RtError alloc_pitched(uint64_t *address, size_t *pitch, size_t width, size_t height,
                             unsigned element_bytes)
{
    NEED(address);
    NEED(pitch);
    if (width == 0 || height == 0)
        return rt_fail(RT_INVALID_VALUE, "The memory has no bytes: it is %zu wide and %zu high.", width,
                       height);
    if (element_bytes != 4 && element_bytes != 8 && element_bytes != 16)
        return rt_fail(RT_INVALID_VALUE, "Elements have 4, 8 or 16 bytes, not %u.", element_bytes);
    return rt_memory_alloc_pitched(width, height, address, pitch);
}

EXPORT int cuMemAllocPitch_v2(uint64_t *address, size_t *pitch, size_t width, size_t height,
                              unsigned element_bytes)
{
    return LIBCUDA(alloc_pitched(address, pitch, width, height, element_bytes));
}

EXPORT int cuMemFree_v2(uint64_t address) { return LIBCUDA(rt_memory_free(address)); }

static RtError host_alloc(void **pointer, size_t size, WbMemory memory, unsigned flags)
{
    NEED(pointer);
    RtError error = check_size(size);
    return error ? error : rt_host_alloc(size, memory, flags, pointer);
}

static RtError host_alloc_flags(void **pointer, size_t size, unsigned flags)
{
    if (flags & ~(HOST_PORTABLE | HOST_MAPPED | HOST_WRITE_COMBINED))
        return rt_fail(RT_INVALID_VALUE, "0x%x are no flags of host memory.", flags);
    return host_alloc(pointer, size, WB_MEMORY_HOST, flags);
}

EXPORT int cuMemAllocHost_v2(void **pointer, size_t size)
{
    return LIBCUDA(host_alloc_flags(pointer, size, 0));
}

EXPORT int cuMemHostAlloc(void **pointer, size_t size, unsigned flags)
{
    return LIBCUDA(host_alloc_flags(pointer, size, flags));
}

EXPORT int cuMemFreeHost(void *pointer) { return LIBCUDA(rt_host_free(pointer)); }

static RtError managed_alloc(uint64_t *address, size_t size, unsigned flags)
{
    NEED(address);
    void *pointer;
    if (flags != ATTACH_GLOBAL && flags != ATTACH_HOST)
        return rt_fail(RT_INVALID_VALUE,
                       "Managed memory is attached to all (1) or to the host (2), not to %u.", flags);
    RtError error = host_alloc(&pointer, size, WB_MEMORY_MANAGED, flags);
    if (!error)
        *address = (uintptr_t)pointer;
    return error;
}

EXPORT int cuMemAllocManaged(uint64_t *address, size_t size, unsigned flags)
{
    return LIBCUDA(managed_alloc(address, size, flags));
}

static RtError host_register(void *pointer, size_t size, unsigned flags)
{
    if (flags & ~REGISTER_FLAGS)
        return rt_fail(RT_INVALID_VALUE, "0x%x are no flags of registered memory.", flags);
    return rt_host_register(pointer, size, flags);
}

EXPORT int cuMemHostRegister_v2(void *pointer, size_t size, unsigned flags)
{
    return LIBCUDA(host_register(pointer, size, flags));
}
SAME_AS(cuMemHostRegister_v2) int cuMemHostRegister(void *pointer, size_t size, unsigned flags);

EXPORT int cuMemHostUnregister(void *pointer) { return LIBCUDA(rt_host_unregister(pointer)); }

static RtError get_device_pointer(uint64_t *address, void *pointer, unsigned flags)
{
    NEED(address);
    const RtAllocation *found;
    if (flags)
        return rt_fail(RT_INVALID_VALUE, "The flags must be 0.");
    RtError error = rt_host_find(pointer, &found);
    if (!error)
        *address = (uintptr_t)pointer;
    return error;
}

EXPORT int cuMemHostGetDevicePointer_v2(uint64_t *address, void *pointer, unsigned flags)
{
    return LIBCUDA(get_device_pointer(address, pointer, flags));
}

static RtError get_host_flags(unsigned *flags, void *pointer)
{
    NEED(flags);
    const RtAllocation *found;
    RtError error = rt_host_find(pointer, &found);
    if (!error)
        *flags = found->flags | HOST_MAPPED;
    return error;
}

EXPORT int cuMemHostGetFlags(unsigned *flags, void *pointer)
{
    return LIBCUDA(get_host_flags(flags, pointer));
}

static RtError get_info(size_t *free, size_t *total)
{
    NEED(free);
    NEED(total);
    return rt_memory_info(free, total);
}

EXPORT int cuMemGetInfo_v2(size_t *free, size_t *total) { return LIBCUDA(get_info(free, total)); }

static RtError get_range(uint64_t *base, size_t *size, uint64_t address)
{
    const RtAllocation *found = rt_allocation_find(address);
    if (!found)
        return rt_fail(RT_SYMBOL_NOT_FOUND, "0x%llx is in no memory that is allocated now.",
                       (unsigned long long)address);
    if (base)
        *base = found->base;
    if (size)
        *size = found->size;
    return RT_SUCCESS;
}

EXPORT int cuMemGetAddressRange_v2(uint64_t *base, size_t *size, uint64_t address)
{
    return LIBCUDA(get_range(base, size, address));
}

/* -- managed memory -- */

static int place_of(Location location)
{
    return location.type == LOCATION_DEVICE ? location.id : (int)RT_PLACE_HOST;
}

static RtError check_managed(uint64_t address, size_t size)
{
    const RtAllocation *found = rt_allocation_find(address);
    if (found && found->kind == RT_MANAGED_MEMORY && size <= found->base + found->size - address)
        return RT_SUCCESS;
    return rt_fail(RT_INVALID_VALUE, "%zu bytes at 0x%llx are not in managed memory.", size,
                   (unsigned long long)address);
}

/* Of advice that is about a place: preferred location and accessed by, set and unset. */
static bool has_place(int advice) { return advice == 3 || advice >= 5; }

static RtError advise(uint64_t address, size_t size, int advice, Location location)
{
    enum { LAST_ADVICE = 6 };
    RtError error = check_managed(address, size);
    if (!error && has_place(advice) && location.type == LOCATION_DEVICE)
        error = rt_device_check(location.id);
    if (error || !size || advice < 1 || advice > LAST_ADVICE)
        return error;
    return rt_managed_advise(address, size, advice, place_of(location));
}

/* A device's number as CUDA before 13 takes it: -1 is the host. */
static Location location_of(int device)
{
    return device == -1 ? (Location){LOCATION_HOST, 0} : (Location){LOCATION_DEVICE, device};
}

EXPORT int cuMemAdvise(uint64_t address, size_t size, int advice, int device)
{
    return LIBCUDA(advise(address, size, advice, location_of(device)));
}

EXPORT int cuMemAdvise_v2(uint64_t address, size_t size, int advice, Location location)
{
    return LIBCUDA(advise(address, size, advice, location));
}

static RtError prefetch(uint64_t address, size_t size, Location location, void *handle)
{
    RtStream *stream;
    RtError error = check_managed(address, size);
    if (!error && location.type == LOCATION_DEVICE)
        error = rt_device_check(location.id);
    if (!error)
        error = rt_stream_get(handle, &stream);
    return error || !size ? error : rt_managed_prefetch(address, size, place_of(location), stream);
}

STREAM_CALL(cuMemPrefetchAsync, (uint64_t address, size_t size, int device, void *stream),
            prefetch(address, size, location_of(device), stream))
STREAM_CALL(cuMemPrefetchAsync_v2,
            (uint64_t address, size_t size, Location location, unsigned flags, void *stream),
            ((void)flags, prefetch(address, size, location, stream)))

static RtError attach(void *handle, uint64_t address)
{
    RtStream *stream;
    RtError error = check_managed(address, 0);
    return error ? error : rt_stream_get(handle, &stream);
}

STREAM_CALL(cuStreamAttachMemAsync, (void *stream, uint64_t address, size_t size, unsigned flags),
            ((void)size, (void)flags, attach(stream, address)))
