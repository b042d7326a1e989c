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

EXPORT_BOTH(cudaMallocAsync, (void **pointer, size_t size, void *stream),
            allocate(pointer, size, rt_pool_current(), stream))
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
        error = rt_pool_create(properties->maximum_bytes, &pool);
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

/* -- who may access a pool: always the device, with both rights -- */

enum { READ_WRITE = 3 };

static RtError set_access(const AccessDescription *descriptions, size_t count)
{
    if (count > 0 && !descriptions)
        return rt_fail(RT_INVALID_VALUE, "The list of %zu accesses is a null pointer.", count);
    for (size_t i = 0; i < count; i++) {
        if (descriptions[i].location.type != LOCATION_DEVICE)
            return rt_fail(RT_INVALID_VALUE,
                           "Only devices are given access to a pool, not places of kind %d.",
                           descriptions[i].location.type);
        RtError error = rt_device_check(descriptions[i].location.id);
        if (error != RT_SUCCESS)
            return error;
        if (descriptions[i].flags != READ_WRITE)
            return rt_fail(RT_INVALID_DEVICE, "A pool's own device always reads and writes it (3), not %d.",
                           descriptions[i].flags);
    }
    return RT_SUCCESS;
}

EXPORT int cudaMemPoolSetAccess(void *pool, const AccessDescription *descriptions, size_t count)
{
    return CUDART(WITH_POOL(pool, set_access(descriptions, count)));
}

static RtError get_access(int *flags, const Location *location)
{
    NEED(flags);
    NEED(location);
    if (location->type != LOCATION_DEVICE)
        return rt_fail(RT_INVALID_VALUE, "Only devices have access to a pool, not places of kind %d.",
                       location->type);
    *flags = READ_WRITE;
    return rt_device_check(location->id);
}

EXPORT int cudaMemPoolGetAccess(int *flags, void *pool, Location *location)
{
    return CUDART(WITH_POOL(pool, get_access(flags, location)));
}

/* -- pools of the device -- */

static RtError answer(void **place, RtPool *pool, int device)
{
    NEED(place);
    RtError error = rt_device_check(device);
    if (error == RT_SUCCESS)
        *place = pool;
    return error;
}

EXPORT int cudaDeviceGetDefaultMemPool(void **pool, int device)
{
    return CUDART(answer(pool, rt_pool_default(), device));
}

EXPORT int cudaDeviceGetMemPool(void **pool, int device)
{
    return CUDART(answer(pool, rt_pool_current(), device));
}

static RtError set_current(int device, RtPool *pool)
{
    RtError error = rt_device_check(device);
    if (error == RT_SUCCESS)
        rt_pool_set_current(pool);
    return error;
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

static RtError answer_at(void **place, RtPool *pool, const Location *location, int type)
{
    RtError error = check_place(location, type);
    return error ? error : answer(place, pool, location->id);
}

EXPORT int cudaMemGetDefaultMemPool(void **pool, Location *location, int type)
{
    return CUDART(answer_at(pool, rt_pool_default(), location, type));
}

EXPORT int cudaMemGetMemPool(void **pool, Location *location, int type)
{
    return CUDART(answer_at(pool, rt_pool_current(), location, type));
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
