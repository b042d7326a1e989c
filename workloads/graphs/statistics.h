/* How a graph's degrees are distributed: what decides how much work a vertex can launch. */
#ifndef WORKLOADS_GRAPH_STATISTICS_H
#define WORKLOADS_GRAPH_STATISTICS_H

#include <stdio.h>

#include "graphs/graph.h"

enum { DEGREE_CLASSES = 33 };

/* Invariant: histogram[0] counts the vertices without edges, histogram[k] those with 2^(k-1) to 2^k - 1; they
 * add up to vertices. All is 0 for a graph without vertices. */
typedef struct GraphStatistics {
    uint32_t vertices;
    uint32_t edges;
    uint32_t smallest;
    uint32_t largest;
    double mean;
    double variance; /* of the whole population */
    uint32_t histogram[DEGREE_CLASSES];
} GraphStatistics;

GraphStatistics graph_statistics(const Graph *graph);
/* Three lines for a reader: sizes, degrees, histogram. */
void graph_statistics_print(const GraphStatistics *statistics, FILE *to);

#endif
