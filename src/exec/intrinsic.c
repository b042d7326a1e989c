/* The list of intrinsics.def and a search by name. A program looks its calls up once, when it is linked, so a
 * scan over names and aliases is fast enough. */
#include "exec/intrinsic.h"

#include <string.h>

#define INTRINSIC(identifier) extern const Intrinsic intrinsic_##identifier;
#include "exec/intrinsics.def"
#undef INTRINSIC

static const Intrinsic *const intrinsics[] = {
#define INTRINSIC(identifier) &intrinsic_##identifier,
#include "exec/intrinsics.def"
#undef INTRINSIC
};

enum { INTRINSIC_COUNT = sizeof intrinsics / sizeof *intrinsics };

const Intrinsic *intrinsic_at(size_t index) { return index < INTRINSIC_COUNT ? intrinsics[index] : NULL; }

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
        if (has_name(intrinsics[i], name))
            return intrinsics[i];
    return NULL;
}

StepResult intrinsic_each_lane(IntrinsicCall *call, IntrinsicLane *lane)
{
    StepResult result = STEP_NEXT;
    for (Mask rest = call->step->mask; rest && result == STEP_NEXT; rest &= rest - 1)
        result = lane(call, mask_first(rest));
    return result;
}
