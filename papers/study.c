#include "papers/study.h"

#include <string.h>

#include "api/gpu.h"
#include "papers/kept.h"
#include "papers/output.h"
#include "papers/reread.h"

static bool is_wanted(const Study *study, const PaperOptions *options, size_t benchmark, size_t mode)
{
    const char *name = study->paper->benchmark(benchmark), *only = study->modes[mode].only;
    return paper_wants(options, name) && (!only || strcmp(only, name) == 0) &&
           (!study->has || study->has(benchmark, mode));
}

static void add_runs(const Study *study, Experiment *experiment, const Run **runs)
{
    for (size_t i = 0; i < study->benchmark_count * study->mode_count; i++) {
        const size_t benchmark = i / study->mode_count, mode = i % study->mode_count;
        if (!is_wanted(study, experiment->options, benchmark, mode))
            continue;
        Run *run = &experiment->runs[experiment->count++];
        *run = (Run){.benchmark = study->paper->benchmark(benchmark),
                     .mode = study->modes[mode].name,
                     .gpu = study->modes[mode].gpu,
                     .index = i};
        memcpy(run->settings, study->modes[mode].settings, sizeof run->settings);
        runs[i] = run;
    }
}

static void show(const Study *study, const Experiment *experiment, const Results *results,
                 const Claims *claims, Error *error)
{
    Sheet *figures = xcalloc(study->figure_count, sizeof *figures);
    Judgement *judgements = xcalloc(claims->rows.count, sizeof *judgements);
    size_t count = 0; /* of those that have something to show */
    for (size_t i = 0; i < study->figure_count; i++) {
        figures[count] = study->figure(results, i);
        count += figures[count].column_count > 0;
    }
    for (uint32_t i = 0; i < claims->rows.count; i++)
        judgements[i] = study->judge(results, &claims->rows.items[i]);
    output_results(&(PaperResults){study->paper, experiment, figures, count, claims, judgements}, error);
    for (size_t i = 0; i < count; i++)
        sheet_free(&figures[i]);
    xfree(figures);
    xfree(judgements);
}

static bool read_config(const Experiment *experiment, GpuConfig *config, Error *error)
{
    WbGpu *gpu = experiment_open(experiment, NULL, error);
    if (gpu)
        *config = gpu->config;
    wb_gpu_close(gpu);
    return gpu;
}

/* `output` is what became of the tables; it does not hide the signal. */
static void tell_interrupted(const Experiment *experiment, const Error *output, Error *error)
{
    const PaperOptions *options = experiment->options;
    const size_t done = experiment_done(experiment);
    char tables[4160] = "";
    if (done && output->status == WB_OK)
        snprintf(tables, sizeof tables, "; the tables%s%s%s are of these", options->out ? " (and " : "",
                 options->out ? options->out : "", options->out ? ")" : "");
    error_set(error, WB_ERROR_INTERRUPTED, "Signal %d (%s) came when %zu of %zu runs were done%s%s%s%s.%s%s",
              experiment->interrupted, strsignal(experiment->interrupted), done, experiment->count, tables,
              options->markdown ? "; " : "", options->markdown ? options->markdown : "",
              options->markdown ? " is as it was" : "", output->status == WB_OK ? "" : " ", output->text);
}

/* Here, or through the database of a sweep, or not again. */
static bool do_runs(const Study *study, Experiment *experiment, Error *error)
{
    if (experiment->options->from)
        return reread_runs(experiment, error);
    if (experiment->options->sweep)
        return kept_run(experiment, study->paper->name, error);
    experiment_run(experiment);
    return true;
}

static void tell(const Study *study, const Experiment *experiment, const Results *results,
                 const Claims *claims, Error *error)
{
    Error output = {0};
    const size_t failed = experiment_failed(experiment);
    if (!experiment->interrupted || experiment_done(experiment))
        show(study, experiment, results, claims, &output);
    if (experiment->interrupted)
        tell_interrupted(experiment, &output, error);
    else if (output.status != WB_OK)
        *error = output;
    else if (failed)
        error_set(error, WB_ERROR_ARGUMENT, "%zu of %zu runs failed; they are named above.", failed,
                  experiment->count);
}

static bool run_all(const Study *study, const PaperOptions *options, const Claims *claims, Error *error)
{
    Experiment experiment = study->experiment;
    Results results = {
        .benchmark_count = study->benchmark_count,
        .mode_count = study->mode_count,
        .benchmark = study->paper->benchmark,
        .metric = study->metric,
        .size = options->size,
        .options = options,
    };
    const size_t most = study->benchmark_count * study->mode_count;
    experiment.options = options;
    if (!read_config(&experiment, &results.config, error) || !output_begin(options, error))
        return false;
    experiment.runs = xcalloc(most, sizeof *experiment.runs);
    results.runs = xcalloc(most, sizeof *results.runs);
    add_runs(study, &experiment, results.runs);
    if (options->one)
        kept_run_one(&experiment, error);
    else if (do_runs(study, &experiment, error))
        tell(study, &experiment, &results, claims, error);
    xfree(results.runs);
    xfree(experiment.runs);
    return error->status == WB_OK;
}

bool study_run(const Study *study, const PaperOptions *options, Error *error)
{
    char path[4096];
    Claims claims;
    const char *of = study->claims_of ? study->claims_of : study->paper->name;
    bool done = claims_read(paper_data("papers/claims.csv", path, sizeof path), of, &claims, error);
    if (done && study->claims_prefix)
        claims_keep(&claims, study->claims_prefix);
    done = done && run_all(study, options, &claims, error);
    claims_free(&claims);
    return done;
}
