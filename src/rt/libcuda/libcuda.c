/* How calls of the driver API begin and end: cuInit must have been called, most need a current context, and
 * errors that only the runtime has become the driver's nearest one. */
#include "rt/libcuda/libcuda.h"

#include "rt/context.h"

RtError libcuda_enter(const char *call, bool needs_context)
{
    if (!rt_is_initialized()) {
        rt_enter_always(call);
        return rt_fail(RT_INITIALIZATION_ERROR, "cuInit has not been called.");
    }
    RtError error = rt_enter(call);
    return error == RT_SUCCESS && needs_context ? rt_context_check() : error;
}

/* Where the runtime tells more errors apart than the driver does. */
static RtError driver_error(RtError error)
{
    const RtErrorRow *row = rt_error_row((int)error);
    if (row && row->driver_name)
        return error;
    switch (error) {
    case RT_INVALID_SYMBOL:
    case RT_INVALID_DEVICE_FUNCTION:
        return RT_SYMBOL_NOT_FOUND;
    case RT_LAUNCH_PENDING_COUNT_EXCEEDED: /* of a kernel that has run */
        return RT_LAUNCH_FAILURE;
    default:
        return RT_INVALID_VALUE;
    }
}

int libcuda_leave(RtError error)
{
    rt_leave();
    return (int)driver_error(error);
}
