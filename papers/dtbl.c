/* Runs the sixteen benchmarks of the DTBL paper in its five ways, and with tables of groups of two more
 * sizes, and shows figures 6 to 12 and the claims. */
#include "papers/dtbl.h"

#include "api/gpu.h"
#include "papers/output.h"

enum { ALL_RUNS = DTBL_BENCHMARKS * DTBL_MODES };

static const struct {
    const char *name;
    LaunchMode launches;
    const char *settings[RUN_SETTINGS];
} modes[DTBL_MODES] = {
    [DTBL_FLAT] = {"flat", LAUNCH_FLAT, {NULL}},
    [DTBL_CDP_IDEAL] = {"CDPI", LAUNCH_CDP, {"launch_latencies=false"}},
    [DTBL_DTBL_IDEAL] = {"DTBLI", LAUNCH_DTBL, {"launch_latencies=false"}},
    [DTBL_CDP] = {"CDP", LAUNCH_CDP, {"launch_latencies=true"}},
    [DTBL_DTBL] = {"DTBL", LAUNCH_DTBL, {"launch_latencies=true"}},
    [DTBL_DTBL_512] = {"DTBL512", LAUNCH_DTBL, {"launch_latencies=true", "aggregated_groups=512"}},
    [DTBL_DTBL_2048] = {"DTBL2048", LAUNCH_DTBL, {"launch_latencies=true", "aggregated_groups=2048"}},
};

/* An iteration of a search makes thousands of launches [3.1], more than the limit's default lets wait. */
static const char *const settings[] = {"mode=cycle", "block_records=false", "pending_launches=1048576", NULL};

static const char *const statistics[] = {
#define KEEP(name, statistic) statistic,
    DTBL_STATISTICS
#undef KEEP
        NULL};

static const char *benchmark_at(size_t index)
{
    return index < DTBL_BENCHMARKS ? dtbl_benchmarks[index].name : NULL;
}

/* -- runs -- */

static bool execute(const Run *run, const PaperOptions *options, WbGpu *gpu, Host *host)
{
    char directory[4096];
    paper_data("workloads/dtbl", directory, sizeof directory);
    const DtblRun how = {
        .mode = modes[run->index % DTBL_MODES].launches, .size = options->size, .graph = options->graph};
    return dtbl_run(&dtbl_benchmarks[run->index / DTBL_MODES], &how, gpu, directory, host);
}

static void add_runs(Experiment *experiment, DtblResults *results)
{
    for (size_t i = 0; i < ALL_RUNS; i++) {
        const size_t benchmark = i / DTBL_MODES, mode = i % DTBL_MODES;
        if (!paper_wants(experiment->options, dtbl_benchmarks[benchmark].name))
            continue;
        Run *run = &experiment->runs[experiment->count++];
        *run = (Run){.benchmark = dtbl_benchmarks[benchmark].name, .mode = modes[mode].name, .index = i};
        for (size_t s = 0; s < RUN_SETTINGS; s++)
            run->settings[s] = modes[mode].settings[s];
        results->runs[benchmark][mode] = run;
    }
}

/* -- results -- */

static void show(const Experiment *experiment, const DtblResults *results, const Claims *claims, Error *error)
{
    Sheet figures[DTBL_FIGURES];
    Judgement *judgements = xcalloc(claims->rows.count, sizeof *judgements);
    for (size_t i = 0; i < DTBL_FIGURES; i++)
        figures[i] = dtbl_figure(results, i);
    for (uint32_t i = 0; i < claims->rows.count; i++)
        judgements[i] = dtbl_judge(results, &claims->rows.items[i]);
    output_results(&(PaperResults){&paper_dtbl, experiment, figures, DTBL_FIGURES, claims, judgements},
                   error);
    for (size_t i = 0; i < DTBL_FIGURES; i++)
        sheet_free(&figures[i]);
    xfree(judgements);
}

/* -- the whole -- */

static bool read_config(const Experiment *experiment, GpuConfig *config, Error *error)
{
    WbGpu *gpu = experiment_open(experiment, error);
    if (gpu)
        *config = gpu->config;
    wb_gpu_close(gpu);
    return gpu;
}

static bool run_all(const PaperOptions *options, const Claims *claims, Error *error)
{
    Experiment experiment = {
        .gpu = "k20c",
        .settings = settings,
        .statistics = statistics,
        .execute = execute,
        .options = options,
    };
    DtblResults results = {0};
    if (!read_config(&experiment, &results.config, error) || !output_begin(options, error))
        return false;
    experiment.runs = xcalloc(ALL_RUNS, sizeof *experiment.runs);
    add_runs(&experiment, &results);
    const size_t failed = experiment_run(&experiment);
    show(&experiment, &results, claims, error);
    if (failed)
        error_set(error, WB_ERROR_ARGUMENT, "%zu of %zu runs failed; they are named above.", failed,
                  experiment.count);
    xfree(experiment.runs);
    return error->status == WB_OK;
}

static bool run(const PaperOptions *options, Error *error)
{
    char path[4096];
    Claims claims;
    const bool done =
        claims_read(paper_data("papers/claims.csv", path, sizeof path), "dtbl", &claims, error) &&
        run_all(options, &claims, error);
    claims_free(&claims);
    return done;
}

const Paper paper_dtbl = {
    .name = "dtbl",
    .title = "Dynamic Thread Block Launch (ISCA 2015): figures 6 to 12, on k20c",
    .remark = "Averages are arithmetic means over the benchmarks that have the value: one that launches "
              "nothing has no waiting time, no footprint and no threads of a launch.",
    .benchmark = benchmark_at,
    .run = run,
};
