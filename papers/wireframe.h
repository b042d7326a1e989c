/* Wireframe (MICRO 2017), repeated: its runs, the quantities that its figures show, and its claims. Section
 * numbers in brackets are the paper's. */
#ifndef PAPERS_WIREFRAME_H
#define PAPERS_WIREFRAME_H

#include "papers/figure.h"
#include "papers/measure.h"
#include "wireframe/wireframe.h"

/* Sizes of the Local Node Array and of the Local Edge Array in figure 13. */
#define WIREFRAME_LOCAL_NODES SIZE(32) SIZE(64) SIZE(128) SIZE(256) SIZE(512) SIZE(1024)
#define WIREFRAME_LOCAL_EDGES SIZE(64) SIZE(128) SIZE(256) SIZE(512) SIZE(1024) SIZE(2048)

/* How a benchmark runs: graphs of 4K nodes unless the name says else. Those of figure 13 are by size; the
 * paper has them with 4K nodes. */
typedef enum WireframeRunMode {
    RUN_GLOBAL, /* a kernel per wave */
    RUN_CDP,
    RUN_CDP_HIDDEN, /* the allocation of parameter buffers takes no time */
    RUN_DEPLINKS,   /* a barrier between waves, in one launch */
    RUN_LRR,
    RUN_LVL,
    RUN_LVL_IDEAL, /* all of the graph is on the chip at once, and updates take no time */
    RUN_GLOBAL_1K,
    RUN_LVL_1K,
    RUN_GLOBAL_9K,
    RUN_LRR_9K,
    RUN_LVL_9K,
#define SIZE(entries) RUN_LRR_NODES_##entries,
    WIREFRAME_LOCAL_NODES
#undef SIZE
#define SIZE(entries) RUN_LVL_NODES_##entries,
        WIREFRAME_LOCAL_NODES
#undef SIZE
#define SIZE(entries) RUN_LRR_EDGES_##entries,
            WIREFRAME_LOCAL_EDGES
#undef SIZE
#define SIZE(entries) RUN_LVL_EDGES_##entries,
                WIREFRAME_LOCAL_EDGES
#undef SIZE
                    WIREFRAME_RUNS
} WireframeRunMode;

/* How a mode runs. Tiny inputs have no cells for so many tiles, and get fewer. */
WireframeRun wireframe_way(int mode, InputSize size);

/* The runs of figure 13 with one policy over one array: `first` and so many modes behind it. */
typedef struct WireframeSweep {
    const uint32_t *entries;
    size_t count;
    int first;
    WireframeMode mode;
} WireframeSweep;
enum {
    SWEEP_LRR_NODES,
    SWEEP_LVL_NODES,
    SWEEP_LRR_EDGES,
    SWEEP_LVL_EDGES,
    WIREFRAME_SWEEPS
};
extern const WireframeSweep wireframe_sweeps[WIREFRAME_SWEEPS];
/* The benchmark that they run [5.4]. */
#define WIREFRAME_SWEPT "sor"

/* What is kept of a run. */
typedef enum WireframeStatistic {
#define WIREFRAME_STATISTICS                                                                                 \
    KEEP(KERNELS, "kernels")                                                                                 \
    KEEP(THREAD_INSTRUCTIONS, "thread_instructions")                                                         \
    KEEP(LOADS, "l2.loads")                                                                                  \
    KEEP(STORES, "l2.stores")                                                                                \
    KEEP(ATOMICS, "l2.atomics")                                                                              \
    KEEP(LOAD_HITS, "l2.load_hits")                                                                          \
    KEEP(LOAD_PENDING, "l2.load_pending")                                                                    \
    KEEP(LOAD_MISSES, "l2.load_misses")                                                                      \
    KEEP(STORE_HITS, "l2.store_hits")                                                                        \
    KEEP(STORE_PENDING, "l2.store_pending")                                                                  \
    KEEP(STORE_MISSES, "l2.store_misses")                                                                    \
    KEEP(NODES, "graph.nodes")                                                                               \
    KEEP(NODE_FETCHES, "graph.node_fetches")                                                                 \
    KEEP(EDGE_FETCHES, "graph.edge_fetches")                                                                 \
    KEEP(LOCAL, "graph.updates_local")                                                                       \
    KEEP(PENDING, "graph.updates_pending")                                                                   \
    KEEP(OVERFLOWED, "graph.updates_overflowed")                                                             \
    KEEP(OVERFLOW_REQUESTS, "graph.overflow_requests")                                                       \
    KEEP(NODES_PEAK, "graph.nodes_peak")                                                                     \
    KEEP(EDGES_PEAK, "graph.edges_peak")                                                                     \
    KEEP(PENDING_PEAK, "graph.pending_peak")                                                                 \
    KEEP(LEVEL_RANGE, "graph.level_range_peak")                                                              \
    KEEP(LEVEL_RANGE_CYCLES, "graph.level_range_cycles")                                                     \
    KEEP(ACTIVE, "graph.active_cycles")                                                                      \
    KEEP(STARVED, "graph.starved_cycles")                                                                    \
    KEEP(BOUND, "graph.bound_cycles")                                                                        \
    KEEP(SM_ACTIVE, "sm.active_cycles")                                                                      \
    KEEP(RESIDENT, "sm.resident_warp_cycles")                                                                \
    KEEP(ISSUED, "scheduler.issued")                                                                         \
    KEEP(STALL_RESULT, "scheduler.stall_result")                                                             \
    KEEP(STALL_BARRIER, "scheduler.stall_barrier")                                                           \
    KEEP(STALL_FETCH, "scheduler.stall_fetch")
#define KEEP(name, statistic) KEPT_##name,
    WIREFRAME_STATISTICS
#undef KEEP
        WIREFRAME_STATISTIC_COUNT
} WireframeStatistic;
_Static_assert((int)WIREFRAME_STATISTIC_COUNT <= RUN_STATISTICS, "a result has room for all of them");

typedef enum WireframeMetric {
    WF_TIME,         /* microseconds from the first launch's call to the end */
    WF_CYCLES,       /* of the kernels alone */
    WF_IPC,          /* instructions of threads in a cycle of those */
    WF_LAUNCH_RATIO, /* time that is not spent in launches of the host, over time that is [5.3] */
    WF_MISS_RATE,    /* sectors that were not in L2, % of those looked up */
    WF_REQUESTS,     /* requests to L2 that the block scheduler made, % of all others [5.3] */
    WF_LEVEL_RANGE,  /* most levels between nodes that ran at once */
    WF_MEAN_RANGE,   /* the same, on average over time */
    WF_PENDING,      /* most entries of the Pending Update Buffer in use */
    WF_OVERFLOWED,   /* updates that found it full, % of all */
    WF_NODES_PEAK,   /* most entries of the local arrays in use */
    WF_EDGES_PEAK,
    WF_FETCHES, /* lines of the graph fetched from global memory */
    WF_STARVED, /* cycles without a ready node while some were being fetched, % */
    WF_BOUND,   /* cycles in which the policy let no ready node run, % */
    WF_BUSY,    /* SMs with a block, % of them */
    WF_OCCUPANCY, /* warps resident there, % of those that an SM has room for */
    WF_ISSUED,    /* what schedulers did there, % of their cycles: issued, or waited for results, at
                     barriers, for instructions */
    WF_STALL_RESULT,
    WF_STALL_BARRIER,
    WF_STALL_FETCH,
} WireframeMetric;

double wireframe_metric(const Results *results, const RunResult *result, int metric);

/* The metric of one run of a sweep. */
double wireframe_swept(const Results *results, const WireframeSweep *sweep, size_t index, int metric);
/* Its instructions a cycle: 0 if it deadlocked. */
double wireframe_swept_ipc(const Results *results, const WireframeSweep *sweep, size_t index);
size_t wireframe_swept_benchmark(void);

/* Arithmetic, no measurement: the speedup of a mode over its Global, %, if computation took as long as here, and
 * Global's launches such a part of it that their ratio is the given one [5.3, fig. 12 right]. */
double wireframe_speedup_at(const Results *results, int mode, int global, double ratio, size_t benchmark);

/* Bytes of the Dependency Graph Buffer with the sizes of a policy, "lvl" or "lrr": as the paper counts them,
 * or with all that an entry needs. */
uint64_t wireframe_buffer_bytes(const Results *results, const char *order, bool in_full);

/* -- tables -- */

/* Parts of equal length of a run, of which figure 4 shows the range of levels. */
enum { WIREFRAME_PARTS = 32 };

enum { WIREFRAME_FIGURES = 13 };
/* Figures 4 and 9 to 13, between the times of all runs and what the scheduler did. */
Sheet wireframe_figure(const Results *results, size_t index);

Judgement wireframe_judge(const Results *results, const Claim *claim);

#endif
