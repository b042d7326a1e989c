/* The Dependency Graph Buffer [Wireframe §4.2]: the part of a dependency graph that the block scheduler has
 * on the chip. Local Node Array with Node State Table, Local Edge Array, Pending Update Buffer and Node
 * Insertion Buffer; what takes time, and when, is the scheduler's business (dats.h).
 *
 * Node i is at place i modulo the Local Node Array's size, edge e at e modulo the Local Edge Array's. Nodes
 * come in the order of their virtual IDs and leave in that order: from `tail`, the first that is not over, to
 * before `head`. A node is over when its block has ended and its children have been told.
 *
 * Differs from the paper, as it cannot work otherwise or says nothing:
 *   - An entry keeps the number of its node's children and the block to run. The number is the difference of
 *     two starts in global memory, known when the next node's entry has been seen, be it only in the Node
 *     Insertion Buffer: until then the node is not scheduled ("head pointer node").
 *   - Childless nodes have real starts, not -1. */
#ifndef GRID_GRAPH_BUFFER_H
#define GRID_GRAPH_BUFFER_H

#include "config/config.h"
#include "depend/graph.h"

typedef enum NodeState { NODE_WAITING, NODE_READY, NODE_PROCESSING, NODE_DONE } NodeState;

/* An entry of Local Node Array and Node State Table. Invariant: parents is 0 exactly if it does not wait. */
typedef struct GraphNode {
    uint32_t id;          /* virtual: the Global Node # */
    uint32_t task;        /* the number of the block or join in the graph */
    uint32_t parents;     /* that are not over */
    uint32_t level;
    uint32_t edge_start;  /* of its children in the Local Edge Array */
    uint32_t first_edge;  /* the same in the graph, until its children are counted */
    uint32_t edge_count;  /* valid if the next is set */
    bool is_counted;      /* else nobody knows yet how many children it has */
    uint8_t state;        /* NodeState */
} GraphNode;

/* Entries of nodes on their way into the Local Node Array: one line of global memory. */
typedef struct InsertionBuffer {
    NodeEntry entries[LINE_NODES];
    uint32_t first;       /* the ID of entries[0] */
    uint32_t next, count; /* entries[next] to entries[count - 1] are to be inserted */
} InsertionBuffer;

/* Invariant: tail <= head <= node_count, head - tail <= local_nodes; edges edge_tail to edge_head - 1 are
 * here, edge_head - edge_tail <= local_edges, and those of all nodes from tail to head - 1 are among them;
 * pending_count <= pending_capacity; bit p of ready (processing) is set exactly if the node at place p is
 * NODE_READY (NODE_PROCESSING). */
typedef struct GraphBuffer {
    uint32_t node_count, edge_count; /* of the whole graph: registers, set at the launch */
    GraphNode *nodes;
    uint32_t local_nodes, tail, head;
    uint32_t *edges;      /* virtual IDs of children */
    uint32_t local_edges;
    uint32_t edge_tail, edge_head; /* indices in the graph */
    uint32_t *pending;    /* children that are not here, one entry for each ended parent */
    uint32_t pending_capacity, pending_count;
    InsertionBuffer insertion;
    uint64_t *ready, *processing;
    bool (*may_run)(void *context, uint32_t task); /* of a ready block; null: all may */
    void *context;
} GraphBuffer;

void graph_buffer_init(GraphBuffer *buffer, uint32_t local_nodes, uint32_t local_edges, uint32_t pending);
void graph_buffer_free(GraphBuffer *buffer);
/* Empties it for a graph of so many nodes and edges. */
void graph_buffer_reset(GraphBuffer *buffer, uint32_t node_count, uint32_t edge_count);

/* -- loading -- */

/* A line of nodes has come: entries of nodes first to first + count - 1. The insertion buffer must be
 * empty. */
void graph_buffer_take_nodes(GraphBuffer *buffer, uint32_t first, const NodeEntry *entries, uint32_t count);
/* Edges first to first + count - 1 have come, first being at most edge_head: those that find room stay. */
void graph_buffer_take_edges(GraphBuffer *buffer, uint32_t first, const uint32_t *children, uint32_t count);

/* Why the first node of the insertion buffer cannot be inserted. */
typedef enum Insertion {
    INSERTION_POSSIBLE,
    INSERTION_EMPTY,    /* there is no such node */
    INSERTION_NO_PLACE, /* its place in the Local Node Array is taken */
    INSERTION_NO_ROOM,  /* the Local Edge Array has no room for its edges, or those of the node before it */
    INSERTION_NO_EDGES  /* they have not come, but there is room for them */
} Insertion;
Insertion graph_buffer_can_insert(const GraphBuffer *buffer);
/* Inserts it, and applies the pending updates that are for it. Returns how many these were. */
uint32_t graph_buffer_insert(GraphBuffer *buffer);

/* -- running -- */

/* The first node that may be dispatched, counted from virtual ID `from` on; null: none. */
const GraphNode *graph_buffer_next_ready(const GraphBuffer *buffer, uint32_t from);
/* The level of the first node that is not over. */
uint32_t graph_buffer_lowest_level(const GraphBuffer *buffer);
/* Highest minus lowest level of the nodes that are being processed; 0: there are none. */
uint32_t graph_buffer_level_range(const GraphBuffer *buffer);
/* The node is ready and is being processed from now on. */
void graph_buffer_start(GraphBuffer *buffer, uint32_t id);

/* A child of a node that has ended is told. */
typedef enum Update {
    UPDATE_LOCAL,     /* it is here */
    UPDATE_READY,     /* it is here, and it was the last parent */
    UPDATE_PENDING,   /* it is not: the update is put down */
    UPDATE_OVERFLOW   /* nor is there room for that: nothing has happened */
} Update;
Update graph_buffer_update(GraphBuffer *buffer, uint32_t child);
/* The child's entry is in the insertion buffer: its parent count goes down there. False: it is not. */
bool graph_buffer_update_insertion(GraphBuffer *buffer, uint32_t child);
/* All children of the node have been told: it is over. Moves the tails. */
void graph_buffer_finish(GraphBuffer *buffer, uint32_t id);

/* The entry of a node that is here. */
GraphNode *graph_buffer_node(const GraphBuffer *buffer, uint32_t id);

/* -- its size in bytes -- */

/* As the paper counts it [Wireframe §5.4]: 2304 with 128 nodes, 512 edges, 64 pending updates, IDs of 16
 * bits. */
uint64_t graph_buffer_bytes(uint32_t local_nodes, uint32_t local_edges, uint32_t pending, uint32_t id_bits);
/* With what the paper's entries lack: the block to run and the number of children. */
uint64_t graph_buffer_bytes_in_full(uint32_t local_nodes, uint32_t local_edges, uint32_t pending,
                                    uint32_t id_bits);

#endif
