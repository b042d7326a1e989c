/* What can be put into a stream or into a graph, as a value: one description for both. */
#ifndef RT_OPERATION_H
#define RT_OPERATION_H

#include "rt/links.h"
#include "rt/rt.h"

typedef struct RtFunction RtFunction;
typedef struct RtStream RtStream;
typedef struct RtEvent RtEvent;
typedef struct RtGraph RtGraph;
typedef struct RtCondition RtCondition;

typedef enum RtOperationKind {
    RT_KERNEL, RT_COPY, RT_FILL, RT_HOST_CALL, RT_RECORD, RT_WAIT, RT_EMPTY, RT_CHILD_GRAPH, RT_ALLOCATE,
    RT_RELEASE, RT_CONDITIONAL
} RtOperationKind;

typedef struct RtLaunch {
    RtFunction *function;
    WbDim3 grid, block;
    uint32_t shared_bytes;  /* dynamic */
    bool cooperative;
    bool is_prepared;       /* by a graph, while kernels before it run */
    uint8_t *arguments;     /* laid out as the kernel's parameters; owned */
    size_t argument_bytes;
    RtLinks *links;         /* owned; null: blocks neither depend on each other nor have an order. Never
                               in a graph */
} RtLaunch;

/* Owns what it points to, except functions, events and child graphs. */
typedef struct RtOperation {
    RtOperationKind kind;
    int device;         /* of a node of a graph: which does it */
    union {
        RtLaunch launch;
        WbCopy copy;
        WbFill fill;
        struct { WbHostFunction *function; void *context; WbHostFunction *dropped; } host;
        RtEvent *event;                           /* RT_RECORD, RT_WAIT */
        RtGraph *child;
        struct { uint64_t address; size_t size; } memory; /* RT_ALLOCATE, RT_RELEASE */
        /* The graphs are the node's own; null before there is one. */
        struct { RtCondition *condition; int type; uint32_t count; RtGraph **graphs; } conditional;
    };
} RtOperation;

RtOperation rt_operation_clone(const RtOperation *operation);
void rt_operation_free(RtOperation *operation);
/* Puts it into a stream of the simulator at once (null: the default stream). Child graphs are the caller's
 * business. */
RtError rt_operation_issue(const RtOperation *operation, WbStream *stream);

#endif
