/* Pools, and allocation in the order of a stream. */
#include "rt/pool.h"

#include "rt/cudart/abi.h"
#include "rt/cudart/cudart.h"
#include "rt/device.h"
#include "rt/memory.h"

/* -- allocating and freeing -- */

static RtError allocate(void **pointer, size_t size, void *pool_handle, void *stream_handle)
{
    RtPool *pool = NULL;
    RtStream *stream = NULL;
    uint64_t address = 0;
    NEED(pointer);
    RtError error = rt_pool_get(pool_handle, &pool);
    if (error == RT_SUCCESS)
        error = rt_stream_get(stream_handle, &stream);
    if (error == RT_SUCCESS)
        error = rt_pool_alloc(pool, size, stream, &address);
    *pointer = (void *)(uintptr_t)address;
    return error;
}

/* From the current pool of the stream's device. */
static RtError allocate_there(void **pointer, size_t size, void *handle)
{
    RtStream *stream = NULL;
    RtError error = rt_stream_get(handle, &stream);
    return error ? error : RT_ON(stream->device, allocate(pointer, size, rt_pool_current(), handle));
}

EXPORT_BOTH(cudaMallocAsync, (void **pointer, size_t size, void *stream),
            allocate_there(pointer, size, stream))
EXPORT_BOTH(cudaMallocFromPoolAsync, (void **pointer, size_t size, void *pool, void *stream),
            allocate(pointer, size, pool, stream))

static RtError release(const void *pointer, void *handle)
{
    RtStream *stream = NULL;
    RtError error = rt_stream_get(handle, &stream);
    return error ? error : rt_pool_free((uint64_t)(uintptr_t)pointer, stream);
}

EXPORT_BOTH(cudaFreeAsync, (void *pointer, void *stream), release(pointer, stream))

/* -- pools -- */

/* Pools are of page-locked memory of the device. */
static RtError check_properties(const PoolProperties *properties)
{
    enum { PINNED = 1 };
    if (properties->allocation_type != PINNED)
        return rt_fail(RT_INVALID_VALUE, "A pool's allocations are pinned (1); this one's should be %d.",
                       properties->allocation_type);
    if (properties->location.type != LOCATION_DEVICE)
        return rt_fail(RT_NOT_SUPPORTED, "Only pools on the device are simulated; this one should be at %d.",
                       properties->location.type);
    return rt_device_check(properties->location.id);
}

static RtError create(void **place, const PoolProperties *properties)
{
    RtPool *pool = NULL;
    NEED(place);
    NEED(properties);
    RtError error = check_properties(properties);
    if (error == RT_SUCCESS)
        error = RT_ON(properties->location.id, rt_pool_create(properties->maximum_bytes, &pool));
    if (error == RT_SUCCESS) {
        error = rt_pool_make_shareable(pool, properties->handle_types);
        if (error != RT_SUCCESS)
            rt_pool_destroy(pool);
    }
    if (error == RT_SUCCESS)
        *place = pool;
    return error;
}

EXPORT int cudaMemPoolCreate(void **pool, const PoolProperties *properties)
{
    return CUDART(create(pool, properties));
}

EXPORT int cudaMemPoolDestroy(void *pool) { return CUDART(rt_pool_destroy(pool)); }

/* Calls a function of the pool of that handle. */
#define WITH_POOL(handle, call)                                                                              \
    __extension__({                                                                                          \
        RtPool *pool_ = NULL;                                                                                \
        RtError found_ = rt_pool_get(handle, &pool_);                                                        \
        found_ == RT_SUCCESS ? (call) : found_;                                                              \
    })

EXPORT int cudaMemPoolTrimTo(void *pool, size_t keep)
{
    return CUDART(WITH_POOL(pool, rt_pool_trim(pool_, keep)));
}

EXPORT int cudaMemPoolSetAttribute(void *pool, int attribute, void *value)
{
    return CUDART(WITH_POOL(pool, rt_pool_set_attribute(pool_, attribute, value)));
}

EXPORT int cudaMemPoolGetAttribute(void *pool, int attribute, void *value)
{
    return CUDART(WITH_POOL(pool, rt_pool_attribute(pool_, attribute, value)));
}

/* -- who may access a pool: always its device, with both rights; others if they are given them -- */

enum { NO_ACCESS = 0, READ_WRITE = 3 };

static RtError check_access(const RtPool *pool, const AccessDescription *description)
{
    const int device = description->location.id, flags = description->flags;
    if (description->location.type != LOCATION_DEVICE)
        return rt_fail(RT_INVALID_VALUE, "Only devices are given access to a pool, not places of kind %d.",
                       description->location.type);
    RtError error = rt_device_check(device);
    if (error != RT_SUCCESS)
        return error;
    if (device == rt_pool_device(pool) && flags != READ_WRITE)
        return rt_fail(RT_INVALID_DEVICE, "A pool's own device always reads and writes it (3), not %d.",
                       flags);
    if (flags != READ_WRITE && flags != NO_ACCESS)
        return rt_fail(RT_INVALID_VALUE, "Devices read and write a pool (3) or do not use it (0), not %d.",
                       flags);
    return RT_SUCCESS;
}

static RtError set_access(RtPool *pool, const AccessDescription *descriptions, size_t count)
{
    if (count > 0 && !descriptions)
        return rt_fail(RT_INVALID_VALUE, "The list of %zu accesses is a null pointer.", count);
    RtError error = RT_SUCCESS;
    for (size_t i = 0; i < count && !error; i++)
        error = check_access(pool, &descriptions[i]);
    for (size_t i = 0; i < count && !error; i++)
        error = rt_pool_set_access(pool, descriptions[i].location.id, descriptions[i].flags == READ_WRITE);
    return error;
}

EXPORT int cudaMemPoolSetAccess(void *pool, const AccessDescription *descriptions, size_t count)
{
    return CUDART(WITH_POOL(pool, set_access(pool_, descriptions, count)));
}

static RtError get_access(int *flags, const RtPool *pool, const Location *location)
{
    NEED(flags);
    NEED(location);
    if (location->type != LOCATION_DEVICE)
        return rt_fail(RT_INVALID_VALUE, "Only devices have access to a pool, not places of kind %d.",
                       location->type);
    RtError error = rt_device_check(location->id);
    if (!error)
        *flags = rt_pool_access(pool) >> location->id & 1 ? READ_WRITE : NO_ACCESS;
    return error;
}

EXPORT int cudaMemPoolGetAccess(int *flags, void *pool, Location *location)
{
    return CUDART(WITH_POOL(pool, get_access(flags, pool_, location)));
}

/* -- pools of a device -- */

static RtError set_place(void **place, RtPool *pool)
{
    *place = pool;
    return RT_SUCCESS;
}

static RtError get_default(void **place, int device)
{
    NEED(place);
    return RT_ON_CHECKED(device, set_place(place, rt_pool_default()));
}

static RtError get_current(void **place, int device)
{
    NEED(place);
    return RT_ON_CHECKED(device, set_place(place, rt_pool_current()));
}

EXPORT int cudaDeviceGetDefaultMemPool(void **pool, int device) { return CUDART(get_default(pool, device)); }

EXPORT int cudaDeviceGetMemPool(void **pool, int device) { return CUDART(get_current(pool, device)); }

static RtError set_current(int device, RtPool *pool)
{
    return RT_ON_CHECKED(device, rt_pool_set_current(pool));
}

EXPORT int cudaDeviceSetMemPool(int device, void *pool)
{
    return CUDART(WITH_POOL(pool, set_current(device, pool_)));
}

#if CUDART_MAJOR >= 13
static RtError check_place(const Location *location, int type)
{
    enum { PINNED = 1 };
    NEED(location);
    if (location->type != LOCATION_DEVICE || type != PINNED)
        return rt_fail(RT_NOT_SUPPORTED, "Only pools of pinned memory on the device are simulated.");
    return rt_device_check(location->id);
}

static RtError get_default_at(void **place, const Location *location, int type)
{
    RtError error = check_place(location, type);
    return error ? error : get_default(place, location->id);
}

EXPORT int cudaMemGetDefaultMemPool(void **pool, Location *location, int type)
{
    return CUDART(get_default_at(pool, location, type));
}

static RtError get_current_at(void **place, const Location *location, int type)
{
    RtError error = check_place(location, type);
    return error ? error : get_current(place, location->id);
}

EXPORT int cudaMemGetMemPool(void **pool, Location *location, int type)
{
    return CUDART(get_current_at(pool, location, type));
}

static RtError set_current_at(const Location *location, int type, RtPool *pool)
{
    RtError error = check_place(location, type);
    return error ? error : set_current(location->id, pool);
}

EXPORT int cudaMemSetMemPool(Location *location, int type, void *pool)
{
    return CUDART(WITH_POOL(pool, set_current_at(location, type, pool_)));
}
#endif
