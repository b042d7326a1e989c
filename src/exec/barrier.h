/* Barriers of a block: bar and barrier, with names, counts, arrive and reductions.
 *
 * Every thread arrives on its own. Where the instruction gives a count, it counts whole warps: a warp
 * all of whose live threads have come stands for all its lanes, so that a partial or partly ended warp
 * does not hold the barrier up. Without a count the barrier waits for all threads still alive. */
#ifndef EXEC_BARRIER_H
#define EXEC_BARRIER_H

#include "exec/step.h"

/* Lets go whatever can go on after threads have ended. */
void barrier_release_all(Block *block);

#endif
