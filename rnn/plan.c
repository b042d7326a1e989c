/* Makes a plan: checks what is asked, lets the method's part decide, and counts what follows from it. */
#include "plan_parts.h"

#include <string.h>

enum { SHORTEST_CHUNK = 64 };
static const uint64_t exchanged_limit = (uint64_t)1 << 30; /* bytes of exchanged sequences of a launch */

static void count_weights(const PlanTask *task, RnnPlan *plan)
{
    const WbRnnShape *shape = task->shape;
    const size_t column = (size_t)plan_gates(shape->kind) * shape->hidden * (task->half ? 2 : 4);
    plan->layer_bytes = column * 2 * task->width;
    plan->weight_bytes = plan->layer_bytes * (shape->layers - 1) +
                         column * (task->width + shape->input / task->groups);
}

/* Sequences of slots: the input's and one a layer; preactivations that other blocks or kernels compute take a
 * slot a row, and halves' take two, for they are floats. */
static void limit_chunk(const PlanTask *task, RnnPlan *plan)
{
    const uint64_t rows = task->half ? 8 : 4;
    uint64_t sequences = task->shape->layers + 1;
    if (plan->split || plan->method == WBRNN_STREAM)
        sequences += rows * task->shape->layers;
    else if (plan->input_ahead)
        sequences += rows;
    const uint64_t slot = (uint64_t)plan->positions * 16 * plan->batch_tiles;
    const uint64_t slots = exchanged_limit / (sequences * slot);
    plan->chunk_steps = slots > SHORTEST_CHUNK ? (uint32_t)slots - 1 : SHORTEST_CHUNK;
}

/* What no wait-signal kernel takes is run by streams, unless someone asked for wait-signal. */
static WbRnnStatus plan_auto(const PlanTask *task, const WbRnnOptions *options, RnnPlan *plan)
{
    if (options->sync != WBRNN_SYNC_AUTO || options->split)
        return plan_wait(task, options, plan);
    const RnnPlan empty = *plan;
    if (!plan_wait(task, options, plan))
        return WBRNN_OK;
    *plan = empty;
    return plan_stream(task, plan);
}

static WbRnnStatus plan_method(const PlanTask *task, const WbRnnOptions *options, RnnPlan *plan)
{
    switch (options->method) {
    case WBRNN_STREAM: return plan_stream(task, plan);
    case WBRNN_PERSISTENT: return plan_persistent(task, plan);
    case WBRNN_WAIT_SIGNAL: return plan_wait(task, options, plan);
    default: return plan_auto(task, options, plan);
    }
}

WbRnnStatus plan_make(const WbRnnShape *shape, const WbRnnOptions *options, const RnnGpu *gpu, RnnPlan *plan)
{
    static const WbRnnOptions none = {0};
    const WbRnnOptions *chosen = options ? options : &none;
    memset(plan, 0, sizeof *plan);
    if (!shape)
        return plan_refuse(plan, WBRNN_INVALID, "The shape is null.");
    WbRnnStatus status = check_shape(shape, plan);
    if (!status)
        status = check_options(chosen, gpu, plan);
    if (status)
        return status;
    const uint32_t groups = shape->groups ? shape->groups : 1;
    const PlanTask task = {.shape = shape, .gpu = gpu, .groups = groups, .width = shape->hidden / groups,
                           .sms = chosen->sm_limit ? least(chosen->sm_limit, gpu->sms) : gpu->sms,
                           .half = shape->type != WBRNN_F32};
    if (!task.sms)
        return plan_refuse(plan, WBRNN_TOO_SMALL, "The GPU has no SMs.");
    status = check_registers(gpu, plan);
    if (!status && task.half)
        status = check_half(chosen, gpu, plan);
    if (status)
        return status;
    plan->sms = task.sms;
    status = plan_method(&task, chosen, plan);
    if (status)
        return status;
    count_weights(&task, plan);
    limit_chunk(&task, plan);
    return WBRNN_OK;
}
