/* Conditions: numbers that conditional nodes of graphs go by, and that kernels set. */
#ifndef RT_GRAPH_CONDITION_H
#define RT_GRAPH_CONDITION_H

#include "rt/graph.h"

/* CUDA's numbers of what a conditional node does with its graphs: the first one, if the condition is not 0,
 * or else the second, if there is one; the first one, as long as the condition is not 0; the one whose number
 * the condition is. */
typedef enum RtConditionalType {
    RT_CONDITIONAL_IF, RT_CONDITIONAL_WHILE, RT_CONDITIONAL_SWITCH
} RtConditionalType;

/* Invariant: lives as long as a graph or an executable holds it. The graph that it was made for, and graphs
 * in it, may have one conditional node of it. */
struct RtCondition {
    int device;                 /* that has its memory */
    volatile uint32_t *value;  /* in memory of host and device; its address is the program's handle */
    uint32_t initial;          /* at first; also at each launch, if it is assigned then */
    bool is_assigned;
    uint32_t holders;
    const RtGraph *graph;      /* that it was made for; null: that has gone */
    bool has_node;
    bool has_executable;       /* there can be one at a time */
};

/* cudaGraphConditionalHandleCreate: `flags` 1 assigns the value at each launch. */
RtError rt_condition_create(RtGraph *graph, unsigned initial, unsigned flags, uint64_t *handle);
RtError rt_condition_get(uint64_t handle, RtCondition **condition);
/* A graph holds conditions; a copy of it holds the same. */
void rt_condition_hold(RtGraph *graph, RtCondition *condition);
void rt_conditions_drop(RtGraph *graph);
/* Makes the operation of a node, whose graphs are made with it. */
RtError rt_conditional_prepare(uint64_t handle, int type, unsigned count, RtOperation *operation);
/* Whether the graph may have a node that does so: conditions are used once. */
RtError rt_conditional_check(const RtGraph *graph, const RtOperation *operation);
/* Whether the node's graphs hold only what may be there: asked when all of it is made executable. */
RtError rt_conditional_contents(const RtOperation *operation);
/* Whether the graph has conditional nodes, in child graphs too. */
bool rt_graph_is_conditional(const RtGraph *graph);
/* The number of the graph that a node goes on with; UINT32_MAX: none. */
uint32_t rt_conditional_choose(const RtOperation *operation);

#endif
