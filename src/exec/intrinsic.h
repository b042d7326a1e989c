/* Extern functions that the machine answers: vprintf, malloc, free, __assertfail, and the calls of the device
 * runtime, by which kernels launch others. A unit defines one Intrinsic for each function and names it in
 * intrinsics.def. The linker finds it by the name that the PTX calls. */
#ifndef EXEC_INTRINSIC_H
#define EXEC_INTRINSIC_H

#include "exec/step.h"

/* One call by one group. Arguments are bytes as the callee would see them in its parameter area. */
typedef struct IntrinsicCall {
    Step *step;
    const Call *call;
    const uint8_t *arguments;  /* lane l's begin at l * argument_stride */
    const uint32_t *argument_offsets;
    uint32_t argument_stride;
    uint8_t *results;          /* lane l's begin at l * result_stride */
    uint32_t result_stride;
} IntrinsicCall;

/* What a call costs the calling warp, beyond the way to the unit and back [DTBL table 3]. */
typedef enum IntrinsicCost {
    COST_UNIT,             /* nothing */
    COST_STREAM_CREATE,
    COST_PARAMETER_BUFFER,
    COST_LAUNCH,
    COST_LAUNCH_GROUP
} IntrinsicCost;

enum { INTRINSIC_ALIASES = 4 };

struct Intrinsic {
    const char *name;
    const char *aliases[INTRINSIC_ALIASES]; /* other names of the same, the rest null */
    uint32_t argument_count;
    uint32_t result_bytes;
    const char *description;
    uint8_t cost;          /* IntrinsicCost */
    bool acquires;         /* the calling threads see what others had written when it was answered */
    StepResult (*run)(IntrinsicCall *call); /* STEP_NEXT or STEP_ERROR */
};

const Intrinsic *intrinsic_find(const char *name);
/* All of them, in the order of intrinsics.def; null behind the last. */
const Intrinsic *intrinsic_at(size_t index);

static inline const uint8_t *intrinsic_argument(const IntrinsicCall *call, uint32_t argument, unsigned lane)
{
    return call->arguments + (size_t)lane * call->argument_stride + call->argument_offsets[argument];
}

/* Calls `lane` for every calling lane, in ascending order, up to the first error. */
typedef StepResult IntrinsicLane(IntrinsicCall *call, unsigned lane);
StepResult intrinsic_each_lane(IntrinsicCall *call, IntrinsicLane *lane);

#endif
