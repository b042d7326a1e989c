/* The list of intrinsics.def and a search by name. A program looks its calls up once, when it is linked, so a
 * scan over names and aliases is fast enough. */
#include "exec/intrinsic.h"

#include <stddef.h>
#include <string.h>

#include "config/config.h"

#define ALIASES(...) .aliases = {__VA_ARGS__}
#define WARP_CYCLES(knob) .warp_cycles = offsetof(GpuConfig, knob)
#define THREAD_CYCLES(knob) .thread_cycles = offsetof(GpuConfig, knob)
#define ONLY_IF(knob) .condition = offsetof(GpuConfig, knob)
#define WAY(knob) .way = offsetof(GpuConfig, knob)
#define ACQUIRES .acquires = true
#define TOGETHER .together = true
#define OF_GRID .of_grid = true
#define LEAVES .leaves = true
#define POSTED .posted = true
#define ON_SM(count) .steps = count
#define INTRINSIC(function, called, arguments, text, ...)                                                    \
    {.name = called,                                                                                         \
     .argument_count = arguments,                                                                            \
     .description = text,                                                                                    \
     .run = intrinsic_##function,                                                                            \
     __VA_ARGS__},
static const Intrinsic intrinsics[] = {
#include "exec/intrinsics.def"
};
#undef INTRINSIC

enum { INTRINSIC_COUNT = sizeof intrinsics / sizeof *intrinsics };

const Intrinsic *intrinsic_at(size_t index) { return index < INTRINSIC_COUNT ? &intrinsics[index] : NULL; }

static bool has_name(const Intrinsic *intrinsic, const char *name)
{
    if (strcmp(intrinsic->name, name) == 0)
        return true;
    for (size_t i = 0; i < INTRINSIC_ALIASES && intrinsic->aliases[i]; i++)
        if (strcmp(intrinsic->aliases[i], name) == 0)
            return true;
    return false;
}

const Intrinsic *intrinsic_find(const char *name)
{
    for (size_t i = 0; i < INTRINSIC_COUNT; i++)
        if (has_name(&intrinsics[i], name))
            return &intrinsics[i];
    return NULL;
}

StepResult intrinsic_each_lane(IntrinsicCall *call, IntrinsicLane *lane)
{
    StepResult result = STEP_NEXT;
    for (Mask rest = call->step->mask; rest && result == STEP_NEXT; rest &= rest - 1)
        result = lane(call, mask_first(rest));
    return result;
}
