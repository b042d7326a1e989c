/* Runs stencil, BFS, CNN and RNN in all their modes, the stencil at five sizes, and global sync on a machine
 * that switches contexts without any reduction and on one that does so in no time, and shows figures 17, 20
 * and 24 to 26 and the claims. */
#include "papers/gsync.h"

#include "papers/study.h"
#include "papers/sync_host.h"

/* An input: its name, the benchmark, and what `side` is with inputs of each size. */
typedef struct Input {
    const char *name, *benchmark;
    uint32_t side[INPUT_SIZES];
} Input;

enum { BLOCK = 16 }; /* cells on the side of a block of the stencil */
#define STENCIL(blocks, side, tiny)                                                                          \
    {                                                                                                        \
        "stencil2d-" #blocks, "stencil2d",                                                                   \
        {                                                                                                    \
            [INPUT_TINY] = (tiny)*BLOCK, [INPUT_SMALL] = (side)*BLOCK, [INPUT_FULL] = (side)*BLOCK           \
        }                                                                                                    \
    }

/* Stencils: from less than what fits to the 1000+ blocks of the thesis [4.5.1.1]; 100 is where it says that
 * polling ends. BFS: 40,000 vertices of each graph, one for each thread [4.5.1.2], in 79 blocks of which 52
 * fit, and 20,000, which fit. CNN and RNN: what fits [fig. 17], and what does not [fig. 20]. */
static const Input inputs[GS_INPUTS] = {
    [GS_STENCIL_64] = STENCIL(64, 8, 2),
    [GS_STENCIL_100] = STENCIL(100, 10, 3),
    [GS_STENCIL_256] = STENCIL(256, 16, 11),
    [GS_STENCIL_576] = STENCIL(576, 24, 11),
    [GS_STENCIL_1024] = STENCIL(1024, 32, 12),
    [GS_BFS_NY_20K] = {"bfs_ny-20k", "bfs_ny", {[INPUT_SMALL] = 20000, [INPUT_FULL] = 20000}},
    [GS_BFS_1M] = {"bfs_1m", "bfs_1m", {0}},
    [GS_BFS_NY] = {"bfs_ny", "bfs_ny", {0}},
    [GS_BFS_SF] = {"bfs_sf", "bfs_sf", {0}},
    [GS_BFS_UT] = {"bfs_ut", "bfs_ut", {0}},
    [GS_CNN] = {"cnn", "cnn", {0}},
    [GS_RNN] = {"rnn", "rnn", {0}},
    [GS_CNN_LARGE] = {"cnn-784", "cnn", {[INPUT_TINY] = 44, [INPUT_SMALL] = 112, [INPUT_FULL] = 112}},
    [GS_RNN_LARGE] = {"rnn-64", "rnn", {[INPUT_TINY] = 14, [INPUT_SMALL] = 4, [INPUT_FULL] = 4}},
};

const uint32_t gsync_stencil_blocks[GS_STENCILS] = {64, 100, 256, 576, 1024};

/* The naive partial context switch of figure 26 [4.5.2]. */
#define NAIVE                                                                                                \
    {                                                                                                        \
        "context_lazy=false", "context_local=false", "context_live_registers=false",                         \
            "context_read_only=false", "context_order=interleaved"                                           \
    }
/* Context switch latencies set to zero [4.5.2]: as near to that as knobs go. */
#define IDEAL                                                                                                \
    {                                                                                                        \
        "context_switch=rate", "context_latency=1", "context_bytes_per_cycle=1048576"                        \
    }

static const StudyMode modes[GS_MODES] = {
    [GS_REKL] = {"ReKL", {NULL}, NULL},
    [GS_DP] = {"DP", {NULL}, NULL},
    [GS_MUTEX] = {"mutex", {NULL}, NULL},
    [GS_FLAGS] = {"flags", {NULL}, NULL},
    [GS_PT_NEIGHBOUR] = {"PT-neighbour", {NULL}, NULL},
    [GS_PT_INTERLEAVED] = {"PT-interleaved", {NULL}, NULL},
    [GS_PT_QUEUE] = {"PT-queue", {NULL}, NULL},
    [GS_GSYNC] = {"GS", {NULL}, NULL},
    [GS_NAIVE] = {"GSnaive", NAIVE, NULL},
    [GS_IDEAL] = {"GSideal", IDEAL, NULL},
};

static const SyncMode sync_modes[GS_MODES] = {
    [GS_REKL] = SYNC_REKL,
    [GS_DP] = SYNC_DP,
    [GS_MUTEX] = SYNC_MUTEX,
    [GS_FLAGS] = SYNC_FLAGS,
    [GS_PT_NEIGHBOUR] = SYNC_PT_NEIGHBOUR,
    [GS_PT_INTERLEAVED] = SYNC_PT_INTERLEAVED,
    [GS_PT_QUEUE] = SYNC_PT_QUEUE,
    [GS_GSYNC] = SYNC_GSYNC,
    [GS_NAIVE] = SYNC_GSYNC,
    [GS_IDEAL] = SYNC_GSYNC,
};

static const char *const settings[] = {"mode=cycle",       "block_records=false",
                                       "record_details=0", "pending_launches=1048576",
                                       SYNC_HOST_SETTINGS, NULL};

static const char *const statistics[] = {
#define KEEP(name, statistic) statistic,
    GSYNC_STATISTICS
#undef KEEP
        NULL};

static const char *benchmark_at(size_t index) { return index < GS_INPUTS ? inputs[index].name : NULL; }

/* Figures 17 and 26 alone have the two other machines. The queue of the larger road networks takes minutes. */
static bool has(size_t input, size_t mode)
{
    const bool is_stencil = input < GS_STENCILS, fits = input == GS_CNN || input == GS_RNN;
    if (mode == GS_NAIVE)
        return is_stencil;
    if (mode == GS_IDEAL)
        return is_stencil || fits;
    if ((mode == GS_FLAGS && input >= GS_CNN) || (mode == GS_PT_QUEUE && input >= GS_BFS_NY))
        return false;
    return sync_has(sync_find(inputs[input].benchmark), sync_modes[mode]);
}

static bool execute(const Run *run, const PaperOptions *options, WbGpu *gpu, Host *host)
{
    char directory[4096];
    const Input *input = &inputs[run->index / GS_MODES];
    const SyncRun how = {.mode = sync_modes[run->index % GS_MODES],
                         .size = options->size,
                         .side = input->side[options->size],
                         .each = 1,
                         .graph = options->graph};
    paper_data("workloads/sync", directory, sizeof directory);
    return sync_run(sync_find(input->benchmark), &how, gpu, directory, host);
}

static void sample(const Run *run, WbGpu *gpu, RunResult *result)
{
    WbRecord record;
    const size_t records = wb_record_count(gpu);
    (void)run;
    if (!records || wb_record_at(gpu, records - 1, &record) != WB_OK)
        return;
    result->samples[GS_WARPS] = (record.block.x * record.block.y * record.block.z + 31) / 32;
    result->samples[GS_SHARED_BYTES] = record.shared_bytes;
}

static bool may_deadlock(const Run *run)
{
    const size_t mode = run->index % GS_MODES;
    return mode == GS_MUTEX || mode == GS_FLAGS;
}

static const Study study = {
    .paper = &paper_gsync,
    .experiment = {.gpu = "gtx970",
                   .settings = settings,
                   .statistics = statistics,
                   .execute = execute,
                   .sample = sample,
                   .may_deadlock = may_deadlock},
    .benchmark_count = GS_INPUTS,
    .mode_count = GS_MODES,
    .figure_count = GSYNC_FIGURES,
    .modes = modes,
    .has = has,
    .claims_of = "sync-thesis",
    .claims_prefix = "G",
    .metric = gsync_metric,
    .figure = gsync_figure,
    .judge = gsync_judge,
};

static bool run(const PaperOptions *options, Error *error) { return study_run(&study, options, error); }

const Paper paper_gsync = {
    .name = "gsync",
    .title =
        "Global synchronization (synchronization thesis, chapter 4): figures 17, 20 and 24 to 26, on gtx970",
    .remark = "Time is simulated time of the host from the first launch until it knows the result: launches, "
              "synchronization and copies of flags included. Speedups are times over each other. Numbers "
              "behind a name are blocks.",
    .benchmark = benchmark_at,
    .run = run,
};
