/* Flow graphs through the C API: building them. What a call says is checked against what was there before;
 * the whole graph is checked when it is launched (flow_launch.c). */
#include "api/flow.h"

#include <string.h>

WbStatus wb_flow_create(WbGpu *gpu, WbFlow **flow)
{
    if (flow)
        *flow = NULL;
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    if (!flow)
        return gpu_refuse(gpu, "wb_flow_create needs a place for the flow graph; it was null.");
    *flow = xcalloc(1, sizeof **flow);
    (*flow)->gpu = gpu;
    return WB_OK;
}

void wb_flow_destroy(WbFlow *flow)
{
    if (!flow)
        return;
    for (uint32_t i = 0; i < flow->kernels.count; i++)
        xfree(flow->kernels.items[i].parameters);
    VEC_FREE(&flow->kernels);
    flow_draft_free(&flow->draft);
    xfree(flow->policy);
    xfree(flow);
}

WbStatus wb_flow_add_channel(WbFlow *flow, const WbFlowChannel *channel, uint32_t *number)
{
    if (!flow)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(flow->gpu);
    return gpu_end(flow->gpu, flow_draft_channel(&flow->draft, channel, number, error));
}

WbStatus wb_flow_add_stack(WbFlow *flow, const WbFlowChannel *channel, uint32_t levels, bool is_after,
                           uint32_t *first)
{
    if (!flow)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(flow->gpu);
    return gpu_end(flow->gpu, flow_draft_stack(&flow->draft, channel, levels, is_after, first, error));
}

/* The launch of a wavefront of the node, to be checked and have its arguments laid out. */
static WbStatus lay_out_node(WbFlow *flow, WbKernel *kernel, const WbLaunch *asked, Error *error)
{
    HostKernel made = {0};
    WbLaunch launch = *asked;
    launch.grid = (WbDim3){1, 1, 1};
    launch.block = (WbDim3){(uint32_t)flow->gpu->config.warp_width, 1, 1};
    if (launch_make(kernel, &launch, &made, error))
        return error->status;
    const uint32_t bytes = kernel->program->parameter_bytes;
    FlowKernel node = {kernel, xcalloc(1, bytes + 1), bytes};
    memcpy(node.parameters, made.launch.parameters, bytes);
    xfree((void *)made.launch.parameters);
    VEC_PUSH(&flow->kernels, node);
    return WB_OK;
}

static WbStatus check_node(const WbFlow *flow, const WbKernel *kernel, const WbLaunch *launch, Error *error)
{
    if (!kernel || kernel->module->gpu != flow->gpu)
        return error_set(error, WB_ERROR_ARGUMENT, "Kernel node %u of the flow graph %s.",
                         flow->draft.nodes.count, kernel ? "belongs to another GPU" : "is null");
    if (!launch)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "Kernel node %s was added with a null description of its arguments.",
                         kernel_name(kernel));
    if (launch->cooperative || launch->mapping || launch->graph || launch->block_order)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "Kernel node %s has an order of blocks, dependencies between them, or is "
                         "cooperative; wavefronts of a flow graph come as channels have elements for them.",
                         kernel_name(kernel));
    return WB_OK;
}

WbStatus wb_flow_add_node(WbFlow *flow, WbKernel *kernel, const WbLaunch *launch, uint32_t *node)
{
    if (!flow)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(flow->gpu);
    if (check_node(flow, kernel, launch, error) == WB_OK &&
        lay_out_node(flow, kernel, launch, error) == WB_OK)
        flow_draft_node(&flow->draft, kernel_name(kernel), node);
    return gpu_end(flow->gpu, error->status);
}

WbStatus wb_flow_connect(WbFlow *flow, uint32_t channel, uint32_t node)
{
    if (!flow)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(flow->gpu);
    return gpu_end(flow->gpu, flow_draft_connect(&flow->draft, channel, node, error));
}

WbStatus wb_flow_produces(WbFlow *flow, uint32_t node, uint32_t channel)
{
    if (!flow)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(flow->gpu);
    return gpu_end(flow->gpu, flow_draft_produces(&flow->draft, node, channel, error));
}

WbStatus wb_flow_put(WbFlow *flow, uint32_t channel, const void *elements, uint32_t count)
{
    if (!flow)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(flow->gpu);
    return gpu_end(flow->gpu, flow_draft_put(&flow->draft, channel, elements, count, error));
}

WbStatus wb_flow_set_policy(WbFlow *flow, const char *policy)
{
    if (!flow)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(flow->gpu);
    if (policy && !flow_firmware(flow->gpu, policy, error))
        return gpu_end(flow->gpu, error->status);
    xfree(flow->policy);
    flow->policy = policy ? strcpy(xmalloc(strlen(policy) + 1), policy) : NULL;
    return WB_OK;
}
