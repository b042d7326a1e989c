/* A dependency graph as the hardware uses it [Wireframe §3.2]: nodes renamed level by level, children in
 * compressed sparse rows.
 *
 * A node's level is the longest way to it from a node without parents. Virtual IDs count the nodes of level
 * 0 in the order of their numbers, then those of level 1, and so on; so parents have smaller ones than their
 * children, and nodes that run together lie together. The paper's Node Array has edge start, parent count
 * and level; ours also has the node's number in the draft, because the scheduler must know which block to
 * send. */
#ifndef DEPEND_GRAPH_H
#define DEPEND_GRAPH_H

#include "depend/draft.h"

/* Arrays are by virtual ID. Invariant: children of a node are in ascending order, without repetition. */
typedef struct DependencyGraph {
    uint32_t node_count, block_count, edge_count, level_count;
    uint32_t *starts;    /* [node_count + 1] of a node's children in `children` */
    uint32_t *children;  /* [edge_count] virtual IDs */
    uint32_t *parents;   /* [node_count] how many */
    uint32_t *levels;    /* [node_count] */
    uint32_t *tasks;     /* [node_count] numbers in the draft: of a block below block_count, else of a join */
    uint32_t *ids;       /* [node_count] virtual IDs by number: the inverse of tasks */
    GraphGrid *grids;
    uint32_t grid_count;
    uint32_t most_children, most_parents; /* of any node */
    uint32_t repeated_edges; /* that were left out */
} DependencyGraph;

/* In O(nodes + edges). A cycle is refused, and named node by node, a long one without its middle. *graph is
 * null where it fails. */
WbStatus graph_build(const GraphDraft *draft, DependencyGraph **graph, Error *error);
void graph_free(DependencyGraph *graph);

static inline uint32_t graph_child_count(const DependencyGraph *graph, uint32_t id)
{
    return graph->starts[id + 1] - graph->starts[id];
}
static inline bool graph_is_join(const DependencyGraph *graph, uint32_t id)
{
    return graph->tasks[id] >= graph->block_count;
}
/* The grid that the block with this number belongs to. */
uint32_t graph_grid_of(const DependencyGraph *graph, uint32_t task);
/* As draft_name_node(). */
const char *graph_name_task(const DependencyGraph *graph, uint32_t task, char *text, size_t size);

/* -- transitive edges (reduce.c): those whose child depends on the parent through other nodes, too -- */

/* In the order of (parent, child), as numbers of the draft; the caller frees *edges, null where there are
 * none. */
WbStatus graph_transitive_edges(const DependencyGraph *graph, GraphEdge **edges, size_t *count, Error *error);

/* -- the graph in memory (image.c) -- */

/* Entries of nodes fill lines of 128 bytes, none lies across two; then, from a line of their own on, come
 * the edges. IDs, parent counts, levels and numbers take id_bytes each, starts of edges four. */
typedef struct GraphImage {
    uint32_t id_bytes;
    uint32_t node_bytes;     /* of an entry */
    uint32_t nodes_per_line, edges_per_line;
    uint64_t edges_offset;   /* bytes from the first node entry to the first edge */
    uint64_t bytes;          /* of all */
} GraphImage;

/* An entry of the Node Array in global memory. */
typedef struct NodeEntry {
    uint32_t edge_start, parents, level, task;
} NodeEntry;

/* Entries that a line holds at most: those with the shortest IDs. */
enum { LINE_NODES = 12 };

/* Fails where IDs of so many bits (16 or 32) do not count the nodes: the knob graph_id_bits. */
WbStatus image_check_nodes(uint32_t nodes, uint32_t id_bits, Error *error);
/* Fails likewise. */
WbStatus image_of_graph(const DependencyGraph *graph, uint32_t id_bits, GraphImage *image, Error *error);
void image_write(const GraphImage *image, const DependencyGraph *graph, uint8_t *to);
/* Where the node's entry is, in bytes from the first. */
uint64_t image_node_offset(const GraphImage *image, uint32_t id);
uint64_t image_edge_offset(const GraphImage *image, uint32_t edge);
NodeEntry image_read_node(const GraphImage *image, const uint8_t *entry);
uint32_t image_read_id(const GraphImage *image, const uint8_t *place);
/* Where an entry's parent count is, in bytes from the entry's first; id_bytes wide, little-endian. */
uint32_t image_parents_offset(const GraphImage *image);

#endif
