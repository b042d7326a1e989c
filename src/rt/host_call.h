/* Host functions in streams: they run inside the call that waits, which they must not call back into. */
#ifndef RT_HOST_CALL_H
#define RT_HOST_CALL_H

#include "rt/operation.h"

/* Calls a function of the program. One that throws instead of returning ends the program. */
void rt_host_run(WbHostFunction *function, void *context);
/* Issues an RT_HOST_CALL. */
RtError rt_host_call(const RtOperation *operation, WbStream *stream);
/* The same for a function of ours, which may put more into streams, and is no host function of the
 * program. */
RtError rt_own_call(WbStream *stream, WbHostFunction *function, WbHostFunction *dropped, void *context);
/* What is left in streams of the device will never run: where there is a function for that (`dropped`),
 * it is called instead. */
void rt_host_call_forget(void);

#endif
