/* Launches of dependency graphs.
 *
 * The graph is made when the launch is called [Wireframe §3.2] and belongs to it: the WbGraph may change or
 * go afterwards. Its image gets a place in global memory, and an ordinary copy puts it there, in the stream
 * before the launch: so the transfer takes its time on the copy engine. */
#include "api/graph.h"

#include <inttypes.h>

enum { LEAST_NODE_BYTES = 10 }; /* of the image, with IDs of 16 bits */

void graph_launch_free(WbGpu *gpu, GraphLaunch *launch)
{
    Error ignored = {0};
    if (launch->run.address)
        space_free(&gpu->space, launch->run.address, &ignored);
    checker_free(launch->checker);
    graph_free(launch->graph);
    xfree(launch->run.kernels);
    xfree(launch);
}

/* -- what the hardware must be able to hold -- */

/* The first node that has as many children as any. */
static uint32_t widest_node(const DependencyGraph *graph)
{
    uint32_t id = 0;
    while (graph_child_count(graph, id) < graph->most_children)
        id++;
    return id;
}

/* A node is inserted together with its edges: if they do not fit into the Local Edge Array, it never is. */
static WbStatus check_edges(const GpuConfig *config, const GraphRun *run, Error *error)
{
    const DependencyGraph *graph = run->graph;
    const uint32_t room = order_local_edges(run->order, config);
    if (graph->most_children <= room)
        return WB_OK;
    char name[160];
    return error_set(error, WB_ERROR_LAUNCH,
                     "The graph's %s has %u children; the Local Edge Array (knob graph_local_edges) has %u "
                     "entries and must hold all children of a node at once. Make it larger, or reach the "
                     "children through joins (wb_graph_barrier).",
                     graph_name_task(graph, graph->tasks[widest_node(graph)], name, sizeof name),
                     graph->most_children, room);
}

static WbStatus choose_order(const WbGraph *graph, GraphRun *run, Error *error)
{
    const GpuConfig *config = &graph->gpu->config;
    run->order = graph->order;
    run->bound = graph->bound;
    if (run->order && !config->graph_order_forced)
        return WB_OK;
    run->order = order_find(config->graph_order, error);
    run->bound = (uint32_t)config->graph_level_bound;
    return error->status;
}

/* That a graph with so many nodes could be launched, before anybody works for their edges. */
static WbStatus check_nodes(const WbGpu *gpu, uint32_t nodes, Error *error)
{
    const AddressSpace *space = &gpu->space;
    const uint64_t room = space->used < space->limit ? space->limit - space->used : 0;
    if (image_check_nodes(nodes, (uint32_t)gpu->config.graph_id_bits, error))
        return error->status;
    if (nodes > room / LEAST_NODE_BYTES)
        return error_set(error, WB_ERROR_OUT_OF_MEMORY,
                         "A dependency graph of %u nodes finds no global memory: %" PRIu64
                         " bytes of it are free, and a node takes %d or more.",
                         nodes, room, LEAST_NODE_BYTES);
    return WB_OK;
}

/* -- making it -- */

static WbStatus find_memory(WbGpu *gpu, GraphRun *run, Error *error)
{
    Error refused = {0};
    if (space_alloc(&gpu->space, run->image.bytes, "a dependency graph", false, &run->address, &refused))
        return error_set(error, refused.status,
                         "The dependency graph of %u nodes and %u edges finds no global memory: %s",
                         run->graph->node_count, run->graph->edge_count, refused.text);
    run->memory = space_find(&gpu->space, run->address, run->image.bytes)->host;
    return WB_OK;
}

static GraphLaunch *make(const WbGraph *graph, Error *error)
{
    WbGpu *gpu = graph->gpu;
    GraphLaunch *made = xcalloc(1, sizeof *made);
    GraphRun *run = &made->run;
    if (check_nodes(gpu, graph->draft.node_count, error) == WB_OK &&
        graph_build(&graph->draft, &made->graph, error) == WB_OK) {
        run->graph = made->graph;
        run->kernels = xcalloc(run->graph->grid_count, sizeof *run->kernels);
        if (choose_order(graph, run, error) == WB_OK && check_edges(&gpu->config, run, error) == WB_OK &&
            image_of_graph(run->graph, (uint32_t)gpu->config.graph_id_bits, &run->image, error) == WB_OK)
            find_memory(gpu, run, error);
    }
    if (error->status == WB_OK)
        return made;
    graph_launch_free(gpu, made);
    return NULL;
}

static void put_image(WbGpu *gpu, WbStream *stream, const GraphRun *run)
{
    uint8_t *bytes = xmalloc(run->image.bytes);
    image_write(&run->image, run->graph, bytes);
    copy_put_bytes(gpu, stream, run->address, bytes, run->image.bytes);
}

/* -- checking it -- */

static WbStatus check_kernel(const WbGraph *graph, uint32_t index, const WbGraphKernel *kernel, Error *error)
{
    const uint32_t *size = graph->draft.grids.items[index].size;
    const WbLaunch *launch = &kernel->launch;
    if (!kernel->kernel || kernel->kernel->module->gpu != graph->gpu)
        return error_set(error, WB_ERROR_ARGUMENT, "Kernel %u of the graph's launch %s.", index,
                         kernel->kernel ? "belongs to another GPU" : "is null");
    if (launch->grid.x != size[0] || launch->grid.y != size[1] || launch->grid.z != size[2])
        return error_set(
            error, WB_ERROR_LAUNCH,
            "Kernel %s is launched with %u x %u x %u blocks; grid %u of the graph has %u x %u x %u.",
            kernel_name(kernel->kernel), launch->grid.x, launch->grid.y, launch->grid.z, index, size[0],
            size[1], size[2]);
    if (launch->cooperative)
        return error_set(
            error, WB_ERROR_LAUNCH,
            "Kernel %s is launched cooperatively and with dependencies between blocks: all blocks of "
            "a cooperative launch are there at once, so that none can wait for another's end.",
            kernel_name(kernel->kernel));
    return WB_OK;
}

static WbStatus check_kernels(const WbGraph *graph, const WbGraphKernel *kernels, size_t count, Error *error)
{
    if (graph->draft.grids.count == 0)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "The graph has no grids to launch; wb_graph_add_grid adds one.");
    if (count != graph->draft.grids.count || !kernels)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "The graph has %u grids; it was launched with %zu kernels, and needs one for each.",
                         graph->draft.grids.count, kernels ? count : 0);
    for (uint32_t i = 0; i < count; i++) {
        if (check_kernel(graph, i, &kernels[i], error))
            return error->status;
    }
    return WB_OK;
}

/* All kernels, or none. */
static HostKernel *make_kernels(const WbGraphKernel *kernels, uint32_t count, Error *error)
{
    HostKernel *made = xcalloc(count, sizeof *made);
    for (uint32_t i = 0; i < count && error->status == WB_OK; i++)
        launch_make(kernels[i].kernel, &kernels[i].launch, &made[i], error);
    if (error->status == WB_OK)
        return made;
    launch_free_kernels(made, count);
    return NULL;
}

static WbStatus launch_graph(const WbGraph *graph, WbStream *stream, const WbGraphKernel *kernels,
                             size_t count, Error *error)
{
    WbGpu *gpu = graph->gpu;
    if (gpu->profile)
        return error_set(error, WB_ERROR_LAUNCH,
                         "A launch with dependencies between blocks cannot be profiled, since it has them "
                         "already; call wb_profile_end before it.");
    if (check_kernels(graph, kernels, count, error))
        return error->status;
    HostKernel *made = make_kernels(kernels, (uint32_t)count, error);
    GraphLaunch *held = made ? make(graph, error) : NULL;
    if (!held) {
        launch_free_kernels(made, made ? (uint32_t)count : 0);
        return error->status;
    }
    put_image(gpu, stream, &held->run);
    launch_put(gpu, stream, made, (uint32_t)count, held, NULL);
    return WB_OK;
}

/* -- calls -- */

static WbStatus check_whole(const WbGraphKernel *kernels, size_t count, Error *error)
{
    for (size_t i = 0; kernels && i < count; i++) {
        if (kernels[i].launch.block_order)
            return error_set(error, WB_ERROR_ARGUMENT,
                             "Kernel %zu of wb_graph_launch has an order of its blocks; the order of blocks "
                             "that depend on each other comes from the graph.",
                             i);
        if (kernels[i].launch.mapping || kernels[i].launch.graph)
            return error_set(
                error, WB_ERROR_ARGUMENT,
                "Kernel %zu of wb_graph_launch has a mapping or a graph of its own; the graph that "
                "is launched holds all dependencies (wb_graph_map adds those of a mapping).",
                i);
    }
    return WB_OK;
}

WbStatus wb_graph_launch(WbGraph *graph, WbStream *stream, const WbGraphKernel *kernels, size_t count)
{
    if (!graph)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(graph->gpu);
    if (stream_check(graph->gpu, stream, error) || check_whole(kernels, count, error))
        return gpu_end(graph->gpu, error->status);
    return gpu_end(graph->gpu, launch_graph(graph, stream, kernels, count, error));
}

static WbStatus launch_mapped(WbGpu *gpu, WbStream *stream, const WbGraphKernel *kernel, Error *error)
{
    WbGraph graph = {.gpu = gpu};
    const WbLaunch *launch = &kernel->launch;
    const uint32_t size[3] = {launch->grid.x, launch->grid.y, launch->grid.z};
    uint32_t first;
    if (launch_check(kernel->kernel, launch, error) == WB_OK &&
        draft_add_grid(&graph.draft, size, &first, error) == WB_OK &&
        check_nodes(gpu, graph.draft.node_count, error) == WB_OK &&
        graph_map(&graph, 0, launch->mapping, launch->mapping_context, error) == WB_OK)
        launch_graph(&graph, stream, kernel, 1, error);
    graph_clear(&graph);
    return error->status;
}

WbStatus graph_launch_one(WbGpu *gpu, WbStream *stream, WbKernel *kernel, const WbLaunch *launch,
                          Error *error)
{
    const WbGraphKernel one = {kernel, *launch};
    if (launch->mapping && launch->graph)
        return error_set(
            error, WB_ERROR_ARGUMENT,
            "Kernel %s is launched with a mapping and a graph; dependencies come from one of them.",
            kernel_name(kernel));
    if (launch->mapping)
        return launch_mapped(gpu, stream, &one, error);
    if (launch->graph->gpu != gpu)
        return error_set(error, WB_ERROR_ARGUMENT, "Kernel %s is launched with a graph of another GPU.",
                         kernel_name(kernel));
    return launch_graph(launch->graph, stream, &one, 1, error);
}
