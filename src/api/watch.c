/* Watching launches: the checker of dependency graphs, the profile that makes them, and what both have to
 * tell. */
#include "api/graph.h"

#include <string.h>

#include "watch/watch.h"

/* -- launches -- */

WbStatus watch_order(WbGpu *gpu, LaunchOrder *order, Error *error)
{
    order->is_profiled = gpu->profile != NULL;
    if (!gpu->profile)
        return WB_OK;
    return profile_add_grid(gpu->profile, kernel_name(order->kernel), order->grid, &order->profile_grid,
                            error);
}

static void begin_check(WbGpu *gpu, KernelLaunch *launch)
{
    const char **names = xmalloc(launch->count * sizeof *names);
    for (uint32_t i = 0; i < launch->count; i++)
        names[i] = kernel_name(launch->orders[i].kernel);
    launch->graph->checker = checker_create(launch->graph->graph, names, &gpu->violations);
    xfree(names);
}

void watch_launch(WbGpu *gpu, KernelLaunch *launch, Launch *described)
{
    if (launch->graph && gpu->config.graph_check) {
        begin_check(gpu, launch);
        for (uint32_t i = 0; i < launch->count; i++) {
            described[i].watch = &launch->graph->checker->watch;
            described[i].watch_grid = i;
        }
    } else if (launch->orders->is_profiled) {
        described->watch = &gpu->profile->watch;
        described->watch_grid = launch->orders->profile_grid;
    }
}

/* -- violations -- */

size_t wb_graph_violations(const WbGpu *gpu) { return gpu ? gpu->violations.count : 0; }

const char *wb_graph_violation(const WbGpu *gpu, size_t index)
{
    return gpu && index < gpu->violations.sentences.count ? gpu->violations.sentences.items[index] : NULL;
}

/* -- the profile -- */

WbStatus wb_profile_begin(WbGpu *gpu)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(gpu);
    if (gpu->profile)
        return gpu_end(gpu, error_set(error, WB_ERROR_ARGUMENT,
                                      "The GPU's launches are being profiled already; wb_profile_end ends "
                                      "that."));
    if (timeline_run(gpu, NULL, error) == WB_OK)
        gpu->profile = profile_create(&gpu->violations);
    return gpu_end(gpu, error->status);
}

/* The graph takes the profile's draft over. */
static WbStatus take_graph(WbGpu *gpu, WbGraph **graph)
{
    wb_graph_create(gpu, graph);
    (*graph)->draft = gpu->profile->draft;
    gpu->profile->draft = (GraphDraft){0};
    const WbStatus status = (*graph)->draft.edges.count ? wb_graph_remove_transitive(*graph) : WB_OK;
    if (status == WB_OK)
        return WB_OK;
    wb_graph_destroy(*graph);
    *graph = NULL;
    return status;
}

WbStatus wb_profile_end(WbGpu *gpu, WbGraph **graph)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    if (!graph)
        return gpu_refuse(gpu, "wb_profile_end needs a place for the graph; it was null.");
    *graph = NULL;
    Error *error = gpu_begin(gpu);
    if (!gpu->profile)
        return gpu_end(gpu, error_set(error, WB_ERROR_ARGUMENT,
                                      "The GPU's launches are not being profiled; wb_profile_begin begins "
                                      "that."));
    WbStatus status = timeline_run(gpu, NULL, error);
    if (status == WB_OK && gpu->profile->error.status != WB_OK)
        status = error_set(error, gpu->profile->error.status, "%s", gpu->profile->error.text);
    gpu_end(gpu, status);
    if (status == WB_OK)
        status = take_graph(gpu, graph);
    profile_free(gpu->profile);
    gpu->profile = NULL;
    return status;
}
