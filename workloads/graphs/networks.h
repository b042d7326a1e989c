/* The four graphs of the synchronization thesis [§6.4.2], in their shape: parboil's random graph of a million
 * vertices, and the road networks of New York, the San Francisco Bay Area and Utah. They come whole, as a
 * sample, or from a user's file, and always with numbers by chance: "each node is assigned to a thread
 * randomly" [§6.1.2]. The same parameters and seed give the same graph on every host. */
#ifndef WORKLOADS_NETWORKS_H
#define WORKLOADS_NETWORKS_H

#include "graphs/generate.h"

typedef enum NetworkKind { NETWORK_1M, NETWORK_NY, NETWORK_SF, NETWORK_UT, NETWORKS } NetworkKind;

extern const char *const network_names[NETWORKS];

typedef struct NetworkWish {
    NetworkKind kind;
    bool tiny;        /* a network of the same shape with about two thousand vertices, for tests */
    const char *file; /* a graph file instead of the generated network; null: none */
    uint32_t sample;  /* so many vertices of it; 0: all */
    uint64_t seed;
} NetworkWish;

/* Where searches begin: in the whole graph the first of the vertices with the most neighbours, which is also
 * the one that a sample is grown from. */
typedef struct Network {
    Graph graph;
    uint32_t source;
} Network;

/* A sample is what a breadth-first search from the source finds first, with all edges among these vertices:
 * one piece, in which most vertices keep their degrees. A part that has fewer vertices is taken whole.
 * False: an error stands and there is nothing to free. */
bool network_make(const NetworkWish *wish, Network *network, InputError *error);

#endif
