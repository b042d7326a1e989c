/* Operations as values: what a stream or a graph node does, copied, freed, and handed to the simulator. A
 * stream issues one at once; a graph keeps it and issues copies of it. */
#include "rt/operation.h"

#include <string.h>

#include "base/alloc.h"
#include "rt/host_call.h"
#include "rt/module.h"
#include "rt/pool.h"
#include "rt/progress.h"
#include "rt/stream.h"

RtOperation rt_operation_clone(const RtOperation *operation)
{
    RtOperation clone = *operation;
    if (clone.kind == RT_KERNEL && clone.launch.argument_bytes) {
        clone.launch.arguments = xmalloc(clone.launch.argument_bytes);
        memcpy(clone.launch.arguments, operation->launch.arguments, clone.launch.argument_bytes);
    }
    return clone;
}

void rt_operation_free(RtOperation *operation)
{
    if (operation->kind == RT_KERNEL) {
        xfree(operation->launch.arguments);
        rt_links_free(operation->launch.links);
    }
    *operation = (RtOperation){.kind = RT_EMPTY};
}

static RtError issue_launch(const RtLaunch *launch, WbStream *stream)
{
    RtError error = rt_function_ready(launch->function);
    if (error)
        return error;
    WbKernel *const kernel = function_here(launch->function)->kernel;
    const WbLaunch description = {
        .grid = launch->grid,
        .block = launch->block,
        .shared_bytes = launch->shared_bytes,
        .buffer = launch->arguments,
        .buffer_bytes = launch->argument_bytes,
        .cooperative = launch->cooperative,
        .prepared = launch->is_prepared,
    };
    if (launch->links)
        return rt_links_launch(launch->links, stream, kernel, &description);
    return rt_check(wb_stream_launch(stream, kernel, &description));
}

/* Nothing at all may be copied or filled in a graph, though the simulator takes no such order. */
static RtError issue_copy(const WbCopy *copy, WbStream *stream)
{
    if (copy->width == 0 || copy->height == 0 || copy->depth == 0)
        return RT_SUCCESS;
    return rt_check(wb_stream_copy(rt_gpu(), stream, copy));
}

static RtError issue_fill(const WbFill *fill, WbStream *stream)
{
    if (fill->width == 0 || fill->height == 0 || fill->depth == 0)
        return RT_SUCCESS;
    return rt_check(wb_stream_fill(rt_gpu(), stream, fill));
}

static RtError issue_record(RtEvent *event, WbStream *stream)
{
    RtError error = rt_check(wb_event_record(event->event, stream));
    if (error == RT_SUCCESS)
        event->recorded = true;
    return error;
}

RtError rt_operation_issue(const RtOperation *operation, WbStream *stream)
{
    if (operation->kind == RT_HOST_CALL)
        rt_progress_is_visible();
    rt_progress_expect();
    switch (operation->kind) {
    case RT_KERNEL:
        return issue_launch(&operation->launch, stream);
    case RT_COPY:
        return issue_copy(&operation->copy, stream);
    case RT_FILL:
        return issue_fill(&operation->fill, stream);
    case RT_HOST_CALL:
        return rt_host_call(operation, stream);
    case RT_RECORD:
        return issue_record(operation->event, stream);
    case RT_WAIT:
        return rt_check(wb_stream_wait_event(rt_gpu(), stream, operation->event->event));
    case RT_ALLOCATE:
    case RT_RELEASE:
        return rt_memory_issue(operation, stream);
    /* Child graphs and conditional nodes are not issued as one: the executable has steps for what is in
     * them. */
    case RT_EMPTY:
    case RT_CHILD_GRAPH:
    case RT_CONDITIONAL:
        break;
    }
    return RT_SUCCESS;
}
