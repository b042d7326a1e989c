/* How matrices in single precision are cut into warp tiles, and what the sizes of slots follow from it. */
#include "plan_parts.h"

enum { WARP_LANES = 32, LOADED = 4 /* products of a lane that one 16-byte load of weights is for */ };

bool plan_is_basic(WbRnnKind kind) { return kind == WBRNN_TANH || kind == WBRNN_RELU; }

uint32_t plan_gates(WbRnnKind kind) { return plan_is_basic(kind) ? 1 : kind == WBRNN_GRU ? 3 : 4; }

const char *plan_cell(WbRnnKind kind)
{
    return plan_is_basic(kind) ? "basic" : kind == WBRNN_GRU ? "gru" :
           kind == WBRNN_PHASED_LSTM ? "phased" : "lstm";
}

void plan_cut(const PlanTask *task, uint32_t lanes, uint32_t depth, RnnPlan *plan)
{
    const WbRnnShape *shape = task->shape;
    plan->lanes = lanes;
    plan->depth = depth;
    plan->rows = shape->kind == WBRNN_GRU ? 3 : 4;
    plan->thread_units = plan_is_basic(shape->kind) ? 4 : 1;
    plan->warp_units = WARP_LANES / lanes * plan->thread_units;
    plan->warps_per_tile = 1;
    plan->slice = lanes * depth;
    plan->positions = task->groups * plan->slice;
    plan->batch_tile = JOB_BATCH;
    plan->batch_tiles = up_to(shape->batch, JOB_BATCH);
    plan->layer_tiles = up_to(shape->hidden, plan->warp_units);
    plan->input_ahead = shape->input / task->groups > plan->slice;
}

void plan_cut_whole(const PlanTask *task, RnnPlan *plan)
{
    plan_cut(task, WARP_LANES, LOADED * up_to(task->width, LOADED * WARP_LANES), plan);
}
