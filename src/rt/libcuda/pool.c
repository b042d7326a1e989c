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

/* `pool` null: the current one of the stream's device. */
static RtError alloc(uint64_t *address, size_t size, void *pool_handle, void *handle)
{
    NEED(address);
    RtPool *pool = NULL;
    RtStream *stream = NULL;
    RtError error = rt_stream_get(handle, &stream);
    if (!error && pool_handle)
        error = rt_pool_get(pool_handle, &pool);
    else if (!error)
        error = RT_ON(stream->device, (pool = rt_pool_current(), RT_SUCCESS));
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
    RtPool *made = NULL;
    RtError error =
        RT_ON_CHECKED(properties->location.id, rt_pool_create(properties->maximum_bytes, &made));
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

/* A pool's own device always has access; that cannot be taken away. */
static RtError set_one_access(RtPool *pool, const Access *access)
{
    const int device = access->location.id;
    RtError error = access->location.type == LOCATION_DEVICE ? rt_device_check(device) : RT_SUCCESS;
    if (!error && access->flags != ACCESS_BOTH &&
        (device == rt_pool_device(pool) || access->location.type != LOCATION_DEVICE))
        error = rt_fail(RT_INVALID_DEVICE, "The device's access to its own pool cannot be taken away.");
    if (error || access->location.type != LOCATION_DEVICE)
        return error;
    return rt_pool_set_access(pool, device, access->flags == ACCESS_BOTH);
}

static RtError set_access(void *handle, const Access *accesses, size_t count)
{
    RtPool *pool = NULL;
    RtError error = rt_pool_get(handle, &pool);
    for (size_t i = 0; i < count && !error; i++) {
        NEED(accesses);
        error = set_one_access(pool, &accesses[i]);
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
    RtError error = rt_pool_get(handle, &pool);
    if (!error && location->type == LOCATION_DEVICE)
        error = rt_device_check(location->id);
    if (error)
        return error;
    *flags = location->type == LOCATION_DEVICE && rt_pool_access(pool) >> location->id & 1 ? ACCESS_BOTH : 0;
    return RT_SUCCESS;
}

EXPORT int cuMemPoolGetAccess(int *flags, void *pool, const void *location)
{
    return LIBCUDA_GLOBAL(get_access(flags, pool, location));
}

/* -- the device's pools -- */

static RtError get_default(void **pool, int device)
{
    NEED(pool);
    return RT_ON_CHECKED(device, (*pool = rt_pool_default(), RT_SUCCESS));
}

EXPORT int cuDeviceGetDefaultMemPool(void **pool, int device)
{
    return LIBCUDA_GLOBAL(get_default(pool, device));
}

static RtError get_current(void **pool, int device)
{
    NEED(pool);
    return RT_ON_CHECKED(device, (*pool = rt_pool_current(), RT_SUCCESS));
}

EXPORT int cuDeviceGetMemPool(void **pool, int device) { return LIBCUDA_GLOBAL(get_current(pool, device)); }

static RtError set_current(int device, void *handle)
{
    RtPool *pool = NULL;
    RtError error = rt_device_check(device);
    if (!error)
        error = rt_pool_get(handle, &pool);
    return error ? error : RT_ON(device, rt_pool_set_current(pool));
}

EXPORT int cuDeviceSetMemPool(int device, void *pool) { return LIBCUDA_GLOBAL(set_current(device, pool)); }
