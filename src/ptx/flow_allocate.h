/* Slots for registers. */
#ifndef PTX_FLOW_ALLOCATE_H
#define PTX_FLOW_ALLOCATE_H

#include "ptx/flow_live.h"

/* Fills flow->slot, slot_count and predicate_count. */
void flow_allocate(const Function *function, const FlowLive *live, Flow *flow, Arena *arena);

#endif
