/* Calls that work without a context: initialization, versions, names of errors; and the profiler's switches,
 * which have nothing to switch. */
#include "rt/libcuda/libcuda.h"

#include "rt/context.h"
#include "rt/device.h"

static RtError initialize(unsigned flags)
{
    if (flags)
        return rt_fail(RT_INVALID_VALUE, "cuInit takes no flags; it was given %u.", flags);
    rt_initialize();
    return RT_SUCCESS;
}

EXPORT int cuInit(unsigned flags)
{
    RtError error = rt_enter(__func__);
    return libcuda_leave(error ? error : initialize(flags));
}

static RtError get_version(int *version)
{
    NEED(version);
    *version = RT_DRIVER_VERSION;
    return RT_SUCCESS;
}

EXPORT int cuDriverGetVersion(int *version)
{
    rt_enter_always(__func__);
    return libcuda_leave(get_version(version));
}

/* `*text` is null for a number that is no error of the driver. */
static RtError describe(int number, bool name, const char **text)
{
    NEED(text);
    const RtErrorRow *row = rt_error_row(number);
    *text = !row || !row->driver_name ? NULL : name ? row->driver_name : row->text;
    return *text ? RT_SUCCESS : rt_fail(RT_INVALID_VALUE, "%d is no error of the driver API.", number);
}

EXPORT int cuGetErrorName(int error, const char **text)
{
    rt_enter_always(__func__);
    return libcuda_leave(describe(error, true, text));
}

EXPORT int cuGetErrorString(int error, const char **text)
{
    rt_enter_always(__func__);
    return libcuda_leave(describe(error, false, text));
}

/* Statistics are always counted; there is nothing to switch on or off. */
EXPORT int cuProfilerStart(void) { return LIBCUDA(RT_SUCCESS); }
EXPORT int cuProfilerStop(void) { return LIBCUDA(RT_SUCCESS); }
EXPORT int cuProfilerInitialize(const char *configuration, const char *output, int mode)
{
    (void)configuration, (void)output, (void)mode;
    return LIBCUDA(RT_SUCCESS);
}
