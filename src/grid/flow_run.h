/* One launch of a flow graph, as whoever launches it hands it to the machine.
 *
 * In cycle mode: fill a FlowRun, call flow_begin(), then front_end_submit() for each of its kernels in the
 * order of nodes, and flow_end() when all of them have ended. (After a failure the machine is dropped, and
 * with it the run.) A kernel of a flow graph has no blocks of its own: its block_count is 0 at first and
 * grows with the tasks that the aggregator gives it one by one, and it ends when the aggregator has stopped
 * and they have ended. In functional mode: flow_begin_untimed() instead, and what it gives goes to
 * functional_create().
 *
 * Of each kernel the launcher has set launch.flow; its block is one wavefront (block = {width, 1, 1}) and its
 * grid {UINT32_MAX, 1, 1}: %ctaid.x counts the tasks of its node. */
#ifndef GRID_FLOW_RUN_H
#define GRID_FLOW_RUN_H

#include "exec/functional/functional.h"
#include "exec/program.h"
#include "exec/task.h"
#include "grid/unit.h"

struct FrontEnd;
struct GridKernel;

/* Owned by whoever launches it, as is all that it points to, until flow_end(). Invariant: memory at
 * flow.address holds the graph as warpbeam_flow_layout.h says; there are no more nodes than
 * concurrent_kernels. */
typedef struct FlowRun {
    TaskGraph flow;
    AddressSpace *space;
    const Program *firmware;      /* of the aggregator: wb_aggregator(WbFlowMemory *) */
    const char *policy;           /* its name, for sentences */
    const uint8_t *scratch;       /* the firmware's own memory on the host; null: it has none */
    uint64_t scratch_bytes;
    struct GridKernel **kernels;  /* [node_count]; in functional mode null */
    const struct FrontTasks *tasks; /* of the front end that runs it, set by it */
    const struct Family *root;    /* of the launch: the family of its first kernel, which fails with it */
} FlowRun;

/* One at a time. Between runs of the world; the kernels will be submitted next. Fails with the sentence where
 * the aggregator's core cannot run the firmware; nothing has begun then. */
WbStatus flow_begin(struct FrontEnd *front_end, OuterUnits *units, FlowRun *run, Cycle now, Error *error);
/* All its kernels have ended, or are given up. */
void flow_end(struct FrontEnd *front_end, OuterUnits *units, FlowRun *run, Cycle now);

/* Where a functional run gets its tasks from, until flow_end() with no front end. Null: as above. */
const FunctionalTasks *flow_begin_untimed(OuterUnits *units, FlowRun *run, Error *error);

#endif
