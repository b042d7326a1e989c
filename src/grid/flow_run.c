/* A flow graph's launch: what front end and aggregator have to do with each other. */
#include "grid/flow_run.h"

#include "grid/front_end.h"
#include "grid/unit/aggregator.h"

WbStatus flow_begin(FrontEnd *front_end, OuterUnits *units, FlowRun *run, Cycle now, Error *error)
{
    OuterUnit *unit = outer_units_find(units, &unit_aggregator);
    if (aggregator_begin(unit, run, shard_in_group(&front_end->shard), now, error))
        return error->status;
    front_end_begin_tasks(front_end, run, shard_in_group(&unit->shard), unit->latency);
    return WB_OK;
}

void flow_end(FrontEnd *front_end, OuterUnits *units, FlowRun *run, Cycle now)
{
    (void)run, (void)now;
    aggregator_end(outer_units_find(units, &unit_aggregator));
    if (front_end)
        front_end_forget_tasks(front_end);
}

const FunctionalTasks *flow_begin_untimed(OuterUnits *units, FlowRun *run, Error *error)
{
    OuterUnit *unit = outer_units_find(units, &unit_aggregator);
    return aggregator_begin(unit, run, 0, 0, error) == WB_OK ? aggregator_tasks(unit) : NULL;
}
