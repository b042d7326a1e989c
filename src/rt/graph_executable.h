/* The inside of an executable graph. */
#ifndef RT_GRAPH_EXECUTABLE_H
#define RT_GRAPH_EXECUTABLE_H

#include "base/vec.h"
#include "rt/graph.h"

/* One node of the graph or of a child graph in it. A child graph's own node comes behind the nodes in it. */
typedef struct RtStep {
    RtNode *node;
    VEC(uint32_t) predecessors; /* steps */
    uint32_t lane;
    VEC(struct RtExecutable *) bodies; /* the graphs of a conditional node */
    bool is_behind_kernels;     /* of its GPU, in the latest launch: they are all that it waits for */
    bool is_awaited;            /* by a step of another lane, or by the end of the launch */
    WbEvent *event;             /* if it is awaited */
} RtStep;

/* Lane 0 is the stream of the launch, of a graph under a condition its own; the others are streams of the
 * executable. A lane is of one device, that of its steps. Invariant: steps are in an order in which each
 * comes behind its predecessors. They are made when the graph is first launched, and stay, since nodes of
 * an executable change what they do but never come or go. */
struct RtExecutable {
    int device;                 /* of lane 0: that of the first step */
    RtGraph *graph;             /* owned, unless it is under a condition */
    WbStream *own;              /* of one under a condition; null otherwise */
    unsigned long long flags;
    VEC(RtStep) steps;
    uint32_t lane_count;
    bool is_planned;
    VEC(WbStream *) streams;    /* [lane - 1] */
    WbStream *bridge;           /* lane 0 of a launch into a stream of another device; null: there was none */
    WbEvent *started, *finished; /* of lane 0 */
    bool is_launched;
};

/* Nodes so that each comes behind its predecessors, otherwise in the order of their creation. False, with
 * a node of a cycle, where there is no such order. */
bool rt_graph_order(const RtGraph *graph, RtNodes *order, RtNode **culprit);

/* The device of the first step of the graph; that of the call if it has none. */
int rt_graph_device(const RtGraph *graph);
/* Makes the events. */
RtError rt_executable_equip(RtExecutable *executable);

/* The parts of a launch (graph_launch.c): what is laid out once; what must be there before; what is put into
 * streams. */
RtError rt_executable_plan(RtExecutable *executable);
RtError rt_executable_check(RtExecutable *executable, int priority);
RtError rt_executable_issue(RtExecutable *executable, WbStream *stream);

/* Conditional nodes of executables (graph_conditional.c). Their graphs are executables of their own. */
RtError rt_conditional_plan(RtStep *step);
RtError rt_conditional_issue(const RtStep *step, WbStream *stream);
/* At the beginning of a launch conditions get their values. */
RtError rt_conditions_issue(const RtExecutable *executable, WbStream *stream);
/* Frees all but the graph. */
void rt_executable_clear(RtExecutable *executable);

#endif
