/* The front end: kernel distributor and block dispatcher, one shard behind the SMs and memory partitions.
 *
 * A kernel that is submitted becomes active after kernel_launch_cycles. From then on one block is dispatched
 * in each tick of the dispatcher's clock, as long as one is ready and an SM takes it. The block is on its SM
 * block_launch_cycles later. When word has come of the last block's end, the kernel ends kernel_end_cycles
 * later; as soon as that cycle is known the front end stops the world, so that the caller can run it to
 * exactly that cycle: it is at least a lookahead away. */
#ifndef GRID_FRONT_END_H
#define GRID_FRONT_END_H

#include "grid/dispatcher.h"
#include "grid/statistics.h"

/* SMs are the shards 0 to sm_count - 1. */
typedef struct FrontEnd {
    Shard shard;
    const GpuConfig *config;
    Clock clock;          /* of the dispatcher */
    Dispatcher dispatcher;
    VEC(GridKernel *) launching; /* by the cycle in which they become active, which is `started` */
    uint64_t next_tick;   /* the first in which a block may be dispatched again */
    bool idle;            /* nothing can be dispatched until a kernel comes or a block ends */
    Cycle full_since;     /* no room since then; CYCLE_NEVER: there is, or nothing is ready */
    bool *draining;       /* [sm] stores of its ended blocks are on their way */
    uint32_t draining_count;
    GridStatistics statistics;
} FrontEnd;

FrontEnd *front_end_create(const GpuConfig *config, const DispatchPolicies *policies);
void front_end_free(FrontEnd *front_end);
/* Between runs of the world. The caller has filled in kernel, block_count, need, priority and blocks. */
void front_end_submit(FrontEnd *front_end, GridKernel *kernel, Cycle now);
/* Whether the end of every kernel that was submitted is known. */
bool front_end_is_done(const FrontEnd *front_end);

#endif
