/* What is kept of the dependencies between a kernel's blocks. */
#include "api/gpu.h"

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
static void keep_edges(WbGpu *gpu, const KernelLaunch *launch, const DependencyGraph *graph)
{
    for (uint32_t id = 0; id < graph->node_count; id++) {
        for (uint32_t i = graph->starts[id]; i < graph->starts[id + 1]; i++) {
            const uint32_t child = graph->children[i];
            const uint32_t grid = graph_is_join(graph, child) ? 0 : graph_grid_of(graph, graph->tasks[child]);
            keep_edge(gpu, &launch->orders[grid].running->record->graph,
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

void record_graph(WbGpu *gpu, const KernelLaunch *launch)
{
    const DependencyGraph *graph = launch->graph->run.graph;
    for (uint32_t i = 0; i < launch->count; i++) {
        GraphRecord *record = &launch->orders[i].running->record->graph;
        record->grid = i;
        record->first = graph->grids[i].first;
        record->level_count = graph->level_count;
        if (gpu->config.block_records)
            record->levels = levels_of(graph, &graph->grids[i]);
    }
    if (gpu->config.block_records)
        keep_edges(gpu, launch, graph);
}
