/* What blocks of a launch have to say to the GPU's global sync unit besides calls (grid/unit/global_sync.c):
 * that one has ended, and, in a cooperative launch, what its barrier in memory is about.
 *
 * CUDA's grid_group::sync() is code of the program: the first thread of a block adds to a word of the
 * launch's workspace and reads it until its highest bit has changed. With the knob grid_sync the hardware
 * takes part. The addition tells the unit that the block has come, and a read that finds nothing else of the
 * block running makes it wait, as wb_global_sync() does: nobody polls, and the block may leave its SM. Both
 * instructions do what they always do, so that the word is right for all who read it. */
#ifndef EXEC_GRID_SYNC_H
#define EXEC_GRID_SYNC_H

#include "exec/access.h"

/* The unit's functions, of a launch that needs them. */
typedef struct GridSync {
    /* The last thread of the block has ended, at that instruction. Within a window. */
    void (*ended)(Block *block, uint32_t pc);
    /* The block has come to the barrier in memory, at that instruction. Within a window. */
    void (*arrived)(Block *block, uint32_t pc);
    /* A warp of it waits there, for the arrival with that number of its block. Between windows. */
    void (*waits)(Warp *warp, uint32_t arrival, uint32_t pc, Cycle time);
} GridSync;

/* An atomic, or a load of what others may write, has been handed over, of a launch whose barrier is in
 * hardware. True: the warp waits from now on; a timing model is told by its hook instead. */
bool grid_sync_accessed(Step *step, const Access *access);
/* Between windows: the wait that the warp's last instruction has asked for begins. */
void grid_sync_wait(Warp *warp, Cycle time);

#endif
