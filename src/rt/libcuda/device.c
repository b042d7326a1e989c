/* Devices and what they can do: rows of attribute.def, which come from the configurations of the GPUs. */
#include "rt/libcuda/libcuda.h"


#include "rt/context.h"
#include "rt/device.h"
#include "rt/peer.h"

enum {
    ATTRIBUTE_CAPABILITY_MAJOR = 75,
    ATTRIBUTE_CAPABILITY_MINOR = 76,
    ATTRIBUTE_TEXTURE_1D_LINEAR_WIDTH = 69
};

static RtError get_count(int *count)
{
    NEED(count);
    *count = rt_device_count();
    return RT_SUCCESS;
}

EXPORT int cuDeviceGetCount(int *count) { return LIBCUDA_GLOBAL(get_count(count)); }

static RtError get(int *device, int ordinal)
{
    NEED(device);
    RtError error = rt_device_check(ordinal);
    if (!error)
        *device = ordinal;
    return error;
}

EXPORT int cuDeviceGet(int *device, int ordinal) { return LIBCUDA_GLOBAL(get(device, ordinal)); }

static RtError get_name(char *name, int size, int device)
{
    NEED(name);
    if (size <= 0)
        return rt_fail(RT_INVALID_VALUE, "The name needs room; there are %d bytes.", size);
    return RT_ON_CHECKED(device, (rt_device_name(name, (size_t)size), RT_SUCCESS));
}

EXPORT int cuDeviceGetName(char *name, int size, int device)
{
    return LIBCUDA_GLOBAL(get_name(name, size, device));
}

static RtError get_uuid(void *uuid, int device)
{
    NEED(uuid);
    return RT_ON_CHECKED(device, (rt_device_uuid(uuid), RT_SUCCESS));
}

EXPORT int cuDeviceGetUuid_v2(void *uuid, int device) { return LIBCUDA_GLOBAL(get_uuid(uuid, device)); }
SAME_AS(cuDeviceGetUuid_v2) int cuDeviceGetUuid(void *uuid, int device);

static RtError get_total(size_t *bytes, int device)
{
    NEED(bytes);
    return RT_ON_CHECKED(device, rt_device_bytes(bytes));
}

EXPORT int cuDeviceTotalMem_v2(size_t *bytes, int device) { return LIBCUDA_GLOBAL(get_total(bytes, device)); }

static RtError get_attribute(int *value, int attribute, int device)
{
    NEED(value);
    return RT_ON_CHECKED(device, rt_device_attribute(attribute, value));
}

EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    return LIBCUDA_GLOBAL(get_attribute(value, attribute, device));
}

static RtError get_capability(int *major, int *minor, int device)
{
    NEED(major);
    NEED(minor);
    RtError error = RT_ON_CHECKED(device, rt_device_attribute(ATTRIBUTE_CAPABILITY_MAJOR, major));
    return error ? error : RT_ON(device, rt_device_attribute(ATTRIBUTE_CAPABILITY_MINOR, minor));
}

EXPORT int cuDeviceComputeCapability(int *major, int *minor, int device)
{
    return LIBCUDA_GLOBAL(get_capability(major, minor, device));
}

/* Layout of CUdevprop: the first attributes in their order. */
static RtError get_properties(int *properties, int device)
{
    NEED(properties);
    RtError error = rt_device_check(device);
    for (int attribute = 1; attribute <= 14 && !error; attribute++)
        error = RT_ON(device, rt_device_attribute(attribute, &properties[attribute - 1]));
    return error;
}

EXPORT int cuDeviceGetProperties(int *properties, int device)
{
    return LIBCUDA_GLOBAL(get_properties(properties, device));
}

static RtError get_pci_name(char *name, int size, int device)
{
    NEED(name);
    return RT_ON_CHECKED(device, rt_device_pci_name(name, size));
}

EXPORT int cuDeviceGetPCIBusId(char *name, int size, int device)
{
    return LIBCUDA_GLOBAL(get_pci_name(name, size, device));
}

static RtError by_pci_name(int *device, const char *name)
{
    NEED(device);
    NEED(name);
    return rt_device_by_pci_name(name, device);
}

EXPORT int cuDeviceGetByPCIBusId(int *device, const char *name)
{
    return LIBCUDA_GLOBAL(by_pci_name(device, name));
}

static RtError get_texture_width(size_t *elements, int device)
{
    NEED(elements);
    int value = 0;
    RtError error = RT_ON_CHECKED(device, rt_device_attribute(ATTRIBUTE_TEXTURE_1D_LINEAR_WIDTH, &value));
    if (!error)
        *elements = (size_t)value;
    return error;
}

EXPORT int cuDeviceGetTexture1DLinearMaxWidth(size_t *elements, int format, unsigned channels, int device)
{
    (void)format, (void)channels; /* the limit is one of elements */
    return LIBCUDA_GLOBAL(get_texture_width(elements, device));
}

static RtError get_affinity(int *supported, int device)
{
    NEED(supported);
    *supported = 0;
    return rt_device_check(device);
}

EXPORT int cuDeviceGetExecAffinitySupport(int *supported, int type, int device)
{
    (void)type;
    return LIBCUDA_GLOBAL(get_affinity(supported, device));
}

/* -- peers -- */

static RtError can_access_peer(int *can, int device, int peer)
{
    NEED(can);
    return rt_peer_can(device, peer, can);
}

EXPORT int cuDeviceCanAccessPeer(int *can, int device, int peer)
{
    return LIBCUDA_GLOBAL(can_access_peer(can, device, peer));
}

static RtError get_peer_attribute(int *value, int attribute, int source, int destination)
{
    NEED(value);
    return rt_peer_attribute(attribute, source, destination, value);
}

EXPORT int cuDeviceGetP2PAttribute(int *value, int attribute, int source, int destination)
{
    return LIBCUDA_GLOBAL(get_peer_attribute(value, attribute, source, destination));
}

/* Contexts of one device reach each other's memory anyway; those of others are let in as devices are. */
static RtError enable_peer(void *handle, unsigned flags)
{
    RtContext *context;
    RtError error = rt_context_get(handle, &context);
    if (error)
        return error;
    if (flags || context == rt_context_current())
        return rt_fail(RT_INVALID_VALUE, "A context is no peer of itself, and the flags must be 0.");
    if (context->device != rt_device())
        return rt_peer_enable(context->device, flags);
    if (context->peer_enabled)
        return rt_fail(RT_PEER_ACCESS_ALREADY_ENABLED, "Access to that context is enabled already.");
    context->peer_enabled = true;
    return RT_SUCCESS;
}

EXPORT int cuCtxEnablePeerAccess(void *context, unsigned flags)
{
    return LIBCUDA(enable_peer(context, flags));
}

static RtError disable_peer(void *handle)
{
    RtContext *context;
    RtError error = rt_context_get(handle, &context);
    if (error)
        return error;
    if (context->device != rt_device())
        return rt_peer_disable(context->device);
    if (!context->peer_enabled)
        return rt_fail(RT_PEER_ACCESS_NOT_ENABLED, "Access to that context is not enabled.");
    context->peer_enabled = false;
    return RT_SUCCESS;
}

EXPORT int cuCtxDisablePeerAccess(void *context) { return LIBCUDA(disable_peer(context)); }
