/* The control-flow graph of a function: basic blocks, edges, immediate post-dominators. */
#ifndef PTX_FLOW_GRAPH_H
#define PTX_FLOW_GRAPH_H

#include "ptx/module.h"

/* Lists of neighbours of all blocks, end to end: those of block b are
 * items[begin[b]] .. items[begin[b + 1] - 1], ascending and without repetition. */
typedef struct FlowEdges { uint32_t *begin, *items; } FlowEdges;

/* Blocks are numbered in the order of the text, and the number block_count stands for the virtual exit,
 * which every way out of the function leads to; its `first` is insn_count, as the label at the end of a
 * body. Every block has a way to the exit: where the code has none (an endless loop), the block that
 * closes the loop is given one, so that post-dominators exist. */
typedef struct FlowGraph {
    uint32_t block_count;
    uint32_t *first;           /* [block_count + 1] first instruction */
    uint32_t *block_of;        /* [insn_count] */
    FlowEdges successors;      /* of the blocks; the exit has none */
    FlowEdges predecessors;    /* of the blocks and the exit */
    uint32_t *post_dominator;  /* [block_count] the immediate one; block_count for the exit */
} FlowGraph;

FlowGraph *flow_graph_build(const Module *module, const Function *function, Arena *arena);

/* Fills graph->post_dominator from the edges: flow_dominate.c. */
void flow_graph_post_dominate(FlowGraph *graph, Arena *arena);

#endif
