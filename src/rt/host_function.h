/* Functions of the program that run in the order of a stream. */
#ifndef RT_HOST_FUNCTION_H
#define RT_HOST_FUNCTION_H

#include "rt/stream.h"

typedef void RtCallback(void *stream, int status, void *context); /* cudaStreamCallback_t, CUstreamCallback */

/* cudaLaunchHostFunc and cuLaunchHostFunc. */
RtError rt_host_function(void *stream, WbHostFunction *function, void *context);
/* The older form: it runs once, so a graph cannot hold it. `flags` must be 0. */
RtError rt_host_callback(void *stream, RtCallback *callback, void *context, unsigned flags);

#endif
