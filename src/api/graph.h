/* The inside of WbGraph. */
#ifndef API_GRAPH_H
#define API_GRAPH_H

#include "api/gpu.h"
#include "warpbeam_graph.h"

/* Invariant: `bound` counts only with an order. */
struct WbGraph {
    WbGpu *gpu;
    GraphDraft draft;
    const GraphOrder *order;   /* null: the knobs graph_order and graph_level_bound say */
    uint32_t bound;
};

void graph_clear(WbGraph *graph);
/* Calls the mapping for every block of the grid; a policy that it sets is the graph's from then on. */
WbStatus graph_map(WbGraph *graph, uint32_t index, WbMapping *mapping, void *context, Error *error);
/* The order that the C API's number stands for; null with the sentence. */
const GraphOrder *graph_policy(int policy, Error *error);

/* -- launches (graph_launch.c) -- */

/* Puts the launch of a kernel into the stream, with the dependencies that its mapping or graph names. */
WbStatus graph_launch_one(WbGpu *gpu, WbStream *stream, WbKernel *kernel, const WbLaunch *launch,
                          Error *error);

#endif
