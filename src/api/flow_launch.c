/* Launches of flow graphs.
 *
 * A launch gets memory for all channels up front [channels §5.2]; ordinary copies put the graph and the
 * host's elements there, in the stream before the launch. Its kernels are one operation. The launch keeps all
 * that it needs: the WbFlow may change afterwards. */
#include "api/flow.h"

#include <inttypes.h>
#include <string.h>

#include "grid/dispatcher.h"

FlowSurroundings flow_surroundings(const WbGpu *gpu)
{
    const GpuConfig *config = &gpu->config;
    const uint64_t waves = config->max_threads_per_sm / config->warp_width;
    const uint64_t blocks = waves < config->max_blocks_per_sm ? waves : config->max_blocks_per_sm;
    return (FlowSurroundings){
        .width = (uint32_t)config->warp_width,
        .capacity = (uint32_t)config->channel_width,
        .done_count = (uint32_t)config->channel_done_count,
        .form = (WbChannelForm)config->channel_form,
        .most_nodes = (uint32_t)config->concurrent_kernels,
        .resident = (uint32_t)(blocks * config->sm_count),
    };
}

void flow_launch_free(WbGpu *gpu, FlowLaunch *launch)
{
    Error ignored = {0};
    if (launch->run.flow.address)
        space_free(&gpu->space, launch->run.flow.address, &ignored);
    xfree(launch->run.kernels);
    arena_free(&launch->arena);
    xfree(launch);
}

/* -- making it -- */

static void name_parts(FlowLaunch *launch, const FlowDraft *draft)
{
    const uint32_t nodes = draft->nodes.count, channels = draft->channels.count;
    const char **node_names = ARENA_ARRAY(&launch->arena, const char *, nodes);
    const char **channel_names = ARENA_ARRAY(&launch->arena, const char *, channels + 1);
    for (uint32_t i = 0; i < nodes; i++)
        node_names[i] = arena_printf(&launch->arena, "%s", draft->nodes.items[i].name);
    for (uint32_t i = 0; i < channels; i++)
        channel_names[i] = arena_printf(&launch->arena, "%s", draft->channels.items[i].name);
    channel_names[channels] = "of yields";
    launch->run.flow.node_names = node_names;
    launch->run.flow.channel_names = channel_names;
    launch->run.flow.node_count = nodes;
    launch->run.flow.channel_count = channels + 1;
}

static WbStatus find_memory(WbGpu *gpu, FlowLaunch *launch, const FlowImage *image, Error *error)
{
    Error refused = {0};
    if (space_alloc(&gpu->space, image->bytes, "channels", false, &launch->run.flow.address, &refused) ==
        WB_OK) {
        const uint64_t scratch = launch->run.flow.address + image->scratch;
        launch->run.scratch = space_find(&gpu->space, scratch, image->scratch_bytes)->host + image->scratch;
        launch->run.scratch_bytes = image->scratch_bytes;
        return WB_OK;
    }
    launch->run.flow.address = 0;
    return error_set(error, refused.status,
                     "The %u channels of the flow graph find no global memory (make them narrower, knob "
                     "channel_width, or their stacks lower): %s",
                     image->channel_count - 1, refused.text);
}

static FlowLaunch *make(const WbFlow *flow, const FlowImage *image, Error *error)
{
    WbGpu *gpu = flow->gpu;
    const char *policy = flow->policy ? flow->policy : gpu->config.aggregator_policy;
    FlowLaunch *launch = xcalloc(1, sizeof *launch);
    name_parts(launch, &flow->draft);
    launch->run.space = &gpu->space;
    launch->run.policy = gpu_keep_name(gpu, policy);
    launch->run.kernels = xcalloc(flow->kernels.count, sizeof(GridKernel *));
    launch->firmware = flow_firmware(gpu, policy, error);
    if (launch->firmware && find_memory(gpu, launch, image, error) == WB_OK)
        return launch;
    flow_launch_free(gpu, launch);
    return NULL;
}

/* All kernels, or none. Their blocks come later, one by one: grids have no end. */
static HostKernel *make_kernels(const WbFlow *flow, Error *error)
{
    const uint32_t count = flow->kernels.count;
    const uint32_t width = (uint32_t)flow->gpu->config.warp_width;
    HostKernel *made = xcalloc(count, sizeof *made);
    for (uint32_t i = 0; i < count && error->status == WB_OK; i++) {
        const FlowKernel *node = &flow->kernels.items[i];
        const WbLaunch launch = {.grid = {1, 1, 1},
                                 .block = {width, 1, 1},
                                 .buffer = node->parameters,
                                 .buffer_bytes = node->parameter_bytes};
        if (launch_make(node->kernel, &launch, &made[i], error) == WB_OK)
            made[i].launch.grid[0] = UINT32_MAX;
    }
    if (error->status == WB_OK)
        return made;
    launch_free_kernels(made, count);
    return NULL;
}

/* -- what is there at the start -- */

static void put_elements(const WbFlow *flow, WbStream *stream, const FlowImage *image, uint64_t address)
{
    for (uint32_t i = 0; i < flow->draft.channels.count; i++) {
        const uint32_t put = flow->draft.channels.items[i].put;
        const uint64_t bytes = flow_image_put_bytes(image, &flow->draft, i);
        if (!put)
            continue;
        uint8_t *data = xmalloc(bytes);
        uint32_t *control = xmalloc(put * sizeof *control);
        flow_image_write_put(image, &flow->draft, i, data, control);
        copy_put_bytes(flow->gpu, stream, address + image->memory[i].data, data, bytes);
        copy_put_bytes(flow->gpu, stream, address + image->memory[i].control, (uint8_t *)control,
                       put * sizeof *control);
    }
}

static void put_image(const WbFlow *flow, WbStream *stream, const FlowImage *image, uint64_t address)
{
    uint8_t *head = xmalloc(image->head_bytes);
    flow_image_write(image, &flow->draft, address, head);
    copy_put_bytes(flow->gpu, stream, address, head, image->head_bytes);
    put_elements(flow, stream, image, address);
}

WbStatus flow_launch_ready(FlowLaunch *launch, Error *error)
{
    if (kernel_link(launch->firmware, error))
        return error->status;
    launch->run.firmware = launch->firmware->program;
    return WB_OK;
}

/* -- the call -- */

static WbStatus launch_image(WbFlow *flow, WbStream *stream, const FlowImage *image, Error *error)
{
    HostKernel *kernels = make_kernels(flow, error);
    FlowLaunch *launch = kernels ? make(flow, image, error) : NULL;
    if (!launch) {
        launch_free_kernels(kernels, kernels ? flow->kernels.count : 0);
        return error->status;
    }
    for (uint32_t i = 0; i < flow->kernels.count; i++)
        kernels[i].launch.flow = &launch->run.flow;
    put_image(flow, stream, image, launch->run.flow.address);
    launch_put(flow->gpu, stream, kernels, flow->kernels.count, NULL, launch);
    flow_draft_clear_puts(&flow->draft);
    return WB_OK;
}

static WbStatus launch_flow(WbFlow *flow, WbStream *stream, Error *error)
{
    WbGpu *gpu = flow->gpu;
    const FlowSurroundings around = flow_surroundings(gpu);
    FlowImage image;
    if (gpu->profile)
        return error_set(error, WB_ERROR_LAUNCH,
                         "A flow graph cannot be profiled for dependencies between blocks, since its "
                         "wavefronts come as channels have work; call wb_profile_end before it.");
    if (gpu->config.mode == MODE_CYCLE && dispatch_check_flow(&gpu->config, error))
        return error->status;
    if (flow_draft_check(&flow->draft, &around, error) ||
        flow_image_make(&image, &flow->draft, &around, error))
        return error->status;
    launch_image(flow, stream, &image, error);
    flow_image_free(&image);
    return error->status;
}

WbStatus wb_flow_launch(WbFlow *flow, WbStream *stream)
{
    if (!flow)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(flow->gpu);
    if (stream_check(flow->gpu, stream, error))
        return gpu_end(flow->gpu, error->status);
    return gpu_end(flow->gpu, launch_flow(flow, stream, error));
}
