/* What searches over a graph share on the host: the graph on the device, and the ways in which rounds follow
 * each other (search.cuh).
 *
 * Inputs [sync-thesis §6.4.2]. Full: the whole graph, a vertex for each thread. Small: a sample of 40,000
 * vertices, two for each thread, in blocks of 512 threads: with one for each there were 79 blocks, and a GTX
 * 970 holds 52, so that the memory flags of Fig 43 could not run. Tiny: about 2,000 vertices. */
#ifndef WORKLOADS_SYNC_SEARCH_H
#define WORKLOADS_SYNC_SEARCH_H

#include "graphs/networks.h"
#include "sync/sync.h"

enum { SEARCH_BLOCK = 512 }; /* as in search.cuh */

/* As Neighbours of search.cuh. */
typedef struct SearchNeighbours {
    uint64_t starts, columns, weights;
    uint32_t vertices, shift;
} SearchNeighbours;

/* One search. Invariant: cells are what search.cuh calls so, `cell_bytes` of addresses of the device. */
typedef struct Search {
    const char *base; /* of the kernels' names: bfs */
    uint32_t source, blocks;
    SearchNeighbours graph;
    uint64_t cells[2];
    size_t cell_bytes;
} Search;

/* The run's graph. False: the host keeps the sentence, and there is nothing to free. */
bool search_network(Host *host, const SyncRun *run, NetworkKind kind, Network *network);
/* Copies the graph to the device; search_end() frees it there. Cells are the caller's. */
Search search_begin(Host *host, const SyncRun *run, const char *base, const Network *network);
void search_end(Host *host, Search *search);
/* Runs all rounds in the run's mode, which is none of persistent threads. */
void search_run(Host *host, const SyncRun *run, Search *search);

#endif
