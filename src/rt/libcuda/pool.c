/* Memory that is allocated and freed in the order of a stream, and the pools it comes from. */
#include "rt/pool.h"

#include "rt/device.h"
#include "rt/libcuda/libcuda.h"
#include "rt/libcuda/location.h"

enum { ACCESS_BOTH = 3 }; /* CUmemAccess_flags: read and write */

/* Layout of CUmemPoolProps. */
typedef struct PoolProperties {
    int allocation_type, handle_types;
    Location location;
    void *security_attributes;
    size_t maximum_bytes;
    uint8_t reserved[56];
} PoolProperties;
_Static_assert(sizeof(PoolProperties) == 88, "as CUDA has it");

/* Layout of CUmemAccessDesc. */
typedef struct Access {
    Location location;
    int flags;
} Access;

/* -- memory -- */

/* `pool` null: the current one. */
static RtError alloc(uint64_t *address, size_t size, void *pool_handle, void *handle)
{
    NEED(address);
    RtPool *pool = rt_pool_current();
    RtStream *stream = NULL;
    RtError error = rt_stream_get(handle, &stream);
    if (!error && pool_handle)
        error = rt_pool_get(pool_handle, &pool);
    return error ? error : rt_pool_alloc(pool, size, stream, address);
}

static RtError alloc_from(uint64_t *address, size_t size, void *pool, void *handle)
{
    NEED(pool);
    return alloc(address, size, pool, handle);
}

static RtError release(uint64_t address, void *handle)
{
    RtStream *stream = NULL;
    RtError error = rt_stream_get(handle, &stream);
    return error ? error : rt_pool_free(address, stream);
}

STREAM_CALL(cuMemAllocAsync, (uint64_t * address, size_t size, void *stream),
            alloc(address, size, NULL, stream))
STREAM_CALL(cuMemAllocFromPoolAsync, (uint64_t * address, size_t size, void *pool, void *stream),
            alloc_from(address, size, pool, stream))
STREAM_CALL(cuMemFreeAsync, (uint64_t address, void *stream), release(address, stream))

/* -- pools -- */

static RtError create(void **pool, const PoolProperties *properties)
{
    NEED(pool);
    NEED(properties);
    if (properties->location.type != LOCATION_DEVICE)
        return rt_fail(RT_NOT_SUPPORTED, "Pools are of the device (location 1) only, not of location %d.",
                       properties->location.type);
    RtError error = rt_device_check(properties->location.id);
    RtPool *made = NULL;
    if (!error)
        error = rt_pool_create(properties->maximum_bytes, &made);
    if (error)
        return error;
    error = rt_pool_make_shareable(made, properties->handle_types);
    if (error)
        rt_pool_destroy(made);
    else
        *pool = made;
    return error;
}

EXPORT int cuMemPoolCreate(void **pool, const void *properties)
{
    return LIBCUDA_GLOBAL(create(pool, properties));
}
EXPORT int cuMemPoolDestroy(void *pool) { return LIBCUDA_GLOBAL(rt_pool_destroy(pool)); }

static RtError get_attribute(void *handle, int attribute, void *value)
{
    NEED(value);
    RtPool *pool = NULL;
    RtError error = rt_pool_get(handle, &pool);
    return error ? error : rt_pool_attribute(pool, attribute, value);
}

EXPORT int cuMemPoolGetAttribute(void *pool, int attribute, void *value)
{
    return LIBCUDA_GLOBAL(get_attribute(pool, attribute, value));
}

static RtError set_attribute(void *handle, int attribute, const void *value)
{
    NEED(value);
    RtPool *pool = NULL;
    RtError error = rt_pool_get(handle, &pool);
    return error ? error : rt_pool_set_attribute(pool, attribute, value);
}

EXPORT int cuMemPoolSetAttribute(void *pool, int attribute, void *value)
{
    return LIBCUDA_GLOBAL(set_attribute(pool, attribute, value));
}

static RtError trim(void *handle, size_t keep)
{
    RtPool *pool = NULL;
    RtError error = rt_pool_get(handle, &pool);
    return error ? error : rt_pool_trim(pool, keep);
}

EXPORT int cuMemPoolTrimTo(void *pool, size_t keep) { return LIBCUDA_GLOBAL(trim(pool, keep)); }

/* The device always has access; that cannot be taken away. */
static RtError set_access(void *handle, const Access *accesses, size_t count)
{
    RtPool *pool = NULL;
    RtError error = rt_pool_get(handle, &pool);
    for (size_t i = 0; i < count && !error; i++) {
        NEED(accesses);
        if (accesses[i].location.type == LOCATION_DEVICE)
            error = rt_device_check(accesses[i].location.id);
        if (!error && accesses[i].flags != ACCESS_BOTH)
            error = rt_fail(RT_INVALID_DEVICE, "The device's access to its own pool cannot be taken away.");
    }
    return error;
}

EXPORT int cuMemPoolSetAccess(void *pool, const void *accesses, size_t count)
{
    return LIBCUDA_GLOBAL(set_access(pool, accesses, count));
}

static RtError get_access(int *flags, void *handle, const Location *location)
{
    NEED(flags);
    NEED(location);
    RtPool *pool = NULL;
    *flags = location->type == LOCATION_DEVICE ? ACCESS_BOTH : 0;
    return rt_pool_get(handle, &pool);
}

EXPORT int cuMemPoolGetAccess(int *flags, void *pool, const void *location)
{
    return LIBCUDA_GLOBAL(get_access(flags, pool, location));
}

/* -- the device's pools -- */

static RtError get_default(void **pool, int device)
{
    NEED(pool);
    RtError error = rt_device_check(device);
    if (!error)
        *pool = rt_pool_default();
    return error;
}

EXPORT int cuDeviceGetDefaultMemPool(void **pool, int device)
{
    return LIBCUDA_GLOBAL(get_default(pool, device));
}

static RtError get_current(void **pool, int device)
{
    NEED(pool);
    RtError error = rt_device_check(device);
    if (!error)
        *pool = rt_pool_current();
    return error;
}

EXPORT int cuDeviceGetMemPool(void **pool, int device) { return LIBCUDA_GLOBAL(get_current(pool, device)); }

static RtError set_current(int device, void *handle)
{
    RtPool *pool = NULL;
    RtError error = rt_device_check(device);
    if (!error)
        error = rt_pool_get(handle, &pool);
    if (!error)
        rt_pool_set_current(pool);
    return error;
}

EXPORT int cuDeviceSetMemPool(int device, void *pool) { return LIBCUDA_GLOBAL(set_current(device, pool)); }
