/* Extern functions that the machine answers: vprintf, malloc, free, __assertfail, and the calls of the device
 * runtime, by which kernels launch others. Each is a row of intrinsics.def and a C function. The linker finds
 * it by the name that the PTX calls. */
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

enum { INTRINSIC_ALIASES = 4 };

/* A knob of GpuConfig by its place there; 0: none, for there is the name of the configuration. */
typedef size_t KnobPlace;

/* Exchanges between lanes that a call takes which the SM answers by itself, one after the other. */
typedef enum LaneSteps {
    NO_STEPS,              /* a unit outside the SM answers it */
    ONE_STEP,
    STEP_FOR_EACH_BIT      /* of a lane's number, with a sum each: a tree over the warp */
} LaneSteps;

/* What a row says. Cycles are what the calling warp waits where that is longer than the way to a unit outside
 * the SM and back. */
struct Intrinsic {
    const char *name;
    const char *aliases[INTRINSIC_ALIASES]; /* other names of the same, the rest null */
    uint32_t argument_count;
    const char *description;
    KnobPlace warp_cycles;
    KnobPlace thread_cycles; /* beside these, for each calling thread */
    KnobPlace condition;   /* it waits these cycles only while the knob is on */
    KnobPlace way;         /* cycles to the unit that answers, and back; 0 cycles: crossbar_latency; without
                              it, unit_latency */
    bool acquires;         /* the calling threads see what others had written when it was answered */
    bool together;         /* all lanes of a warp make the call at once, as one of their block's */
    bool of_grid;          /* all blocks of a launch have to make it */
    bool leaves;           /* the calling wavefront leaves its SM: room for its context is taken before */
    bool posted;           /* nobody waits for an answer */
    LaneSteps steps;       /* it is instructions of the warp's own SM, and changes nothing but its lanes */
    StepResult (*run)(IntrinsicCall *call); /* STEP_NEXT or STEP_ERROR */
};

#define INTRINSIC(function, name, arguments, description, ...)                                               \
    StepResult intrinsic_##function(IntrinsicCall *call);
#include "exec/intrinsics.def"
#undef INTRINSIC

/* Whether it is done when it issues, within the window. */
static inline bool intrinsic_is_at_once(const Intrinsic *intrinsic)
{
    return intrinsic->posted || intrinsic->steps != NO_STEPS;
}

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
