/* Host functions in streams. Each is wrapped, so that API calls in it are recognized and refused.
 *
 * On a GPU they run on a thread of the driver's, which catches nothing: an exception out of one ends the
 * program. Here they run inside a call of the program, which must not catch it either, for the simulator is
 * in the middle of its work. This file is compiled with -fexceptions, so that it sees them pass. */
#include "rt/host_call.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "rt/live.h"

/* Those that have not run form a list, the oldest first: where a kernel fails, the simulator drops what was
 * behind it. */
typedef struct HostCall HostCall;
struct HostCall {
    WbHostFunction *function, *dropped;
    void *context;
    int device;  /* in whose stream it is */
    bool is_own; /* not the program's */
    HostCall *previous, *next;
};
static HostCall *oldest, *newest;

static void drop(HostCall *call)
{
    *(call->next ? &call->next->previous : &newest) = call->previous;
    *(call->previous ? &call->previous->next : &oldest) = call->next;
    xfree(call);
}

/* Runs when the function below is left, by whatever way. std::terminate() says which exception it was. */
static void end_if_thrown(const bool *has_returned)
{
    if (*has_returned)
        return;
    rt_live_clear();
    fputs("warpbeam: A host function of a stream has thrown an exception or ended its thread instead of "
          "returning, which ends the program.\n",
          stderr);
    void (*terminate)(void) = (void (*)(void))(uintptr_t)dlsym(RTLD_DEFAULT, "_ZSt9terminatev");
    if (terminate)
        terminate();
    abort();
}

void rt_host_run(WbHostFunction *function, void *context)
{
    __attribute__((cleanup(end_if_thrown))) bool has_returned = false;
    rt_host_begin();
    function(context);
    rt_host_end();
    has_returned = true;
}

static void run(void *context)
{
    /* Taken off the list first: should it fail, rt_host_call_forget() must not find it again. */
    const HostCall call = *(HostCall *)context;
    drop(context);
    const int before = rt_work_on(call.device);
    if (call.is_own)
        call.function(call.context);
    else
        rt_host_run(call.function, call.context);
    rt_work_on(before);
}

static RtError put(const HostCall *description, WbStream *stream)
{
    HostCall *call = xmalloc(sizeof *call);
    *call = *description;
    call->device = rt_device();
    call->previous = newest;
    const WbStatus status = wb_stream_call(rt_gpu(), stream, run, call);
    if (status) {
        xfree(call);
        return rt_check(status);
    }
    /* Linked only now that the simulator has taken it: one that it refused is not on the list. */
    *(newest ? &newest->next : &oldest) = call;
    newest = call;
    return RT_SUCCESS;
}

RtError rt_host_call(const RtOperation *operation, WbStream *stream)
{
    const HostCall call = {.function = operation->host.function,
                           .dropped = operation->host.dropped,
                           .context = operation->host.context};
    return put(&call, stream);
}

RtError rt_own_call(WbStream *stream, WbHostFunction *function, WbHostFunction *dropped, void *context)
{
    const HostCall call = {.function = function, .dropped = dropped, .context = context, .is_own = true};
    return put(&call, stream);
}

static HostCall *oldest_of_device(void)
{
    HostCall *call = oldest;
    while (call && call->device != rt_device())
        call = call->next;
    return call;
}

void rt_host_call_forget(void)
{
    /* Looked for anew each time: what is called may change the list. */
    for (HostCall *found; (found = oldest_of_device()) != NULL;) {
        const HostCall call = *found;
        drop(found);
        if (call.dropped && call.is_own)
            call.dropped(call.context);
        else if (call.dropped)
            rt_host_run(call.dropped, call.context);
    }
}
