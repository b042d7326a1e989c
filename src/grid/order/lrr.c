/* Loose round-robin: the ready node with the smallest virtual ID [Wireframe §4.3]. That SMs take turns is
 * the placement's part of it (place/loose_round_robin.c). Nodes run ahead as far as they are ready. */
#include "grid/graph_order.h"

static const GraphNode *next(const GraphBuffer *buffer, uint32_t bound, void *counters)
{
    (void)bound, (void)counters;
    return graph_buffer_next_ready(buffer, 0);
}

extern const GraphOrder order_lrr;
const GraphOrder order_lrr = {
    .about =
        {
            .name = "lrr",
            .description = "The ready node with the smallest virtual ID",
            .source = "Wireframe, section 4.3",
        },
    .local_nodes = 512,
    .local_edges = 2048,
    .next = next,
};
