/* Runs the 13 benchmarks upon loose round-robin, two-level, OWL and DYNCTA, each alone and with CLASO, and
 * four of them with many grids on another GPU, and shows figures 2 to 5 and 11 to 17 and the claims. */
#include "papers/claso.h"

#include <string.h>

#include "papers/study.h"

/* -- the runs -- */

/* Figure 2 does not name its four benchmarks. These are launched once or twice, with any number of blocks, and
 * one of them is that of figure 3. */
static const char *const swept[] = {"bs", "cp", "lib", "sp"};

bool claso_is_swept(size_t benchmark)
{
    for (size_t i = 0; i < sizeof swept / sizeof *swept; i++)
        if (strcmp(claso_benchmarks[benchmark].benchmark.name, swept[i]) == 0)
            return true;
    return false;
}

/* With a multiple of the SMs' number a balanced dispatcher leaves no SM idle. gtx480 has 15. */
uint32_t claso_grid(size_t index) { return 15 * ((uint32_t)index + 2); }

#define CLASO_KNOBS(active, loose) "claso_active=" #active, "claso_loose=" #loose
#define UPON_LRR(active, loose)                                                                              \
    {                                                                                                        \
        "LRR+CLASO" #active #loose, {"block_admit=claso", CLASO_KNOBS(active, loose)}, NULL, NULL            \
    }
#define UPON(name, scheduler, active)                                                                        \
    {                                                                                                        \
        name "+CLASO" #active "0",                                                                           \
            {"warp_scheduler=" scheduler, "block_admit=claso", CLASO_KNOBS(active, 0)}, NULL, NULL           \
    }
#define UPON_DYNCTA(active)                                                                                  \
    {                                                                                                        \
        "DYNCTA+CLASO" #active "0", {"block_admit=claso+dyncta", CLASO_KNOBS(active, 0)}, NULL, NULL         \
    }
#define GRID(blocks)                                                                                         \
    {                                                                                                        \
        "grid-" #blocks, {"warp_scheduler=lrr"}, NULL, "gtx480"                                              \
    }

/* c2050's own scheduler is loose round-robin. */
static const StudyMode modes[CL_MODES] = {
    [CL_LRR] = {"LRR", {"sample_interval=500"}, NULL, NULL},
    [CL_LRR_C10] = UPON_LRR(1, 0),
    [CL_LRR_C20] = UPON_LRR(2, 0),
    [CL_TL] = {"TL", {"warp_scheduler=two-level"}, NULL, NULL},
    [CL_TL_C10] = UPON("TL", "two-level", 1),
    [CL_TL_C20] = UPON("TL", "two-level", 2),
    [CL_OWL] = {"OWL", {"warp_scheduler=owl"}, NULL, NULL},
    [CL_OWL_C10] = UPON("OWL", "owl", 1),
    [CL_OWL_C20] = UPON("OWL", "owl", 2),
    [CL_DYNCTA] = {"DYNCTA", {"block_admit=dyncta"}, NULL, NULL},
    [CL_DYNCTA_C10] = UPON_DYNCTA(1),
    [CL_DYNCTA_C20] = UPON_DYNCTA(2),
    [CL_LRR_C40] = UPON_LRR(4, 0),
    [CL_LRR_C11] = UPON_LRR(1, 1),
    [CL_LRR_C21] = UPON_LRR(2, 1),
    [CL_LRR_C41] = UPON_LRR(4, 1),
    [CL_LRR_C12] = UPON_LRR(1, 2),
    [CL_LRR_C22] = UPON_LRR(2, 2),
    [CL_LRR_C42] = UPON_LRR(4, 2),
    [CL_GRID] = GRID(30),
    GRID(45),
    GRID(60),
    GRID(75),
    GRID(90),
    GRID(105),
    GRID(120),
    GRID(135),
    GRID(150),
    GRID(165),
    GRID(180),
    GRID(195),
    GRID(210),
    GRID(225),
    GRID(240),
    GRID(255),
    GRID(270),
    GRID(285),
    GRID(300),
    GRID(315),
    GRID(330),
    GRID(345),
    GRID(360),
};

static const char *const settings[] = {"mode=cycle", NULL};

static const char *const statistics[] = {
#define KEEP(name, statistic) statistic,
    CLASO_STATISTICS
#undef KEEP
        NULL};

static const char *benchmark_at(size_t index)
{
    return index < CLASO_BENCHMARKS ? claso_benchmarks[index].benchmark.name : NULL;
}

static bool has(size_t benchmark, size_t mode) { return mode < CL_GRID || claso_is_swept(benchmark); }

static bool execute(const Run *run, const PaperOptions *options, WbGpu *gpu, Host *host)
{
    char directory[4096];
    const size_t mode = run->index % CL_MODES;
    const BenchmarkRun how = {.size = options->size,
                              .blocks = mode < CL_GRID ? 0 : claso_grid(mode - CL_GRID)};
    paper_data("workloads", directory, sizeof directory);
    return benchmark_run(&claso_benchmarks[run->index / CL_MODES].benchmark, &how, gpu, directory, host);
}

static void sample(const Run *run, WbGpu *gpu, RunResult *result)
{
    if (run->index % CL_MODES == CL_LRR)
        claso_sample(run, gpu, result);
}

static const Study study = {
    .paper = &paper_claso,
    .experiment = {.gpu = "c2050",
                   .settings = settings,
                   .statistics = statistics,
                   .execute = execute,
                   .sample = sample},
    .benchmark_count = CLASO_BENCHMARKS,
    .mode_count = CL_MODES,
    .figure_count = CLASO_FIGURES,
    .modes = modes,
    .has = has,
    .metric = claso_metric,
    .figure = claso_figure,
    .judge = claso_judge,
};

static bool run(const PaperOptions *options, Error *error) { return study_run(&study, options, error); }

const Paper paper_claso = {
    .name = "claso",
    .title = "CLASO, balanced dispatch by credits (IJPP 2014): figures 2 to 5 and 11 to 17, on c2050",
    .remark = "Speedups are by instructions per cycle over the scheduler alone; idle cycles are those of SMs "
              "without a block while another has one; scoreboard conflicts are cycles in which a scheduler issues "
              "nothing for want of results. CLASO42 has 4 active and 2 loose levels. Averages are arithmetic means.",
    .benchmark = benchmark_at,
    .run = run,
};
