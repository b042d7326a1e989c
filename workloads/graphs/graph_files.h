/* Graphs from a user's own files: Matrix Market, DIMACS shortest paths, METIS and DIMACS-10 adjacency, and
 * lists of edges; and lists of edges written. docs/INPUTS.md says what each form looks like. */
#ifndef WORKLOADS_GRAPH_FILES_H
#define WORKLOADS_GRAPH_FILES_H

#include "graphs/graph.h"

typedef enum GraphForm {
    GRAPH_FORM_GUESS, /* by content, then by extension */
    GRAPH_FORM_MATRIX_MARKET,
    GRAPH_FORM_DIMACS,
    GRAPH_FORM_METIS,
    GRAPH_FORM_EDGE_LIST,
    GRAPH_FORMS
} GraphForm;

/* {0} is a good choice. */
typedef struct GraphFileOptions {
    GraphForm form;
    bool one_based;        /* edge lists: the first vertex is 1; the other forms say so themselves */
    GraphOptions graph;    /* beyond what the file itself says of directions */
    double weight_scale;   /* weights are multiplied by it; 0: by 1, by 1000 in a real Matrix Market file */
    uint32_t most_vertices; /* a file that has more is refused; 0: GRAPH_MOST_VERTICES */
} GraphFileOptions;

/* A vertex costs memory even without edges, so that one wrong number could ask for all there is. */
#define GRAPH_MOST_VERTICES (1u << 27)

/* False: an error stands that names the file, the line and what was expected there; the graph is empty. */
bool graph_read(const char *path, const GraphFileOptions *options, Graph *graph, InputError *error);
/* The same for a file's bytes; `name` stands for its path. */
bool graph_read_bytes(const void *bytes, size_t size, const char *name, const GraphFileOptions *options,
                      Graph *graph, InputError *error);

/* Counted from 0, with weights if the graph has them; reading it back gives the same graph. */
bool graph_write_edges(const Graph *graph, const char *path, InputError *error);

#endif
