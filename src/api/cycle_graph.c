/* Dependency graphs on the cycle machine: handed to the front end with their kernels, taken off at the end,
 * and kept with the kernels' records as far as these have room. */
#include "api/gpu.h"

/* -- records -- */

/* Edges of one kernel that are kept, and of all kernels together. */
enum { KERNEL_EDGES = 100000, ALL_EDGES = 1000000 };

static void keep_edge(WbGpu *gpu, GraphRecord *record, GraphEdge edge)
{
    if (record->edges.count == KERNEL_EDGES || gpu->edges_kept == ALL_EDGES) {
        record->left_out++;
        return;
    }
    VEC_PUSH(&record->edges, edge);
    gpu->edges_kept++;
}

/* An edge is its child's kernel's, or the first one's where the child is a join, which belongs to none. */
static void keep_edges(WbGpu *gpu, const Operation *operation, const DependencyGraph *graph)
{
    for (uint32_t id = 0; id < graph->node_count; id++) {
        for (uint32_t i = graph->starts[id]; i < graph->starts[id + 1]; i++) {
            const uint32_t child = graph->children[i];
            const uint32_t grid = graph_is_join(graph, child) ? 0 : graph_grid_of(graph, graph->tasks[child]);
            keep_edge(gpu, &operation->launch.kernels[grid].record->graph,
                      (GraphEdge){graph->tasks[id], graph->tasks[child]});
        }
    }
}

static uint32_t *levels_of(const DependencyGraph *graph, const GraphGrid *grid)
{
    uint32_t *levels = xmalloc(grid->count * sizeof *levels);
    for (uint32_t i = 0; i < grid->count; i++)
        levels[i] = graph->levels[graph->ids[grid->first + i]];
    return levels;
}

static void record_graph(WbGpu *gpu, const Operation *operation)
{
    const DependencyGraph *graph = operation->launch.graph->run.graph;
    for (uint32_t i = 0; i < operation->launch.count; i++) {
        GraphRecord *record = &operation->launch.kernels[i].record->graph;
        record->grid = i;
        record->first = graph->grids[i].first;
        record->level_count = graph->level_count;
        if (gpu->config.block_records)
            record->levels = levels_of(graph, &graph->grids[i]);
    }
    if (gpu->config.block_records)
        keep_edges(gpu, operation, graph);
}

/* -- the machine -- */

/* The graph first, so that the front end finds it when its kernels come. These come in the order of their
 * first virtual IDs: the blocks that can run first belong to the first of them. */
void cycle_submit_graph(WbGpu *gpu, Operation *operation)
{
    FrontEnd *front_end = gpu->cycle->front_end;
    GraphRun *run = &operation->launch.graph->run;
    const DependencyGraph *graph = run->graph;
    const uint32_t count = operation->launch.count;
    for (uint32_t i = 0; i < count; i++) {
        GridKernel *kernel = operation->launch.kernels[i].grid;
        run->kernels[i] = kernel;
        kernel->graph = run;
        kernel->graph_grid = i;
        kernel->seen.is_graph = true;
    }
    record_graph(gpu, operation);
    front_end_begin_graph(front_end, run, gpu->now);
    bool *is_submitted = xcalloc(count, sizeof *is_submitted);
    for (uint32_t id = 0, left = count; left; id++) {
        const uint32_t grid = graph_is_join(graph, id) ? 0 : graph_grid_of(graph, graph->tasks[id]);
        if (graph_is_join(graph, id) || is_submitted[grid])
            continue;
        is_submitted[grid] = true;
        front_end_submit(front_end, run->kernels[grid], gpu->now);
        left--;
    }
    xfree(is_submitted);
}

/* Before the last kernel's counters are looked at, so that they have what the graph's end adds. */
void cycle_leave_graph(WbGpu *gpu, GraphRun *graph, uint32_t kernel, bool is_last)
{
    graph->kernels[kernel] = NULL;
    if (!is_last)
        return;
    cycle_forget_latest(gpu->cycle);
    front_end_end_graph(gpu->cycle->front_end, gpu->now);
}
