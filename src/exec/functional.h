/* Functional mode: runs a launch to its end, and all that it launches, with no timing.
 *
 * Up to `resident_blocks` blocks are in flight, as they would be on the GPU; each warp of each of them
 * runs `turn` instructions and then the next one's turn comes, so that a block that waits for another
 * resident block gets its answer. A block that ends makes room for the next of its grid, and when there is
 * none, of the grid that became ready next. A block that waits for what it has launched makes room, too.
 *
 * Blocks of a dependency graph begin when all their parents have ended, in the order in which that comes
 * about [Wireframe §3.1]. */
#ifndef EXEC_FUNCTIONAL_H
#define EXEC_FUNCTIONAL_H

#include "depend/graph.h"
#include "exec/device_runtime.h"

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
    uint64_t watchdog;        /* warp instructions without a block's begin or end after which warps are watched
                                 for spinning; 0: never */
    FunctionalLook *look;     /* null: nobody looks */
    void *look_context;
} FunctionalLimits;

/* A grid of the run. Invariant: ended <= next <= total. */
typedef struct FunctionalGrid {
    Launch launch;            /* the first member: a block finds its grid by it */
    Family family;
    uint64_t next, ended, total; /* blocks */
    LaunchBuffer *buffer;     /* of a grid that a kernel has launched; null: the host has */
    uint32_t place;           /* among those of the run */
} FunctionalGrid;

typedef struct FunctionalRun FunctionalRun;

/* Runs the grids of the graph, or without one a single grid, and what they launch. The launches are filled in
 * and have one error, which holds the sentence when the result is not WB_OK. `runtime` is null where kernels
 * cannot launch. */
WbStatus functional_run(FunctionalRun *run, FunctionalGrid *grids, uint32_t count,
                        const DependencyGraph *graph, const FunctionalLimits *limits,
                        DeviceRuntime *runtime);
/* A run for one call of functional_run(), so that launchers have something to add their grids to. */
FunctionalRun *functional_run_create(void);
void functional_run_free(FunctionalRun *run);
/* A grid that a kernel has launched, from xcalloc(); family_launch() has been called. The run frees it, with
 * its buffer. */
void functional_add(FunctionalRun *run, FunctionalGrid *grid);

#endif
