/* Dependency graphs on a simulated GPU: a kernel whose blocks compute a number out of those of their parents,
 * so that a block that begins too early, or reads something old, shows in the result. */
#ifndef TESTS_GRAPH_NODES_H
#define TESTS_GRAPH_NODES_H

#include "harness.h"
#include "warpbeam_graph.h"

typedef struct NodeGraph {
    uint32_t blocks;
    WbEdge *edges;
    size_t edge_count, edge_capacity;
} NodeGraph;

void node_graph_edge(NodeGraph *graph, uint32_t parent, uint32_t child);
void node_graph_free(NodeGraph *graph);
/* A wavefront: every block waits for those to its left and above it. */
NodeGraph node_graph_wavefront(uint32_t across, uint32_t down);

/* What a run found: the SM of every block, where it is wanted. */
typedef struct NodeRun {
    WbGpu *gpu;
    const NodeGraph *graph;
    WbGraph *dependencies; /* what the launch gets: the same, with joins or over several grids */
    const uint32_t *kernel_blocks; /* [kernels] blocks of each launch, which sum to all; null: one launch */
    uint32_t kernels;
    uint32_t *sms;         /* [blocks]; null: not wanted */
} NodeRun;

/* Runs it; a test fails unless every block computed what it should. */
void node_run_ok(const NodeRun *run);
/* The same, without looking at the result. */
WbStatus node_run(const NodeRun *run);

/* A graph with one grid of all blocks and these edges. */
WbGraph *node_graph_dependencies(WbGpu *gpu, const NodeGraph *graph);

#endif
