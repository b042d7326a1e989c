/* Telling how far a simulation is while it runs, and stopping it.
 *
 * The machine runs in slices of cycles, whose length follows the host's clock, and between turns of
 * functional mode somebody looks at that clock, too; there the user's function is called when it is due.
 * Where the machine stops in between has no influence on what it does, so results are the same with any
 * clock. */
#ifndef API_PROGRESS_H
#define API_PROGRESS_H

#include "exec/functional/functional.h"
#include "sim/clock.h"

/* Invariant: launches_done <= launches_known. Times are those of the host's clock, in seconds. */
typedef struct Progress {
    WbProgressFunction *function; /* null: nobody is told */
    void *context;
    double interval;              /* between its calls */
    double next;                  /* when it is called again; 0: as soon as an interval has passed */
    double began;                 /* when the call that simulates now did */
    double sliced;                /* when the present slice began */
    Cycle slice;                  /* cycles of a slice */
    Cycle slice_end;
    uint64_t launches_expected;   /* 0: nobody said, or more have come */
    uint64_t launches_known, launches_done; /* kernels of the host; what was dropped is not known any more */
} Progress;

/* What the kernels that run now have launched so far. */
typedef struct DeviceProgress {
    uint64_t launches, blocks, blocks_ended;
    uint32_t open; /* launches that are not complete */
} DeviceProgress;

struct CycleMachine;
DeviceProgress progress_of_devices(const struct CycleMachine *machine);

/* Around all that a call simulates: counts the host's seconds. */
void progress_begin(WbGpu *gpu);
void progress_end(WbGpu *gpu);
/* How far the machine may run before somebody looks again, at most to `limit`. */
Cycle progress_slice(WbGpu *gpu, Cycle limit);
/* Looks at the clock, tells how far the simulation is where that is due, and fails if it is to stop. */
WbStatus progress_look(WbGpu *gpu, Error *error);
/* The same while a launch runs functionally; the context is the GPU. */
FunctionalLook progress_look_functional;

#endif
