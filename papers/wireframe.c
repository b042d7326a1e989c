/* Runs the six benchmarks of the Wireframe paper in its five ways, with graphs of three sizes, and one of
 * them with local arrays of all sizes, and shows figures 4 and 9 to 13 and the claims. */
#include "papers/wireframe.h"

#include "api/cycle.h"
#include "api/gpu.h"
#include "papers/study.h"

/* Runs of figure 13: nothing is behind the Pending Update Buffer, so sizes that are too small deadlock. */
#define PUB_ALONE "graph_overflow=false", "graph_pending_updates=64"
#define NODES_OF(policy, entries)                                                                            \
    [RUN_##policy##_NODES_##entries] = {                                                                     \
        #policy "-LNA" #entries,                                                                             \
        {"graph_local_nodes=" #entries, "graph_local_edges=8192", PUB_ALONE},                                \
        WIREFRAME_SWEPT},
#define EDGES_OF(policy, entries)                                                                            \
    [RUN_##policy##_EDGES_##entries] = {                                                                     \
        #policy "-LEA" #entries, {"graph_local_edges=" #entries, PUB_ALONE}, WIREFRAME_SWEPT},

/* The 283 cycles until a kernel of a kernel begins are DTBL's, as all times of CDP here are [5.1]. */
#define KMU "kernel_launch_cycles=283"

static const StudyMode modes[WIREFRAME_RUNS] = {
    [RUN_GLOBAL] = {"Global", {NULL}, NULL},
    [RUN_CDP] = {"CDP", {KMU}, NULL},
    [RUN_CDP_HIDDEN] = {"CDPhidden",
                        {KMU, "parameter_buffer_cycles=0", "parameter_buffer_thread_cycles=0"},
                        NULL},
    [RUN_DEPLINKS] = {"DepLinks", {NULL}, NULL},
    [RUN_LRR] = {"LRR", {NULL}, NULL},
    [RUN_LVL] = {"LVL", {NULL}, NULL},
    [RUN_LVL_IDEAL] = {"LVLideal", {"graph_fetches=false", "graph_update_cycles=0"}, NULL},
    [RUN_GLOBAL_1K] = {"Global1K", {NULL}, NULL},
    [RUN_LVL_1K] = {"LVL1K", {NULL}, NULL},
    [RUN_GLOBAL_9K] = {"Global9K", {NULL}, NULL},
    [RUN_LRR_9K] = {"LRR9K", {"sample_interval=2048"}, NULL},
    [RUN_LVL_9K] = {"LVL9K", {NULL}, NULL},
#define SIZE(entries) NODES_OF(LRR, entries) NODES_OF(LVL, entries)
    WIREFRAME_LOCAL_NODES
#undef SIZE
#define SIZE(entries) EDGES_OF(LRR, entries) EDGES_OF(LVL, entries)
        WIREFRAME_LOCAL_EDGES
#undef SIZE
};

#define SIZE(entries) entries,
static const uint32_t local_nodes[] = {WIREFRAME_LOCAL_NODES}, local_edges[] = {WIREFRAME_LOCAL_EDGES};
#undef SIZE
enum {
    NODE_SIZES = sizeof local_nodes / sizeof *local_nodes,
    EDGE_SIZES = sizeof local_edges / sizeof *local_edges
};

const WireframeSweep wireframe_sweeps[WIREFRAME_SWEEPS] = {
    [SWEEP_LRR_NODES] = {local_nodes, NODE_SIZES, RUN_LRR_NODES_32, WIREFRAME_LRR},
    [SWEEP_LVL_NODES] = {local_nodes, NODE_SIZES, RUN_LVL_NODES_32, WIREFRAME_LVL},
    [SWEEP_LRR_EDGES] = {local_edges, EDGE_SIZES, RUN_LRR_EDGES_64, WIREFRAME_LRR},
    [SWEEP_LVL_EDGES] = {local_edges, EDGE_SIZES, RUN_LVL_EDGES_64, WIREFRAME_LVL},
};

static const char *const settings[] = {"mode=cycle", "block_records=false", "record_details=0",
                                       "host_launch_latency_ns=30000", NULL}; /* [5.1] */

static const char *const statistics[] = {
#define KEEP(name, statistic) statistic,
    WIREFRAME_STATISTICS
#undef KEEP
        NULL};

static const char *benchmark_at(size_t index)
{
    return index < WIREFRAME_BENCHMARKS ? wireframe_benchmarks[index].name : NULL;
}

/* How the modes run that are in no sweep. */
static const WireframeRun ways[RUN_LVL_9K + 1] = {
    [RUN_GLOBAL] = {.mode = WIREFRAME_GLOBAL, .tiles = 64},
    [RUN_CDP] = {.mode = WIREFRAME_CDP, .tiles = 64},
    [RUN_CDP_HIDDEN] = {.mode = WIREFRAME_CDP, .tiles = 64},
    [RUN_DEPLINKS] = {.mode = WIREFRAME_BARRIERS, .tiles = 64},
    [RUN_LRR] = {.mode = WIREFRAME_LRR, .tiles = 64},
    [RUN_LVL] = {.mode = WIREFRAME_LVL, .tiles = 64},
    [RUN_LVL_IDEAL] = {.mode = WIREFRAME_LVL, .tiles = 64},
    [RUN_GLOBAL_1K] = {.mode = WIREFRAME_GLOBAL, .tiles = 32},
    [RUN_LVL_1K] = {.mode = WIREFRAME_LVL, .tiles = 32},
    [RUN_GLOBAL_9K] = {.mode = WIREFRAME_GLOBAL, .tiles = 96},
    [RUN_LRR_9K] = {.mode = WIREFRAME_LRR, .tiles = 96},
    [RUN_LVL_9K] = {.mode = WIREFRAME_LVL, .tiles = 96},
};

WireframeRun wireframe_way(int mode, InputSize size)
{
    WireframeRun way = {0};
    if (mode <= RUN_LVL_9K)
        way = ways[mode];
    for (size_t i = 0; i < WIREFRAME_SWEEPS; i++) {
        const WireframeSweep *sweep = &wireframe_sweeps[i];
        if (mode >= sweep->first && mode < sweep->first + (int)sweep->count)
            way = (WireframeRun){.mode = sweep->mode, .tiles = 64};
    }
    way.size = size;
    way.tiles /= size == INPUT_TINY ? 8 : 1;
    return way;
}

static bool execute(const Run *run, const PaperOptions *options, WbGpu *gpu, Host *host)
{
    char directory[4096];
    paper_data("workloads/wireframe", directory, sizeof directory);
    WireframeRun how = wireframe_way((int)(run->index % WIREFRAME_RUNS), options->size);
    how.seed = (uint32_t)options->seed;
    return wireframe_run(&wireframe_benchmarks[run->index / WIREFRAME_RUNS], &how, gpu, directory, host);
}

/* The range of levels over time: its mean in each of equal parts of the kernel's time [3.2.1, fig. 4]. */
static void sample_range(const Run *run, WbGpu *gpu, RunResult *result)
{
    if (run->index % WIREFRAME_RUNS != RUN_LRR_9K || !gpu->records.count)
        return;
    const KernelRecord *record = gpu->records.items[0];
    const Series *series = record->series;
    double cycles[WIREFRAME_PARTS] = {0};
    Cycle from = record->launched;
    for (uint32_t i = 0; series && i < series->ends.count; i++) {
        const size_t part = (size_t)((from - record->launched) * WIREFRAME_PARTS / record_cycles(record));
        result->samples[part] += (double)series_value(series, i, SERIES_GRAPH_level_range_cycles);
        cycles[part] += (double)series_value(series, i, SERIES_GRAPH_active_cycles);
        from = series->ends.items[i];
    }
    for (size_t i = 0; i < WIREFRAME_PARTS; i++)
        result->samples[i] = quotient(result->samples[i], cycles[i]);
}

/* A size of figure 13 that is too small. */
static bool may_deadlock(const Run *run) { return run->index % WIREFRAME_RUNS > RUN_LVL_9K; }

static const Study study = {
    .paper = &paper_wireframe,
    .experiment = {.gpu = "gtx480",
                   .settings = settings,
                   .statistics = statistics,
                   .execute = execute,
                   .sample = sample_range,
                   .may_deadlock = may_deadlock},
    .benchmark_count = WIREFRAME_BENCHMARKS,
    .mode_count = WIREFRAME_RUNS,
    .figure_count = WIREFRAME_FIGURES,
    .modes = modes,
    .metric = wireframe_metric,
    .figure = wireframe_figure,
    .judge = wireframe_judge,
};

static bool run(const PaperOptions *options, Error *error) { return study_run(&study, options, error); }

const Paper paper_wireframe = {
    .name = "wireframe",
    .title = "Wireframe (MICRO 2017): figures 4 and 9 to 13, on gtx480",
    .remark =
        "Time is simulated time from the call of the first launch to the end of the last, with the 30 us "
        "of every launch by the host. Speedups are those of the total, in percent: 100 (other / time - "
        "1). Averages are arithmetic means.",
    .has_seed = true,
    .benchmark = benchmark_at,
    .run = run,
};
