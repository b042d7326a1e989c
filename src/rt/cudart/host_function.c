/* Host functions in streams. */
#include "rt/host_function.h"

#include "rt/cudart/cudart.h"

EXPORT_BOTH(cudaLaunchHostFunc, (void *stream, WbHostFunction *function, void *context),
            rt_host_function(stream, function, context))
EXPORT_BOTH(cudaStreamAddCallback, (void *stream, RtCallback *callback, void *context, unsigned flags),
            rt_host_callback(stream, callback, context, flags))
