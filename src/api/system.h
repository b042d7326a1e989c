/* The GPUs of one host. They share time: what one of them does, and what the host does, happens before or
 * after what the others do. Most systems have one GPU.
 *
 * The machines of all GPUs are in one world (sim/world.h), each a group of shards with the GPU's clock. Time
 * of the system is the world's: cycles of the fastest of the clocks. A GPU's own time, gpu->now, is its first
 * cycle that begins then or later. With one GPU, or equal clocks, the two are the same.
 *
 * A call that waits for one GPU lets all of them go on (system_run.c): one may wait for the other.
 *
 * Addresses of device memory say by their upper bits which GPU has them (mem/space.h). */
#ifndef API_SYSTEM_H
#define API_SYSTEM_H

#include "api/link_copy.h"
#include "api/link_series.h"
#include "base/vec.h"
#include "exec/functional/functional.h"
#include "grid/nodes.h"
#include "grid/unit.h"
#include "mem/host_memory.h"
#include "mem/pager.h"
#include "mem/space.h"
#include "sim/world.h"
#include "warpbeam.h"

/* Invariant: gpus.items[i] has the index i; it is null once that GPU is closed, and with the last one the
 * system goes. `spaces` is used where there are several. The world is there exactly while it holds the shards
 * of all machines that there are. */
typedef struct System System;
struct System {
    VEC(WbGpu *) gpus;
    SpaceGroup spaces;
    uint64_t khz;              /* of the world's clock */
    Cycle now;
    Cycle host;                /* how far the host is; at least `now` while it runs */
    bool is_batch;             /* launches are of one call of the host, which has taken its time */
    World *world;              /* null: it has to be made */
    Fabric *fabric;            /* that connects the machines; null: there is none, or it has to be made */
    HostMemory *host_memory;   /* its last node; there exactly if the fabric is */
    Pager *pager;              /* the driver's part, beside it */
    LinkSeries links;          /* what went over it */
    FunctionalSide functional; /* launches that run without timing */
    LinkCopyList link_copies;  /* copies under way that leave their GPU, in the order of their starts */
    LinkCopied *link_copied;   /* [from][to] of nodes: those that have ended; null: none has */
    Nodes nodes;               /* and the network between them */
    UnitGroup timed_units, units; /* beside the SMs, of machines, and where launches run without timing */
    const struct Transport *transport; /* to processes of other nodes (api/spread.h); null: there are none */
    Cycle leave;               /* how far it may go on with those */
    bool is_alone;             /* up to there: nothing will come from them */
    Cycle stop;                /* while machines run: before it nothing from outside of them is to come */
};

/* The next GPU at or behind *at that is open, or null; *at is behind it then. */
WbGpu *system_next(const System *system, uint32_t *at);
#define FOR_GPUS(gpu, system)                                                                                \
    for (uint32_t gpu##_at = 0; gpu##_at < (system)->gpus.count;)                                            \
        for (WbGpu *gpu = system_next(system, &gpu##_at); gpu; gpu = NULL)

/* Clocks of GPUs have changed: nothing runs. */
void system_set_clocks(System *system);
void system_set_now(System *system, Cycle now);
void system_host_catches_up(System *system);
/* Cycles of the system that take at least so many nanoseconds, and back. */
Cycle system_cycles(const System *system, uint64_t nanoseconds);
double system_nanoseconds(const System *system, Cycle cycles);
/* Operations of all GPUs that have not ended. */
uint32_t system_pending(const System *system);
/* Whether kernels are on a machine of cycle mode. */
bool system_runs(const System *system);
/* Machines have been made or changed, or are about to go: their shards leave the world, with what is on its
 * way to them. */
void system_release(System *system);
/* Whether kernels of the GPU reach the host's memory over PCIe, and not as if it were their own. */
bool system_host_is_away(const WbGpu *gpu);
/* Lets go of what connects the machines, and of the machines, if they are connected. */
void system_disconnect(System *system);
/* Makes all machines that there are not for the present knobs: kernels may use memory of any GPU. */
WbStatus system_ready(System *system, Error *error);
/* All machines go on from the present cycle to `limit`, at most; earlier where the end of one
 * more kernel has become known, which is in its grid->ended and lies ahead. A failure is of a kernel, or says
 * why kernels do not end. `is_silent`: nothing from outside the machines is to come, such as a launch behind
 * a kernel whose end is known. Only then are kernels stuck when the machines have nothing to do. */
WbStatus system_advance(System *system, Cycle limit, bool is_silent, Error *error);
/* A machine has failed in that cycle: all go as far as they could be, whatever else fails. */
void system_stop(System *system, Cycle failed);
/* Machines, or units of launches without timing, have been made: their network cards reach each other. */
void system_join_network(System *system);
/* Its part for other processes; makes *until earlier where there is no leave for more. */
void spread_connect(System *system);
WbStatus spread_leave(System *system, Cycle *until, Error *error);
/* Goes on to that cycle, whatever is left in streams. `is_watched`: watchdogs look whether kernels spin. */
WbStatus system_reach(System *system, Cycle cycle, bool is_watched, Error *error);
/* When a timeline has something to do next. */
Cycle system_next_event(const System *system);
/* GPUs of a node, and the number of the GPU's. */
uint32_t system_node_gpus(const System *system);
uint32_t system_node(const WbGpu *gpu);
/* Nothing runs any more, and nothing is left in streams. */
void system_drop(System *system);

#endif
