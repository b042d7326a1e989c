/* Which ready node of a dependency graph is dispatched next?
 *
 * An order is one file of order/, which opens by naming its paper and ends with one constant,
 * `const GraphOrder order_<file name>`. The build finds it; the knob graph_order, or the launch, chooses
 * it. On which SM the block goes is the question of block_place. */
#ifndef GRID_GRAPH_ORDER_H
#define GRID_GRAPH_ORDER_H

#include "base/policy.h"
#include "grid/graph_buffer.h"

typedef struct GraphOrder {
    Policy about;
    /* Entries of Local Node Array and Local Edge Array that its paper gives it, where the knobs
     * graph_local_nodes and graph_local_edges leave that open. */
    uint32_t local_nodes, local_edges;
    /* The next node, or null if none may run. Asked only with a ready node in the buffer.
     * `counters` are its own (base/policy.h), of all graphs. */
    const GraphNode *(*next)(const GraphBuffer *buffer, uint32_t bound, void *counters);
} GraphOrder;

/* Entries of the local arrays when it is used. */
static inline uint32_t order_local_nodes(const GraphOrder *order, const GpuConfig *config)
{
    return config->graph_local_nodes ? (uint32_t)config->graph_local_nodes : order->local_nodes;
}
static inline uint32_t order_local_edges(const GraphOrder *order, const GpuConfig *config)
{
    return config->graph_local_edges ? (uint32_t)config->graph_local_edges : order->local_edges;
}

extern const PolicyKind order_policies;

/* Null with the sentence where there is none of that name. */
const GraphOrder *order_find(const char *name, Error *error);
/* One that was loaded, at most MOST_LOADED_POLICIES times. */
void order_add(const GraphOrder *policy);

#endif
