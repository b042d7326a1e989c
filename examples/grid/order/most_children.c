/* Most children: of the ready nodes, the one that most others wait for; of several, that with the smallest
 * number.
 *
 * List scheduling by the number of successors, as it is done for instructions and tasks. What many wait for
 * is over soon, so that the GPU does not run out of ready blocks. The first node that is not over cannot be
 * passed over for ever: without its end the buffer takes in no more nodes, and those in it come to theirs. */
#include "grid/graph_order.h"

#define OWNER order_most_children
#define OWNER_DEF "grid/order/most_children.def"
#include "base/own_counters.h"

static const GraphNode *next(const GraphBuffer *buffer, uint32_t bound, void *counters)
{
    (void)bound;
    const GraphNode *const first = graph_buffer_next_ready(buffer, 0), *best = first;
    for (const GraphNode *node = first; node; node = graph_buffer_next_ready(buffer, node->id + 1))
        if (node->edge_count > best->edge_count)
            best = node;
    ((Counters *)counters)->overtaken += best != first;
    return best;
}

extern const GraphOrder order_most_children;
const GraphOrder order_most_children = {
    .about =
        {
            .name = "most-children",
            .description = "The ready node that most others wait for",
            .source = "List scheduling by successors",
            .counters = &order_most_children_counters,
        },
    .local_nodes = 128,
    .local_edges = 512,
    .next = next,
};
