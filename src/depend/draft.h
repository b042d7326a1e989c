/* A dependency graph while it is being built: nodes, and edges in the order of adding.
 *
 * Nodes below block_count are blocks, grid by grid, x fastest; those from there on are joins, which stand
 * for no block [Wireframe §2.2]. */
#ifndef DEPEND_DRAFT_H
#define DEPEND_DRAFT_H

#include <stdio.h>

#include "base/error.h"
#include "base/vec.h"

typedef struct GraphEdge {
    uint32_t parent, child;
} GraphEdge;

/* The blocks of one kernel: nodes first to first + count - 1. */
typedef struct GraphGrid {
    uint32_t size[3];
    uint32_t first, count;
} GraphGrid;

/* For qsort() and bsearch(): by parent, then by child. */
int graph_edge_compare(const void *a, const void *b);

/* Invariant: the grids' nodes are 0 to block_count - 1, in their order; both ends of every edge are nodes. */
typedef struct GraphDraft {
    VEC(GraphGrid) grids;
    uint32_t block_count, node_count;
    VEC(GraphEdge) edges;
} GraphDraft;

/* Nodes, and edges, of one graph at most: what 32 bits count, less the values that mean something else. */
#define GRAPH_MOST (UINT32_MAX - 2)

void draft_free(GraphDraft *draft);
/* Grids come before the first join. Fails where there would be more nodes than 32 bits count. */
WbStatus draft_add_grid(GraphDraft *draft, const uint32_t size[3], uint32_t *first, Error *error);
WbStatus draft_add_join(GraphDraft *draft, uint32_t *node, Error *error);
/* Fails where an end is no node. */
WbStatus draft_add_edge(GraphDraft *draft, uint32_t parent, uint32_t child, Error *error);
/* The same without the check, for callers that know both ends to be nodes, or see to it afterwards. */
WbStatus draft_push_edge(GraphDraft *draft, uint32_t parent, uint32_t child, Error *error);

/* Nodes first, first + stride, ... */
typedef struct NodeRow {
    uint32_t first, count, stride;
} NodeRow;

/* No node has more than this many children because of a barrier: more are reached through further joins, so
 * that they fit into the Local Edge Array. */
enum { BARRIER_CHILDREN = 128 };

/* None of `after` begins before all of `before` are over; by joins, in O(nodes) edges. */
WbStatus draft_barrier(GraphDraft *draft, NodeRow before, NodeRow after, Error *error);
/* Group g of `size` nodes before with group g after. */
WbStatus draft_barrier_groups(GraphDraft *draft, NodeRow before, NodeRow after, uint32_t size, Error *error);

/* "block (3,0,0)", with "of kernel 2" where there are several grids, or "join 1"; kernels and joins are
 * counted from 0, as blocks are. Returns `text`. */
const char *draft_name_node(const GraphDraft *draft, uint32_t node, char *text, size_t size);
/* The same for whoever has the grids alone. */
const char *grids_name_node(const GraphGrid *grids, uint32_t grid_count, uint32_t node, char *text,
                            size_t size);
/* The grid that the block belongs to; there is one. */
uint32_t grids_find_block(const GraphGrid *grids, uint32_t grid_count, uint32_t block);

/* Memory that grows with the graph: null with the sentence where the host has none left, since that is no
 * reason to abort. */
void *graph_array(uint64_t count, size_t item_bytes, Error *error);

/* -- files (file.c): lists of "parent child" lines, and DOT; which one it is shows in the text -- */

/* Adds the edges that the text has, or nothing if it fails. A draft without grids gets those that the text
 * states, as ours do, else one of as many blocks as it names. Joins that the text states are added where the
 * draft has fewer. Errors name file and line. */
WbStatus draft_read(GraphDraft *draft, const char *file_name, const char *text, size_t length, Error *error);
void draft_write_edges(const GraphDraft *draft, FILE *to);
void draft_write_dot(const GraphDraft *draft, FILE *to);

#endif
