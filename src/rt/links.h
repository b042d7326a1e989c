/* Dependencies between the blocks of a CUDA program's launch, which it names before it launches
 * (warpbeam_links.h). */
#ifndef RT_LINKS_H
#define RT_LINKS_H

#include "rt/rt.h"
#include "warpbeam_graph.h"

/* Invariant: mapping is null exactly if it has edges. */
typedef struct RtLinks {
    WbMapping *mapping;
    void *context;
    WbEdge *edges;   /* owned */
    size_t edge_count;
} RtLinks;

/* What the thread's next launch is to have; null: nothing. The caller frees it. */
RtLinks *rt_links_take(void);
void rt_links_free(RtLinks *links);
/* Puts a launch with dependencies into the simulator's stream. */
RtError rt_links_launch(const RtLinks *links, WbStream *stream, WbKernel *kernel, const WbLaunch *launch);

/* -- what programs find by these names, without a lock: they touch what is the thread's alone -- */

int wb_cuda_map_next_launch(WbMapping *mapping, void *context);
int wb_cuda_edges_next_launch(const WbEdge *edges, size_t count);

#endif
