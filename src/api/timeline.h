/* The timeline: what is in streams, what each operation waits for, and when it happens.
 *
 * An operation waits for the one before it in its stream, for events, and between the default stream and
 * blocking ones for what CUDA says. All that is known when it is put in, so it is kept as a count of
 * operations that have to end first; at 0 it is ready. Streams are dealt out to the hardware's work queues
 * (knob hardware_queues): a kernel also waits for the one before it in its queue, whosever stream that is in,
 * because the queue is not looked at until its head kernel has completed [DTBL §2.2]. Ready ones start at
 * once: kernels on the machine as long as fewer than concurrent_kernels run, copies on the engine of their
 * direction one after the other. The kernels of a dependency graph are one operation and count as one; there
 * is hardware for one graph at a time.
 * Everything ready at one time starts in the order of priority and putting in, so the result is the same on
 * every host.
 *
 * Time stands still between calls that wait. These run the timeline until what they wait for has ended. In
 * functional mode, and for kernels that the knob timed_kernels leaves out, a kernel takes a cycle for each
 * warp instruction, which is what %clock counts there; kernels run side by side as in cycle mode, each as if
 * it had the GPU for itself (exec/functional/functional.h). */
#ifndef API_TIMELINE_H
#define API_TIMELINE_H

#include "api/cycle.h"
#include "base/vec.h"
#include "exec/functional/functional.h"
#include "grid/graph_run.h"
#include "watch/checker.h"
#include "warpbeam.h"

typedef enum OperationKind {
    OPERATION_LAUNCH, OPERATION_COPY, OPERATION_FILL,
    OPERATION_CALL, OPERATION_RECORD, OPERATION_WAIT, OPERATION_GATE /* from the call on they take no time */
} OperationKind;

/* A launch that has been checked. */
typedef struct LaunchOrder {
    WbKernel *kernel;
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared_bytes;
    bool cooperative;
    int priority;
    uint8_t *parameters;       /* owned, until the launch takes them over */
    RunningKernel *running;    /* null: it is not on the machine */
    bool is_profiled;
    uint32_t profile_grid;     /* of the profile, if it is */
} LaunchOrder;

/* What a launch of a dependency graph holds from its call to its end. Invariant: run.graph is `graph`, and
 * run.kernels[g] is null where kernel g is not on the machine. */
typedef struct GraphLaunch {
    DependencyGraph *graph;
    GraphRun run;
    Checker *checker;          /* null: nobody checks it */
} GraphLaunch;

/* A launch that runs without timing. Invariant: ended is CYCLE_NEVER exactly as long as `run` is there. */
typedef struct FunctionalLaunch {
    FunctionalRun *run;        /* null: it is over */
    FunctionalGrid *grids;
    Launch *described;         /* whose parameters it owns */
    Error error;               /* of its instructions */
    Cycle started, ended;
} FunctionalLaunch;

/* Kernels that start together: those of a graph, in the order of its grids, or without one a single kernel.
 * Invariant: on the machine of cycle mode, running counts the orders whose `running` is set; without timing
 * it is `count` as long as `functional` is there. */
typedef struct KernelLaunch {
    LaunchOrder *orders;
    uint32_t count, running;
    FunctionalLaunch *functional; /* null: it has not started, or is timed */
    uint32_t stream;           /* its number, from when it starts */
    GraphLaunch *graph;        /* null: blocks do not depend on each other */
} KernelLaunch;

/* Invariant: from when waits_for is 0 to its end it is in exactly one list of the timeline. */
typedef struct Operation {
    OperationKind kind;
    WbStream *stream;
    uint64_t sequence;         /* in the order of putting in */
    Cycle submitted;           /* it does not start before: the host was so far then, and a launch has to come
                                  from there (host_launch_latency_ns) */
    Cycle ended;               /* known once it has started, of kernels later: CYCLE_NEVER until then */
    uint32_t waits_for;        /* operations */
    VEC(struct Operation *) successors;
    bool *notice;              /* set when it has ended; null: nobody waits */
    union {
        KernelLaunch launch;
        struct { WbCopy copy; uint8_t *staged; } copy; /* staged: the source, if it was read when put in */
        WbFill fill;
        struct { WbHostFunction *function; void *context; } call;
        WbEvent *event;        /* of a record; null: destroyed or recorded again since */
    };
} Operation;

struct WbStream {
    WbGpu *gpu;
    uint32_t number;           /* in the order of creation; the default stream's is 0 */
    unsigned flags;
    int priority;
    Operation *last;           /* the latest one that has not ended; null: it is empty */
    bool is_fresh;             /* it is in the timeline's list of that name */
    bool is_destroyed;         /* freed when it is empty */
};

/* Invariant: operation is null, or the latest record, which has not ended; `ended` is that of the latest that
 * has. */
struct WbEvent {
    WbGpu *gpu;
    Operation *operation;
    bool is_recorded;
    Cycle ended;
};

/* Invariant: it is in the timeline's list of gates, and its operation, which has not ended, waits for it. */
struct WbGate {
    WbGpu *gpu;
    Operation *operation;
};

typedef enum CopyEngine { ENGINE_TO_DEVICE, ENGINE_TO_HOST, ENGINE_ON_DEVICE, ENGINE_COUNT } CopyEngine;

typedef struct OperationList {
    Operation **items;
    uint32_t count, capacity;
} OperationList;

/* Invariant: of blocking streams that are not fresh, all operations end before the default stream's
 * latest. */
typedef struct Timeline {
    WbStream default_stream;
    VEC(WbStream *) streams;   /* the others */
    VEC(WbStream *) fresh;     /* blocking ones that got an operation after the default stream's latest */
    VEC(WbGate *) gates;       /* that are closed */
    VEC(Operation *) queues;   /* the latest launch of each hardware queue that has not ended; null: none */
    uint32_t next_stream;      /* number of the next that is created */
    OperationList later;       /* ready, but not submitted yet; by that, and by sequence */
    OperationList ready, ready_launches; /* by priority and sequence */
    OperationList on_machine;  /* launches that have started, in that order */
    OperationList timed;       /* all others that have started, by their end */
    uint32_t pending;          /* operations that have not ended */
    uint64_t next_sequence;
    Cycle host;                /* how far the host is; at least gpu->now while it runs */
    Cycle engine_free[ENGINE_COUNT];
    uint32_t active_launches;  /* a graph counts as one */
    uint32_t cooperative_kernels, graphs; /* of these */
    uint32_t waiting_launches; /* that have not started */
    bool is_calling;           /* a host function is running: it must not wait */
} Timeline;

void timeline_init(WbGpu *gpu);
void timeline_free(WbGpu *gpu);
/* Puts it into its stream (null: the default one), behind what it has to wait for. Returns it. */
Operation *timeline_put(WbGpu *gpu, WbStream *stream, OperationKind kind);
/* Another operation that has to end first; null: none. Only directly after timeline_put(). */
void operation_wait_for(Operation *operation, Operation *earlier);
/* Of a gate, which is gone then. */
void timeline_open(WbGpu *gpu, WbGate *gate);
/* The operation is complete: from now on it may start. */
void timeline_release(WbGpu *gpu, Operation *operation);
/* Frees the streams that are destroyed and empty. */
void timeline_sweep(WbGpu *gpu);
/* The failure, if any, of what ran inside a call that returns nothing; it is told once. */
WbStatus timeline_report(WbGpu *gpu, Error *error);
/* Runs until the operation has ended; null: until everything has. A failure drops all that is left. */
WbStatus timeline_run(WbGpu *gpu, Operation *until, Error *error);
/* Runs for so many cycles, at most until the operation has ended; WB_NOT_READY if it has not. */
WbStatus timeline_peek(WbGpu *gpu, Operation *until, Cycle cycles, Error *error);

/* -- launches (launch_run.c) -- */

/* Puts it into the stream; it owns what it points to from then on. */
void launch_put(WbGpu *gpu, WbStream *stream, KernelLaunch launch);
/* Whether it runs on the machine of cycle mode: one of its kernels is to be timed. */
bool launch_is_timed(const WbGpu *gpu, const KernelLaunch *launch);
/* Starts it in the present cycle. */
WbStatus launch_start(WbGpu *gpu, KernelLaunch *launch, Error *error);
/* Lets those without timing run until they are in that cycle, or one is over. `is_silent`: nothing else can
 * happen before. */
WbStatus launches_advance(WbGpu *gpu, Cycle until, bool is_silent, Error *error);
/* Those that run without timing do not any more. */
void launches_drop(WbGpu *gpu);
/* When the next of its kernels ends; CYCLE_NEVER: it is not known yet. */
Cycle launch_next_end(const KernelLaunch *launch);
/* Ends those of its kernels that end in the present cycle. */
WbStatus launch_end_due(WbGpu *gpu, KernelLaunch *launch, Error *error);
void launch_free(WbGpu *gpu, KernelLaunch *launch);
/* Gives back its memory on the GPU, too (graph_launch.c). */
void graph_launch_free(WbGpu *gpu, GraphLaunch *graph);

/* -- copies and fills (copy.c) -- */

WbStatus copy_check(WbGpu *gpu, const WbCopy *copy, Error *error);
WbStatus copy_perform(WbGpu *gpu, const WbCopy *copy, const uint8_t *staged, Error *error);
/* The source's bytes, row by row. */
uint8_t *copy_stage(WbGpu *gpu, const WbCopy *copy);
CopyEngine copy_engine(WbGpu *gpu, const WbCopy *copy);
uint64_t copy_bytes(const WbCopy *copy);
Cycle copy_cycles(WbGpu *gpu, const WbCopy *copy);
WbStatus fill_check(WbGpu *gpu, const WbFill *fill, Error *error);
WbStatus fill_perform(WbGpu *gpu, const WbFill *fill, Error *error);
uint64_t fill_bytes(const WbFill *fill);
Cycle fill_cycles(WbGpu *gpu, const WbFill *fill);

#endif
