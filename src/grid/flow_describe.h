/* Where a flow graph stands that cannot go on: who wants how much of which channel and who holds it, or what
 * kernels have left in channels. */
#ifndef GRID_FLOW_DESCRIBE_H
#define GRID_FLOW_DESCRIBE_H

#include "grid/flow_run.h"

/* A wavefront that has yielded. */
typedef struct FlowWaiter {
    uint32_t wave;
    const Warp *warp;
} FlowWaiter;
typedef VEC(FlowWaiter) FlowWaiters;

/* A sentence without its full stop, as of unit_fail(); `queued` tasks find no place on an SM. Reads the
 * graph's memory: between windows. */
void flow_describe(const FlowRun *run, const FlowWaiters *waiters, uint32_t queued, char *text,
                   size_t size);

#endif
