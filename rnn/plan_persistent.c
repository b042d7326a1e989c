/* The persistent method in single precision: all blocks compute a layer's cells together, so a block has a
 * small part of the layer, and keeps as much of its weights on chip as there is room for. The numbers are
 * those of kernels/persistent.cu. */
#include "plan_parts.h"

#include <stdio.h>

enum {
    REGISTERS = 255, REGISTERS_MEMORY = 128,
    QUAD = 4,            /* products of a lane and row for which a load brings weights */
    HELD_QUADS = 8,      /* of W that a warp has in registers */
    SUM_BYTES = 64,      /* of four rows and four sequences */
    STATE_BYTES = 32,    /* c and h of a unit's four sequences */
    LENGTH_BYTES = 256,  /* of all sequences */
    POSITION_BYTES = 16,
    ROW_BYTES = 512,     /* of a quad of all lanes and one row */
    BLOCK_RESERVED = 1024,
};

size_t plan_persistent_partial(const RnnPlan *plan)
{
    const size_t pairs = (size_t)plan->block_tiles * plan->batch_tiles;
    return pairs * (2 * plan->warps_per_tile * SUM_BYTES + plan->thread_units * STATE_BYTES);
}

/* The most that a block with an SM for itself can have. */
static uint32_t shared_limit(const RnnGpu *gpu)
{
    const uint32_t reserved = gpu->capability >= 80 ? BLOCK_RESERVED : 0;
    return least(gpu->shared_block, gpu->shared_sm > reserved ? gpu->shared_sm - reserved : 0);
}

static bool fits(const RnnGpu *gpu, uint32_t registers, uint64_t shared)
{
    return registers <= gpu->registers_thread && up_to(registers, 8) * 8 * JOB_THREADS <= gpu->registers_sm &&
           shared <= shared_limit(gpu);
}

/* Registers first, then shared memory: W before U, for cells wait for S W. */
static void keep_weights(const PlanTask *task, RnnPlan *plan)
{
    const uint32_t parts = plan->block_tiles * plan->warps_per_tile, warps = least(parts, JOB_WARPS);
    const uint32_t quads = up_to(plan->depth / QUAD, plan->warps_per_tile) * up_to(parts, JOB_WARPS);
    const uint32_t left = quads - least(quads, HELD_QUADS), quad_bytes = warps * plan->rows * ROW_BYTES;
    const uint32_t fit = (shared_limit(task->gpu) - plan->shared_bytes) / quad_bytes;
    plan->state_kept = least(left, fit);
    plan->input_kept = least(quads, fit - plan->state_kept);
    plan->shared_bytes += (plan->state_kept + plan->input_kept) * quad_bytes;
    plan->state_place = left == 0 ? PLACE_REGISTERS : plan->state_kept == left ? PLACE_SHARED : PLACE_GLOBAL;
    plan->input_place = plan->input_kept == quads ? PLACE_SHARED : PLACE_GLOBAL;
}

static bool place_on_chip(const PlanTask *task, RnnPlan *plan)
{
    const uint64_t shared = LENGTH_BYTES + 2ull * plan->positions * POSITION_BYTES +
                            plan_persistent_partial(plan);
    if (!fits(task->gpu, REGISTERS, shared))
        return false;
    plan->shared_bytes = (uint32_t)shared;
    plan->registers = REGISTERS;
    plan->stages = 2;
    plan->cell_place = PLACE_SHARED;
    keep_weights(task, plan);
    return true;
}

static bool place_in_memory(const PlanTask *task, RnnPlan *plan)
{
    plan->shared_bytes = LENGTH_BYTES;
    plan->registers = REGISTERS_MEMORY;
    plan->state_place = plan->input_place = plan->cell_place = PLACE_GLOBAL;
    snprintf(plan->kernel, sizeof plan->kernel, "rnn_persistent_%s_memory", plan_cell(task->shape->kind));
    return fits(task->gpu, REGISTERS_MEMORY, LENGTH_BYTES);
}

/* A block an SM: the barrier is the faster the fewer there are. */
WbRnnStatus plan_persistent_single(const PlanTask *task, RnnPlan *plan)
{
    plan_cut_whole(task, plan);
    plan->method = WBRNN_PERSISTENT;
    plan->layers_in_flight = plan->passes = plan->blocks_sm = 1;
    plan->block_tiles = up_to(plan->layer_tiles, task->sms);
    plan->warps_per_tile = plan_warps_per_tile(plan->block_tiles, plan->depth / QUAD);
    plan->block_units = plan->block_tiles * plan->warp_units;
    plan->layer_blocks = up_to(plan->layer_tiles, plan->block_tiles);
    snprintf(plan->kernel, sizeof plan->kernel, "rnn_persistent_%s", plan_cell(task->shape->kind));
    if (!place_on_chip(task, plan) && !place_in_memory(task, plan))
        return plan_refuse(plan, WBRNN_TOO_SMALL,
                           "A block of %d threads with %d registers each does not fit on an "
                           "SM of %u registers and %u bytes of shared memory: this GPU is too small.",
                           JOB_THREADS, REGISTERS_MEMORY, task->gpu->registers_sm, task->gpu->shared_sm);
    plan_other_time(task, plan);
    return WBRNN_OK;
}
