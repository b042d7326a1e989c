/* Builds the flow graph that the PTX describes, puts the call's task into it, runs it. */
#include "cilk/run.h"

#include <string.h>

#include "base/alloc.h"

/* Bytes that the channels take, about: elements, control entries, counts. */
static uint64_t channel_bytes(const CilkGraph *graph, uint64_t width)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < graph->stacks.count; i++)
        bytes += (graph->stacks.items[i].element_bytes + 16) * width * graph->levels;
    return bytes;
}

/* As wide as the knob says, or so that all channels fit into half of the GPU's memory. The narrowest channel
 * holds a wavefront. */
static WbStatus usual_width(WbGpu *gpu, const CilkGraph *graph, uint32_t *width)
{
    uint64_t memory, asked, lanes;
    WbStatus status = wb_gpu_get(gpu, "global_bytes", &memory);
    if (!status)
        status = wb_gpu_get(gpu, "channel_width", &asked);
    if (!status)
        status = wb_gpu_get(gpu, "warp_width", &lanes);
    if (status)
        return status;
    while (asked > lanes && channel_bytes(graph, asked) > memory / 2)
        asked /= 2;
    *width = (uint32_t)asked;
    return WB_OK;
}

/* Kernel nodes have the numbers of their stacks. */
static WbStatus add_nodes(WbFlow *flow, WbModule *module, const CilkGraph *graph, uint32_t width)
{
    for (uint32_t i = 0; i < graph->stacks.count; i++) {
        const CilkStack *stack = &graph->stacks.items[i];
        const WbFlowChannel channel = {
            .name = stack->name, .element_bytes = stack->element_bytes, .capacity = width};
        WbKernel *kernel;
        uint32_t first, node;
        WbStatus status = wb_module_kernel(module, stack->name, &kernel);
        if (!status)
            status = wb_flow_add_stack(flow, &channel, graph->levels, stack->is_after, &first);
        if (!status)
            status = wb_flow_add_node(flow, kernel, &(WbLaunch){0}, &node);
        if (!status)
            status = wb_flow_connect(flow, first, node);
        if (status)
            return status;
    }
    return WB_OK;
}

static WbStatus add_edges(WbFlow *flow, const CilkGraph *graph)
{
    WbStatus status = WB_OK;
    for (uint32_t i = 0; i < graph->edges.count && !status; i++)
        status =
            wb_flow_produces(flow, graph->edges.items[i].node, graph->edges.items[i].stack * graph->levels);
    return status;
}

/* The first task: where its result goes, and its arguments. */
static WbStatus put_call(WbFlow *flow, const CilkRun *run, uint64_t result)
{
    const CilkFunction *function = run->call->function;
    uint32_t stack = 0;
    cilk_graph_find(run->graph, function, &stack);
    uint8_t *element = xcalloc(1, run->graph->stacks.items[stack].element_bytes);
    if (function->returns->kind != CILK_VOID)
        memcpy(element, &result, sizeof result);
    for (uint32_t i = 0; i < run->call->argument_count; i++)
        memcpy(element + cilk_parameter_offset(function, i), run->call->arguments[i].bytes,
               function->variables[i]->type->size);
    const WbStatus status = wb_flow_put(flow, stack * run->graph->levels, element, 1);
    xfree(element);
    return status;
}

static WbStatus run_flow(WbGpu *gpu, WbFlow *flow, const CilkRun *run, CilkValue *result)
{
    const CilkType *type = run->call->function->returns;
    WbModule *module;
    uint64_t address = 0;
    uint32_t width = run->width;
    WbStatus status = width ? WB_OK : usual_width(gpu, run->graph, &width);
    if (!status)
        status = wb_module_load(gpu, run->name, run->ptx, strlen(run->ptx), &module);
    if (!status)
        status = add_nodes(flow, module, run->graph, width);
    if (!status)
        status = add_edges(flow, run->graph);
    if (!status)
        status = wb_flow_set_policy(flow, run->policy);
    if (!status)
        status = wb_malloc(gpu, sizeof result->bytes, &address);
    if (!status)
        status = put_call(flow, run, address);
    if (!status)
        status = wb_flow_launch(flow, NULL);
    if (!status)
        status = wb_wait(gpu);
    *result = (CilkValue){.type = type->kind == CILK_VOID ? NULL : type};
    if (!status && result->type)
        status = wb_copy_from_device(gpu, result->bytes, address, type->size);
    return status;
}

WbStatus cilk_run(WbGpu *gpu, const CilkRun *run, CilkValue *result)
{
    WbFlow *flow;
    WbStatus status = wb_flow_create(gpu, &flow);
    if (status)
        return status;
    status = run_flow(gpu, flow, run, result);
    wb_flow_destroy(flow);
    return status;
}
