/* Dependency graphs of the C API: nodes, edges, policy. What is put in is checked here and kept as a draft
 * (depend/draft.h); a launch makes a graph of it (graph_launch.c). */
#include "api/graph.h"

#include <inttypes.h>
#include <stdlib.h>

WbStatus wb_graph_create(WbGpu *gpu, WbGraph **graph)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    if (!graph)
        return gpu_refuse(gpu, "wb_graph_create needs a place for the graph; it was null.");
    *graph = xcalloc(1, sizeof **graph);
    (*graph)->gpu = gpu;
    return WB_OK;
}

void graph_clear(WbGraph *graph) { draft_free(&graph->draft); }

void wb_graph_destroy(WbGraph *graph)
{
    if (!graph)
        return;
    graph_clear(graph);
    xfree(graph);
}

/* -- nodes -- */

WbStatus wb_graph_add_grid(WbGraph *graph, WbDim3 grid, uint32_t *first)
{
    if (!graph)
        return WB_ERROR_ARGUMENT;
    const uint32_t size[3] = {grid.x, grid.y, grid.z};
    uint32_t unused;
    return gpu_end(graph->gpu,
                   draft_add_grid(&graph->draft, size, first ? first : &unused, gpu_begin(graph->gpu)));
}

WbStatus wb_graph_add_join(WbGraph *graph, uint32_t *node)
{
    if (!graph)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(graph->gpu);
    if (!node)
        return gpu_end(graph->gpu, error_set(error, WB_ERROR_ARGUMENT,
                                             "wb_graph_add_join needs a place for the node; it was null."));
    return gpu_end(graph->gpu, draft_add_join(&graph->draft, node, error));
}

uint32_t wb_graph_node_count(const WbGraph *graph) { return graph ? graph->draft.node_count : 0; }

static int by_number(const void *a, const void *b)
{
    const uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
    return (first > second) - (first < second);
}

uint64_t wb_graph_edge_count(const WbGraph *graph)
{
    if (!graph || !graph->draft.edges.count)
        return 0;
    const uint32_t count = graph->draft.edges.count;
    uint64_t *edges = xmalloc(count * sizeof *edges), different = 1;
    for (uint32_t i = 0; i < count; i++)
        edges[i] = (uint64_t)graph->draft.edges.items[i].parent << 32 | graph->draft.edges.items[i].child;
    qsort(edges, count, sizeof *edges, by_number);
    for (uint32_t i = 1; i < count; i++)
        different += edges[i] != edges[i - 1];
    xfree(edges);
    return different;
}

/* -- edges -- */

WbStatus wb_graph_add_edge(WbGraph *graph, uint32_t parent, uint32_t child)
{
    if (!graph)
        return WB_ERROR_ARGUMENT;
    return gpu_end(graph->gpu, draft_add_edge(&graph->draft, parent, child, gpu_begin(graph->gpu)));
}

/* All edges or none: what has been added since is taken away where one is refused. */
static WbStatus undo_unless_ok(GraphDraft *draft, uint32_t edges_before, Error *error)
{
    if (error->status != WB_OK)
        draft->edges.count = edges_before;
    return error->status;
}

WbStatus wb_graph_add_edges(WbGraph *graph, const WbEdge *edges, size_t count)
{
    if (!graph)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(graph->gpu);
    const uint32_t before = graph->draft.edges.count;
    if (!edges && count)
        return gpu_end(graph->gpu,
                       error_set(error, WB_ERROR_ARGUMENT,
                                 "wb_graph_add_edges was given %zu edges at a null pointer.", count));
    for (size_t i = 0; i < count && error->status == WB_OK; i++)
        draft_add_edge(&graph->draft, edges[i].parent, edges[i].child, error);
    return gpu_end(graph->gpu, undo_unless_ok(&graph->draft, before, error));
}

static WbStatus add_row(GraphDraft *draft, uint32_t parent, const uint64_t *starts, const uint32_t *children,
                        Error *error)
{
    if (starts[parent] > starts[parent + 1])
        return error_set(error, WB_ERROR_ARGUMENT,
                         "The children of node %u start at %" PRIu64 " and end before %" PRIu64
                         ": starts must not fall.",
                         parent, starts[parent], starts[parent + 1]);
    if (!children && starts[parent] < starts[parent + 1])
        return error_set(error, WB_ERROR_ARGUMENT, "wb_graph_add_csr needs children; they were null.");
    for (uint64_t i = starts[parent]; i < starts[parent + 1] && error->status == WB_OK; i++)
        draft_add_edge(draft, parent, children[i], error);
    return error->status;
}

WbStatus wb_graph_add_csr(WbGraph *graph, const uint64_t *starts, const uint32_t *children)
{
    if (!graph)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(graph->gpu);
    GraphDraft *draft = &graph->draft;
    const uint32_t before = draft->edges.count;
    if (!starts)
        return gpu_end(graph->gpu,
                       error_set(error, WB_ERROR_ARGUMENT, "wb_graph_add_csr needs starts; they were null."));
    for (uint32_t node = 0; node < draft->node_count && error->status == WB_OK; node++)
        add_row(draft, node, starts, children, error);
    return gpu_end(graph->gpu, undo_unless_ok(draft, before, error));
}

/* -- mapping functions -- */

/* A mapping at work. Invariant: link.block is node `child` of the draft. */
typedef struct Mapping {
    WbLink link; /* the first member: the calls get it */
    WbGraph *graph;
    uint32_t first, child; /* nodes */
    Error error;
} Mapping;

/* The coordinates of a parent are often the block's less something: at the edge of the grid they wrap, and
 * lie outside it just the same [Wireframe §3.1]. */
static void add_parent(WbLink *link, WbDim3 parent)
{
    Mapping *mapping = (Mapping *)link;
    const WbDim3 grid = link->grid;
    if (parent.x >= grid.x || parent.y >= grid.y || parent.z >= grid.z)
        return;
    draft_add_edge(&mapping->graph->draft,
                   mapping->first + (parent.z * grid.y + parent.y) * grid.x + parent.x, mapping->child,
                   &mapping->error);
}

static void set_policy(WbLink *link, int policy, uint32_t bound)
{
    Mapping *mapping = (Mapping *)link;
    const GraphOrder *order = graph_policy(policy, &mapping->error);
    if (!order)
        return;
    mapping->graph->order = order;
    mapping->graph->bound = bound;
}

WbStatus graph_map(WbGraph *graph, uint32_t index, WbMapping *function, void *context, Error *error)
{
    static const struct WbLinkCalls calls = {add_parent, set_policy};
    if (index >= graph->draft.grids.count)
        return error_set(error, WB_ERROR_ARGUMENT, "The graph has %u grids; there is no grid %u to map.",
                         graph->draft.grids.count, index);
    const GraphGrid grid = graph->draft.grids.items[index];
    const uint32_t before = graph->draft.edges.count;
    Mapping mapping = {
        .link = {.grid = {grid.size[0], grid.size[1], grid.size[2]}, .calls = &calls},
        .graph = graph,
        .first = grid.first,
    };
    for (uint32_t i = 0; i < grid.count && mapping.error.status == WB_OK; i++) {
        mapping.child = grid.first + i;
        mapping.link.block =
            (WbDim3){i % grid.size[0], i / grid.size[0] % grid.size[1], i / grid.size[0] / grid.size[1]};
        function(&mapping.link, context);
    }
    *error = mapping.error; /* what the function was refused by other calls is no failure of this one */
    return undo_unless_ok(&graph->draft, before, error);
}

WbStatus wb_graph_map(WbGraph *graph, uint32_t index, WbMapping *mapping, void *context)
{
    if (!graph)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(graph->gpu);
    if (!mapping)
        return gpu_end(graph->gpu, error_set(error, WB_ERROR_ARGUMENT,
                                             "wb_graph_map needs a mapping function; it was null."));
    return gpu_end(graph->gpu, graph_map(graph, index, mapping, context, error));
}

/* -- barriers -- */

static NodeRow row_of(WbNodes nodes) { return (NodeRow){nodes.first, nodes.count, nodes.stride}; }

WbStatus wb_graph_barrier(WbGraph *graph, WbNodes before, WbNodes after)
{
    if (!graph)
        return WB_ERROR_ARGUMENT;
    return gpu_end(graph->gpu,
                   draft_barrier(&graph->draft, row_of(before), row_of(after), gpu_begin(graph->gpu)));
}

WbStatus wb_graph_barrier_groups(WbGraph *graph, WbNodes before, WbNodes after, uint32_t size)
{
    if (!graph)
        return WB_ERROR_ARGUMENT;
    return gpu_end(graph->gpu, draft_barrier_groups(&graph->draft, row_of(before), row_of(after), size,
                                                    gpu_begin(graph->gpu)));
}

/* -- policies -- */

const GraphOrder *graph_policy(int policy, Error *error)
{
    switch (policy) {
    case WB_LRR:
        return order_find("lrr", error);
    case WB_LVL:
        return order_find("lvl", error);
    default:
        error_set(error, WB_ERROR_ARGUMENT,
                  "%d is no policy of dependency graphs: these are WB_LRR and WB_LVL.", policy);
        return NULL;
    }
}

static WbStatus use_order(WbGraph *graph, const GraphOrder *order, uint32_t bound, Error *error)
{
    if (order) {
        graph->order = order;
        graph->bound = bound;
    }
    return error->status;
}

WbStatus wb_graph_set_policy(WbGraph *graph, WbPolicy policy, uint32_t bound)
{
    if (!graph)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(graph->gpu);
    return gpu_end(graph->gpu, use_order(graph, graph_policy((int)policy, error), bound, error));
}

WbStatus wb_graph_set_policy_name(WbGraph *graph, const char *name, uint32_t bound)
{
    if (!graph)
        return WB_ERROR_ARGUMENT;
    if (!name)
        return gpu_refuse(graph->gpu, "wb_graph_set_policy_name needs the name of a policy; it was null.");
    Error *error = gpu_begin(graph->gpu);
    return gpu_end(graph->gpu, use_order(graph, order_find(name, error), bound, error));
}
