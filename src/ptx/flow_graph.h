/* The control-flow graph of a function: basic blocks, edges, and where lanes that part meet again. */
#ifndef PTX_FLOW_GRAPH_H
#define PTX_FLOW_GRAPH_H

#include "ptx/module.h"

/* Lists of neighbours of all blocks, end to end: those of block b are
 * items[begin[b]] .. items[begin[b + 1] - 1], ascending and without repetition. */
typedef struct FlowEdges { uint32_t *begin, *items; } FlowEdges;

/* Blocks are numbered in the order of the text, and the number block_count stands for the virtual exit,
 * which every way out of the function leads to; its `first` is insn_count, as the label at the end of a
 * body. Every block has a way to the exit: where the code has none (an endless loop), the block that
 * closes the loop is given one, so that post-dominators exist.
 *
 * Edges are all ways that control can take, but post-dominators are those of the meeting graph, in which
 * ways that end threads early do not count: flow_meet.c. */
typedef struct FlowGraph {
    uint32_t block_count;
    uint32_t *first;           /* [block_count + 1] first instruction */
    uint32_t *block_of;        /* [insn_count] */
    FlowEdges successors;      /* of the blocks; the exit has none */
    FlowEdges predecessors;    /* of the blocks and the exit */
    uint32_t *post_dominator;  /* [block_count] the immediate one in the meeting graph;
                                  block_count for the exit */
} FlowGraph;

FlowGraph *flow_graph_build(const Module *module, const Function *function, Arena *arena);

/* Does the instruction, a call, name a function that never returns? */
bool flow_calls_no_return(const Module *module, const Function *function, const PtxInsn *insn);

/* Fills graph->post_dominator by the meeting graph: flow_meet.c. */
void flow_graph_find_meetings(FlowGraph *graph, const Module *module, const Function *function, Arena *arena);

/* Fills graph->post_dominator by the graph's own edges, in which every block has a way to the exit:
 * flow_dominate.c. */
void flow_graph_post_dominate(FlowGraph *graph, Arena *arena);

#endif
