// policy: The deepest level of recursion first
// source: Channels, section 5.3: what bounds memory, without the breadth
/* Policy depth: the deepest level of recursion first, always: uses the least memory, and fills the GPU the
 * more slowly. */
#include "levels.h"

WB_AGGREGATOR_ENTRY(flow)
{
    Aggregator a;
    Levels levels = {0, 0};
    agg_begin(&a, flow);
    do {
        agg_attend(&a);
        levels_follow(&a, &levels);
        levels_deepest_first(&a, &levels);
    } while (agg_is_busy(&a) || agg_drain(&a));
}
