/* Functions of the program that run in the order of a stream. A callback, the older form, also gets the
 * stream's error, and so it must run even if a kernel before it has failed. */
#include "rt/host_function.h"

#include "base/alloc.h"
#include "rt/graph.h"

typedef struct CallbackCall {
    RtCallback *callback;
    void *stream, *context;
} CallbackCall;

RtError rt_host_function(void *handle, WbHostFunction *function, void *context)
{
    RtStream *stream = NULL;
    if (!function)
        return rt_fail(RT_INVALID_VALUE, "The host function is a null pointer.");
    RtError error = rt_stream_get(handle, &stream);
    if (error)
        return error;
    return rt_stream_do(stream, &(RtOperation){.kind = RT_HOST_CALL, .host = {function, context, NULL}});
}

static void run_callback(void *context)
{
    const CallbackCall call = *(CallbackCall *)context;
    xfree(context);
    call.callback(call.stream, (int)rt_sticky(), call.context);
}

/* Where a kernel has failed before it a callback still runs, and is told so. */
RtError rt_host_callback(void *handle, RtCallback *callback, void *context, unsigned flags)
{
    RtStream *stream = NULL;
    if (!callback || flags)
        return rt_fail(RT_INVALID_VALUE, "A callback needs a function, and its flags are 0.");
    RtError error = rt_stream_get(handle, &stream);
    if (!error)
        error = rt_capture_forbids_call(stream, "given callbacks; cudaLaunchHostFunc makes a node");
    if (error)
        return error;
    CallbackCall *call = xmalloc(sizeof *call);
    *call = (CallbackCall){callback, handle, context};
    error = rt_stream_do(
        stream, &(RtOperation){.kind = RT_HOST_CALL, .host = {run_callback, call, .dropped = run_callback}});
    if (error)
        xfree(call);
    return error;
}
