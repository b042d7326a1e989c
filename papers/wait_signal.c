/* Runs the benchmarks of chapter 6 of the synchronization thesis in all their modes, with data from what fits
 * on the GPU to several times as much, and shows figures 43 to 48 and the claims. */
#include "papers/wait_signal.h"

#include <stdio.h>
#include <string.h>

#include "papers/study.h"
#include "papers/sync_host.h"

/* A queue of swapped-out blocks for each SM, to which they come back [6.3.2]; waiting blocks do not count
 * towards an SM's limit of blocks [6.3.2]. The thesis gives these queues no size. */
static const char *const settings[] = {"mode=cycle",
                                       "block_records=false",
                                       "record_details=0",
                                       "pending_launches=1048576",
                                       SYNC_HOST_SETTINGS,
                                       "swapped_out_home=true",
                                       "waiting_blocks_count=false",
                                       "preempted_global=1048576",
                                       NULL};

#define PART(part)                                                                                           \
    [RUN_VIRTUAL_##part] = {"virtual-" #part, {NULL}, NULL},                                                 \
    [RUN_GROUPED_##part] = {"grouped-" #part, {NULL}, NULL},
#define INTERVAL(steps) [RUN_PEERWAVE_##steps] = {"peerwave-" #steps, {NULL}, NULL},
static const StudyMode modes[WAIT_SIGNAL_MODES] = {
    [RUN_REKL] = {"rekl", {NULL}, NULL},
    [RUN_REKL_APART] = {"rekl-apart", {NULL}, NULL},
    [RUN_DP] = {"dp", {NULL}, NULL},
    [RUN_FLAGS] = {"flags", {NULL}, NULL},
    [RUN_WAIT_SIGNAL] = {"ws", {NULL}, NULL},
    [RUN_TB_ORDER] = {"ws-order", {NULL}, NULL},
    [RUN_TB_ORDER_KEPT] = {"ws-order-kept", {"swap_out_when=gpu-idle"}, NULL},
    WAIT_SIGNAL_INTERVALS WAIT_SIGNAL_PARTS};
#undef INTERVAL
#undef PART

#define PART(part) {part, RUN_VIRTUAL_##part, RUN_GROUPED_##part},
const WaitSignalSweep wait_signal_sweep[WAIT_SIGNAL_SWEEP] = {WAIT_SIGNAL_PARTS};
#undef PART

/* The thesis gives no sizes. The first of each fits on gtx970 at once, 104 blocks of 16 x 16 threads; then
 * come 2 to 40 times as many for SAT, whose tiles are computed once, and 2 to 8 times for the others, which
 * take longer. Figure 48 needs 4,000 events [6.4.4]: 63 x 63 tiles in size full. */
#define SIDES(tiny, small, full)                                                                             \
    {                                                                                                        \
        [INPUT_TINY] = tiny, [INPUT_SMALL] = small, [INPUT_FULL] = full                                      \
    }
const WaitSignalBenchmark wait_signal_benchmarks[WAIT_SIGNAL_BENCHMARKS] = {
    {"sat-1", "sat", KIND_WAVES, SIDES(2, 10, 10)},
    {"sat-2", "sat", KIND_WAVES, SIDES(3, 16, 32)},
    {"sat-3", "sat", KIND_WAVES, SIDES(4, 32, 64)},
    {"sat-4", "sat", KIND_WAVES, SIDES(5, 64, 128)},
    {"sor-1", "sor", KIND_WAVES, SIDES(2, 10, 10)},
    {"sor-2", "sor", KIND_WAVES, SIDES(3, 14, 24)},
    {"sor-3", "sor", KIND_WAVES, SIDES(4, 18, 40)},
    {"sor-4", "sor", KIND_WAVES, SIDES(5, 24, 64)},
    {"lud-1", "lud", KIND_WAVES, SIDES(2, 10, 10)},
    {"lud-2", "lud", KIND_WAVES, SIDES(3, 14, 24)},
    {"lud-3", "lud", KIND_WAVES, SIDES(4, 20, 40)},
    {"lud-4", "lud", KIND_WAVES, SIDES(5, 28, 63)},
    {"lud-events", "lud", KIND_EVENTS, SIDES(5, 28, 63)},
    {"bfs-1m-40k", "bfs_1m", KIND_SAMPLE, {0}},
    {"bfs-ny-40k", "bfs_ny", KIND_SAMPLE, {0}},
    {"bfs-sf-40k", "bfs_sf", KIND_SAMPLE, {0}},
    {"bfs-ut-40k", "bfs_ut", KIND_SAMPLE, {0}},
    {"sssp-1m-40k", "sssp_1m", KIND_SAMPLE, {0}},
    {"sssp-ny-40k", "sssp_ny", KIND_SAMPLE, {0}},
    {"sssp-sf-40k", "sssp_sf", KIND_SAMPLE, {0}},
    {"sssp-ut-40k", "sssp_ut", KIND_SAMPLE, {0}},
    {"apsp-1m-40k", "apsp_1m", KIND_SAMPLE, {0}},
    {"apsp-ny-40k", "apsp_ny", KIND_SAMPLE, {0}},
    {"apsp-sf-40k", "apsp_sf", KIND_SAMPLE, {0}},
    {"apsp-ut-40k", "apsp_ut", KIND_SAMPLE, {0}},
    {"bfs-1m", "bfs_1m", KIND_GRAPH, {0}},
    {"bfs-ny", "bfs_ny", KIND_GRAPH, {0}},
    {"bfs-sf", "bfs_sf", KIND_GRAPH, {0}},
    {"bfs-ut", "bfs_ut", KIND_GRAPH, {0}},
    {"sssp-1m", "sssp_1m", KIND_GRAPH, {0}},
    {"sssp-ny", "sssp_ny", KIND_GRAPH, {0}},
    {"sssp-sf", "sssp_sf", KIND_GRAPH, {0}},
    {"sssp-ut", "sssp_ut", KIND_GRAPH, {0}},
};

static const char *const statistics[] = {
#define KEEP(name, statistic) statistic,
    WAIT_SIGNAL_STATISTICS
#undef KEEP
        NULL};

static const char *benchmark_at(size_t index)
{
    return index < WAIT_SIGNAL_BENCHMARKS ? wait_signal_benchmarks[index].name : NULL;
}

/* With as many counters as events nothing is grouped. */
static bool has(size_t index, size_t mode)
{
    const WaitSignalBenchmark *benchmark = &wait_signal_benchmarks[index];
    if (mode == RUN_REKL_APART)
        return strcmp(benchmark->workload, "sor") == 0;
    if (mode == RUN_TB_ORDER_KEPT)
        return strcmp(benchmark->workload, "sat") == 0;
    if (benchmark->kind == KIND_SAMPLE || benchmark->kind == KIND_GRAPH)
        return wait_signal_graph_has(benchmark->kind, (int)mode);
    if (mode == RUN_DP || mode == RUN_GROUPED_1)
        return false;
    if (mode >= RUN_VIRTUAL_1)
        return benchmark->kind == KIND_EVENTS;
    return benchmark->kind == KIND_WAVES || mode == RUN_REKL;
}

uint32_t wait_signal_counters(uint32_t tiles, uint32_t part)
{
    return (lud_events(tiles, 1) + part - 1) / part;
}

uint32_t wait_signal_group(uint32_t tiles, uint32_t counters)
{
    uint32_t group = 1;
    while (group < tiles && lud_events(tiles, group) > counters)
        group++;
    return group;
}

static SyncRun way_of(const WaitSignalBenchmark *benchmark, size_t mode, InputSize size)
{
    static const SyncMode ways[] = {
        [RUN_REKL] = SYNC_REKL,   [RUN_REKL_APART] = SYNC_REKL,  [RUN_DP] = SYNC_DP,
        [RUN_FLAGS] = SYNC_FLAGS, [RUN_WAIT_SIGNAL] = SYNC_WS,   [RUN_TB_ORDER] = SYNC_WS_ORDER,
        [RUN_TB_ORDER_KEPT] = SYNC_WS_ORDER,
#define INTERVAL(steps) [RUN_PEERWAVE_##steps] = SYNC_PEERWAVE,
        WAIT_SIGNAL_INTERVALS
#undef INTERVAL
    };
#define INTERVAL(steps) [RUN_PEERWAVE_##steps] = steps,
    static const uint32_t intervals[WAIT_SIGNAL_MODES] = {WAIT_SIGNAL_INTERVALS};
#undef INTERVAL
    SyncRun way = {.mode = mode < RUN_VIRTUAL_1 ? ways[mode] : SYNC_WS_ORDER,
                   .size = size,
                   .side = benchmark->sides[size],
                   .interval = intervals[mode],
                   .apart = mode == RUN_REKL_APART};
    for (size_t i = 0; i < WAIT_SIGNAL_SWEEP; i++)
        if ((int)mode == wait_signal_sweep[i].grouped)
            way.group = wait_signal_group(way.side, wait_signal_counters(way.side, wait_signal_sweep[i].part));
    return way;
}

/* The knob has as many counters as the run is to have; others leave it as it is. */
static void set_counters(WbGpu *gpu, int mode, uint32_t tiles)
{
    for (size_t i = 0; i < WAIT_SIGNAL_SWEEP; i++) {
        const WaitSignalSweep *sweep = &wait_signal_sweep[i];
        char value[32];
        snprintf(value, sizeof value, "%u", wait_signal_counters(tiles, sweep->part));
        if (mode == sweep->virtual || mode == sweep->grouped)
            wb_gpu_set(gpu, "wait_signal_counters", value);
    }
}

static bool execute(const Run *run, const PaperOptions *options, WbGpu *gpu, Host *host)
{
    char directory[4096];
    const WaitSignalBenchmark *benchmark = &wait_signal_benchmarks[run->index / WAIT_SIGNAL_MODES];
    const size_t mode = run->index % WAIT_SIGNAL_MODES;
    const SyncRun way = benchmark->kind == KIND_SAMPLE || benchmark->kind == KIND_GRAPH
                            ? wait_signal_graph_way(benchmark->kind, (int)mode, options)
                            : way_of(benchmark, mode, options->size);
    set_counters(gpu, (int)mode, way.side);
    paper_data("workloads/sync", directory, sizeof directory);
    return sync_run(sync_find(benchmark->workload), &way, gpu, directory, host);
}

/* Flags of tiles, where not all blocks are on the GPU [6.4.3]. */
static bool may_deadlock(const Run *run) { return run->index % WAIT_SIGNAL_MODES == RUN_FLAGS; }

static const Study study = {
    .paper = &paper_wait_signal,
    .experiment = {.gpu = "gtx970",
                   .settings = settings,
                   .statistics = statistics,
                   .execute = execute,
                   .may_deadlock = may_deadlock},
    .benchmark_count = WAIT_SIGNAL_BENCHMARKS,
    .mode_count = WAIT_SIGNAL_MODES,
    .figure_count = WAIT_SIGNAL_FIGURES,
    .modes = modes,
    .has = has,
    .claims_of = "sync-thesis",
    .claims_prefix = "S",
    .metric = wait_signal_metric,
    .figure = wait_signal_figure,
    .judge = wait_signal_judge,
};

static bool run(const PaperOptions *options, Error *error) { return study_run(&study, options, error); }

const Paper paper_wait_signal = {
    .name = "wait-signal",
    .title = "Wait and signal between thread blocks (synchronization thesis, chapter 6): figures 43 to 48, on "
             "gtx970",
    .remark = "Time is simulated time of the host's timeline from the call of the first launch until the host "
              "knows that the last has ended, launches included. Speedups are times: ReKL's time over that of "
              "the mode. Averages are arithmetic means.",
    .benchmark = benchmark_at,
    .run = run,
};
