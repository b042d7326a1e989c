/* Tasks: blocks of one wavefront that the aggregator beside the SMs dispatches, each for elements of a
 * channel that are ready [channels §4.1]. Which lanes there are and what %envreg0 to %envreg5 hold comes from
 * the task and its flow graph (include/warpbeam_flow_layout.h). */
#ifndef EXEC_TASK_H
#define EXEC_TASK_H

#include <stdint.h>

/* What the kernels of one flow graph share. Owned by whoever launches the graph, until all have ended. */
typedef struct TaskGraph {
    uint64_t address;                 /* of its WbFlowMemory in global memory */
    uint32_t node_count, channel_count;
    const char *const *node_names;    /* [node_count], for sentences */
    const char *const *channel_names; /* [channel_count]; of a stack, each with its level */
} TaskGraph;

/* What a block of a flow graph is dispatched for. Lane l has the position first + l of the channel's control
 * array; lanes from count on do not exist. Invariant: 0 < count <= the width of a warp; count is 0 exactly
 * in blocks of other kernels. */
typedef struct BlockTask {
    uint32_t channel, first, count;
    uint32_t wave;                    /* number of the wavefront among all of its graph */
} BlockTask;

#endif
