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
    bool is_awaited;            /* by a step of another lane, or by the end of the launch */
    WbEvent *event;             /* if it is awaited */
} RtStep;

/* Lane 0 is the stream of the launch; the others are streams of the executable. Invariant: steps are in an
 * order in which each comes behind its predecessors. They are made when the graph is first launched, and
 * stay, since nodes of an executable change what they do but never come or go. */
struct RtExecutable {
    RtGraph *graph;
    unsigned long long flags;
    VEC(RtStep) steps;
    uint32_t lane_count;
    bool is_planned;
    VEC(WbStream *) streams;    /* [lane - 1] */
    WbEvent *started, *finished;
    bool is_launched;
};

/* Nodes so that each comes behind its predecessors, otherwise in the order of their creation. False, with
 * a node of a cycle, where there is no such order. */
bool rt_graph_order(const RtGraph *graph, RtNodes *order, RtNode **culprit);

#endif
