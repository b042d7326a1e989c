/* Halves: tensor cores multiply 16 rows of weights by 16 positions of eight sequences at a time (mma
 * m16n8k16). The 16 rows are the four gates of four units, or 16 units of basic RNNs; a GRU's fourth gate is
 * n's other sum. All rows of a tile have the same operand, so a tile lies within a group. */
#include "plan_parts.h"

#include <stdio.h>

enum { MMA_K = 16, MMA_ROWS = 16, MMA_BATCH = 8 };

const char *plan_type(WbRnnType type)
{
    return type == WBRNN_F32 ? "" : type == WBRNN_F16 ? "fp16_" : "bf16_";
}

void plan_cut_half(const PlanTask *task, uint32_t warps, uint32_t steps, RnnPlan *plan)
{
    const WbRnnShape *shape = task->shape;
    plan->lanes = MMA_K;
    plan->depth = warps * steps;
    plan->rows = 4;
    plan->thread_units = plan_is_basic(shape->kind) ? 4 : 1;
    plan->warp_units = plan_is_basic(shape->kind) ? MMA_ROWS : MMA_ROWS / 4;
    plan->warps_per_tile = warps;
    plan->slice = plan->lanes * plan->depth;
    plan->positions = task->groups * plan->slice;
    plan->batch_tile = MMA_BATCH;
    plan->batch_tiles = up_to(shape->batch, MMA_BATCH);
    plan->layer_tiles = task->groups * up_to(task->width, plan->warp_units);
    plan->input_ahead = shape->input / task->groups > plan->slice;
}

/* Whatever number of warps then shares a tile has whole steps. */
void plan_cut_half_whole(const PlanTask *task, RnnPlan *plan)
{
    plan_cut_half(task, JOB_WARPS, up_to(task->width, MMA_K * JOB_WARPS), plan);
}

bool plan_half_instance(const PlanTask *task, uint32_t n, RnnPlan *plan)
{
    static const struct {
        uint32_t warps, steps;
        RnnPlace place;
    } instances[] = {
#define HALF_INSTANCE(warps, steps, place) {warps, steps, PLACE_##place},
#include "kernels/half_instances.def"
#undef HALF_INSTANCE
    };
    if (n >= sizeof instances / sizeof instances[0])
        return false;
    plan_cut_half(task, instances[n].warps, instances[n].steps, plan);
    plan->input_place = instances[n].place;
    snprintf(plan->kernel, sizeof plan->kernel, "rnn_wait_%s%s_%ux%u", plan_type(task->shape->type),
             plan_cell(task->shape->kind), instances[n].warps, instances[n].steps);
    return true;
}
