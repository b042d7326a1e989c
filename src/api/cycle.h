/* Cycle mode: the machine of a GPU, made of SMs, memory partitions, crossbar and front end, and launches on
 * it.
 *
 * The machine is assembled for the first launch and stays: L2 and DRAM are warm for the next one, and time
 * goes on from where it ended. It is made anew when a knob has changed, and after a launch that failed.
 * Kernels of different streams run on it side by side; who starts when is the timeline's business
 * (timeline.h). */
#ifndef API_CYCLE_H
#define API_CYCLE_H

#include "api/record.h"
#include "api/watchdog.h"
#include "exec/runtime/device_runtime.h"
#include "grid/front_end.h"
#include "grid/flow_run.h"
#include "grid/graph_run.h"
#include "grid/unit.h"
#include "mem/hub.h"
#include "mem/partition.h"
#include "sim/world.h"
#include "sm/sm.h"

struct Operation;
typedef struct HostKernel HostKernel; /* api/timeline.h */

/* Blocks of one shape that run one kernel. */
typedef struct LaunchShape {
    const Program *program;
    uint32_t block[3], shared_bytes;
} LaunchShape;

/* Invariant: while kernels run on any machine of the system, `accounted` are the counters up to which the
 * GPU's own statistics go; otherwise it is null. `latest` is null or what the counters are now: whatever may
 * change them lets go of it. */
typedef struct CycleMachine {
    GpuConfig config;        /* that it was made for; all parts point to it */
    uint32_t number;         /* among the machines of the GPU */
    uint32_t codes;          /* kernels whose code has been laid out for it */
    Crossbar crossbar;
    Translation translation; /* pages that kernels have used */
    Hub *hub;                /* null: its GPU is alone */
    Sm **sms;
    uint32_t sm_count;
    Partition **partitions;
    uint32_t partition_count;
    FrontEnd *front_end;
    OuterUnits *units;       /* beside the SMs */
    VEC(HostKernel *) running; /* in the order of their launches */
    VEC(LaunchShape) shapes;      /* that kernels have launched */
    uint64_t context_next;     /* where the next kernel's region of context memory goes */
    Snapshot *accounted, *latest;
    uint32_t waiting_launches; /* of the host, when a hang was found */
    Watchdog watchdog;
} CycleMachine;

/* What the policy of that table has counted there; null: the machine does not use it. */
const void *component_of_scheduler(const CycleMachine *machine, uint32_t index, const StatTable *table);
const void *component_of_front_end(const CycleMachine *machine, uint32_t index, const StatTable *table);
const void *component_of_unit(const CycleMachine *machine, uint32_t index, const StatTable *table);

/* Checks that the policies that knobs name exist. */
WbStatus cycle_find_policies(const GpuConfig *config, Error *error);
/* The same, and what they say of all knobs together. */
WbStatus cycle_check_policies(const GpuConfig *config, Error *error);
/* Checks all knobs of cycle mode together. */
WbStatus cycle_check(const GpuConfig *config, Error *error);
/* Cycles that shards may be ahead of each other, at most. */
Cycle cycle_lookahead(const GpuConfig *config);
/* The machine's shards: SMs, then partitions, then the front end, then units, then the hub. */
uint32_t cycle_shards(const CycleMachine *machine);
/* The shards become a group of the world, the first with number `base`. Returns how many they are. */
uint32_t cycle_enter(CycleMachine *machine, World *world, Clock clock, uint32_t base);
/* Host threads that the machine runs on, at most. */
uint32_t cycle_threads(const GpuConfig *config);
/* Whether there is a machine for the GPU's present knobs. */
bool cycle_fits(const WbGpu *gpu);
/* Makes the machine, if there is none for the GPU's present knobs. */
WbStatus cycle_ready(WbGpu *gpu, Error *error);
/* Starts the kernels of a launch in the GPU's present cycle; each is on the machine until cycle_end() or
 * cycle_drop(). */
WbStatus cycle_start(WbGpu *gpu, struct Operation *operation, Error *error);
/* The machine is about to go on from the present cycle: makes *until, a cycle of the system, earlier where it
 * has to be looked at before. A failure says that a kernel has run for too long. */
WbStatus cycle_prepare(WbGpu *gpu, Cycle *until, Error *error);
/* Keeps what is to be kept of the present cycle. */
void cycle_take_samples(WbGpu *gpu);
/* A launch by a kernel that runs on the machine. The context is the GPU. */
DeviceError cycle_launch_device(void *context, const LaunchRequest *request, const LaunchCaller *caller);
/* The kernel has ended in the present cycle, with all that it launched: keeps its record. A failure says that
 * launches were refused, and nobody asked. */
WbStatus cycle_end(WbGpu *gpu, HostKernel *kernel, Error *error);
/* The same of its record alone, which may be that of a kernel that has not ended: it is closed as it stands
 * in the present cycle, and kept if anybody can want to see it. */
void cycle_keep_record(WbGpu *gpu, HostKernel *kernel);

/* -- kernels that do not come to their end (cycle_cut_off.c) -- */

/* Nothing is left to do: every kernel's end must be known. */
WbStatus cycle_check_deadlock(WbGpu *gpu, Error *error);
/* The SM has stopped the world in that cycle of the system: notes whose instruction it was, and why in the
 * error. */
WbStatus cycle_fail(WbGpu *gpu, uint32_t sm, Cycle time, Error *error);
/* A unit beside the SMs has stopped it. */
WbStatus cycle_fail_unit(WbGpu *gpu, Cycle time, Error *error);
/* What runs is about to be dropped because of the error: its records are kept as far as it is. */
void cycle_keep_cut_off(WbGpu *gpu, const Error *error);

/* -- dependency graphs (cycle_graph.c) -- */

/* Hands the graph to the front end, then its kernels, which are on the machine; keeps the dependencies with
 * their records. */
void cycle_submit_graph(WbGpu *gpu, struct Operation *operation);
/* A kernel of the graph is about to end; the last one takes the graph off the machine. */
void cycle_leave_graph(WbGpu *gpu, GraphRun *graph, uint32_t kernel, bool is_last);

/* -- flow graphs (cycle_flow.c) -- */

/* Hands the graph to the aggregator, then the kernels of its nodes, which are on the machine, to the front
 * end. */
WbStatus cycle_submit_flow(WbGpu *gpu, struct Operation *operation, Error *error);
/* A kernel of the graph is about to end; the last one takes the graph off the machine. */
void cycle_leave_flow(WbGpu *gpu, FlowRun *flow, uint32_t kernel, bool is_last);

/* The GPU's statistics and the numbers of its kernels begin anew, with those that run. */
void cycle_reset_statistics(WbGpu *gpu);
/* Gives up all kernels that run, with the machine. */
void cycle_drop(WbGpu *gpu);
/* The counters may change from now on. */
void cycle_forget_latest(CycleMachine *machine);
/* Drops what all caches hold. Between launches no request of an SM or the front end is under way; those of
 * units may be, and do not bring back what was dropped. */
void cycle_flush(CycleMachine *machine);
void cycle_free(CycleMachine *machine);
/* The kernel is not on the machine any more; it stays its operation's. */
void cycle_take_off(HostKernel *kernel);
/* Where the contexts of the launch's blocks lie, if context memory is static. */
uint64_t cycle_context_region(CycleMachine *machine, const Launch *launch);

/* What the rows of sm/wait.def say. */
extern const char *const cycle_wait_descriptions[WAIT_COUNT];
/* Whether it is the kernel, or one that this has launched, at whatever depth. */
bool cycle_is_of(const HostKernel *kernel, const SmKernel *seen);
/* The kernel does not end: `what` says how that was found out. Kernels that run beside it do not end, either,
 * but for a limit. Notes why, for their records; the error is of the one that was given. */
WbStatus cycle_report_hang(CycleMachine *machine, HostKernel *kernel, RecordStatus status, const char *what,
                           Error *error);

#endif
