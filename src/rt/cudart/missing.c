/* Calls of the runtime that there is no simulation of: they can be linked with, and fail when they are
 * used. */
#include "rt/cudart/cudart.h"
#include "rt/cudart/versions.h"

static int missing(const char *call, const char *note)
{
    rt_enter_always(call);
    return cudart_leave(
        *note ? rt_fail(RT_NOT_SUPPORTED, "This call is not simulated: %s.", note)
              : rt_fail(RT_NOT_SUPPORTED, "This call is not simulated; docs/CUDA.md lists what is."));
}

#define SUPPORTED(name, note)
#define IGNORED(name, note)
#define REFUSED(name, note)
#define MISSING(name, note)                                                                                  \
    EXPORT int name(void) { return missing(#name, note); }
#define RUNTIME(name, versions, state, note) versions(state(name, note))
#define DRIVER(name, since, state, note)
#include "rt/calls.def"
