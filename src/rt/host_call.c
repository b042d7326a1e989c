/* Host functions in streams. Each is wrapped, so that API calls in it are recognized and refused. */
#include "rt/host_call.h"

#include "base/alloc.h"

/* Those that have not run form a list, the oldest first: where a kernel fails, the simulator drops what was
 * behind it. */
typedef struct HostCall HostCall;
struct HostCall {
    WbHostFunction *function, *dropped;
    void *context;
    HostCall *previous, *next;
};
static HostCall *oldest, *newest;

static void drop(HostCall *call)
{
    *(call->next ? &call->next->previous : &newest) = call->previous;
    *(call->previous ? &call->previous->next : &oldest) = call->next;
    xfree(call);
}

static void call_program(WbHostFunction *function, void *context)
{
    rt_host_begin();
    function(context);
    rt_host_end();
}

static void run(void *context)
{
    const HostCall call = *(HostCall *)context;
    drop(context);
    call_program(call.function, call.context);
}

RtError rt_host_call(const RtOperation *operation, WbStream *stream)
{
    HostCall *call = xmalloc(sizeof *call);
    *call = (HostCall){
        .function = operation->host.function,
        .dropped = operation->host.dropped,
        .context = operation->host.context,
        .previous = newest,
    };
    const WbStatus status = wb_stream_call(rt_gpu(), stream, run, call);
    if (status) {
        xfree(call);
        return rt_check(status);
    }
    *(newest ? &newest->next : &oldest) = call;
    newest = call;
    return RT_SUCCESS;
}

void rt_host_call_forget(void)
{
    while (oldest) {
        const HostCall call = *oldest;
        drop(oldest);
        if (call.dropped)
            call_program(call.dropped, call.context);
    }
}
