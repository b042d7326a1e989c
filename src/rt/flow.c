/* Flow graphs of CUDA programs: calls of the C API under the lock of CUDA calls, with the program's own
 * handles of kernels and streams. */
#include "rt/flow.h"

#include "rt/graph.h"
#include "rt/module.h"
#include "rt/stream.h"

/* A call from its beginning to its end; the expression, an RtError, is evaluated only if there is a GPU that
 * has not failed. */
#define FLOW_CALL(expression)                      \
    __extension__({                                \
        RtError error_ = rt_enter(__func__);       \
        if (error_ == RT_SUCCESS)                  \
            error_ = (expression);                 \
        rt_leave();                                \
        (int)error_;                               \
    })

int wb_cuda_flow_create(WbFlow **flow) { return FLOW_CALL(rt_check(wb_flow_create(rt_gpu(), flow))); }

/* What was launched of it may not have run: a launch keeps what it needs. */
int wb_cuda_flow_destroy(WbFlow *flow)
{
    rt_enter_always(__func__);
    wb_flow_destroy(flow);
    rt_leave();
    return RT_SUCCESS;
}

int wb_cuda_flow_add_channel(WbFlow *flow, const WbFlowChannel *channel, uint32_t *number)
{
    return FLOW_CALL(rt_check(wb_flow_add_channel(flow, channel, number)));
}

int wb_cuda_flow_add_stack(WbFlow *flow, const WbFlowChannel *channel, uint32_t levels, bool is_after,
                           uint32_t *first)
{
    return FLOW_CALL(rt_check(wb_flow_add_stack(flow, channel, levels, is_after, first)));
}

static RtError add_node(WbFlow *flow, const void *kernel, void **arguments, uint32_t *node)
{
    RtFunction *function = NULL;
    WbKernelInfo info;
    RtError error = rt_host_function_find(kernel, &function);
    if (error == RT_SUCCESS)
        error = rt_function_info(function, &info);
    if (error)
        return error;
    const WbLaunch launch = {.pointers = arguments};
    return rt_check(wb_flow_add_node(flow, function_here(function)->kernel, &launch, node));
}

int wb_cuda_flow_add_node(WbFlow *flow, const void *kernel, void **arguments, uint32_t *node)
{
    return FLOW_CALL(add_node(flow, kernel, arguments, node));
}

int wb_cuda_flow_connect(WbFlow *flow, uint32_t channel, uint32_t node)
{
    return FLOW_CALL(rt_check(wb_flow_connect(flow, channel, node)));
}

int wb_cuda_flow_produces(WbFlow *flow, uint32_t node, uint32_t channel)
{
    return FLOW_CALL(rt_check(wb_flow_produces(flow, node, channel)));
}

int wb_cuda_flow_set_policy(WbFlow *flow, const char *policy)
{
    return FLOW_CALL(rt_check(wb_flow_set_policy(flow, policy)));
}

int wb_cuda_flow_put(WbFlow *flow, uint32_t channel, const void *elements, uint32_t count)
{
    return FLOW_CALL(rt_check(wb_flow_put(flow, channel, elements, count)));
}

static RtError launch(WbFlow *flow, void *handle)
{
    RtStream *stream = NULL;
    RtError error = rt_stream_get(handle, &stream);
    if (error == RT_SUCCESS)
        error = rt_capture_forbids_call(stream, "given a flow graph");
    return error ? error : rt_check(wb_flow_launch(flow, stream->stream));
}

int wb_cuda_flow_launch(WbFlow *flow, void *stream) { return FLOW_CALL(launch(flow, stream)); }
