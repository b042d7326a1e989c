/* The order in which a GPU's assembler would issue a function's instructions.
 *
 * schedule.c          cuts a body into regions and puts each into its new order
 * schedule_depend.c   what must stay before what in a region, and how many cycles before
 * schedule_memory.c   the same for accesses to memory and for what orders them
 * schedule_list.c     the choice of the next instruction, cycle by cycle
 *
 * docs/NATIVE.md, "Order", says what this follows. */
#ifndef PTX_SCHEDULE_H
#define PTX_SCHEDULE_H

#include "ptx/module.h"

/* A copy of the function, owned by the arena, whose instructions stand in the order for GPUs of that target
 * (90 for sm_90) inside their basic blocks; blocks keep their places, so labels and tables stay right. All
 * but `insns` is shared with the function. What a thread computes stays the same, and so does the order of
 * accesses to memory as far as another thread may rely on it. A module for debuggers keeps its own order. */
const Function *schedule_function(const Module *module, const Function *function, uint32_t target,
                                  Arena *arena);

#endif
