/* Host functions in streams. Each is wrapped, so that API calls in it are recognized and refused. */
#include "rt/host_call.h"

#include "base/alloc.h"

/* Those that have not run form a list: where a kernel fails, the simulator drops what was behind it. */
typedef struct HostCall HostCall;
struct HostCall {
    WbHostFunction *function;
    void *context;
    HostCall *previous, *next;
};
static HostCall *waiting;

static void drop(HostCall *call)
{
    if (call->next)
        call->next->previous = call->previous;
    if (call->previous)
        call->previous->next = call->next;
    else
        waiting = call->next;
    xfree(call);
}

static void run(void *context)
{
    HostCall call = *(HostCall *)context;
    drop(context);
    rt_host_begin();
    call.function(call.context);
    rt_host_end();
}

RtError rt_host_call(WbHostFunction *function, void *context, WbStream *stream)
{
    HostCall *call = xmalloc(sizeof *call);
    *call = (HostCall){function, context, NULL, waiting};
    if (waiting)
        waiting->previous = call;
    waiting = call;
    RtError error = rt_check(wb_stream_call(rt_gpu(), stream, run, call));
    if (error)
        drop(call);
    return error;
}

void rt_host_call_forget(void)
{
    while (waiting)
        drop(waiting);
}
