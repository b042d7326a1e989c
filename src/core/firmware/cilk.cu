// policy: Breadth first by level of recursion; while wavefronts wait for room in channels, deepest first
// source: Channels, sections 5.2, 5.3 and 7.2
/* Policy cilk: breadth first by level of recursion, which fills the GPU soonest; while wavefronts wait for
 * room in channels, deepest first, which frees some [channels §5.3]. */
#include "levels.h"

WB_AGGREGATOR_ENTRY(flow)
{
    Aggregator a;
    Levels levels = {0, 0};
    agg_begin(&a, flow);
    do {
        agg_attend(&a);
        levels_follow(&a, &levels);
        if (a.wait_count == 0)
            levels_breadth_first(&a, &levels);
        else
            levels_deepest_first(&a, &levels);
    } while (agg_is_busy(&a) || agg_drain(&a));
}
