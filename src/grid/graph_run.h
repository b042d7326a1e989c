/* One launch of a dependency graph, as whoever launches it hands it to the front end. */
#ifndef GRID_GRAPH_RUN_H
#define GRID_GRAPH_RUN_H

#include "depend/graph.h"
#include "grid/graph_order.h"

struct GridKernel;

/* Owned by whoever launches it, as is all that it points to, until front_end_end_graph(). Invariant: memory
 * holds the image of the graph, whose parent counts go down while it runs; kernels[g] runs the blocks of grid
 * g, has as many as that grid, and points back by its graph and graph_grid. */
typedef struct GraphRun {
    const DependencyGraph *graph;
    GraphImage image;
    uint64_t address;          /* of the image in global memory, a multiple of a line's bytes */
    uint8_t *memory;           /* its bytes in host memory */
    const GraphOrder *order;
    uint32_t bound;            /* what it means is the order's business */
    struct GridKernel **kernels; /* [graph->grid_count] */
    struct Dats *dats;         /* that runs it, set by it */
} GraphRun;

#endif
