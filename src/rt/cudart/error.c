/* Errors: the thread's last one, which a call returns and forgets, and the failure of a kernel, which nobody
 * can forget. */
#include "rt/cudart/error.h"

#include "rt/cudart/cudart.h"

_Thread_local RtError cudart_last_error;

/* A kernel's failure shows until the device is reset. */
static RtError last_error(void)
{
    rt_enter_always("cudaGetLastError");
    RtError error = rt_sticky() ? rt_sticky() : cudart_last_error;
    rt_leave();
    return error;
}

EXPORT int cudaPeekAtLastError(void) { return (int)last_error(); }

EXPORT int cudaGetLastError(void)
{
    RtError error = last_error();
    cudart_last_error = RT_SUCCESS;
    return (int)error;
}

EXPORT const char *cudaGetErrorName(int error)
{
    const RtErrorRow *row = rt_error_row(error);
    return row ? row->runtime_name : "unrecognized error code";
}

EXPORT const char *cudaGetErrorString(int error)
{
    const RtErrorRow *row = rt_error_row(error);
    return row ? row->text : "unrecognized error code";
}
