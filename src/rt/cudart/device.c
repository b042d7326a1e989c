/* Devices, their flags, limits and peers, and versions. */
#include "rt/cudart/cudart.h"

#include "rt/cudart/abi.h"
#include "rt/cudart/error.h"
#include "rt/context.h"
#include "rt/device.h"
#include "rt/peer.h"

/* -- which device -- */

static RtError set_value(int *place, int value)
{
    NEED(place);
    *place = value;
    return RT_SUCCESS;
}

/* Without a GPU the answer is an error and 0. */
EXPORT int cudaGetDeviceCount(int *count)
{
    RtError error = cudart_enter(__func__);
    RtError wrong = set_value(count, rt_device_count());
    return cudart_leave(error ? error : wrong);
}

EXPORT int cudaGetDevice(int *device) { return CUDART(set_value(device, rt_device())); }

/* A kernel that has failed is one of its device: a program may go on with another. */
static RtError set_device(int device)
{
    RtError error = rt_device_check(device);
    if (!error)
        error = rt_primary_set(device);
    return error ? error : rt_sticky();
}

EXPORT int cudaSetDevice(int device)
{
    RtError error = rt_enter(__func__);
    if (error && rt_sticky() == error)
        error = RT_SUCCESS;
    return cudart_leave(error ? error : set_device(device));
}

static RtError check_devices(const int *devices, int count)
{
    if (count < 0 || (count > 0 && !devices))
        return rt_fail(RT_INVALID_VALUE, "A list of %d devices at %p is none.", count, (const void *)devices);
    for (int i = 0; i < count; i++) {
        RtError error = rt_device_check(devices[i]);
        if (error != RT_SUCCESS)
            return error;
    }
    return RT_SUCCESS;
}

EXPORT int cudaSetValidDevices(int *devices, int count) { return CUDART(check_devices(devices, count)); }

/* The first is as good as any other: programs that know better name one. */
static RtError choose(int *device, const void *properties)
{
    NEED(properties);
    return set_value(device, 0);
}

EXPORT int cudaChooseDevice(int *device, const void *properties)
{
    return CUDART(choose(device, properties));
}
#if CUDART_MAJOR == 12
EXPORT int cudaChooseDevice_v2(int *device, const void *properties)
{
    return CUDART(choose(device, properties));
}
#endif

static RtError get_attribute(int *value, int attribute, int device)
{
    NEED(value);
    return RT_ON_CHECKED(device, rt_device_attribute(attribute, value));
}

EXPORT int cudaDeviceGetAttribute(int *value, int attribute, int device)
{
    return CUDART(get_attribute(value, attribute, device));
}

static RtError get_pci_name(char *name, int size, int device)
{
    return RT_ON_CHECKED(device, rt_device_pci_name(name, size));
}

EXPORT int cudaDeviceGetPCIBusId(char *name, int size, int device)
{
    return CUDART(get_pci_name(name, size, device));
}

EXPORT int cudaDeviceGetByPCIBusId(int *device, const char *name)
{
    return CUDART(rt_device_by_pci_name(name, device));
}

/* -- waiting, starting, ending -- */

EXPORT int cudaDeviceSynchronize(void) { return CUDART(rt_wait_all()); }

/* The echo of a failure that has been forgotten goes, too. */
static int reset(const char *call)
{
    rt_enter_always(call);
    cudart_last_error = RT_SUCCESS;
    return cudart_leave(rt_in_host_function()
                            ? rt_fail(RT_NOT_PERMITTED, "A host function cannot reset the device.")
                            : rt_device_reset());
}

EXPORT int cudaDeviceReset(void) { return reset(__func__); }
#if CUDART_MAJOR < 13
EXPORT int cudaThreadSynchronize(void) { return CUDART(rt_wait_all()); }
EXPORT int cudaThreadExit(void) { return reset(__func__); }
#endif

enum { SCHEDULE_FLAGS = 0x7, KNOWN_FLAGS = 0xFF, MAP_HOST = 0x8 };

static RtError set_flags(unsigned flags)
{
    const unsigned schedule = flags & SCHEDULE_FLAGS;
    if ((flags & ~(unsigned)KNOWN_FLAGS) || (schedule & (schedule - 1)))
        return rt_fail(RT_INVALID_VALUE, "0x%x are no flags of a device.", flags);
    rt_device_settings()->flags = flags | MAP_HOST;
    return RT_SUCCESS;
}

EXPORT int cudaSetDeviceFlags(unsigned flags) { return CUDART(set_flags(flags)); }

static RtError get_flags(unsigned *flags)
{
    NEED(flags);
    *flags = rt_device_settings()->flags;
    return RT_SUCCESS;
}

EXPORT int cudaGetDeviceFlags(unsigned *flags) { return CUDART(get_flags(flags)); }

static RtError initialize(int device, unsigned device_flags, unsigned flags)
{
    enum { FLAGS_ARE_VALID = 1 };
    RtError error = rt_device_check(device);
    if (error == RT_SUCCESS && (flags & ~(unsigned)FLAGS_ARE_VALID))
        return rt_fail(RT_INVALID_VALUE, "0x%x are no flags of an initialization: 0 and 1 are.", flags);
    return error == RT_SUCCESS && flags ? RT_ON(device, set_flags(device_flags)) : error;
}

EXPORT int cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
    return CUDART(initialize(device, device_flags, flags));
}

/* -- limits and caches -- */

static RtError get_limit(size_t *value, int limit)
{
    NEED(value);
    return rt_limit_get(limit, value);
}

EXPORT int cudaDeviceGetLimit(size_t *value, int limit) { return CUDART(get_limit(value, limit)); }
EXPORT int cudaDeviceSetLimit(int limit, size_t value) { return CUDART(rt_limit_set(limit, value)); }
#if CUDART_MAJOR < 13
EXPORT int cudaThreadGetLimit(size_t *value, int limit) { return CUDART(get_limit(value, limit)); }
EXPORT int cudaThreadSetLimit(int limit, size_t value) { return CUDART(rt_limit_set(limit, value)); }
#endif

static RtError set_preference(int *place, int value, int last)
{
    if (value < 0 || value > last)
        return rt_fail(RT_INVALID_VALUE, "%d is no such preference: 0 to %d are.", value, last);
    *place = value;
    return RT_SUCCESS;
}

enum { LAST_CACHE_PREFERENCE = 3, LAST_BANK_SIZE = 2 };

EXPORT int cudaDeviceSetCacheConfig(int preference)
{
    return CUDART(set_preference(&rt_device_settings()->cache_preference, preference, LAST_CACHE_PREFERENCE));
}

EXPORT int cudaDeviceGetCacheConfig(int *preference)
{
    return CUDART(set_value(preference, rt_device_settings()->cache_preference));
}

EXPORT int cudaDeviceSetSharedMemConfig(int size)
{
    return CUDART(set_preference(&rt_device_settings()->bank_size, size, LAST_BANK_SIZE));
}

/* Banks of four bytes, whatever was wished for. */
EXPORT int cudaDeviceGetSharedMemConfig(int *size) { return CUDART(set_value(size, 1)); }

EXPORT int cudaCtxResetPersistingL2Cache(void) { return CUDART(RT_SUCCESS); }

static RtError get_priorities(int *least, int *greatest)
{
    if (least)
        *least = RT_PRIORITY_LEAST;
    if (greatest)
        *greatest = RT_PRIORITY_GREATEST;
    return RT_SUCCESS;
}

EXPORT int cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    return CUDART(get_priorities(least, greatest));
}

static RtError get_linear_width(size_t *width, const ChannelFormat *format, int device)
{
    NEED(width);
    NEED(format);
    const int bits = format->x + format->y + format->z + format->w;
    int value = 0;
    RtError error = rt_device_check(device);
    if (error == RT_SUCCESS && bits <= 0)
        return rt_fail(RT_INVALID_VALUE, "A texture's elements cannot have %d bits.", bits);
    if (error == RT_SUCCESS)
        error = RT_ON(device, rt_device_attribute(69, &value));
    *width = (size_t)value;
    return error;
}

EXPORT int cudaDeviceGetTexture1DLinearMaxWidth(size_t *width, const ChannelFormat *format, int device)
{
    return CUDART(get_linear_width(width, format, device));
}

/* -- peers -- */

static RtError can_access(int *can, int device, int peer)
{
    NEED(can);
    return rt_peer_can(device, peer, can);
}

EXPORT int cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    return CUDART(can_access(can, device, peer));
}

EXPORT int cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    return CUDART(rt_peer_enable(peer, flags));
}

EXPORT int cudaDeviceDisablePeerAccess(int peer) { return CUDART(rt_peer_disable(peer)); }

static RtError get_peer_attribute(int *value, int attribute, int source, int destination)
{
    NEED(value);
    return rt_peer_attribute(attribute, source, destination, value);
}

EXPORT int cudaDeviceGetP2PAttribute(int *value, int attribute, int source, int destination)
{
    return CUDART(get_peer_attribute(value, attribute, source, destination));
}

/* -- versions and the profiler -- */

EXPORT int cudaDriverGetVersion(int *version)
{
    rt_enter_always(__func__);
    return cudart_leave(set_value(version, RT_DRIVER_VERSION));
}

/* The last of its major version that this stand-in answers for. */
#if CUDART_MAJOR == 11
enum { RUNTIME_VERSION = 11080 };
#elif CUDART_MAJOR == 12
enum { RUNTIME_VERSION = 12090 };
#else
enum { RUNTIME_VERSION = 13000 };
#endif

EXPORT int cudaRuntimeGetVersion(int *version)
{
    rt_enter_always(__func__);
    return cudart_leave(set_value(version, RUNTIME_VERSION));
}

/* Statistics are always counted: there is nothing to switch on. */
EXPORT int cudaProfilerStart(void) { return CUDART(RT_SUCCESS); }
EXPORT int cudaProfilerStop(void) { return CUDART(RT_SUCCESS); }
#if CUDART_MAJOR < 12
EXPORT int cudaProfilerInitialize(const char *configuration, const char *output, int mode)
{
    (void)configuration, (void)output, (void)mode;
    return CUDART(RT_SUCCESS);
}
#endif
