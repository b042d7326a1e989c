/* The primary contexts of devices, in which the runtime works, too. */
#include "rt/libcuda/libcuda.h"

#include "rt/context.h"
#include "rt/device.h"

static RtError retain(void **context, int device)
{
    NEED(context);
    RtError error = rt_device_check(device);
    if (!error)
        *context = rt_primary_retain(device);
    return error;
}

EXPORT int cuDevicePrimaryCtxRetain(void **context, int device)
{
    return LIBCUDA_GLOBAL(retain(context, device));
}

static RtError release(int device)
{
    RtError error = rt_device_check(device);
    return error ? error : rt_primary_release(device);
}

EXPORT int cuDevicePrimaryCtxRelease_v2(int device) { return LIBCUDA_GLOBAL(release(device)); }
SAME_AS(cuDevicePrimaryCtxRelease_v2) int cuDevicePrimaryCtxRelease(int device);

static RtError reset(int device)
{
    RtError error = RT_ON_CHECKED(device, rt_device_reset());
    if (!error)
        rt_primary_reset(device);
    return error;
}

/* Works after a kernel has failed, too. */
EXPORT int cuDevicePrimaryCtxReset_v2(int device)
{
    RtError failed = libcuda_enter(__func__, false);
    return libcuda_leave(failed && !rt_gpu() ? failed : reset(device));
}
SAME_AS(cuDevicePrimaryCtxReset_v2) int cuDevicePrimaryCtxReset(int device);

static RtError get_state(int device, unsigned *flags, int *active)
{
    NEED(flags);
    NEED(active);
    RtError error = rt_device_check(device);
    if (!error) {
        *flags = rt_primary(device)->flags;
        *active = rt_primary_is_active(device);
    }
    return error;
}

EXPORT int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active)
{
    return LIBCUDA_GLOBAL(get_state(device, flags, active));
}

static RtError set_flags(int device, unsigned flags)
{
    RtError error = rt_device_check(device);
    if (!error && flags > 0xFF)
        error = rt_fail(RT_INVALID_VALUE, "0x%x are no flags of a context.", flags);
    if (!error)
        rt_primary(device)->flags = flags;
    return error;
}

EXPORT int cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags)
{
    return LIBCUDA_GLOBAL(set_flags(device, flags));
}
SAME_AS(cuDevicePrimaryCtxSetFlags_v2) int cuDevicePrimaryCtxSetFlags(int device, unsigned flags);
