/* A graph in compressed sparse rows, the form in which the kernels read it, and how it is made of edges. */
#ifndef WORKLOADS_GRAPH_H
#define WORKLOADS_GRAPH_H

#include <stdint.h>

#include "graphs/input_error.h"

/* The neighbours of vertex v are columns[starts[v]] to columns[starts[v + 1] - 1].
 *
 * Invariant: starts has vertices + 1 elements, begins with 0, never falls and ends with edges. columns has
 * `edges` elements, each below `targets`, rising within a row (strictly, once duplicates are dropped).
 * weights is null or has `edges` elements. targets equals vertices unless the rows and the columns are
 * different things, as users and films are. An undirected edge is there twice, once from either end; a loop
 * is there once. */
typedef struct Graph {
    uint32_t vertices;
    uint32_t targets;
    uint32_t edges;
    uint32_t *starts;
    uint32_t *columns;
    uint32_t *weights;
} Graph;

/* Edges in any order, to be made a graph. Begin with edges_begin.
 *
 * Invariant: from, to and, when weighted, weight hold `count` elements; those that edges_add has taken lie
 * below the vertices and targets there are. */
typedef struct Edges {
    uint32_t vertices;
    uint32_t targets;
    bool weighted;
    uint32_t count;
    uint32_t capacity;
    uint32_t *from;
    uint32_t *to;
    uint32_t *weight;
} Edges;

typedef struct GraphOptions {
    bool undirected;      /* adds the other direction of every edge; needs vertices == targets */
    bool drop_loops;      /* edges from a vertex to itself */
    bool drop_duplicates; /* of several edges between the same ends the lightest stays */
} GraphOptions;

/* Each of a graph's directions counts as an edge. */
#define GRAPH_MOST_EDGES UINT32_MAX

Edges edges_begin(uint32_t vertices, bool weighted);
/* The weight is ignored unless the edges are weighted. False: an error stands. */
bool edges_add(Edges *edges, uint32_t from, uint32_t to, uint32_t weight, InputError *error);
void edges_free(Edges *edges);

/* Sorts by counting, in time proportional to vertices and edges. The edges are freed in any case. False: an
 * error stands and the graph is empty. */
bool graph_make(Edges *edges, GraphOptions options, Graph *graph, InputError *error);
/* The same edges the other way round: who points to me. */
bool graph_transpose(const Graph *graph, Graph *transposed, InputError *error);
void graph_discard(Graph *graph);

/* Breadth-first search: levels[v] is how many edges v is away from the source, UINT32_MAX if it cannot be
 * reached. `queue` has room for all vertices. */
void graph_search(const Graph *graph, uint32_t source, uint32_t *queue, uint32_t *levels);

static inline uint32_t graph_degree(const Graph *graph, uint32_t vertex)
{
    return graph->starts[vertex + 1] - graph->starts[vertex];
}

/* A number that differs when anything in the graph does: the same on every host. */
uint64_t graph_fingerprint(const Graph *graph);

#endif
