/* The ways to run tasks whose dependencies are known before the launch. */
#include "together/together.h"

#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 256, LVL_BOUND = 3 }; /* as in levels.cuh; the Wireframe paper's bound */

static WbDim3 blocks(uint32_t count) { return dim(count, 1, 1); }

static const char *kernel_of(const TogetherLevels *levels, const char *suffix, char name[64])
{
    snprintf(name, 64, "%s_%s", levels->name, suffix);
    return name;
}

static void launch(Host *host, const TogetherLevels *levels, const char *suffix, WbLaunch launch)
{
    char name[64];
    launch.block = dim(THREADS, 1, 1);
    host_enqueue(host, kernel_of(levels, suffix, name), &launch);
}

/* All tasks at once: the problem is the kernel's only argument. */
static WbLaunch all_tasks(const TogetherLevels *levels)
{
    return (WbLaunch){.grid = blocks(levels->tasks), .arguments = &levels->coarse, .argument_count = 1};
}

static void launch_each(Host *host, const TogetherLevels *levels)
{
    for (uint32_t level = 0; level < levels->levels && host->status == WB_OK; level++) {
        const WbArgument arguments[] = {levels->coarse, WB_ARG(level)};
        launch(host, levels, "level",
               (WbLaunch){.grid = blocks(levels->nodes(levels->shape, level).count),
                          .arguments = arguments,
                          .argument_count = 2});
    }
}

static void launch_nested(Host *host, const TogetherLevels *levels)
{
    char name[64];
    host_enqueue(host, kernel_of(levels, "nested", name),
                 &(WbLaunch){.grid = blocks(1),
                             .block = dim(1, 1, 1),
                             .arguments = &levels->coarse,
                             .argument_count = 1});
}

static void launch_groups(Host *host, const TogetherLevels *levels)
{
    const uint64_t arrived = together_zeros(host, levels->tasks * sizeof(uint32_t));
    const int32_t first = 0;
    const WbArgument arguments[] = {levels->coarse, WB_ARG(arrived), WB_ARG(first)};
    together_begin_time(host);
    launch(host, levels, "dtbl",
           (WbLaunch){.grid = blocks(levels->nodes(levels->shape, 0).count),
                      .arguments = arguments,
                      .argument_count = 3});
    together_end_time(host);
    host_free(host, arrived);
}

static void launch_barriers(Host *host, const TogetherLevels *levels)
{
    WbGraph *graph = NULL;
    WbLaunch all = all_tasks(levels);
    host_keep(host, wb_graph_create(host->gpu, &graph));
    if (host->status == WB_OK)
        host_keep(host, wb_graph_add_grid(graph, all.grid, NULL));
    for (uint32_t level = 1; level < levels->levels && host->status == WB_OK; level++)
        host_keep(host, wb_graph_barrier(graph, levels->nodes(levels->shape, level - 1),
                                         levels->nodes(levels->shape, level)));
    if (host->status == WB_OK)
        host_keep(host, wb_graph_set_policy(graph, WB_LRR, 0));
    all.graph = graph;
    launch(host, levels, "task", all);
    if (graph)
        wb_graph_destroy(graph);
}

typedef struct Mapped {
    const TogetherLevels *levels;
    WbPolicy policy;
} Mapped;

static void map_task(WbLink *link, void *context)
{
    const Mapped *mapped = context;
    uint32_t parents[TOGETHER_PARENTS];
    const uint32_t count = mapped->levels->parents(mapped->levels->shape, link->block.x, parents);
    for (uint32_t i = 0; i < count; i++)
        wb_add_dependency(link, dim(parents[i], 0, 0));
    wb_set_policy(link, mapped->policy, LVL_BOUND);
}

static void launch_mapped(Host *host, const TogetherLevels *levels, WbPolicy policy)
{
    Mapped mapped = {levels, policy};
    WbLaunch all = all_tasks(levels);
    all.mapping = map_task;
    all.mapping_context = &mapped;
    launch(host, levels, "task", all);
}

static void launch_meeting(Host *host, const TogetherLevels *levels)
{
    uint32_t widest = 0;
    for (uint32_t level = 0; level < levels->levels; level++) {
        const uint32_t count = levels->nodes(levels->shape, level).count;
        widest = count > widest ? count : widest;
    }
    launch(host, levels, "gsync",
           (WbLaunch){.grid = blocks(widest), .arguments = &levels->coarse, .argument_count = 1});
}

/* A task's key is its level. */
static int32_t *order_of(Host *host, const TogetherLevels *levels)
{
    int32_t *order = host_array(host, levels->tasks, sizeof *order);
    for (uint32_t level = 0; order && level < levels->levels; level++) {
        const WbNodes nodes = levels->nodes(levels->shape, level);
        for (uint32_t i = 0; i < nodes.count; i++)
            order[nodes.first + i * nodes.stride] = (int32_t)level;
    }
    return order;
}

static void launch_waiting(Host *host, const TogetherLevels *levels, bool has_order)
{
    WbLaunch all = all_tasks(levels);
    int32_t *order = has_order ? order_of(host, levels) : NULL;
    all.block_order = order;
    all.block_order_count = order ? levels->tasks : 0;
    launch(host, levels, "ws", all);
    free(order);
}

/* Room for all tasks: in one channel that tasks fill and empty, nobody would be left to make any. */
static uint32_t capacity_of(uint32_t tasks)
{
    uint32_t capacity = 64;
    while (capacity < tasks)
        capacity *= 2;
    return capacity;
}

static void launch_flow(Host *host, const TogetherLevels *levels)
{
    char name[64];
    const uint64_t arrived = together_zeros(host, levels->fine_tasks * sizeof(uint32_t));
    const WbArgument arguments[] = {levels->fine, WB_ARG(arrived)};
    int32_t *first = host_array(host, levels->fine_first, sizeof *first);
    for (uint32_t i = 0; first && i < levels->fine_first; i++)
        first[i] = (int32_t)i;
    together_begin_time(host);
    together_flow(host, &(TogetherFlow){.kernel = kernel_of(levels, "flow", name),
                                        .arguments = arguments,
                                        .argument_count = 2,
                                        .element_bytes = sizeof *first,
                                        .capacity = capacity_of(levels->fine_tasks),
                                        .levels = 1,
                                        .first = first,
                                        .first_count = levels->fine_first});
    together_end_time(host);
    free(first);
    host_free(host, arrived);
}

void together_levels(Host *host, const TogetherRun *run, const TogetherLevels *levels)
{
    if (run->mode == TOGETHER_DTBL) {
        launch_groups(host, levels);
        return;
    }
    if (run->mode == TOGETHER_CHANNELS) {
        launch_flow(host, levels);
        return;
    }
    together_begin_time(host);
    if (run->mode == TOGETHER_HOST)
        launch_each(host, levels);
    else if (run->mode == TOGETHER_CDP)
        launch_nested(host, levels);
    else if (run->mode == TOGETHER_BARRIERS)
        launch_barriers(host, levels);
    else if (run->mode == TOGETHER_LRR || run->mode == TOGETHER_LVL)
        launch_mapped(host, levels, run->mode == TOGETHER_LVL ? WB_LVL : WB_LRR);
    else if (run->mode == TOGETHER_GSYNC)
        launch_meeting(host, levels);
    else
        launch_waiting(host, levels, run->mode == TOGETHER_WS_ORDER);
    if (run->beside)
        run->beside(run->context);
    together_end_time(host);
}
