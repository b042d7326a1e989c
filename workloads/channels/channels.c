#include "channels/channels.h"

#include <stdio.h>

const ChannelsBenchmark channels_benchmarks[CHANNELS_BENCHMARKS] = {
    [CHANNELS_FIB] = {.name = "fib",
                      .about = "The nth Fibonacci number by recursion",
                      .inputs = {[INPUT_TINY] = 13, [INPUT_SMALL] = 24, [INPUT_FULL] = 24},
                      .widths = {[INPUT_TINY] = 64, [INPUT_SMALL] = 32768, [INPUT_FULL] = 32768},
                      .alone = 11,
                      .flow = channels_fib,
                      .nodes = 2,
                      .waves = 2192,
                      .wave_cycles = 7046},
    [CHANNELS_QUEENS] = {.name = "queens",
                         .about = "Ways to place n queens on n by n squares",
                         .inputs = {[INPUT_TINY] = 9, [INPUT_SMALL] = 12, [INPUT_FULL] = 13},
                         .widths = {[INPUT_TINY] = 64, [INPUT_SMALL] = 2048, [INPUT_FULL] = 16384},
                         .alone = 9,
                         .flow = channels_queens,
                         .flat = channels_queens_flat,
                         .nodes = 2,
                         .waves = 1114,
                         .wave_cycles = 35407},
    [CHANNELS_SORT] = {.name = "sort",
                       .about = "Sorting by merging, four parts at a time",
                       .inputs = {[INPUT_TINY] = 500, [INPUT_SMALL] = 65536, [INPUT_FULL] = 1000000},
                       .widths = {[INPUT_TINY] = 64, [INPUT_SMALL] = 2048, [INPUT_FULL] = 32768},
                       .alone = 4000,
                       .flow = channels_sort,
                       .nodes = 4,
                       .waves = 4238,
                       .wave_cycles = 30673},
    [CHANNELS_STRASSEN] = {.name = "strassen",
                           .about = "A product of matrices by division into quarters",
                           .inputs = {[INPUT_TINY] = 32, [INPUT_SMALL] = 256, [INPUT_FULL] = 512},
                           .widths = {[INPUT_TINY] = 64, [INPUT_SMALL] = 1024, [INPUT_FULL] = 8192},
                           .alone = 64,
                           .flow = channels_strassen,
                           .flat = channels_strassen_flat,
                           .nodes = 1,
                           .waves = 587,
                           .wave_cycles = 259299},
};

bool channels_has(const ChannelsBenchmark *benchmark, ChannelsMode mode)
{
    return mode == CHANNELS_FLOW || benchmark->flat;
}

bool channels_run(const ChannelsBenchmark *benchmark, const ChannelsRun *run, WbGpu *gpu, const char *folder,
                  Host *host)
{
    char file[64];
    const bool is_flow = run->mode == CHANNELS_FLOW;
    const uint32_t input = run->input ? run->input : benchmark->inputs[run->size];
    snprintf(file, sizeof file, "%s%s.ptx", benchmark->name, is_flow ? "" : "_flat");
    *host = host_begin(gpu, folder, file);
    const bool right = host->status == WB_OK &&
                       (is_flow ? benchmark->flow : benchmark->flat)(host, input, run->seed ? run->seed : 1);
    if (!right && host->status == WB_OK)
        snprintf(host->error, sizeof host->error, "The result of %s is not the one computed without the GPU.",
                 benchmark->name);
    return right && host->status == WB_OK;
}

/* -- graphs -- */

WbFlow *channels_graph(Host *host)
{
    WbFlow *flow = NULL;
    if (host->status == WB_OK)
        host_keep(host, wb_flow_create(host->gpu, &flow));
    return flow;
}

uint32_t channels_stack(Host *host, WbFlow *flow, const char *name, size_t element, uint32_t levels,
                        bool is_after)
{
    uint32_t first = 0;
    const WbFlowChannel channel = {.name = name, .element_bytes = (uint32_t)element};
    if (host->status == WB_OK)
        host_keep(host, wb_flow_add_stack(flow, &channel, levels, is_after, &first));
    return first;
}

void channels_node(Host *host, WbFlow *flow, const char *name, const WbArgument *arguments, uint32_t count,
                   uint32_t from, const uint32_t *to, uint32_t to_count)
{
    WbKernel *kernel = NULL;
    uint32_t node = 0;
    const WbLaunch launch = {.arguments = arguments, .argument_count = count};
    if (host->status == WB_OK)
        host_keep(host, wb_module_kernel(host->module, name, &kernel));
    if (host->status == WB_OK)
        host_keep(host, wb_flow_add_node(flow, kernel, &launch, &node));
    if (host->status == WB_OK)
        host_keep(host, wb_flow_connect(flow, from, node));
    for (uint32_t i = 0; i < to_count && host->status == WB_OK; i++)
        host_keep(host, wb_flow_produces(flow, node, to[i]));
}

void channels_execute(Host *host, WbFlow *flow, uint32_t channel, const void *element)
{
    if (host->status == WB_OK)
        host_keep(host, wb_flow_put(flow, channel, element, 1));
    host_launch_flow(host, flow);
    if (flow)
        wb_flow_destroy(flow);
}
