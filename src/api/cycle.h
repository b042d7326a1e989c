/* Cycle mode: the machine of a GPU, made of SMs, memory partitions, crossbar and front end, and launches
 * on it.
 *
 * The machine is assembled for the first launch and stays: L2 and DRAM are warm for the next one, and time
 * goes on from where it ended. It is made anew when a knob has changed, and after a launch that failed. */
#ifndef API_CYCLE_H
#define API_CYCLE_H

#include "api/record.h"
#include "grid/front_end.h"
#include "mem/partition.h"
#include "sim/world.h"
#include "sm/sm.h"

typedef struct CycleMachine {
    GpuConfig config;        /* that it was made for; all parts point to it */
    uint32_t number;         /* among the machines of the GPU */
    World *world;            /* shards: SMs, then partitions, then the front end */
    Crossbar crossbar;
    Sm **sms;
    uint32_t sm_count;
    Partition **partitions;
    uint32_t partition_count;
    FrontEnd *front_end;
} CycleMachine;

struct QueuedLaunch;

/* Checks that the policies that knobs name exist. */
WbStatus cycle_check_policies(const GpuConfig *config, Error *error);
/* Checks all knobs of cycle mode together. */
WbStatus cycle_check(const GpuConfig *config, Error *error);
/* Runs a launch to its end and keeps its record. */
WbStatus cycle_run(WbGpu *gpu, const struct QueuedLaunch *queued, const Launch *launch, Error *error);
/* Drops what all caches hold. Between launches no request is under way. */
void cycle_flush(CycleMachine *machine);
void cycle_free(CycleMachine *machine);

/* Why a launch on the machine does not end: names the blocks and what their warps wait for. `what` says
 * how it was found out. */
WbStatus cycle_describe_hang(const CycleMachine *machine, const GridKernel *kernel, const char *what,
                             Error *error);

#endif
