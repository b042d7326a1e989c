/* The world: all shards, and the threads that take them from window to window. */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include "sim/shard.h"

/* Cycles are those of the world. */
typedef struct WorldEnd {
    Cycle time;      /* of the stop, or the end of the last window */
    uint32_t shard;  /* that stopped the world; UINT32_MAX: nobody did */
    Cycle next;      /* when something is left to do; CYCLE_NEVER: nothing is */
} WorldEnd;

/* `threads`: 0 means as many as the host has processors. `lookahead`: no message is shorter. `window`: how
 * long a window may be, 0 or more than the lookahead means the lookahead. */
World *world_create(uint32_t shard_count, uint32_t threads, Cycle lookahead, Cycle window);
void world_free(World *world);
/* Between windows: lets go of the shards, which keep what is on its way to them for another world. */
void world_release(World *world);
/* Gives the shard its number; numbers order messages. Its group is the world's only one. */
void world_add(World *world, Shard *shard, uint32_t number);
/* The same for one of several groups: `base` is the number of its first shard, `number` counts from there. */
void world_add_to(World *world, Shard *shard, Clock clock, uint32_t base, uint32_t number);
/* The last cycle in which something has happened in any shard, wherever windows ended. */
Cycle world_latest(const World *world);
/* Between windows: the first cycle in which something is left to do; CYCLE_NEVER: nothing is. */
Cycle world_next(World *world);
/* Runs from cycle `start` until no shard has anything to do, one stops the world, or `limit` is reached. */
WorldEnd world_run(World *world, Cycle start, Cycle limit);

#endif
