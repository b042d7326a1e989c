// policy: Channels take turns, each with as many ready elements as its predicate asks for
// source: A flow graph without levels: channels, sections 3.1 and 4.2
/* Policy fifo: channels take turns; each gets wavefronts while as many of its elements are ready as its
 * predicate asks for. Fewer go when nothing else can. For flow graphs without stacks; those that have some
 * get their tasks after a spawn when nothing else runs. */
#include "warpbeam_aggregator.h"

WB_AGGREGATOR_ENTRY(flow)
{
    Aggregator a;
    unsigned turn = 0;
    agg_begin(&a, flow);
    do {
        agg_attend(&a);
        unsigned room = agg_room(&a);
        for (unsigned i = 0; i < a.stack_count && room > 0; i++) {
            const WbStackMemory stack = a.stacks[turn];
            for (unsigned level = 0; !stack.is_after && level < stack.levels; level++)
                room = agg_dispatch_all(&a, stack.first + level, a.channels[stack.first].predicate, room);
            turn = turn + 1 < a.stack_count ? turn + 1 : 0;
        }
    } while (agg_is_busy(&a) || agg_drain(&a));
}
