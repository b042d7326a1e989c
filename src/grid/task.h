/* Tasks on their way: from the aggregator into the dispatcher's queue, from there to an SM, and word of them
 * back.
 *
 *   aggregator -> front end   MESSAGE_TASK: body is a Task of the aggregator's queue, which stays as it is
 *                             until MESSAGE_TASK_TAKEN; MESSAGE_FLOW_ENDS: there will be no more
 *   front end -> aggregator   MESSAGE_TASK_TAKEN: the first of the queue has been sent to an SM;
 *                             MESSAGE_TASK_ENDED: value is the wavefront's number, whose stores are visible
 *   front end -> SM           MESSAGE_TASK_BLOCK (sm/sm.h)
 *
 * Words between aggregator and front end take the aggregator's latency. */
#ifndef GRID_TASK_H
#define GRID_TASK_H

#include "exec/task.h"
#include "grid/policy.h"

enum { MESSAGE_TASK = 32, MESSAGE_FLOW_ENDS = 33, MESSAGE_TASK_TAKEN = 34, MESSAGE_TASK_ENDED = 35 };

typedef struct Task {
    uint32_t node;   /* kernel node of the flow graph */
    BlockTask block;
} Task;

/* The source of blocks of kernels that have a flow graph: the first of the dispatcher's queue, if it is the
 * kernel's. */
extern const BlockSource task_source;

#endif
