/* The ways to run items that are found level by level, or that are the same in every level. */
#include "together/together.h"

#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 256 }; /* as in frontier.cuh */

/* As in frontier.cuh. */
typedef struct Levels {
    uint64_t lists[2], counts;
    int32_t levels, unused;
} Levels;

static uint32_t blocks_of(uint32_t items) { return (items + THREADS - 1) / THREADS; }

static Levels levels_begin(Host *host, const TogetherFrontier *frontier)
{
    const size_t bytes = (size_t)frontier->most_items * frontier->item_bytes;
    Levels levels = {.levels = (int32_t)frontier->most_levels};
    if (frontier->fixed)
        return levels;
    const uint32_t one = 1;
    levels.lists[0] = host_buffer(host, NULL, bytes);
    levels.lists[1] = host_buffer(host, NULL, bytes);
    levels.counts = together_zeros(host, ((size_t)frontier->most_levels + 2) * sizeof(uint32_t));
    host_write(host, levels.lists[0], frontier->first, frontier->item_bytes);
    host_write(host, levels.counts, &one, sizeof one);
    return levels;
}

static void levels_end(Host *host, const Levels *levels)
{
    host_free(host, levels->lists[0]);
    host_free(host, levels->lists[1]);
    host_free(host, levels->counts);
}

static const char *kernel_of(const TogetherFrontier *frontier, const char *suffix, char name[64])
{
    snprintf(name, 64, "%s_%s", frontier->name, suffix);
    return name;
}

/* Items of a level as the host finds them, in a copy that waits for the level before. */
static uint32_t count_of(Host *host, const TogetherFrontier *frontier, const Levels *levels, uint32_t level)
{
    uint32_t count = level < frontier->most_levels ? frontier->fixed : 0;
    if (!frontier->fixed && level == 0)
        count = 1;
    else if (!frontier->fixed)
        host_fetch(host, &count, levels->counts + level * sizeof count, sizeof count);
    return host->status == WB_OK ? count : 0;
}

static void launch_each(Host *host, const TogetherFrontier *frontier, const Levels *levels, const char *mode)
{
    char name[64];
    uint32_t count;
    for (uint32_t level = 0; (count = count_of(host, frontier, levels, level)) != 0; level++) {
        const WbArgument arguments[] = {frontier->problem, WB_ARG(*levels), WB_ARG(level), WB_ARG(count)};
        host_enqueue(host, kernel_of(frontier, mode, name),
                     &(WbLaunch){.grid = dim(blocks_of(count), 1, 1),
                                 .block = dim(THREADS, 1, 1),
                                 .arguments = arguments,
                                 .argument_count = 4});
    }
}

static void launch_meeting(Host *host, const TogetherFrontier *frontier, const Levels *levels,
                           const char *mode)
{
    char name[64];
    const WbArgument arguments[] = {frontier->problem, WB_ARG(*levels)};
    const uint32_t blocks = together_resident(host, kernel_of(frontier, mode, name), THREADS);
    host_enqueue(host, name,
                 &(WbLaunch){.grid = dim(blocks, 1, 1),
                             .block = dim(THREADS, 1, 1),
                             .arguments = arguments,
                             .argument_count = 2});
}

static void launch_barriers(Host *host, const TogetherFrontier *frontier, const Levels *levels)
{
    char name[64];
    const uint32_t blocks = blocks_of(frontier->fixed);
    const WbArgument arguments[] = {frontier->problem, WB_ARG(*levels), WB_ARG(blocks)};
    const WbDim3 grid = dim(blocks * frontier->most_levels, 1, 1);
    WbGraph *graph = NULL;
    host_keep(host, wb_graph_create(host->gpu, &graph));
    if (host->status == WB_OK)
        host_keep(host, wb_graph_add_grid(graph, grid, NULL));
    for (uint32_t level = 1; level < frontier->most_levels && host->status == WB_OK; level++)
        host_keep(host, wb_graph_barrier(graph, (WbNodes){(level - 1) * blocks, blocks, 1},
                                         (WbNodes){level * blocks, blocks, 1}));
    if (host->status == WB_OK)
        host_keep(host, wb_graph_set_policy(graph, WB_LRR, 0));
    host_enqueue(host, kernel_of(frontier, "phase", name),
                 &(WbLaunch){.grid = grid,
                             .block = dim(THREADS, 1, 1),
                             .arguments = arguments,
                             .argument_count = 3,
                             .graph = graph});
    if (graph)
        wb_graph_destroy(graph);
}

typedef struct FlowLaunch {
    Host *host;
    const TogetherFlow *flow;
} FlowLaunch;

static void launch_now(void *context)
{
    const FlowLaunch *launch = context;
    together_flow(launch->host, launch->flow);
}

static void launch_flow(Host *host, const TogetherRun *run, const TogetherFrontier *frontier)
{
    char name[64];
    TogetherFlow flow = frontier->flow;
    FlowLaunch launch = {host, &flow};
    flow.kernel = kernel_of(frontier, "flow", name);
    flow.stream = run->stream;
    if (!flow.arguments) {
        flow.arguments = &frontier->problem;
        flow.argument_count = 1;
    }
    if (run->around)
        run->around(run->context, launch_now, &launch);
    else
        launch_now(&launch);
}

void together_frontier(Host *host, const TogetherRun *run, const TogetherFrontier *frontier)
{
    const Levels levels = levels_begin(host, frontier);
    together_begin_time(host);
    if (run->mode == TOGETHER_BARRIERS)
        launch_barriers(host, frontier, &levels);
    else if (run->mode == TOGETHER_GSYNC || run->mode == TOGETHER_WS)
        launch_meeting(host, frontier, &levels, together_mode_names[run->mode]);
    else if (run->mode == TOGETHER_CHANNELS)
        launch_flow(host, run, frontier);
    else
        launch_each(host, frontier, &levels, together_mode_names[run->mode]);
    together_end_time(host);
    levels_end(host, &levels);
}
