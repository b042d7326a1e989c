/* Runs the sixteen benchmarks of the DTBL paper in its five ways, with tables of groups of two more sizes,
 * and with what its text leaves open, and shows figures 6 to 12 and the claims. */
#include "papers/dtbl.h"

#include "papers/study.h"

static const StudyMode modes[DTBL_MODES] = {
    [DTBL_FLAT] = {"flat", {NULL}, NULL},
    [DTBL_CDP_IDEAL] = {"CDPI", {"launch_latencies=false"}, NULL},
    [DTBL_DTBL_IDEAL] = {"DTBLI", {"launch_latencies=false"}, NULL},
    [DTBL_CDP] = {"CDP", {"launch_latencies=true"}, NULL},
    [DTBL_DTBL] = {"DTBL", {"launch_latencies=true"}, NULL},
    [DTBL_DTBL_512] = {"DTBL512", {"launch_latencies=true", "aggregated_groups=512"}, NULL},
    [DTBL_DTBL_2048] = {"DTBL2048", {"launch_latencies=true", "aggregated_groups=2048"}, NULL},
    [DTBL_LINES] = {"lines", {"launch_latencies=true", "group_records=lines"}, NULL},
    [DTBL_FALLBACK] = {"fallback", {"launch_latencies=true", "group_fallback_latencies=true"}, NULL},
    [DTBL_CDP_AT_ONCE] = {"CDPonce", {"launch_latencies=true", "kernel_launch_serial=false"}, NULL},
    /* The authors' simulator counts down at every edge of any clock: 706 + 1300 million a second. */
    [DTBL_CDP_EDGES] = {"CDPedges", {"launch_latencies=true", "kernel_launch_cycles=100"}, NULL},
    [DTBL_CHIP] = {"k20c_flat", {NULL}, NULL, "k20c"},
    [DTBL_CHIP_CDP_IDEAL] = {"k20c_CDPI", {"launch_latencies=false"}, NULL, "k20c"},
    [DTBL_CHIP_DTBL_IDEAL] = {"k20c_DTBLI", {"launch_latencies=false"}, NULL, "k20c"},
    [DTBL_CHIP_CDP] = {"k20c_CDP", {"launch_latencies=true"}, NULL, "k20c"},
    [DTBL_CHIP_DTBL] = {"k20c_DTBL", {"launch_latencies=true"}, NULL, "k20c"},
};

static LaunchMode launch_of(size_t mode)
{
    switch (mode) {
    case DTBL_FLAT:
    case DTBL_CHIP:
        return LAUNCH_FLAT;
    case DTBL_CDP:
    case DTBL_CDP_IDEAL:
    case DTBL_CDP_AT_ONCE:
    case DTBL_CDP_EDGES:
    case DTBL_CHIP_CDP:
    case DTBL_CHIP_CDP_IDEAL:
        return LAUNCH_CDP;
    default:
        return LAUNCH_DTBL;
    }
}

/* An iteration of a search makes thousands of launches [3.1], more than the limit's default lets wait. Global
 * loads go through an L1 of 16 KB [table 2], which those of a K20c itself do not. Kernels leave the kernel
 * management unit one after the other, as in the authors' simulator (papers/dtbl-inputs.md). */
static const char *const settings[] = {"mode=cycle",     "block_records=false",       "pending_launches=1048576",
                                       "l1_global=true", "kernel_launch_serial=true", NULL};

static const char *const statistics[] = {
#define KEEP(name, statistic) statistic,
    DTBL_STATISTICS
#undef KEEP
        NULL};

static const char *benchmark_at(size_t index)
{
    return index < DTBL_BENCHMARKS ? dtbl_benchmarks[index].name : NULL;
}

static bool execute(const Run *run, const PaperOptions *options, WbGpu *gpu, Host *host)
{
    char directory[4096], data[4096];
    paper_data("workloads/dtbl", directory, sizeof directory);
    const DtblRun how = {.mode = launch_of(run->index % DTBL_MODES),
                         .size = options->size,
                         .seed = options->seed,
                         .least = options->least,
                         .graph = options->graph,
                         .data = paper_data("workloads/data", data, sizeof data)};
    return dtbl_run(&dtbl_benchmarks[run->index / DTBL_MODES], &how, gpu, directory, host);
}

static const Study study = {
    .paper = &paper_dtbl,
    .experiment = {.gpu = "k20c-dtbl", .settings = settings, .statistics = statistics, .execute = execute},
    .benchmark_count = DTBL_BENCHMARKS,
    .mode_count = DTBL_MODES,
    .figure_count = DTBL_FIGURES,
    .modes = modes,
    .metric = dtbl_metric,
    .figure = dtbl_figure,
    .judge = dtbl_judge,
};

static bool run(const PaperOptions *options, Error *error) { return study_run(&study, options, error); }

const Paper paper_dtbl = {
    .name = "dtbl",
    .title = "Dynamic Thread Block Launch (ISCA 2015): figures 6 to 12, on k20c-dtbl",
    .remark = "Averages are arithmetic means over the benchmarks that have the value: one that launches "
              "nothing has no waiting time, no footprint and no threads of a launch.",
    .has_seed = true,
    .has_least = true,
    .benchmark = benchmark_at,
    .run = run,
};
