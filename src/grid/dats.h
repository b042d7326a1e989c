/* The Dependency-Aware Thread Block Scheduler [Wireframe §4]: runs a dependency graph out of its buffer.
 *
 * It fetches nodes and edges from global memory line by line, 128 bytes each, inserts nodes as there is room,
 * says which block is next, and tells a node's children when its block has ended. Two engines work side by
 * side: one inserts nodes, the other tells children; a step of either takes graph_update_cycles. Fetches go
 * through the front end's port into L2 and DRAM.
 *
 * Differs from the paper, as it cannot work otherwise or says nothing:
 *   - The next line of nodes is fetched as soon as the Node Insertion Buffer is empty, and nodes leave it one
 *     by one: to wait until there is room for a whole line hangs a chain in a small Local Node Array.
 *   - Lines of edges are fetched ahead where a whole one has room, else when a node waits for them.
 *   - An update that finds the Pending Update Buffer full decrements the parent count in global memory, or in
 *     the Node Insertion Buffer if the node is there already (knob graph_overflow). As published, a
 *     128x128 wavefront would never end. Without the knob the ended node waits; others that have ended after
 *     it may be served before it. In either case its place on its SM is free.
 *   - A join is started and ended by the scheduler itself.
 *   - The blocks may be of several kernels. One whose kernel has no entry of the distributor is passed
 *     over. The last one ends when all nodes are over, joins behind the last block, too. */
#ifndef GRID_DATS_H
#define GRID_DATS_H

#include "base/stat.h"
#include "grid/graph_run.h"
#include "grid/policy.h"
#include "mem/memory_port.h"

typedef struct DatsStatistics {
#define COUNT(field, unit, description) uint64_t field;
#include "grid/graph_statistics.def"
#undef COUNT
} DatsStatistics;

extern const StatTable dats_statistics;

/* A node whose block has ended. Invariant: told of its children have been told. */
typedef struct EndedNode {
    uint32_t id, told;
    bool is_blocked;     /* it found no room for the next update, and nothing has changed since */
    bool has_overflowed; /* that update has been counted as one that found no room */
} EndedNode;

/* A line on its way. */
typedef struct LineFetch {
    bool is_coming;
    uint32_t first, count; /* nodes or edges */
    uint8_t bytes[LINE_BYTES];
} LineFetch;

/* What is added up over cycles, as it has been since `since`. */
typedef struct DatsPhase {
    Cycle since;
    uint32_t level_range;
    bool is_starved, is_bound, is_halted, is_blocked;
} DatsPhase;

/* What an order has counted. */
typedef struct OrderCounters {
    const StatTable *table;
    void *counters;
} OrderCounters;

/* Invariant: run is null exactly while there is no graph; `chosen` is what the order says, while is_chosen;
 * ready_joins are in the buffer, ready. */
typedef struct Dats {
    const GpuConfig *config;
    VEC(OrderCounters) counted; /* of orders that have been in use, the knob's first */
    void *order_counters;    /* of the graph's order; null: it has none */
    MemoryPort *port;        /* null: what lies in memory comes at once */
    GraphRun *run;
    GraphBuffer buffer;
    LineFetch nodes, edges;
    uint32_t next_nodes;     /* the first that has not been fetched */
    uint32_t blocks_left;    /* that have not ended */
    uint32_t additions;      /* to parent counts in global memory, on their way */
    VEC(EndedNode) ended;
    VEC(uint32_t) ready_joins;
    Cycle insert_when, tell_when; /* when the engines can take their next steps */
    Cycle wake;              /* when something has happened to it; CYCLE_NEVER: nothing has */
    const GraphNode *chosen;
    bool is_chosen;
    bool has_news;           /* what may be dispatched has changed */
    DatsPhase phase;
    DatsStatistics statistics;
} Dats;

Dats *dats_create(const GpuConfig *config, MemoryPort *port);
void dats_free(Dats *dats);
/* The graph of a launch; one at a time. Its kernels are submitted after that. */
void dats_begin(Dats *dats, GraphRun *run, Cycle now);
/* Whether its blocks have ended, while joins behind them or accesses to memory have not: the last kernel does
 * not end before these. */
bool dats_keeps_kernels(const Dats *dats);
/* All its kernels have ended. */
void dats_end(Dats *dats, Cycle now);

/* Does what is due. True: other nodes may be ready than before. */
bool dats_advance(Dats *dats, Cycle now);
/* When that is to be called again; CYCLE_NEVER: when a block has ended, or an access to memory. */
Cycle dats_next(const Dats *dats);
/* Counts cycles up to `now`. */
void dats_account(Dats *dats, Cycle now);

/* What the order of that table has counted; null: it has not been in use. */
const void *dats_order_counters(const Dats *dats, const StatTable *table);

/* Whether the task of the graph is a join, or a block of a kernel that is in the distributor. */
bool dats_may_run(void *dats, uint32_t task);

/* Nodes in the buffer that are ready. */
uint32_t dats_ready(const Dats *dats);

/* Where the graph stands, and which structure holds it up; empty: there is no graph. False: none does. */
bool dats_describe(const Dats *dats, char *text, size_t size);

/* The source of blocks of kernels that have a graph: asks the Dats of their run. */
extern const BlockSource dats_source;

#endif
