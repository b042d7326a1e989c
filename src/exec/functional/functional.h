/* Functional mode: runs launches to their ends, and all that they launch, with no timing.
 *
 * Of a launch up to `resident_blocks` blocks are in flight, as they would be on the GPU; each warp of each of
 * them runs `turn` instructions and then the next one's turn comes, so that a block that waits for another
 * resident block gets its answer. A block that ends makes room for the next of its grid, and when there is
 * none, of the grid that became ready next. A block that waits for what it has launched makes room, too.
 *
 * Launches of the host run side by side. Each has a clock, which counts its own warp instructions from the
 * cycle in which it started; the one that is furthest behind has its turn next. So kernels that wait for each
 * other's signals get them, and how long one takes does not depend on who is beside it.
 *
 * Blocks begin by index, or in the order that the launch gives (exec/launch_order.h). Those of a dependency
 * graph begin when all their parents have ended, in the order in which that comes about [Wireframe §3.1].
 * Those of a flow graph begin as the aggregator gives them, which has its turn when every block has had one.
 * */
#ifndef EXEC_FUNCTIONAL_FUNCTIONAL_H
#define EXEC_FUNCTIONAL_FUNCTIONAL_H

#include "depend/graph.h"
#include "exec/runtime/device_runtime.h"
#include "exec/machine.h"
#include "exec/task.h"
#include "exec/hang/spin.h"

/* How far a run is. */
typedef struct FunctionalStanding {
    const char *kernel;       /* the first of the host's that has not ended */
    uint64_t ended, total;    /* blocks of the host's kernels */
    Error *error;             /* the run's */
} FunctionalStanding;
/* Looks at a run now and then, between turns; false: it stops, and has set the run's error. */
typedef bool FunctionalLook(void *context, const FunctionalStanding *standing);

typedef struct FunctionalLimits {
    uint32_t turn;            /* warp instructions before the next warp's turn; at least 1 */
    uint32_t resident_blocks; /* at least 1 */
    uint64_t instructions;    /* warp instructions after which the launch counts as hanging; 0: none */
    uint64_t watchdog;        /* warp instructions without a block's begin or end after which warps are
                                 watched for spinning; 0: never */
    FunctionalLook *look;     /* null: nobody looks */
    void *look_context;
    MemoryHook *memory;       /* is told of accesses; null: nobody is */
} FunctionalLimits;

typedef struct FunctionalRun FunctionalRun;

/* A grid of the run. Invariant: ended <= next <= total. */
typedef struct FunctionalGrid {
    Launch launch;            /* the first member: a block finds its grid by it */
    Family family;
    uint64_t next, ended, total; /* blocks */
    LaunchBuffer *buffer;     /* of a grid that a kernel has launched; null: the host has */
    FunctionalRun *run;       /* that it belongs to */
    uint32_t place;           /* among those of the run */
} FunctionalGrid;

/* Where blocks of a flow graph come from: tasks (exec/task.h), for grid `node` of the run. What gives them
 * runs beside the blocks, and takes turns with them. */
typedef struct FunctionalTasks {
    void *context;
    /* Lets the giver go on for a turn; `clock` is the run's. False: it has changed nothing, or `error` says
     * why it cannot. */
    bool (*turn)(void *context, Cycle clock, Error *error);
    /* Takes the next task; false: there is none now. */
    bool (*next)(void *context, uint32_t *node, BlockTask *task);
    void (*ended)(void *context, const BlockTask *task, Cycle clock);
    /* Whether there will be no more. */
    bool (*is_over)(const void *context);
} FunctionalTasks;

/* What the order of blocks comes from; both null: there is one grid, and it begins. */
typedef struct FunctionalOrder {
    const DependencyGraph *graph; /* that the grids are of */
    const FunctionalTasks *tasks; /* the grids are the nodes of a flow graph */
} FunctionalOrder;

/* A run of the grids of a graph, or without one of a single grid, and of what they launch. The grids stay
 * the caller's; they are filled in and have one error. `runtime` is null where kernels cannot launch. */
FunctionalRun *functional_create(FunctionalGrid *grids, uint32_t count, FunctionalOrder order,
                                 const FunctionalLimits *limits, DeviceRuntime *runtime, uint64_t clock);
void functional_free(FunctionalRun *run);
bool functional_is_over(const FunctionalRun *run);
/* How far it is. */
uint64_t functional_clock(const FunctionalRun *run);
/* A grid that a kernel has launched, from xcalloc(); family_launch() has been called. The run frees it, with
 * its buffer. */
void functional_add(FunctionalRun *run, FunctionalGrid *grid);

/* Looks for warps that spin. Invariant: marks is null exactly while nobody is watched. */
typedef struct SpinWatch {
    uint64_t moves;            /* of all runs, as last seen */
    uint64_t quiet_from, next; /* instructions of all runs at the last move; from which on it watches */
    uint64_t changes;          /* of the machine, as last seen */
    uint32_t rounds, strikes;  /* since it watches; of these, those with changes */
    SpinMark *marks;           /* [slot of all runs][MAX_WIDTH] */
    SpinPrograms programs;     /* that were watched */
} SpinWatch;

/* Runs side by side, of one machine; all have the same watchdog. */
typedef struct FunctionalSide {
    VEC(FunctionalRun *) runs; /* that are not over */
    uint64_t moves, instructions; /* of those that were here before, and their coming and going */
    SpinWatch watch;
} FunctionalSide;

/* What there is besides the runs. */
typedef struct FunctionalOutside {
    bool is_silent;            /* nothing can come from there before one of them has ended */
    uint32_t waiting_launches; /* of the host, which have not begun */
} FunctionalOutside;

void functional_enter(FunctionalSide *side, FunctionalRun *run);
/* The run does not take part any more. */
void functional_leave(FunctionalSide *side, FunctionalRun *run);
/* Lets all run until their clocks are at least `until`; earlier, the first that is over or has failed, which
 * its error says. Null: all are there. */
FunctionalRun *functional_advance(FunctionalSide *side, uint64_t until, const FunctionalOutside *outside);

#endif
