/* The methods that wait-signal is compared with: persistent, whose blocks compute every cell together, and
 * stream, a kernel for each cell. */
#include "plan_parts.h"

#include <stdio.h>

enum { REGISTERS = 128 };

uint32_t plan_warps_per_tile(uint32_t block_tiles, uint32_t limit)
{
    uint32_t warps = 1;
    while (warps * 2 * block_tiles <= JOB_WARPS && warps * 2 <= limit)
        warps *= 2;
    return warps;
}

static void cut_whole(const PlanTask *task, const char *method, RnnPlan *plan)
{
    if (task->half)
        plan_cut_half_whole(task, plan);
    else
        plan_cut_whole(task, plan);
    snprintf(plan->kernel, sizeof plan->kernel, "rnn_%s_%s%s", method,
             plan_type(task->shape->type), plan_cell(task->shape->kind));
    plan->registers = REGISTERS;
}

/* As much in shared memory as fits: operands first, then c, then W and U of the layer whose turn it is. */
static bool place_half(const PlanTask *task, RnnPlan *plan)
{
    static const RnnPlace places[][3] = {
        {PLACE_SHARED, PLACE_SHARED, PLACE_SHARED}, {PLACE_SHARED, PLACE_SHARED, PLACE_GLOBAL},
        {PLACE_SHARED, PLACE_GLOBAL, PLACE_GLOBAL}, {PLACE_GLOBAL, PLACE_GLOBAL, PLACE_GLOBAL},
    };
    plan->stages = 1;
    for (size_t n = 0; n < sizeof places / sizeof places[0]; n++) {
        plan->cell_place = places[n][0];
        plan->state_place = places[n][1];
        plan->input_place = places[n][2];
        if (plan_occupy(task, 1, plan)) {
            plan_keep(task, plan);
            return plan_occupy(task, 1, plan);
        }
    }
    return false;
}

/* Halves; a block an SM: the barrier is the faster the fewer there are. */
WbRnnStatus plan_persistent(const PlanTask *task, RnnPlan *plan)
{
    if (!task->half)
        return plan_persistent_single(task, plan);
    plan->method = WBRNN_PERSISTENT;
    cut_whole(task, "persistent", plan);
    plan->layers_in_flight = plan->passes = 1;
    plan->block_tiles = up_to(plan->layer_tiles, task->sms);
    plan->warps_per_tile = plan_warps_per_tile(plan->block_tiles, plan->depth);
    if (!place_half(task, plan))
        return plan_refuse(plan, WBRNN_TOO_SMALL,
                           "A block of %d threads with %u registers each does not fit on an "
                           "SM of %u registers and %u bytes of shared memory: this GPU is too small.",
                           JOB_THREADS, plan->registers, task->gpu->registers_sm, task->gpu->shared_sm);
    plan->blocks_sm = 1;
    plan_other_time(task, plan);
    return WBRNN_OK;
}

WbRnnStatus plan_stream(const PlanTask *task, RnnPlan *plan)
{
    plan->method = WBRNN_STREAM;
    cut_whole(task, "stream", plan);
    plan->input_ahead = true;
    plan->warps_per_tile = 1;
    plan->block_tiles = JOB_WARPS;
    plan->layers_in_flight = task->shape->layers;
    plan->passes = 1;
    plan->state_place = plan->input_place = plan->cell_place = PLACE_GLOBAL;
    if (!plan_occupy(task, 1, plan))
        return plan_refuse(plan, WBRNN_TOO_SMALL,
                           "A block of %d threads with %u registers each does not fit on an "
                           "SM of %u registers: this GPU is too small.", JOB_THREADS, plan->registers,
                           task->gpu->registers_sm);
    plan_other_time(task, plan);
    return WBRNN_OK;
}
