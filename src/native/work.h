/* Kinds of work: what one machine instruction does, by the pipe that does it and the time that takes.
 *
 * Lists of machine instructions are written as letters with counts, "i2 m1": table.def. */
#ifndef NATIVE_WORK_H
#define NATIVE_WORK_H

#include "native/timing.h"

typedef enum Work {
    WORK_INT,      /* i: sums, logic, shifts, comparison, selection */
    WORK_MULTIPLY, /* m: integer products and multiply-adds */
    WORK_FP32,     /* f */
    WORK_FP64,     /* d */
    WORK_HALF,     /* h */
    WORK_SFU,      /* s: special functions, conversions, bit counts */
    WORK_MEMORY,   /* l: load/store unit; as latency, an exchange between lanes */
    WORK_CONTROL,  /* c: branches, calls, convergence barriers */
    WORK_UNIFORM,  /* u: uniform datapath */
    WORK_TENSOR,   /* t */
    WORK_SPECIAL,  /* r: reading a special register */
    WORK_CONSTANT, /* k: reading the constant bank */
    WORK_WIDE,     /* x: integer products of 64 bits, or their upper half */
    /* only in chains of dependent instructions: */
    WORK_PREDICATE, /* p: from a comparison to who needs its predicate */
    WORK_TURN,      /* w: a cycle until its turn to issue */
    WORK_COUNT
} Work;

/* How many machine instructions of each kind. */
typedef struct WorkList {
    uint8_t count[WORK_COUNT];
} WorkList;

/* From "i2 m1". */
WorkList work_parse(const char *letters);
unsigned work_total(const WorkList *list);

Pipe work_pipe(Work work, const GpuConfig *config);
/* What its issue slots are counted as. */
SlotKind work_slot(Work work, const GpuConfig *config);
/* Cycles that one instruction of this kind occupies its pipe. The load/store unit has its own queue and says
 * itself how long an access occupies it: for it, until the warp's next one. */
unsigned work_interval(Work work, const GpuConfig *config);
/* Cycles from its issue until a dependent instruction can issue. */
unsigned work_latency(Work work, const GpuConfig *config);
/* The kind of a single instruction of the unit. */
Work work_of_unit(Unit unit);
/* Of a call that the SM answers by exchanges between lanes, of which each depends on the one before; empty:
 * the instruction is none. */
WorkList work_of_exchange(const Insn *insn, const GpuConfig *config);

#endif
