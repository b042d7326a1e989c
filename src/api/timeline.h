/* The timeline: what is in streams, what each operation waits for, and when it happens.
 *
 * An operation waits for the one before it in its stream, for events, and between the default stream and
 * blocking ones for what CUDA says. All that is known when it is put in, so it is kept as a count of
 * operations that have to end first; at 0 it is ready. Streams are dealt out to the hardware's work queues
 * (knob hardware_queues): a kernel also waits for the one before it in its queue, whosever stream that is in,
 * because the queue is not looked at until its head kernel has completed [DTBL §2.2]. Ready ones start at
 * once: kernels on the machine as long as fewer than concurrent_kernels run, copies on the engine of their
 * direction one after the other. The kernels of a dependency graph, or of a flow graph, are one operation and
 * count as one; there is hardware for one graph of either kind at a time.
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
#include "api/system.h"
#include "base/vec.h"
#include "exec/functional/functional.h"
#include "grid/flow_run.h"
#include "grid/graph_run.h"
#include "watch/checker.h"
#include "warpbeam.h"

typedef enum OperationKind {
    OPERATION_LAUNCH, OPERATION_COPY, OPERATION_FILL, OPERATION_PREFETCH,
    OPERATION_CALL, OPERATION_RECORD, OPERATION_WAIT, OPERATION_GATE /* from the call on they take no time */
} OperationKind;

/* A kernel that the host launches, from its call to its record.
 *
 * At the call it has passed all checks, and `launch` holds what was asked for: grid, block, dynamic shared
 * memory, parameters. When its turn comes launch_complete() fills in the rest, and whoever runs it begins
 * with a copy: a grid of functional mode, or of the machine. It owns parameters and order to the end, so that
 * neither has to know where they came from. Invariant: grid, record and before are there exactly while it is
 * on the machine of cycle mode; its record leaves first. */
struct HostKernel {
    WbKernel *kernel;
    Launch launch;
    bool cooperative;
    bool is_prepared;          /* while kernels before it run (kernel_prepared_cycles) */
    GridKernel *grid;
    KernelRecord *record;
    Snapshot *before;          /* the counters at its start */
    LineProfile *profile;      /* null: none is kept */
    LaunchBuffer *parameters;  /* where its parameters lie in global memory; null: in host memory alone */
};

/* What a launch of a dependency graph holds from its call to its end. Invariant: run.graph is `graph`, and
 * run.kernels[g] is null where kernel g is not on the machine. */
typedef struct GraphLaunch {
    DependencyGraph *graph;
    GraphRun run;
    Checker *checker;          /* null: nobody checks it */
} GraphLaunch;

/* What a launch of a flow graph holds from its call to its end. Invariant: run.kernels[n] is null where the
 * kernel of node n is not on the machine. */
typedef struct FlowLaunch {
    FlowRun run;
    WbKernel *firmware;        /* the aggregator's program */
    Arena arena;               /* of names */
} FlowLaunch;

/* A launch that runs without timing. Invariant: ended is CYCLE_NEVER exactly as long as `run` is there. */
typedef struct FunctionalLaunch {
    FunctionalRun *run;        /* null: it is over */
    FunctionalGrid *grids;
    Error error;               /* of its instructions */
    Cycle started, ended;
} FunctionalLaunch;

/* Managed memory goes to a place: a GPU, or HOME_HOST. `from` and `bytes`, of what has to move, are known
 * from its start on. */
typedef struct Prefetch {
    uint64_t address, size;
    int32_t from, to;
    uint64_t bytes;
} Prefetch;

/* A launch is one operation, however many kernels start together: those of a dependency graph, in the order
 * of its grids, the nodes of a flow graph, or without either a single kernel. Invariant: from when waits_for
 * is 0 to its end it is in exactly one list of the timeline. Of a launch on the machine, running counts the
 * kernels that are there; without timing it is `count` as long as `functional` is there. */
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
        struct {
            HostKernel *kernels;
            uint32_t count, running;
            FunctionalLaunch *functional; /* null: it has not started, or is timed */
            GraphLaunch *graph; /* null: blocks do not depend on each other */
            FlowLaunch *flow;   /* null: they are not tasks of a flow graph */
        } launch;
        struct { WbCopy copy; uint8_t *staged; } copy; /* staged: the source, if it was read when put in */
        WbFill fill;
        Prefetch prefetch;
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

typedef enum CopyEngine {
    ENGINE_TO_DEVICE,
    ENGINE_TO_HOST,
    ENGINE_ON_DEVICE,
    ENGINE_PEER, /* between two GPUs; those take no turns (api/link_copy.h) */
    ENGINE_COUNT
} CopyEngine;

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
    Cycle engine_free[ENGINE_COUNT];
    uint32_t active_launches;  /* a graph counts as one */
    uint32_t cooperative_kernels, graphs, flows; /* of these */
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
/* An operation that is starting, or has started and takes a time that is known, ends in that cycle. */
void timeline_move_end(WbGpu *gpu, Operation *operation, Cycle ended);
/* The operation is complete: from now on it may start. */
void timeline_release(WbGpu *gpu, Operation *operation);
/* Frees the streams that are destroyed and empty. */
void timeline_sweep(WbGpu *gpu);
/* What is ready starts, as far as it may. */
WbStatus timeline_start_ready(WbGpu *gpu, Error *error);
/* What ends in the present cycle does. */
WbStatus timeline_end_due(WbGpu *gpu, Error *error);
/* When the timeline itself has something to do next. */
Cycle timeline_next(const WbGpu *gpu);
/* Nothing is left in streams of any GPU; nothing runs any more. */
void timelines_drop(System *system);

/* -- all GPUs of the system, until something has ended (system_run.c) -- */

/* The failure, if any, of what ran inside a call that returns nothing; it is told once. */
WbStatus timeline_report(WbGpu *gpu, Error *error);
/* Runs until the operation has ended; null: until everything has. A failure drops all that is left. */
WbStatus timeline_run(WbGpu *gpu, Operation *until, Error *error);
/* The same for a call by which the host waits: it takes a while to go on (host_sync_ns), if there was
 * anything to wait for. */
WbStatus timeline_wait(WbGpu *gpu, Operation *until, Error *error);
/* Runs for so long, at most until the operation has ended; WB_NOT_READY if it has not. */
WbStatus timeline_peek(WbGpu *gpu, Operation *until, uint64_t nanoseconds, Error *error);

/* -- launches (launch.c) -- */

/* Puts kernels that have been checked into the stream, as one operation, which owns them and the graph, of
 * whichever kind; without one both are null. */
void launch_put(WbGpu *gpu, WbStream *stream, HostKernel *kernels, uint32_t count, GraphLaunch *graph,
                FlowLaunch *flow);
/* Links the aggregator's program again, as a knob may have made it old. */
WbStatus flow_launch_ready(FlowLaunch *launch, Error *error);
/* Whether it runs on the machine of cycle mode: one of its kernels is to be timed. */
bool launch_is_timed(const WbGpu *gpu, const Operation *operation);
/* Starts it in the present cycle. */
WbStatus launch_start(WbGpu *gpu, Operation *operation, Error *error);
/* When the next of its kernels ends; CYCLE_NEVER: it is not known yet. */
Cycle launch_next_end(const Operation *operation);
/* Ends those of its kernels that end in the present cycle. */
WbStatus launch_end_due(WbGpu *gpu, Operation *operation, Error *error);
void launch_free(WbGpu *gpu, Operation *operation);
void launch_free_kernels(HostKernel *kernels, uint32_t count);
/* Gives back its memory on the GPU, too (graph_launch.c). */
void graph_launch_free(WbGpu *gpu, GraphLaunch *graph);
void flow_launch_free(WbGpu *gpu, FlowLaunch *flow);

/* -- launches without timing (launch_functional.c) -- */

WbStatus launch_start_functional(WbGpu *gpu, Operation *operation, Error *error);
/* Lets those without timing run until they are in that cycle, or one is over. `is_silent`: nothing else can
 * happen before. */
WbStatus launches_advance(System *system, Cycle until, bool is_silent, Error *error);
/* Those that run without timing do not any more. */
void launches_drop(System *system);

/* -- copies and fills (copy.c) -- */

WbStatus copy_check(WbGpu *gpu, const WbCopy *copy, Error *error);
WbStatus copy_perform(WbGpu *gpu, const WbCopy *copy, const uint8_t *staged, Error *error);
/* The source's bytes, row by row. */
uint8_t *copy_stage(WbGpu *gpu, const WbCopy *copy);
/* A copy of the host's bytes, which the operation takes over, to that address. */
void copy_put_bytes(WbGpu *gpu, WbStream *stream, uint64_t address, uint8_t *bytes, uint64_t size);
CopyEngine copy_engine(WbGpu *gpu, const WbCopy *copy);
uint64_t copy_bytes(const WbCopy *copy);
Cycle copy_cycles(WbGpu *gpu, const WbCopy *copy);
WbStatus fill_check(WbGpu *gpu, const WbFill *fill, Error *error);
WbStatus fill_perform(WbGpu *gpu, const WbFill *fill, Error *error);
uint64_t fill_bytes(const WbFill *fill);
Cycle fill_cycles(WbGpu *gpu, const WbFill *fill);

/* -- prefetches (prefetch.c) -- */

/* Blocks leave for their new place; returns their bytes. */
uint64_t prefetch_begin(WbGpu *gpu, Prefetch *prefetch);
/* They have come. */
void prefetch_end(WbGpu *gpu, const Prefetch *prefetch);

#endif
