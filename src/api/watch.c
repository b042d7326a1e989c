/* Watching launches: the checker of dependency graphs, the profile that makes them, and what both have to
 * tell. */
#include "api/graph.h"

#include <string.h>

#include "watch/watch.h"

/* -- launches -- */

/* The profile stays until the launch has run: wb_profile_end() waits for all that is in streams. */
WbStatus watch_order(WbGpu *gpu, HostKernel *kernel, Error *error)
{
    Launch *launch = &kernel->launch;
    if (!gpu->profile)
        return WB_OK;
    launch->watch = &gpu->profile->watch;
    return profile_add_grid(gpu->profile, kernel_name(kernel->kernel), launch->grid, &launch->watch_grid,
                            error);
}

void watch_graph(WbGpu *gpu, Operation *operation)
{
    const uint32_t count = operation->launch.count;
    GraphLaunch *graph = operation->launch.graph;
    if (!gpu->config.graph_check)
        return;
    const char **names = xmalloc(count * sizeof *names);
    for (uint32_t i = 0; i < count; i++)
        names[i] = kernel_name(operation->launch.kernels[i].kernel);
    graph->checker = checker_create(graph->graph, names, &gpu->violations);
    xfree(names);
    for (uint32_t i = 0; i < count; i++) {
        operation->launch.kernels[i].launch.watch = &graph->checker->watch;
        operation->launch.kernels[i].launch.watch_grid = i;
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
