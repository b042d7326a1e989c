/* Wait-signal: of the compiled kernels that keep weights in registers, the one that the model thinks fastest;
 * if this GPU has no room for any, the kernel that reads weights from memory in each step. */
#include "plan_parts.h"

#include <stdio.h>

enum {
    REGISTERS_INSTANCE = 255, /* weights take up to 128 of them: a block has an SM for itself */
    REGISTERS_MEMORY = 128,
    STAGES_INSTANCE = 4,      /* two each of x and h: one is filled while the other is read */
    QUAD = 4,                 /* products of a lane that one load of weights is for */
    STAGES_MEMORY = 1,        /* x and h in turn: 2,048 units fit into 48 KiB */
};

/* The best plan so far. */
typedef struct Best {
    bool found;
    uint64_t time;
    RnnPlan plan;
} Best;

static bool instance_cut(const PlanTask *task, uint32_t n, RnnPlan *plan)
{
    static const struct {
        uint32_t lanes, depth;
        RnnPlace place;
    } instances[] = {
#define INSTANCE(lanes, depth, place) {lanes, depth, PLACE_##place},
#include "kernels/instances.def"
#undef INSTANCE
    };
    if (n >= sizeof instances / sizeof instances[0])
        return false;
    plan_cut(task, instances[n].lanes, instances[n].depth, plan);
    plan->input_place = instances[n].place;
    snprintf(plan->kernel, sizeof plan->kernel, "rnn_wait_%s_%ux%u", plan_cell(task->shape->kind),
             instances[n].lanes, instances[n].depth);
    return true;
}

/* Layers in flight and passes; false: not even one layer's blocks are resident together. */
static bool fill_gpu(const PlanTask *task, RnnPlan *plan)
{
    const uint32_t resident = task->sms * plan->blocks_sm;
    uint32_t layers = resident / (plan->layer_blocks + plan->collectors);
    if (!layers)
        return false;
    if (plan->inputs_ahead) /* which needs all of the layer below */
        layers = 1;
    /* Passes of equal size fill and empty the wavefront no more often, and wait for fewer blocks. */
    plan->passes = up_to(task->shape->layers, least(task->shape->layers, layers));
    plan->layers_in_flight = up_to(task->shape->layers, plan->passes);
    return true;
}

/* Of equal times the one of fewest blocks, then the first. */
static void offer(const PlanTask *task, RnnPlan *plan, Best *best)
{
    if (!plan_occupy(task, 1, plan) || !fill_gpu(task, plan))
        return;
    const uint64_t time = plan_wait_time(task, plan);
    if (best->found && (time > best->time ||
                        (time == best->time && plan->layer_blocks >= best->plan.layer_blocks)))
        return;
    *best = (Best){.found = true, .time = time, .plan = *plan};
}

static void offer_instances(const PlanTask *task, const RnnPlan *start, Best *best)
{
    RnnPlan plan = *start;
    bool (*const cut)(const PlanTask *, uint32_t, RnnPlan *) = task->half ? plan_half_instance : instance_cut;
    for (uint32_t n = 0; cut(task, n, &plan); n++) {
        if (plan.slice < task->width)
            continue;
        plan.block_tiles = JOB_WARPS / plan.warps_per_tile;
        plan.registers = REGISTERS_INSTANCE;
        plan.stages = STAGES_INSTANCE;
        plan.state_place = PLACE_REGISTERS;
        plan.cell_place = PLACE_SHARED;
        offer(task, &plan, best);
    }
}

/* The same with U out of the way: one layer at a time, whose O U is computed before it. W has more room. */
static void offer_ahead(const PlanTask *task, const RnnPlan *start, Best *best)
{
    RnnPlan plan = *start;
    if (plan.split || (plan.layers_in_flight > 1 && !task->half) || plan.input_place == PLACE_SHARED)
        return;
    plan.state_kept = plan.input_kept = 0;
    plan.input_ahead = plan.inputs_ahead = true;
    if (!plan_occupy(task, 1, &plan) || !fill_gpu(task, &plan))
        return;
    plan_keep(task, &plan);
    offer(task, &plan, best);
}

/* So many blocks a layer, with as much in shared memory as fits: c first, it is in every step's way. */
static void offer_memory_blocks(const PlanTask *task, RnnPlan *plan, uint32_t blocks, Best *best)
{
    static const RnnPlace places[][3] = {
        {PLACE_SHARED, PLACE_SHARED, PLACE_SHARED}, {PLACE_SHARED, PLACE_SHARED, PLACE_GLOBAL},
        {PLACE_SHARED, PLACE_GLOBAL, PLACE_GLOBAL}, {PLACE_GLOBAL, PLACE_GLOBAL, PLACE_GLOBAL},
    };
    plan->block_tiles = up_to(plan->layer_tiles, blocks);
    if (up_to(plan->layer_tiles, plan->block_tiles) != blocks)
        return; /* fewer blocks have no more tiles each */
    plan->warps_per_tile = plan_warps_per_tile(plan->block_tiles, plan->depth / (task->half ? 1 : QUAD));
    for (size_t n = 0; n < sizeof places / sizeof places[0]; n++) {
        plan->cell_place = places[n][0];
        plan->state_place = places[n][1];
        plan->input_place = places[n][2];
        plan->state_kept = plan->input_kept = 0;
        if (plan_occupy(task, 1, plan) && fill_gpu(task, plan)) {
            plan_keep(task, plan);
            offer(task, plan, best);
            offer_ahead(task, plan, best);
            return;
        }
    }
}

static void offer_memory(const PlanTask *task, const RnnPlan *start, Best *best)
{
    RnnPlan plan = *start;
    if (task->half)
        plan_cut_half_whole(task, &plan);
    else
        plan_cut_whole(task, &plan);
    snprintf(plan.kernel, sizeof plan.kernel, "rnn_wait_%s%s_memory", plan_type(task->shape->type),
             plan_cell(task->shape->kind));
    plan.registers = REGISTERS_MEMORY;
    plan.stages = STAGES_MEMORY;
    const uint32_t resident = task->sms * (task->gpu->registers_sm / (REGISTERS_MEMORY * JOB_THREADS));
    for (uint32_t blocks = 1; blocks <= least(resident, plan.layer_tiles); blocks++)
        offer_memory_blocks(task, &plan, blocks, best);
}

static void choose(const PlanTask *task, const RnnPlan *start, Best *best)
{
    best->found = false;
    offer_instances(task, start, best);
    if (!best->found)
        offer_memory(task, start, best);
}

/* The widest layer of the same kind that would do; 0: none. */
static uint32_t largest_hidden(const PlanTask *task, const RnnPlan *start)
{
    for (uint32_t hidden = (task->shape->hidden - 1) / 64 * 64; hidden; hidden -= 64) {
        WbRnnShape shape = *task->shape;
        PlanTask less = *task;
        Best best;
        shape.hidden = hidden;
        less.shape = &shape;
        less.width = hidden / task->groups;
        if (hidden % task->groups)
            continue;
        choose(&less, start, &best);
        if (best.found)
            return hidden;
    }
    return 0;
}

static WbRnnStatus refuse(const PlanTask *task, RnnPlan *plan)
{
    const uint32_t hidden = largest_hidden(task, plan);
    char instead[64] = "no hidden size does";
    if (hidden)
        snprintf(instead, sizeof instead, "a hidden size of %u does", hidden);
    return plan_refuse(plan, WBRNN_TOO_SMALL,
                       "A layer of %u units%s%s does not fit into %u SM%s of %u bytes of shared memory a "
                       "block: %s; or choose %s.", task->shape->hidden,
                       plan->split ? " split over two groups of blocks" : "",
                       plan->collectors ? " with a block that collects flags" : "", task->sms,
                       task->sms == 1 ? "" : "s", task->gpu->shared_block, instead,
                       plan->collectors ? "another sync" :
                       plan->split ? "not to split" : "the stream method");
}

WbRnnStatus plan_wait(const PlanTask *task, const WbRnnOptions *options, RnnPlan *plan)
{
    Best best;
    plan->method = WBRNN_WAIT_SIGNAL;
    plan->sync = options->sync == WBRNN_SYNC_AUTO ? WBRNN_SYNC_DATA : options->sync;
    plan->split = options->split;
    plan->collectors = plan->sync == WBRNN_SYNC_ARRAYS || plan->sync == WBRNN_SYNC_ENTRY;
    choose(task, plan, &best);
    if (!best.found)
        return refuse(task, plan);
    *plan = best.plan;
    return WBRNN_OK;
}
