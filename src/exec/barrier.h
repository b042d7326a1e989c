/* Barriers of a block: bar and barrier, with names, counts, arrive and reductions.
 *
 * Every thread arrives on its own. Where the instruction gives a count, it counts whole warps: a warp
 * all of whose live threads have come stands for all its lanes, so that a partial or partly ended warp
 * does not hold the barrier up. Without a count the barrier waits for all threads still alive. */
#ifndef EXEC_BARRIER_H
#define EXEC_BARRIER_H

#include "exec/step.h"

/* Named barriers that a program's blocks need: those up to the highest that an instruction names, all
 * where one names it in a register. */
uint32_t barrier_count(const Program *program);
/* Warps of the block that have lanes waiting at the barrier. */
uint32_t barrier_waiting(const Block *block, uint32_t name);
/* Lets go whatever can go on after threads have ended. */
void barrier_release_all(Block *block);

#endif
