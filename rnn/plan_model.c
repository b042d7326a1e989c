/* What a plan takes of an SM, and how long a step takes by a simple model, good for comparing plans: an SM's
 * arithmetic, its shared memory and its way to L2 each have a rate, the slowest counts; what one block tells
 * another takes a fixed time. */
#include "plan_parts.h"

enum {
    FMA_CLOCK = 128,     /* multiply-adds of an SM a cycle, single precision */
    PRODUCT_CLOCK = 24,  /* the same in products that are computed ahead. They have 58 on an H200, but O U in
                          * each step is partly hidden behind waits: with 1,280 units of an LSTM that was
                          * faster, with 2,048 slower */
    HALF_PRODUCT_CLOCK = 256, /* of halves, on tensor cores */
    HEARD_CYCLES = 12,   /* that a step takes longer for each block whose states a block of halves stages */
    MMA_CYCLES = 4,      /* of an SM for one mma.m16n8k16: a Hopper's mma.sync, about half of its best rate */
    SHARED_CLOCK = 128,  /* bytes of an SM a cycle */
    L2_CLOCK = 24,       /* bytes an SM can have of L2 a cycle when all SMs do: about 5.5 TB/s of an H200 */
    DRAM_CLOCK = 16,     /* the same of memory: about 4 TB/s */
    SIGNAL_CYCLES = 900, /* from a block's sums to another's operands: reduce, activate, store, poll, stage */
    BARRIER_CYCLES = 2 * SIGNAL_CYCLES, /* a barrier of all blocks: to one and back */
    LAUNCH_CYCLES = 4500, /* from a kernel's end to the next one's start by an event */
    LAYER_LAG = 2,       /* steps that a layer is behind the one below: inputs are staged a step early */
    NOMINAL_STEPS = 256, /* of a run: plans are made before its length is known */
    SM_THREADS = 2048,
    POSITION_BYTES = 16,
    LOADED = 4,          /* products of a lane whose weights are loaded at a time */
    CELL_BYTES = 8,      /* c and h of a unit and sequence */
    LEFT_BYTES = 16,     /* where threads of a block tell each other that they give up */
    PARTIAL_BYTES = 512, /* behind it: where two warps that share units add up */
    BLOCK_RESERVED = 1024, /* bytes of shared memory that a block takes besides, from capability 80 on */
};

size_t plan_tile_bytes(const PlanTask *task, const RnnPlan *plan)
{
    const size_t rows = task->half ? 16 : (size_t)plan->rows * (32 / plan->lanes);
    return plan->slice * rows * (task->half ? 2 : 4);
}

/* Parts of a tile that are kept in shared memory or not: quads, or k16 steps of the tile's warps. */
static uint32_t tile_quads(const PlanTask *task, const RnnPlan *plan)
{
    return plan->depth / (task->half ? plan->warps_per_tile : LOADED);
}

/* So many quads of all tiles of a block, of one matrix. Persistent kernels in single precision count theirs
 * otherwise. */
static uint64_t kept_bytes(const PlanTask *task, const RnnPlan *plan, uint32_t quads)
{
    if (!quads || (plan->method != WBRNN_WAIT_SIGNAL && !task->half))
        return 0;
    return plan->block_tiles * plan_tile_bytes(task, plan) / tile_quads(task, plan) * quads;
}

static uint64_t shared_bytes(const PlanTask *task, uint32_t layers, const RnnPlan *plan)
{
    if (plan->method == WBRNN_STREAM)
        return 0;
    uint64_t bytes = (uint64_t)plan->stages * plan->positions * POSITION_BYTES + LEFT_BYTES + PARTIAL_BYTES;
    if (plan->cell_place == PLACE_SHARED)
        bytes += (uint64_t)layers * plan->batch_tiles * plan->block_units * plan->batch_tile * CELL_BYTES;
    const uint32_t matrices = (plan->state_place == PLACE_SHARED) + (plan->input_place == PLACE_SHARED);
    const uint32_t kept = plan->split ? least(matrices, 1) : matrices; /* each block has one of the two */
    bytes += (uint64_t)layers * kept * plan->block_tiles * plan_tile_bytes(task, plan);
    if (plan->state_place == PLACE_GLOBAL)
        bytes += kept_bytes(task, plan, plan->state_kept);
    if (plan->input_place == PLACE_GLOBAL)
        bytes += kept_bytes(task, plan, plan->input_kept);
    if (plan->warps_per_tile > 1) /* warps add up 16 rows' sums there */
        bytes += (uint64_t)JOB_WARPS * 16 * plan->batch_tile * sizeof(float);
    return bytes;
}

bool plan_occupy(const PlanTask *task, uint32_t layers, RnnPlan *plan)
{
    const RnnGpu *gpu = task->gpu;
    plan->block_units = plan->block_tiles * plan->warp_units;
    plan->layer_blocks = up_to(plan->layer_tiles, plan->block_tiles) * (plan->split ? 2 : 1);
    const uint64_t shared = shared_bytes(task, layers, plan);
    if (shared > gpu->shared_block || plan->registers > gpu->registers_thread)
        return false;
    plan->shared_bytes = (uint32_t)shared;
    /* Registers are given out by 8 a thread. */
    const uint32_t by_registers = gpu->registers_sm / (up_to(plan->registers, 8) * 8 * JOB_THREADS);
    const uint32_t taken = plan->shared_bytes + (gpu->capability >= 80 ? BLOCK_RESERVED : 0);
    plan->blocks_sm = least(by_registers, SM_THREADS / JOB_THREADS);
    if (taken)
        plan->blocks_sm = least(plan->blocks_sm, gpu->shared_sm / taken);
    return plan->blocks_sm > 0;
}

/* As much of a matrix that lies in global memory as `room` bytes hold, which become less. */
static uint32_t keep(const PlanTask *task, const RnnPlan *plan, RnnPlace place, uint64_t *room)
{
    const uint32_t all = tile_quads(task, plan);
    if (place == PLACE_SHARED)
        return all;
    const uint32_t quads = least(all, (uint32_t)(*room / kept_bytes(task, plan, 1)));
    *room -= kept_bytes(task, plan, quads);
    return quads;
}

void plan_keep(const PlanTask *task, RnnPlan *plan)
{
    const RnnGpu *gpu = task->gpu;
    const uint32_t blocks = plan->layers_in_flight * (plan->layer_blocks + plan->collectors);
    const uint32_t reserved = gpu->capability >= 80 ? BLOCK_RESERVED : 0;
    const uint32_t limit = least(gpu->shared_block, gpu->shared_sm / up_to(blocks, task->sms) - reserved);
    uint64_t room = plan->split || limit < plan->shared_bytes ? 0 : limit - plan->shared_bytes;
    plan->state_kept = keep(task, plan, plan->state_place, &room);
    plan->input_kept = plan->inputs_ahead ? 0 : keep(task, plan, plan->input_place, &room);
}

/* Of a block's part of a matrix, what lies in global memory. */
static uint64_t global_bytes(const PlanTask *task, const RnnPlan *plan, RnnPlace place, uint32_t kept)
{
    if (place != PLACE_GLOBAL)
        return 0;
    return plan->block_tiles * plan_tile_bytes(task, plan) - kept_bytes(task, plan, kept);
}

/* Cycles in which a block has so many bytes of weights, of which L2 keeps what it has room for. */
static uint64_t global_cycles(const PlanTask *task, const RnnPlan *plan, uint64_t bytes)
{
    const bool layer_by_layer = plan->method == WBRNN_PERSISTENT;
    const uint32_t layers = plan->method == WBRNN_WAIT_SIGNAL || layer_by_layer ? plan->layers_in_flight :
                                                                                  task->shape->layers;
    uint64_t block = global_bytes(task, plan, plan->state_place, plan->state_kept);
    if (!plan->inputs_ahead)
        block += global_bytes(task, plan, plan->input_place, plan->input_kept);
    const uint64_t in_use = layers * block * plan->layer_tiles / plan->block_tiles;
    const uint64_t kept = in_use > task->gpu->l2_bytes ? bytes * task->gpu->l2_bytes / in_use : bytes;
    return kept / L2_CLOCK + (bytes - kept) / DRAM_CLOCK;
}

/* Cycles of a block for one matrix and batch tile, whose weights lie at `place` but for what is kept. */
static uint64_t matrix_cycles(const PlanTask *task, const RnnPlan *plan, RnnPlace place, uint32_t quads)
{
    const uint64_t rounds = up_to(plan->block_tiles * plan->warps_per_tile, JOB_WARPS);
    const uint64_t warp_depth = up_to(plan->depth, plan->warps_per_tile);
    const uint64_t depth = rounds * JOB_WARPS * warp_depth; /* of all warps one behind the other */
    const uint64_t fma = depth * plan->rows * plan->batch_tile * 32 / FMA_CLOCK;
    const uint64_t weights = plan->block_tiles * plan_tile_bytes(task, plan);
    /* Lanes with the same position read it together. */
    uint64_t shared = depth * plan->lanes * POSITION_BYTES;
    const uint64_t kept = place == PLACE_GLOBAL ? kept_bytes(task, plan, quads) :
                          place == PLACE_SHARED ? weights : 0;
    shared += kept;
    uint64_t cycles = task->half ? depth * MMA_CYCLES : fma;
    if (cycles < shared / SHARED_CLOCK)
        cycles = shared / SHARED_CLOCK;
    const uint64_t global = global_cycles(task, plan, global_bytes(task, plan, place, quads));
    return cycles < global ? global : cycles;
}

uint32_t plan_cell_cycles(const PlanTask *task, const RnnPlan *plan, bool state_only)
{
    const uint64_t state = matrix_cycles(task, plan, plan->state_place, plan->state_kept);
    const uint64_t input =
        plan->inputs_ahead ? 0 : matrix_cycles(task, plan, plan->input_place, plan->input_kept);
    return (uint32_t)(state_only ? state : plan->split ? (state > input ? state : input) : state + input);
}

/* Cycles of all SMs for a step's share of the product that is computed ahead. */
static uint32_t product_cycles(const PlanTask *task, const RnnPlan *plan)
{
    const uint64_t weights = plan->layer_tiles * plan_tile_bytes(task, plan) / (task->half ? 2 : 4);
    const uint64_t clock = task->half ? HALF_PRODUCT_CLOCK : PRODUCT_CLOCK;
    return (uint32_t)(weights * plan->batch_tile * plan->batch_tiles / (task->sms * clock));
}

/* All of a step's work has to be done by then; and what a step waits for is the product of the state of the
 * step before, and word of it. Other batch tiles' work fills the wait. */
uint64_t plan_wait_time(const PlanTask *task, RnnPlan *plan)
{
    const uint32_t blocks = plan->layers_in_flight * (plan->layer_blocks + plan->collectors);
    const uint32_t sharing = up_to(blocks, task->sms); /* blocks that share an SM */
    const uint32_t work = sharing * plan->batch_tiles * plan_cell_cycles(task, plan, false);
    const uint32_t heard = task->half ? plan->layer_blocks * HEARD_CYCLES : 0;
    const uint32_t path = sharing * plan_cell_cycles(task, plan, true) + SIGNAL_CYCLES + heard;
    plan->step_cycles = most(work, path) + (plan->inputs_ahead ? product_cycles(task, plan) : 0);
    const uint32_t steps = NOMINAL_STEPS + LAYER_LAG * (plan->layers_in_flight - 1); /* of a pass */
    return (uint64_t)plan->passes * steps * plan->step_cycles;
}

void plan_other_time(const PlanTask *task, RnnPlan *plan)
{
    if (plan->method == WBRNN_PERSISTENT && !task->half) { /* O U is computed while others arrive */
        const uint32_t state = plan_cell_cycles(task, plan, true);
        const uint32_t input = plan_cell_cycles(task, plan, false) - state;
        plan->step_cycles = plan->batch_tiles * state + most(plan->batch_tiles * input, BARRIER_CYCLES);
        return;
    }
    const uint32_t rounds = up_to(plan->layer_blocks, task->sms);
    const uint32_t work = rounds * plan->batch_tiles * plan_cell_cycles(task, plan, false);
    plan->step_cycles = work + (plan->method == WBRNN_STREAM ? LAUNCH_CYCLES : BARRIER_CYCLES);
}
