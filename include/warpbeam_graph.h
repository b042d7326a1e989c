/* Dependencies between thread blocks (DepLinks, [Wireframe §3.1]): a block runs when its parents have ended.
 *
 * The short way is a mapping function, which is called once for every block of a launch and names its
 * parents:
 *
 *     static void wavefront(WbLink *link, void *context)
 *     {
 *         wb_add_dependency(link, (WbDim3){link->block.x - 1, link->block.y, link->block.z});
 *         wb_add_dependency(link, (WbDim3){link->block.x, link->block.y - 1, link->block.z});
 *         wb_set_policy(link, WB_LVL, 4);
 *     }
 *     wb_launch(kernel, &(WbLaunch){.grid = grid, .block = block, ..., .mapping = wavefront});
 *
 * A WbGraph says the same as edges, from anywhere, also between blocks of different kernels. Its nodes have
 * numbers: the blocks of its first grid in the order of their index, x fastest, then those of the next, then
 * joins, which stand for no block. Parent and child see the same memory: what a parent has stored, its
 * children read.
 *
 * What runs in CUDA programs on any GPU needs warpbeam_links.h alone. */
#ifndef WARPBEAM_GRAPH_H
#define WARPBEAM_GRAPH_H

#include "warpbeam.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Belongs to its GPU and is to be destroyed before that is closed. A launch keeps what it needs of it. */
WbStatus wb_graph_create(WbGpu *gpu, WbGraph **graph);
void wb_graph_destroy(WbGraph *graph);

/* -- nodes: all grids come before the first join -- */

/* A grid of blocks; *first (may be null) is the number of its first block. */
WbStatus wb_graph_add_grid(WbGraph *graph, WbDim3 grid, uint32_t *first);
/* A node that stands for no block, occupies no SM, and is over when all its parents are. */
WbStatus wb_graph_add_join(WbGraph *graph, uint32_t *node);
/* Nodes so far, joins included; and edges. */
uint32_t wb_graph_node_count(const WbGraph *graph);
uint64_t wb_graph_edge_count(const WbGraph *graph);

/* -- edges: an edge that is added twice counts once -- */

typedef struct WbEdge { uint32_t parent, child; } WbEdge;
WbStatus wb_graph_add_edge(WbGraph *graph, uint32_t parent, uint32_t child);
WbStatus wb_graph_add_edges(WbGraph *graph, const WbEdge *edges, size_t count);
/* Children of node n: children[starts[n]] to children[starts[n + 1] - 1]; starts has an entry more than there
 * are nodes. */
WbStatus wb_graph_add_csr(WbGraph *graph, const uint64_t *starts, const uint32_t *children);
/* Calls the mapping for every block of grid number `index`. Parents are blocks of that grid. */
WbStatus wb_graph_map(WbGraph *graph, uint32_t index, WbMapping *mapping, void *context);

/* Adds what a file has: nodes as numbers, in a list of "parent child" lines, or DOT ("digraph", edges "a -> b
 * -> c"). A graph without grids gets one of as many blocks as the file names, in x. */
WbStatus wb_graph_read(WbGraph *graph, const char *path);
/* DOT where the path ends in .dot or .gv, else a list of edges. */
WbStatus wb_graph_write(WbGraph *graph, const char *path);

/* -- barriers [Wireframe §2.2] -- */

/* Nodes first, first + stride, ... */
typedef struct WbNodes { uint32_t first, count, stride; } WbNodes;
/* None of `after` begins before all of `before` have ended: the global barrier, or that of a group. Through
 * joins, so that there are no more edges than nodes take part; a pair is one edge. */
WbStatus wb_graph_barrier(WbGraph *graph, WbNodes before, WbNodes after);
/* Blocks before and after synchronize in groups of `size`: group g of `before` with group g of `after`. */
WbStatus wb_graph_barrier_groups(WbGraph *graph, WbNodes before, WbNodes after, uint32_t size);

/* -- what may be asked of it -- */

/* Transitive edges: those whose child also depends on the parent through others. At most `capacity` go to
 * `edges` (may be null); *count is how many there are. */
WbStatus wb_graph_transitive(WbGraph *graph, WbEdge *edges, size_t capacity, size_t *count);
WbStatus wb_graph_remove_transitive(WbGraph *graph);

/* -- policy and launch -- */

typedef enum WbPolicy {
    WB_LRR, /* the ready node with the smallest virtual ID, on the next SM that has room */
    WB_LVL  /* the same, but no more than `bound` levels ahead of the lowest level that is not over */
} WbPolicy;
WbStatus wb_graph_set_policy(WbGraph *graph, WbPolicy policy, uint32_t bound);
/* One by its name (knob graph_order, `warpbeam list policies`). */
WbStatus wb_graph_set_policy_name(WbGraph *graph, const char *name, uint32_t bound);

/* One kernel for each grid of the graph, in their order; grids must have the graph's dimensions. A null
 * stream is the default one. A graph with a cycle is refused, with the cycle in wb_error(). */
typedef struct WbGraphKernel { WbKernel *kernel; WbLaunch launch; } WbGraphKernel;
WbStatus wb_graph_launch(WbGraph *graph, WbStream *stream, const WbGraphKernel *kernels, size_t count);

/* -- dependencies found by watching memory -- */

/* With the knob graph_check, launches of graphs are watched: two blocks that touch the same bytes of global
 * memory, one of them writing, must depend on each other, be it through other blocks; atomics may come in any
 * order among themselves. Those that do not are violations, whether or not they did harm this time; they are
 * told after the run, and do not stop it. What the blocks' own launches touch is not looked at. */

/* How many violations there were since the GPU was opened or wb_stats_reset(): pairs of a block and a line of
 * source with another block and line. */
size_t wb_graph_violations(const WbGpu *gpu);
/* A sentence with blocks, lines of source and address; one for each pair of lines, 64 at most. Null from the
 * first index on that has none. Valid until wb_stats_reset(). */
const char *wb_graph_violation(const WbGpu *gpu, size_t index);

/* From here to wb_profile_end() the launches of the host are watched, and a graph is made of what is seen: a
 * grid for each launch, in the order of the calls, and an edge to a block from each block of an earlier
 * launch that wrote what it touches or read what it writes; none that others make superfluous. A program with
 * a launch for every wave so becomes a graph for one wb_graph_launch() of the same kernels. What the host
 * itself writes in between is not seen. Exchanges between blocks that the launches do not order get no edge;
 * they are told as violations. Both calls wait for all that is in streams. */
WbStatus wb_profile_begin(WbGpu *gpu);
/* The graph is to be destroyed by the caller. */
WbStatus wb_profile_end(WbGpu *gpu, WbGraph **graph);

/* -- mapping functions: what they call -- */

static inline void wb_add_dependency(WbLink *link, WbDim3 parent) { link->calls->add(link, parent); }
static inline void wb_set_policy(WbLink *link, WbPolicy policy, uint32_t bound)
{
    link->calls->set_policy(link, (int)policy, bound);
}

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
