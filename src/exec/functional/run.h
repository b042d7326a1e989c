/* Inside of functional mode: functional.c (a launch's blocks) and side.c (launches side by side).
 *  */
#ifndef EXEC_FUNCTIONAL_RUN_H
#define EXEC_FUNCTIONAL_RUN_H

#include "depend/ready.h"
#include "exec/functional/functional.h"

/* Where a block runs. Its memory is used again for the next block, if that has the same needs: a grid whose
 * blocks end within their turn uses the memory of one block again and again, which stays in the host's
 * caches. Invariant: grid is null exactly while no block is here; block may be there for its memory. */
typedef struct Slot {
    Block *block;
    FunctionalGrid *grid;
    bool is_waiting;        /* the block waits in place: none of its warps can go on */
    const Program *program; /* of the memory, as are the next three */
    uint32_t shared_bytes, local_bytes, warps;
} Slot;

/* Invariant: count of the block's part is 0 exactly while there is none. */
typedef struct FunctionalTask {
    uint32_t node;
    BlockTask block;
} FunctionalTask;

struct FunctionalRun {
    FunctionalLimits limits;
    DeviceRuntime *runtime;
    MemoryHook *memory;    /* of its instructions; null: none */
    Error *error;
    FunctionalGrid *grids; /* of the graph, in its order */
    uint32_t grid_count;
    ReadyBlocks graph; /* without a graph, empty */
    const FunctionalTasks *tasks; /* of a flow graph; null: it is none */
    FunctionalTask task; /* the next one, if there is one */
    VEC(Slot) slots;
    uint32_t busy_slots; /* in which a block is */
    uint32_t waiting_slots; /* of these, in which one waits */
    uint32_t next_slot; /* that is visited next */
    uint64_t rounds;    /* in which every slot was visited; and those that the watchdog has seen */
    uint64_t rounds_seen;
    VEC(FunctionalGrid *) queue; /* grids that are ready, from `first` on those with blocks left */
    uint32_t first;
    VEC(Block *) aside;   /* blocks that wait away; aside[block->slot] is the block */
    VEC(Block *) resumed; /* blocks that have waited, from first_resumed on */
    uint32_t first_resumed;
    VEC(FunctionalGrid *) launched; /* by kernels, not complete */
    uint64_t clock;                 /* what %clock shows its instructions next */
    uint64_t instructions;
    uint64_t next_look; /* instructions after which somebody looks at the run again */
    FamilyEvents events;
    uint64_t moves; /* blocks that have begun, ended, gone aside or come back, and grids that came */
};

static inline FunctionalGrid *grid_of(const Block *block) { return (FunctionalGrid *)block->launch; }

/* Whether none of its blocks can go on before somebody else ends a wait. */
bool functional_is_stuck(const FunctionalRun *run);
/* One visit of a slot: its block goes on for some rounds; while blocks end, others take its place. */
WbStatus functional_visit(FunctionalRun *run);

#endif
