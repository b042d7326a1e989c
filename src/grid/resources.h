/* What blocks take of an SM, and how many fit. The dispatcher, occupancy queries and the check of a launch
 * all count with these functions. */
#ifndef GRID_RESOURCES_H
#define GRID_RESOURCES_H

#include <stdbool.h>

#include "config/config.h"

/* Amounts of everything that the blocks of an SM share. Threads are handed out by whole warps. */
typedef struct Resources {
    uint64_t blocks, warps, registers, shared_bytes, barriers;
} Resources;

/* What a kernel asks for each of its blocks. */
typedef struct BlockShape {
    uint32_t threads;
    uint32_t registers;    /* of a thread */
    uint32_t shared_bytes; /* static and dynamic */
    uint32_t barriers;     /* named barriers that the kernel uses */
} BlockShape;

/* An empty SM. */
Resources resources_of_sm(const GpuConfig *config);
/* One block, everything rounded up to the units in which the GPU hands it out. */
Resources resources_of_block(const GpuConfig *config, const BlockShape *shape);
/* Blocks that fit at once where `free` is left. */
uint64_t resources_fit(const Resources *free, const Resources *block);

/* -- places for one block -- */

static inline bool resources_have_room(const Resources *free, const Resources *block)
{
    return free->blocks >= block->blocks && free->warps >= block->warps &&
           free->registers >= block->registers && free->shared_bytes >= block->shared_bytes &&
           free->barriers >= block->barriers;
}

static inline void resources_take(Resources *free, const Resources *block)
{
    free->blocks -= block->blocks;
    free->warps -= block->warps;
    free->registers -= block->registers;
    free->shared_bytes -= block->shared_bytes;
    free->barriers -= block->barriers;
}

static inline void resources_give(Resources *free, const Resources *block)
{
    free->blocks += block->blocks;
    free->warps += block->warps;
    free->registers += block->registers;
    free->shared_bytes += block->shared_bytes;
    free->barriers += block->barriers;
}

#endif
