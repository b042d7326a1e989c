/* Runs the four Cilk programs as flow graphs on 1 to 8 CUs, with three forms and six widths of channels and four
 * aggregators, two of them without channels, and shows figures 15 to 19, tables 3 to 5 and the claims. */
#include "papers/channels.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/gpu.h"
#include "papers/study.h"

#define WIDTH(width)                                                                                         \
    {                                                                                                        \
        "width-" #width, {"channel_width=" #width}, NULL, NULL                                               \
    }

static const StudyMode modes[CH_MODES] = {
    [CH_BASE] = {"base", {NULL}, NULL, NULL},
    [CH_CU1] = {"cu-1", {"sm_count=1"}, NULL, NULL},
    [CH_CU2] = {"cu-2", {"sm_count=2"}, NULL, NULL},
    [CH_CU4] = {"cu-4", {"sm_count=4"}, NULL, NULL},
    [CH_PER_LANE] = {"per-lane", {"channel_form=per_lane"}, NULL, NULL},
    [CH_PADDED] = {"padded", {"channel_form=padded"}, NULL, NULL},
    [CH_WIDTH_256] = WIDTH(256),
    [CH_WIDTH_1024] = WIDTH(1024),
    [CH_WIDTH_4096] = WIDTH(4096),
    [CH_WIDTH_16384] = WIDTH(16384),
    [CH_WIDTH_65536] = WIDTH(65536),
    [CH_SIMPLE] = {"simple", {"aggregator_core=simple"}, NULL, NULL},
    [CH_LIGHT] = {"light", {"aggregator_core=two_way_light"}, NULL, NULL},
    [CH_FOUR_WAY] = {"four-way", {"aggregator_core=four_way"}, NULL, NULL},
    [CH_ALONE] = {"alone", {"sm_count=1", "channel_width=64"}, NULL, NULL},
    [CH_FLAT] = {"flat", {NULL}, NULL, NULL},
    [CH_WAVES] = {"waves", {"mode=functional"}, NULL, NULL},
};

static const char *const settings[] = {"mode=cycle", "record_details=0", "l1_coherence=ownership", NULL};

static const char *const statistics[] = {
#define KEEP(name, statistic) statistic,
    CHANNELS_STATISTICS
#undef KEEP
        NULL};

static const char *benchmark_at(size_t index)
{
    return index < CHANNELS_BENCHMARKS ? channels_benchmarks[index].name : NULL;
}

static bool has(size_t benchmark, size_t mode)
{
    return mode != CH_FLAT || channels_has(&channels_benchmarks[benchmark], CHANNELS_FLAT);
}

static bool is_of_width(size_t mode)
{
    return (mode >= CH_WIDTH_256 && mode <= CH_WIDTH_65536) || mode == CH_ALONE;
}

/* Tiny runs have tiny inputs throughout. */
static InputSize size_of(size_t mode, const PaperOptions *options)
{
    return mode == CH_WAVES && options->size != INPUT_TINY ? INPUT_FULL : options->size;
}

static bool execute(const Run *run, const PaperOptions *options, WbGpu *gpu, Host *host)
{
    char directory[4096], width[16];
    const size_t mode = run->index % CH_MODES;
    const InputSize size = size_of(mode, options);
    const ChannelsBenchmark *benchmark = &channels_benchmarks[run->index / CH_MODES];
    const ChannelsRun how = {.mode = mode == CH_FLAT ? CHANNELS_FLAT : CHANNELS_FLOW,
                             .size = size,
                             .input = mode == CH_ALONE && size != INPUT_TINY ? benchmark->alone : 0};
    snprintf(width, sizeof width, "%u", benchmark->widths[size]);
    if (!is_of_width(mode) && wb_gpu_set(gpu, "channel_width", width)) {
        snprintf(host->error, sizeof host->error, "%s", wb_error(gpu));
        return false;
    }
    paper_data("workloads/channels", directory, sizeof directory);
    return channels_run(benchmark, &how, gpu, directory, host);
}

/* -- lines of code -- */

static bool is_code(const char *line, bool *in_comment)
{
    bool found = false;
    for (; *line; line++) {
        if (!*in_comment && line[0] == '/' && line[1] == '/')
            break;
        if (!*in_comment && line[0] == '/' && line[1] == '*')
            *in_comment = true, line++;
        else if (*in_comment && line[0] == '*' && line[1] == '/')
            *in_comment = false, line++;
        else if (!*in_comment && !isspace((unsigned char)*line))
            found = true;
    }
    return found;
}

double channels_code_lines(const char *path)
{
    char line[1024];
    bool in_comment = false;
    double count = 0;
    FILE *file = fopen(path, "r");
    if (!file)
        return NAN;
    while (fgets(line, sizeof line, file))
        count += is_code(line, &in_comment);
    fclose(file);
    return count;
}

static void sample(const Run *run, WbGpu *gpu, RunResult *result)
{
    static const char *const endings[] = {"c", "cu"};
    const bool is_flat = run->index % CH_MODES == CH_FLAT;
    result->samples[CHS_WIDTH] = (double)gpu->config.warp_width;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char name[128], path[4096];
        snprintf(name, sizeof name, "workloads/channels/%s%s.%s", run->benchmark, is_flat ? "_flat" : "",
                 endings[i]);
        result->samples[CHS_LINES] += channels_code_lines(paper_data(name, path, sizeof path));
    }
}

static const Study study = {
    .paper = &paper_channels,
    .experiment =
        {.gpu = "apu8", .settings = settings, .statistics = statistics, .execute = execute, .sample = sample},
    .benchmark_count = CHANNELS_BENCHMARKS,
    .mode_count = CH_MODES,
    .figure_count = CHANNELS_FIGURES,
    .modes = modes,
    .has = has,
    .metric = channels_metric,
    .figure = channels_figure,
    .judge = channels_judge,
};

static bool run(const PaperOptions *options, Error *error) { return study_run(&study, options, error); }

const Paper paper_channels = {
    .name = "channels",
    .title =
        "Fine-grain task aggregation by channels (ISCA 2014): figures 15 to 19 and tables 3 to 5, on apu8",
    .remark = "Times are cycles of the flow graph, or of the kernel where there are no channels. The GPU is "
              "stalled in cycles in which no wavefront is on a CU. Averages are arithmetic means.",
    .benchmark = benchmark_at,
    .run = run,
};
