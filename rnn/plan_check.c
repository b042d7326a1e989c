/* Refuses what cannot work, with a sentence that names the field, its value and what it may be. */
#include "plan_parts.h"

#include <stdarg.h>
#include <stdio.h>

enum {
    HALVES_CAPABILITY = 80,
    LEAST_REGISTERS = 128, /* every method has a kernel that does with so many, and none with fewer */
};

WbRnnStatus plan_refuse(RnnPlan *plan, WbRnnStatus status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(plan->why, sizeof plan->why, format, arguments);
    va_end(arguments);
    return status;
}

static WbRnnStatus check_range(RnnPlan *plan, const char *field, uint32_t value, uint32_t first,
                               uint32_t last)
{
    if (value >= first && value <= last)
        return WBRNN_OK;
    return plan_refuse(plan, WBRNN_INVALID, "The shape's %s is %u, but must be from %u to %u.", field, value,
                       first, last);
}

static WbRnnStatus check_choice(RnnPlan *plan, const char *field, uint32_t value, uint32_t count)
{
    if (value < count)
        return WBRNN_OK;
    return plan_refuse(plan, WBRNN_INVALID,
                       "The %s is %u, but those that there are have numbers from 0 to %u.",
                       field, value, count - 1);
}

static WbRnnStatus check_groups(const WbRnnShape *shape, RnnPlan *plan)
{
    const uint32_t groups = shape->groups ? shape->groups : 1;
    if (groups > 1 && shape->kind != WBRNN_GROUPED_LSTM)
        return plan_refuse(plan, WBRNN_INVALID,
                           "The shape's groups is %u, but only a grouped LSTM has groups: "
                           "set it to 0, or choose that kind.", groups);
    if (check_range(plan, "groups", groups, 1, 16))
        return WBRNN_INVALID;
    if (shape->hidden % groups)
        return plan_refuse(plan, WBRNN_INVALID, "The shape's groups is %u, which does not divide its hidden "
                           "size of %u.", groups, shape->hidden);
    if (shape->input % groups)
        return plan_refuse(plan, WBRNN_INVALID,
                           "The shape's groups is %u, which does not divide its input size "
                           "of %u.", groups, shape->input);
    return WBRNN_OK;
}

WbRnnStatus check_shape(const WbRnnShape *shape, RnnPlan *plan)
{
    if (check_choice(plan, "shape's kind", shape->kind, WBRNN_KINDS) ||
        check_choice(plan, "shape's type", shape->type, WBRNN_TYPES) ||
        check_range(plan, "layers", shape->layers, 1, JOB_LAYERS) ||
        check_range(plan, "hidden", shape->hidden, 64, 2048) ||
        check_range(plan, "input", shape->input, 1, 8192) || check_range(plan, "batch", shape->batch, 1, 64))
        return WBRNN_INVALID;
    return check_groups(shape, plan);
}

/* Whether a block of the smallest kernel has its registers. */
WbRnnStatus check_registers(const RnnGpu *gpu, RnnPlan *plan)
{
    if (gpu->registers_thread < LEAST_REGISTERS)
        return plan_refuse(plan, WBRNN_TOO_SMALL,
                           "A thread of this GPU has at most %u registers, but every kernel needs %d: it is "
                           "too small.", gpu->registers_thread, LEAST_REGISTERS);
    if (gpu->registers_sm < LEAST_REGISTERS * JOB_THREADS)
        return plan_refuse(plan, WBRNN_TOO_SMALL,
                           "An SM of this GPU has %u registers, but a block of %d threads needs %d each: it "
                           "is too small.", gpu->registers_sm, JOB_THREADS, LEAST_REGISTERS);
    return WBRNN_OK;
}

/* What this GPU does not have. */
static WbRnnStatus check_sync(const WbRnnOptions *options, const RnnGpu *gpu, RnnPlan *plan)
{
    if (options->sync == WBRNN_SYNC_HARDWARE && !gpu->simulated)
        return plan_refuse(plan, WBRNN_TOO_SMALL,
                           "The options' sync is hardware, but only a simulated GPU has "
                           "wb_wait and wb_signal: choose another, or run the program in Warpbeam.");
    return WBRNN_OK;
}

/* Tensor cores, and what the kernels of halves do not have. */
WbRnnStatus check_half(const WbRnnOptions *options, const RnnGpu *gpu, RnnPlan *plan)
{
    if (gpu->capability < HALVES_CAPABILITY)
        return plan_refuse(plan, WBRNN_TOO_SMALL,
                           "The shape's type is a half, which takes tensor cores of capability 8.0 or later, "
                           "but this GPU has %u.%u: choose fp32.",
                           gpu->capability / 10, gpu->capability % 10);
    if (options->split)
        return plan_refuse(plan, WBRNN_INVALID,
                           "The options' split is set, but only networks of fp32 have two groups of blocks a "
                           "layer: choose fp32, or do not set split.");
    if (options->sync == WBRNN_SYNC_HARDWARE)
        return plan_refuse(plan, WBRNN_INVALID,
                           "The options' sync is hardware, but only kernels of fp32 are compiled for wb_wait "
                           "and wb_signal: choose fp32, or another sync.");
    return WBRNN_OK;
}

WbRnnStatus check_options(const WbRnnOptions *options, const RnnGpu *gpu, RnnPlan *plan)
{
    if (check_choice(plan, "options' method", options->method, WBRNN_METHODS) ||
        check_choice(plan, "options' sync", options->sync, WBRNN_SYNCS))
        return WBRNN_INVALID;
    const bool waits = options->method == WBRNN_AUTO || options->method == WBRNN_WAIT_SIGNAL;
    if (options->split && !waits)
        return plan_refuse(plan, WBRNN_INVALID,
                           "The options' split is set, but only the wait-signal method has "
                           "two groups of blocks a layer: choose it, or do not set split.");
    if (options->sync != WBRNN_SYNC_AUTO && !waits)
        return plan_refuse(plan, WBRNN_INVALID,
                           "The options' sync is %u, but only the wait-signal method has a "
                           "choice: choose it, or set sync to 0.", (unsigned)options->sync);
    if (options->graph && options->method != WBRNN_STREAM)
        return plan_refuse(plan, WBRNN_INVALID,
                           "The options' graph is set, but only the stream method is captured "
                           "in a graph: choose it, or do not set graph.");
    return check_sync(options, gpu, plan);
}
