/* Launches of executable graphs: once, nodes are laid out as steps in lanes; each launch then puts the
 * steps into the lanes' streams, with events where an edge leads from one lane to another. */
#include "rt/graph_executable.h"
#include "rt/reference.h"

/* -- the plan -- */

typedef struct Steps {
    uint32_t *items;
    uint32_t count, capacity;
} Steps;

static void append(Steps *to, const Steps *from)
{
    for (uint32_t i = 0; i < from->count; i++)
        VEC_PUSH(to, from->items[i]);
}

/* Adds the graph's nodes; those without predecessors come behind `entries`. The steps without successors
 * go to `exits`; an empty graph lets through what it comes behind. */
static void add_graph(RtExecutable *executable, const RtGraph *graph, const Steps *entries, Steps *exits)
{
    RtNodes order = {0};
    uint32_t *step_of = xcalloc(graph->nodes.count + 1, sizeof *step_of);
    rt_graph_order(graph, &order, NULL);
    for (uint32_t i = 0; i < order.count; i++) {
        RtNode *node = order.items[i];
        Steps before = {0};
        for (uint32_t p = 0; p < node->predecessors.count; p++)
            VEC_PUSH(&before, step_of[node->predecessors.items[p]->index]);
        if (node->predecessors.count == 0)
            append(&before, entries);
        RtStep step = {.node = node};
        if (node->operation.kind == RT_CHILD_GRAPH) {
            Steps leaves = {0};
            add_graph(executable, node->operation.child, &before, &leaves);
            VEC_FREE(&before);
            /* The node itself is a step as well, behind all leaves of the child: whoever waits for the node
             * waits for it. */
            before = leaves;
        }
        for (uint32_t p = 0; p < before.count; p++)
            VEC_PUSH(&step.predecessors, before.items[p]);
        VEC_FREE(&before);
        step_of[node->index] = executable->steps.count;
        if (node->successors.count == 0)
            VEC_PUSH(exits, executable->steps.count);
        VEC_PUSH(&executable->steps, step);
    }
    if (order.count == 0)
        append(exits, entries);
    VEC_FREE(&order);
    xfree(step_of);
}

static int device_of(const RtStep *step) { return step->node->operation.device; }

/* A lane whose last step is a predecessor of this one, or the launch's own stream for the very first;
 * otherwise a new one. */
static uint32_t choose_lane(const RtExecutable *executable, uint32_t index, const Steps *last)
{
    const RtStep *step = &executable->steps.items[index];
    for (uint32_t p = 0; p < step->predecessors.count; p++) {
        uint32_t before = step->predecessors.items[p], lane = executable->steps.items[before].lane;
        /* Behind its predecessor in the same stream it needs no event. */
        if (last->items[lane] == before && device_of(&executable->steps.items[before]) == device_of(step))
            return lane;
    }
    return last->count;
}

/* Conditional nodes' graphs, and events of steps that others wait for. */
static RtError equip(RtStep *step)
{
    RtError error = step->node->operation.kind == RT_CONDITIONAL ? rt_conditional_plan(step) : RT_SUCCESS;
    if (!error && step->is_awaited)
        error = rt_check(wb_event_create(rt_gpu(), &step->event));
    return error;
}

RtError rt_executable_plan(RtExecutable *executable)
{
    Steps entries = {0}, exits = {0}, last = {0};
    add_graph(executable, executable->graph, &entries, &exits);
    for (uint32_t i = 0; i < executable->steps.count; i++) {
        RtStep *step = &executable->steps.items[i];
        step->lane = choose_lane(executable, i, &last);
        if (step->lane == last.count)
            VEC_PUSH(&last, i);
        last.items[step->lane] = i;
        for (uint32_t p = 0; p < step->predecessors.count; p++) {
            RtStep *before = &executable->steps.items[step->predecessors.items[p]];
            /* Only steps that another lane waits for get an event. */
            before->is_awaited |= before->lane != step->lane;
        }
    }
    /* The end of the graph is in lane 0, which must wait for the ends of all others. */
    for (uint32_t i = 0; i < exits.count; i++)
        executable->steps.items[exits.items[i]].is_awaited |=
            executable->steps.items[exits.items[i]].lane != 0;
    executable->lane_count = last.count;
    executable->is_planned = true;
    VEC_FREE(&exits);
    VEC_FREE(&last);
    RtError error = RT_SUCCESS;
    for (uint32_t i = 0; i < executable->steps.count && !error; i++) {
        RtStep *step = &executable->steps.items[i];
        error = RT_ON(device_of(step), equip(step));
    }
    return error;
}

/* -- a launch -- */

/* What may have gone since the graph was made. */
static RtError check_step(const RtExecutable *executable, const RtStep *step)
{
    const RtOperation *operation = &step->node->operation;
    if (step->node->is_disabled)
        return RT_SUCCESS;
    if ((operation->kind == RT_RECORD || operation->kind == RT_WAIT) &&
        !rt_handle_is_live(RT_HANDLE_EVENT, operation->event))
        return rt_fail(RT_INVALID_RESOURCE_HANDLE, "The graph uses an event that has been destroyed.");
    if (operation->kind == RT_KERNEL && !rt_handle_is_live(RT_HANDLE_FUNCTION, operation->launch.function))
        return rt_fail(RT_INVALID_RESOURCE_HANDLE, "The graph uses a kernel whose module has been unloaded.");
    if (operation->kind == RT_ALLOCATE)
        return rt_graph_memory_check(operation->memory.address, executable->flags & RT_INSTANTIATE_AUTO_FREE);
    return RT_SUCCESS;
}

static int device_of_lane(const RtExecutable *executable, uint32_t lane)
{
    uint32_t i = 0;
    while (executable->steps.items[i].lane != lane)
        i++;
    return device_of(&executable->steps.items[i]);
}

static RtError make_streams(RtExecutable *executable, int priority)
{
    while (executable->streams.count + 1 < executable->lane_count) {
        WbStream *stream;
        WbGpu *gpu = rt_gpu_of(device_of_lane(executable, executable->streams.count + 1));
        RtError error = rt_check(wb_stream_create(gpu, WB_STREAM_NON_BLOCKING, priority, &stream));
        if (error)
            return error;
        VEC_PUSH(&executable->streams, stream);
    }
    return RT_SUCCESS;
}

static RtError check_kernel(const RtExecutable *executable, const RtStep *step)
{
    RtFunction *function = step->node->operation.launch.function;
    const RtError error = rt_references_settle(function->module);
    return error || !executable->own ? error : rt_function_ready(function);
}

/* Kernels under conditions are linked now: there, nothing can be told any more. */
RtError rt_executable_check(RtExecutable *executable, int priority)
{
    RtError error = make_streams(executable, priority);
    for (uint32_t i = 0; i < executable->steps.count && !error; i++) {
        const RtStep *step = &executable->steps.items[i];
        error = check_step(executable, step);
        if (!error && step->node->operation.kind == RT_KERNEL)
            error = RT_ON(device_of(step), check_kernel(executable, step));
        for (uint32_t b = 0; b < step->bodies.count && !error; b++)
            error = rt_executable_check(step->bodies.items[b], priority);
    }
    return error;
}

static WbStream *stream_of(const RtExecutable *executable, uint32_t lane, WbStream *launched_into)
{
    return lane ? executable->streams.items[lane - 1] : launched_into;
}

static RtError wait_for(WbStream *stream, WbEvent *event)
{
    return rt_check(wb_stream_wait_event(rt_gpu(), stream, event));
}

/* Whether what comes behind the step has a kernel's end to wait for. A node without work, such as a disabled
 * one, ends with what is before it. */
static bool ends_with_kernels(const RtStep *step)
{
    const RtOperationKind kind = step->node->operation.kind;
    const bool works = !step->node->is_disabled && kind != RT_EMPTY && kind != RT_CHILD_GRAPH;
    return works ? kind == RT_KERNEL : step->is_behind_kernels;
}

static bool comes_behind_kernels(const RtExecutable *executable, const RtStep *step)
{
    bool does = step->predecessors.count > 0;
    for (uint32_t p = 0; p < step->predecessors.count && does; p++) {
        const RtStep *before = &executable->steps.items[step->predecessors.items[p]];
        does = device_of(before) == device_of(step) && ends_with_kernels(before);
    }
    return does;
}

static RtError issue_node(const RtStep *step, WbStream *stream)
{
    if (step->node->operation.kind == RT_CONDITIONAL)
        return rt_conditional_issue(step, stream);
    if (step->node->operation.kind != RT_KERNEL)
        return rt_operation_issue(&step->node->operation, stream);
    RtOperation kernel = step->node->operation; /* which keeps its arguments */
    kernel.launch.is_prepared = step->is_behind_kernels;
    return rt_operation_issue(&kernel, stream);
}

static RtError issue_step(RtExecutable *executable, const RtStep *step, WbStream *launched_into)
{
    WbStream *stream = stream_of(executable, step->lane, launched_into);
    RtError error = RT_SUCCESS;
    if (step->predecessors.count == 0 && step->lane != 0)
        error = wait_for(stream, executable->started);
    for (uint32_t p = 0; p < step->predecessors.count && !error; p++) {
        const RtStep *before = &executable->steps.items[step->predecessors.items[p]];
        if (before->lane != step->lane)
            error = wait_for(stream, before->event);
    }
    if (!error && !step->node->is_disabled)
        error = issue_node(step, stream);
    if (!error && step->event)
        error = rt_check(wb_event_record(step->event, stream));
    return error;
}

/* A launch waits for the one before, whatever stream that was in, because both use the same lanes and
 * arguments. */
static RtError issue(RtExecutable *executable, WbStream *stream)
{
    RtError error = executable->is_launched ? wait_for(stream, executable->finished) : RT_SUCCESS;
    if (!error && executable->graph->conditions.count)
        error = rt_conditions_issue(executable, stream);
    if (!error && executable->lane_count > 1)
        error = rt_check(wb_event_record(executable->started, stream));
    for (uint32_t i = 0; i < executable->steps.count && !error; i++) {
        RtStep *step = &executable->steps.items[i];
        step->is_behind_kernels = comes_behind_kernels(executable, step);
        error = RT_ON(device_of(step), issue_step(executable, step, stream));
    }
    for (uint32_t i = 0; i < executable->steps.count && !error; i++) {
        const RtStep *step = &executable->steps.items[i];
        if (step->event && step->lane != 0)
            error = wait_for(stream, step->event);
    }
    if (!error)
        error = rt_check(wb_event_record(executable->finished, stream));
    executable->is_launched |= !error;
    return error;
}

RtError rt_executable_issue(RtExecutable *executable, WbStream *stream)
{
    return RT_ON(executable->device, issue(executable, stream));
}

static RtError make_bridge(RtExecutable *executable)
{
    if (executable->bridge)
        return RT_SUCCESS;
    return rt_check(
        wb_stream_create(rt_gpu(), WB_STREAM_NON_BLOCKING, RT_PRIORITY_LEAST, &executable->bridge));
}

/* CUDA takes a launch in a stream of any device. Then lane 0 is a stream of our own that waits for that one,
 * and is waited for there. */
static RtError issue_from(RtExecutable *executable, WbStream *stream)
{
    RtError error = RT_ON(executable->device, make_bridge(executable));
    if (!error)
        error = rt_stream_follow(executable->device, executable->bridge, rt_device(), stream);
    if (!error)
        error = rt_executable_issue(executable, executable->bridge);
    if (!error)
        error = wait_for(stream, executable->finished);
    return error;
}

static RtError issue_into(RtExecutable *executable, const RtStream *stream)
{
    if (stream->device != executable->device)
        return RT_ON(stream->device, issue_from(executable, stream->stream));
    return rt_executable_issue(executable, stream->stream);
}

/* Bytes that the graph allocates; an address that it uses again counts once. */
static uint64_t bytes_of(const RtExecutable *executable)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < executable->steps.count; i++) {
        const RtOperation *operation = &executable->steps.items[i].node->operation;
        bool is_first = operation->kind == RT_ALLOCATE;
        for (uint32_t before = 0; before < i && is_first; before++) {
            const RtOperation *other = &executable->steps.items[before].node->operation;
            is_first = other->kind != RT_ALLOCATE || other->memory.address != operation->memory.address;
        }
        bytes += is_first ? rt_graph_memory_size(operation->memory.address) : 0;
    }
    return bytes;
}

RtError rt_graph_launch(RtExecutable *executable, RtStream *stream)
{
    /* CUDA: to launch a graph into a stream that captures is to add it as a child graph. */
    if (stream->capture)
        return rt_capture_add(stream, &(RtOperation){.kind = RT_CHILD_GRAPH, .child = executable->graph});
    RtError error = rt_capture_forbids_work(stream);
    if (!error && !executable->is_planned)
        error = rt_executable_plan(executable);
    if (!error)
        error = rt_executable_check(executable, stream->priority);
    if (error)
        return error;
    RT_ON(executable->device, (rt_graph_memory_reserve(bytes_of(executable)), RT_SUCCESS));
    WbGpu *const gpu = rt_gpu_of(executable->device);
    wb_batch_begin(gpu);
    error = issue_into(executable, stream);
    wb_batch_end(gpu);
    return error;
}
