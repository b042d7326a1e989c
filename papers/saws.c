/* Runs thirty benchmarks, fifteen of them with barriers, with one, two and four warp schedulers under
 * greedy-then-oldest, CATLS and SAWS, and shows figures 49, 50 and 53 to 55, the rates at which blocks clear
 * barriers, and the claims. */
#include "papers/saws.h"

#include <math.h>

#include "api/gpu.h"
#include "papers/study.h"

#define ON(count, policy) "schedulers=" #count, "warp_scheduler=" #policy
/* The pipes of gtx970, one set for each scheduler. */
#define OWN_PIPES                                                                                            \
    "shared_units=false", "fp32_pipes=4", "fp64_pipes=4", "sfu_pipes=4", "control_pipes=4",                  \
        "scheduler_turns=true"

static const StudyMode modes[SM_MODES] = {
    [SM_1_GTO] = {"1-GTO", {ON(1, gto)}, NULL},
    [SM_1_CATLS] = {"1-CATLS", {ON(1, catls)}, NULL},
    [SM_2_GTO] = {"2-GTO", {ON(2, gto)}, NULL},
    [SM_2_CATLS] = {"2-CATLS", {ON(2, catls)}, NULL},
    [SM_2_SAWS] = {"2-SAWS", {ON(2, saws)}, NULL},
    [SM_2_UNTOGGLED] = {"2-SAWS-untoggled", {ON(2, saws), "saws_toggle=false"}, NULL},
    [SM_4_GTO] = {"4-GTO", {ON(4, gto)}, NULL},
    [SM_4_CATLS] = {"4-CATLS", {ON(4, catls)}, NULL},
    [SM_4_SAWS] = {"4-SAWS", {ON(4, saws)}, NULL},
    [SM_OWN_GTO] = {"own-GTO", {ON(4, gto), OWN_PIPES}, NULL},
    [SM_OWN_CATLS] = {"own-CATLS", {ON(4, catls), OWN_PIPES}, NULL},
    [SM_OWN_SAWS] = {"own-SAWS", {ON(4, saws), OWN_PIPES}, NULL},
};

/* All schedulers share the pipes that one of gtx970 has, and the first one has the first choice of them:
 * papers/saws.md says why. */
static const char *const settings[] = {"mode=cycle",      "record_details=0",      "shared_units=true",
                                       "fp32_pipes=1",    "fp64_pipes=1",          "sfu_pipes=1",
                                       "control_pipes=1", "scheduler_turns=false", NULL};

static const char *const statistics[] = {
#define KEEP(name, statistic) statistic,
    SAWS_STATISTICS
#undef KEEP
        NULL};

static const char *benchmark_at(size_t index)
{
    return index < SAWS_BENCHMARKS ? saws_benchmarks[index].benchmark.name : NULL;
}

static bool has(size_t benchmark, size_t mode)
{
    return mode <= SM_2_SAWS || saws_benchmarks[benchmark].has_barriers;
}

static bool execute(const Run *run, const PaperOptions *options, WbGpu *gpu, Host *host)
{
    char directory[4096];
    const BenchmarkRun how = {.size = options->size};
    paper_data("workloads", directory, sizeof directory);
    return benchmark_run(&saws_benchmarks[run->index / SM_MODES].benchmark, &how, gpu, directory, host);
}

/* Of a launch: how its blocks' barriers a cycle differ, as a share of their mean. */
static double spread_of(const KernelRecord *record)
{
    double sum = 0, squares = 0;
    for (uint64_t i = 0; i < record->block_count; i++) {
        const BlockRecord *block = &record->blocks[i];
        const double rate = quotient(block->cleared, (double)(block->ended - block->started));
        sum += rate;
        squares += rate * rate;
    }
    const double mean = sum / (double)record->block_count;
    const double variance = squares / (double)record->block_count - mean * mean;
    return quotient(variance > 0 ? sqrt(variance) : 0, mean);
}

/* The mean over launches, each counted by its blocks; of launches whose blocks meet at no barrier nothing. */
static void sample(const Run *run, WbGpu *gpu, RunResult *result)
{
    double sum = 0, count = 0;
    (void)run;
    for (uint32_t i = 0; i < gpu->records.count; i++) {
        const KernelRecord *record = gpu->records.items[i];
        const double spread = record->blocks && record->block_count > 1 ? spread_of(record) : NAN;
        if (isnan(spread))
            continue;
        sum += spread * (double)record->block_count;
        count += (double)record->block_count;
    }
    result->samples[SS_SPREAD] = quotient(sum, count);
    result->samples[SS_SCHEDULERS] = (double)gpu->config.schedulers;
}

static const Study study = {
    .paper = &paper_saws,
    .experiment = {.gpu = "gtx970",
                   .settings = settings,
                   .statistics = statistics,
                   .execute = execute,
                   .sample = sample},
    .benchmark_count = SAWS_BENCHMARKS,
    .mode_count = SM_MODES,
    .figure_count = SAWS_FIGURES,
    .modes = modes,
    .has = has,
    .claims_of = "sync-thesis",
    .claims_prefix = "A",
    .metric = saws_metric,
    .figure = saws_figure,
    .judge = saws_judge,
};

static bool run(const PaperOptions *options, Error *error) { return study_run(&study, options, error); }

const Paper paper_saws = {
    .name = "saws",
    .title =
        "Synchronization-aware warp scheduling (synchronization thesis, chapter 7): figures 49, 50 and 53 "
        "to 55, on gtx970 with one, two and four schedulers",
    .remark =
        "Performance is one over the cycles of all kernels. Where nothing else is said, all schedulers of "
        "an SM share the pipes that one of gtx970 has. Averages are arithmetic means.",
    .benchmark = benchmark_at,
    .run = run,
};
