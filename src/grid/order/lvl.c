/* Level-bounded: the ready node with the smallest virtual ID, as long as it is no more than `bound` levels
 * ahead of the lowest level with a node that is not over [Wireframe §4.3].
 *
 * IDs ascend with levels: if the first ready node is too far ahead, all are. The first node that is not over
 * is ready or being processed, as all its parents are over; so there is always one that may run. */
#include "grid/graph_order.h"

static const GraphNode *next(const GraphBuffer *buffer, uint32_t bound, void *counters)
{
    (void)counters;
    const GraphNode *first = graph_buffer_next_ready(buffer, 0);
    return first && first->level - graph_buffer_lowest_level(buffer) <= bound ? first : NULL;
}

extern const GraphOrder order_lvl;
const GraphOrder order_lvl = {
    .about =
        {
            .name = "lvl",
            .description = "As lrr, but at most `bound` levels ahead of what is not over",
            .source = "Wireframe, section 4.3",
        },
    .local_nodes = 128,
    .local_edges = 512,
    .next = next,
};
