/* Dependency graphs whose blocks note when they begin and end, by one counter for all of them: what must not
 * begin before something else has ended shows in the numbers. */
#ifndef TESTS_STAMPS_H
#define TESTS_STAMPS_H

#include "harness.h"
#include "warpbeam_graph.h"

enum { MOST_GRIDS = 4 };

/* What is to be run. Nodes are numbered as in a WbGraph. */
typedef struct StampCase {
    WbDim3 grids[MOST_GRIDS];
    uint32_t grid_count, block_count, node_count; /* joins are behind the blocks */
    WbEdge *edges;
    size_t edge_count, edge_capacity;
} StampCase;

/* A random graph of up to `most` blocks: chains, stars, layers, islands and others, with joins or without;
 * some edges come twice. The same for the same seed. */
StampCase stamps_random(uint32_t seed, uint32_t most);
/* A grid whose blocks wait for those above and to the left. */
StampCase stamps_wavefront(uint32_t across, uint32_t down);
void stamps_free(StampCase *graph);
void stamps_add_edge(StampCase *graph, uint32_t parent, uint32_t child);
WbGraph *stamps_graph(WbGpu *gpu, const StampCase *graph);

/* Launches that wait for their end, and fail the test unless every block ran once, and after all that it
 * waits for by the case's edges. */

/* By a policy's name; null: the knobs'. */
void stamps_run(WbGpu *gpu, const StampCase *graph, const char *policy, uint32_t bound);
/* By a graph of these grids that says the same, in its own way; it is destroyed meanwhile. */
void stamps_run_graph(WbGpu *gpu, WbGraph *graph, const StampCase *meaning);
/* A case of one grid, by a mapping. */
void stamps_run_mapped(WbGpu *gpu, const StampCase *graph, WbMapping *mapping, void *context);

#endif
