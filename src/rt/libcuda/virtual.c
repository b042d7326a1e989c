/* Virtual memory management: memory is created, addresses are reserved, and one is mapped to the other
 * (rt/physical.c, rt/virtual.c). Here CUDA's structures are taken apart and checked. */
#include "rt/libcuda/libcuda.h"

#include "rt/device.h"
#include "rt/libcuda/location.h"
#include "rt/virtual.h"

enum { GENERIC = 1, COMPRESSION_IS_SUPPORTED = 107 }; /* CUmemAllocationCompType, CUdevice_attribute */
enum { PINNED = 1, HANDLE_FILE = 1 }; /* CUmemAllocationType, CUmemAllocationHandleType */

/* Layout of CUmemAllocationProp. */
typedef struct Properties {
    int type, handle_types;
    Location location;
    void *windows_data;
    uint8_t compression, direct_access;
    uint16_t usage;
    uint8_t reserved[4];
} Properties;
_Static_assert(sizeof(Properties) == 32, "as CUDA has it");

/* Layout of CUmemAccessDesc. */
typedef struct Access {
    Location location;
    int flags;
} Access;

static RtError check_properties(const Properties *properties)
{
    NEED(properties);
    if (properties->type != PINNED || properties->location.type != LOCATION_DEVICE)
        return rt_fail(RT_INVALID_VALUE,
                       "Only pinned memory (type 1) of the device (location 1) can be made; the "
                       "properties say type %d and location %d.",
                       properties->type, properties->location.type);
    if (properties->handle_types & ~HANDLE_FILE)
        return rt_fail(RT_NOT_SUPPORTED,
                       "Memory can be exported as a file descriptor (1) only, not as type %d.",
                       properties->handle_types);
    if (properties->compression > GENERIC)
        return rt_fail(RT_INVALID_VALUE, "Memory can be compressible (1) or not (0); the properties say %d.",
                       properties->compression);
    return rt_device_check(properties->location.id);
}

static RtError create_here(size_t size, const Properties *properties, RtPhysical **physical)
{
    RtError error = rt_physical_create(size, properties->handle_types, physical);
    if (!error)
        (*physical)->compression = properties->compression && rt_device_value(COMPRESSION_IS_SUPPORTED);
    return error;
}

static RtError create(uint64_t *handle, size_t size, const Properties *properties, uint64_t flags)
{
    NEED(handle);
    RtError error = check_properties(properties);
    if (error)
        return error;
    if (flags)
        return rt_fail(RT_INVALID_VALUE, "The flags must be 0.");
    RtPhysical *physical;
    error = RT_ON(properties->location.id, create_here(size, properties, &physical));
    if (!error)
        *handle = (uintptr_t)physical;
    return error;
}

EXPORT int cuMemCreate(uint64_t *handle, size_t size, const void *properties, uint64_t flags)
{
    return LIBCUDA_GLOBAL(create(handle, size, properties, flags));
}

static RtError release(uint64_t handle)
{
    RtPhysical *physical;
    RtError error = rt_physical_get(handle, &physical);
    return error ? error : rt_physical_release(physical);
}

EXPORT int cuMemRelease(uint64_t handle) { return LIBCUDA_GLOBAL(release(handle)); }

static RtError retain(uint64_t *handle, uint64_t address)
{
    NEED(handle);
    RtPhysical *physical;
    RtError error = rt_physical_at(address, &physical);
    if (!error)
        *handle = (uintptr_t)physical;
    return error;
}

EXPORT int cuMemRetainAllocationHandle(uint64_t *handle, void *address)
{
    return LIBCUDA_GLOBAL(retain(handle, (uintptr_t)address));
}

static RtError get_granularity(size_t *granularity, const Properties *properties)
{
    NEED(granularity);
    *granularity = RT_GRANULARITY;
    return check_properties(properties);
}

EXPORT int cuMemGetAllocationGranularity(size_t *granularity, const void *properties, int option)
{
    (void)option; /* the smallest is the recommended one, too */
    return LIBCUDA_GLOBAL(get_granularity(granularity, properties));
}

static RtError get_properties(Properties *properties, uint64_t handle)
{
    NEED(properties);
    RtPhysical *physical;
    RtError error = rt_physical_get(handle, &physical);
    if (!error)
        *properties = (Properties){
            .type = PINNED,
            .handle_types = physical->handle_types,
            .location = {LOCATION_DEVICE, physical->device},
            .compression = (uint8_t)physical->compression,
        };
    return error;
}

EXPORT int cuMemGetAllocationPropertiesFromHandle(void *properties, uint64_t handle)
{
    return LIBCUDA_GLOBAL(get_properties(properties, handle));
}

static RtError reserve(uint64_t *address, size_t size, size_t alignment, uint64_t wanted, uint64_t flags)
{
    NEED(address);
    if (flags)
        return rt_fail(RT_INVALID_VALUE, "The flags must be 0.");
    return rt_virtual_reserve(size, alignment, wanted, address);
}

EXPORT int cuMemAddressReserve(uint64_t *address, size_t size, size_t alignment, uint64_t wanted,
                               uint64_t flags)
{
    return LIBCUDA_GLOBAL(reserve(address, size, alignment, wanted, flags));
}

EXPORT int cuMemAddressFree(uint64_t address, size_t size)
{
    return LIBCUDA_GLOBAL(rt_virtual_free(address, size));
}

static RtError map(uint64_t address, size_t size, size_t offset, uint64_t handle, uint64_t flags)
{
    RtPhysical *physical;
    RtError error = rt_physical_get(handle, &physical);
    if (!error && flags)
        error = rt_fail(RT_INVALID_VALUE, "The flags must be 0.");
    return error ? error : rt_virtual_map(address, size, offset, physical);
}

EXPORT int cuMemMap(uint64_t address, size_t size, size_t offset, uint64_t handle, uint64_t flags)
{
    return LIBCUDA_GLOBAL(map(address, size, offset, handle, flags));
}

EXPORT int cuMemUnmap(uint64_t address, size_t size)
{
    return LIBCUDA_GLOBAL(rt_virtual_unmap(address, size));
}

/* The host may always touch what is mapped, so that its access changes nothing. */
static RtError set_access(uint64_t address, size_t size, const Access *accesses, size_t count)
{
    NEED(accesses);
    RtError error = count ? RT_SUCCESS : rt_fail(RT_INVALID_VALUE, "No access was given.");
    for (size_t i = 0; i < count && !error; i++) {
        const Access *access = &accesses[i];
        if (access->flags != 0 && access->flags != 1 && access->flags != 3)
            return rt_fail(RT_INVALID_VALUE, "Access is 0, 1 or 3, not %d.", access->flags);
        if (access->location.type != LOCATION_DEVICE)
            continue;
        error =
            RT_ON_CHECKED(access->location.id, rt_virtual_set_access(address, size, access->flags));
    }
    return error;
}

EXPORT int cuMemSetAccess(uint64_t address, size_t size, const void *accesses, size_t count)
{
    return LIBCUDA_GLOBAL(set_access(address, size, accesses, count));
}

static RtError get_access(uint64_t *flags, const Location *location, uint64_t address)
{
    NEED(flags);
    NEED(location);
    int access = 0;
    RtError error = location->type == LOCATION_DEVICE
                        ? RT_ON_CHECKED(location->id, rt_virtual_get_access(address, &access))
                        : rt_virtual_get_access(address, &access);
    *flags = (uint64_t)access;
    return error;
}

EXPORT int cuMemGetAccess(uint64_t *flags, const void *location, uint64_t address)
{
    return LIBCUDA_GLOBAL(get_access(flags, location, address));
}

static RtError export_handle(void *result, uint64_t handle, int type)
{
    NEED(result);
    RtPhysical *physical;
    RtError error = rt_physical_get(handle, &physical);
    if (error)
        return error;
    if (type != HANDLE_FILE || !(physical->handle_types & HANDLE_FILE))
        return rt_fail(RT_INVALID_VALUE,
                       "Memory can be exported as a file descriptor (1), if it was created for that.");
    return rt_physical_export(physical, result);
}

EXPORT int cuMemExportToShareableHandle(void *result, uint64_t handle, int type, uint64_t flags)
{
    (void)flags;
    return LIBCUDA_GLOBAL(export_handle(result, handle, type));
}

static RtError import_handle(uint64_t *handle, void *file, int type)
{
    NEED(handle);
    RtPhysical *physical;
    if (type != HANDLE_FILE)
        return rt_fail(RT_NOT_SUPPORTED,
                       "Memory can be imported from a file descriptor (1) only, not from type %d.", type);
    RtError error = rt_physical_import((int)(intptr_t)file, &physical);
    if (!error)
        *handle = (uintptr_t)physical;
    return error;
}

EXPORT int cuMemImportFromShareableHandle(uint64_t *handle, void *file, int type)
{
    return LIBCUDA_GLOBAL(import_handle(handle, file, type));
}
