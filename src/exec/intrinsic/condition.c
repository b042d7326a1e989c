/* Conditions of graphs: a kernel says what a conditional node of its graph is to do. The handle of a
 * condition is the address of its value; whoever runs the graph reads that when the node's turn comes. */
#include "exec/intrinsic.h"

#include <inttypes.h>
#include <string.h>

#include "exec/peek.h"

static StepResult set_condition(IntrinsicCall *call, unsigned lane)
{
    uint64_t handle;
    uint32_t value;
    memcpy(&handle, intrinsic_argument(call, 0, lane), sizeof handle);
    memcpy(&value, intrinsic_argument(call, 1, lane), sizeof value);
    if (poke(call->step->warp, lane, handle, &value, sizeof value))
        return STEP_NEXT;
    return step_error(call->step, WB_ERROR_ADDRESS, lane,
                      "calls '%s' with 0x%" PRIx64 ", which is no handle of a graph's condition",
                      call->call->name, handle);
}

StepResult intrinsic_graph_set_conditional(IntrinsicCall *call)
{
    return intrinsic_each_lane(call, set_condition);
}
