/* The aggregator: a unit that dispatches wavefronts of a flow graph (grid/flow_run.h). */
#ifndef GRID_UNIT_AGGREGATOR_H
#define GRID_UNIT_AGGREGATOR_H

#include "grid/flow_run.h"

extern const UnitKind unit_aggregator;

/* Kinds of words. The wavefront whose number is values[0] has yielded: its block waits for CHANNEL_ROOM, and
 * warp is its only one. The aggregator ends the wait when its program restarts that wavefront. */
enum { AGGREGATOR_WORD_YIELDS };

/* A flow graph begins in cycle `now`: the core runs its firmware. `front_end` is the shard that takes tasks;
 * without time it means nothing. Fails with the sentence. */
WbStatus aggregator_begin(OuterUnit *unit, FlowRun *run, uint32_t front_end, Cycle now, Error *error);
/* Its kernels have ended. */
void aggregator_end(OuterUnit *unit);
/* Without time: where its tasks come from. */
const FunctionalTasks *aggregator_tasks(OuterUnit *unit);

#endif
