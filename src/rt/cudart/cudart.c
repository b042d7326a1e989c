/* The beginning and the end of every call of the runtime: the primary context comes into use with the first
 * one, and an error stays as the thread's last. */
#include "rt/cudart/cudart.h"

#include "rt/context.h"
#include "rt/cudart/error.h"

RtError cudart_enter(const char *call)
{
    RtError error = rt_enter(call);
    if (!error)
        rt_primary_use();
    return error;
}

int cudart_leave(RtError error)
{
    if (error && error != RT_NOT_READY) /* which is an answer, not a failure */
        cudart_last_error = error;
    rt_leave();
    return (int)error;
}
