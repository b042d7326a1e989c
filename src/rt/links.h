/* Dependencies between the blocks of a CUDA program's launch, or their order, which it names before it
 * launches (warpbeam_links.h). */
#ifndef RT_LINKS_H
#define RT_LINKS_H

#include "rt/rt.h"
#include "warpbeam_graph.h"

/* Invariant: mapping and edges are not both there. The simulator refuses an order beside either. */
typedef struct RtLinks {
    WbMapping *mapping;
    void *context;
    WbEdge *edges;   /* owned; null: no edges were given */
    size_t edge_count;
    int *keys;       /* of the blocks' order; owned; null: none was given */
    size_t key_count;
} RtLinks;

/* What the thread's next launch is to have; null: nothing. The caller frees it. */
RtLinks *rt_links_take(void);
void rt_links_free(RtLinks *links);
/* Puts a launch with dependencies or an order into the simulator's stream. */
RtError rt_links_launch(const RtLinks *links, WbStream *stream, WbKernel *kernel, const WbLaunch *launch);

/* -- what programs find by these names, without a lock: they touch what is the thread's alone -- */

int wb_cuda_map_next_launch(WbMapping *mapping, void *context);
int wb_cuda_edges_next_launch(const WbEdge *edges, size_t count);
int wb_cuda_order_next_launch(const int *keys, size_t count);

#endif
