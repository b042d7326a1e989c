/* What the readers of the single forms share. Each takes the whole file and leaves edges, or an error. */
#ifndef WORKLOADS_GRAPH_READER_H
#define WORKLOADS_GRAPH_READER_H

#include "graphs/graph_files.h"
#include "graphs/scanner.h"

typedef struct GraphReader {
    Scanner scanner;
    const GraphFileOptions *options;
    uint32_t most_vertices;
    Edges edges;
    bool undirected; /* found by the reader: the file has one direction of every edge only */
} GraphReader;

bool read_matrix_market(GraphReader *reader);
bool read_dimacs(GraphReader *reader);
bool read_metis(GraphReader *reader);
bool read_edge_list(GraphReader *reader);

/* A weight in whole numbers: scaled, rounded, at least 1 unless it is 0, and never above 2^31 - 1, so that
 * kernels may add them in 32 bits. `scale` holds unless the user has given one. */
uint32_t reader_weight(const GraphReader *reader, double value, double scale);

#endif
