/* Host functions in streams: they run inside the call that waits, which they must not call back into. */
#ifndef RT_HOST_CALL_H
#define RT_HOST_CALL_H

#include "rt/rt.h"

RtError rt_host_call(WbHostFunction *function, void *context, WbStream *stream);
/* What is left in streams will never run. */
void rt_host_call_forget(void);

#endif
