#include "papers/kept.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/gpu.h"
#include "base/output_file.h"
#include "sweep/machine.h"

/* "BENCHMARK/MODE" */
static const char *name_of(const Run *run, char name[128])
{
    snprintf(name, 128, "%s/%s", run->benchmark, run->mode);
    return name;
}

/* -- one run, in its own process -- */

/* Names are those of the experiment; collect.c takes them over as they are. */
static json_t *numbers_of(const Experiment *experiment, const RunResult *result)
{
    json_t *numbers = json_pack("{s:s, s:I, s:f, s:i}", "format", "warpbeam-paper-run-1", "cycles",
                                (json_int_t)result->cycles, "nanoseconds", result->nanoseconds, "deadlocked",
                                (int)result->deadlocked);
    for (size_t i = 0; experiment->statistics[i]; i++)
        json_object_set_new(numbers, experiment->statistics[i],
                            json_integer((json_int_t)result->statistics[i]));
    if (experiment->sample) {
        json_t *samples = json_array();
        for (size_t i = 0; i < RUN_SAMPLES; i++)
            json_array_append_new(samples, json_real(result->samples[i]));
        json_object_set_new(numbers, "samples", samples);
    }
    return numbers;
}

static void write_numbers(const Experiment *experiment, const RunResult *result, Error *error)
{
    OutputFile *file = output_file_begin("numbers", experiment->options->one_to, error);
    json_t *numbers = numbers_of(experiment, result);
    if (file) {
        json_dumpf(numbers, output_file_stream(file), JSON_COMPACT | JSON_REAL_PRECISION(17));
        output_file_end(file, error);
    }
    json_decref(numbers);
}

bool kept_run_one(Experiment *experiment, Error *error)
{
    char name[128];
    for (size_t i = 0; i < experiment->count; i++) {
        Run *run = &experiment->runs[i];
        if (strcmp(name_of(run, name), experiment->options->one) != 0)
            continue;
        experiment_work(experiment, run);
        if (run->result.right || run->result.deadlocked)
            write_numbers(experiment, &run->result, error);
        else
            error_set(error, WB_ERROR_EXECUTION, "%s", run->result.error);
        return error->status == WB_OK;
    }
    error_set(error, WB_ERROR_NOT_FOUND, "the paper has no run '%.100s'.", experiment->options->one);
    return false;
}

/* -- the plan -- */

/* What all runs depend on, beside their machines. */
static bool digest_common(const Experiment *experiment, const char *paper, const Store *store,
                          const Plan *plan, Digest *digest, Error *error)
{
    const PaperOptions *options = experiment->options;
    char folder[4096], one[DIGEST_TEXT_SIZE];
    *digest = digest_begin();
    digest_add_text(digest, "warpbeam paper 1");
    digest_add_text(digest, plan->binary);
    digest_add_text(digest, paper);
    digest_add_text(digest, paper_sizes[options->size]);
    snprintf(one, sizeof one, "%" PRIu64 " %" PRIu32, options->seed, options->least);
    digest_add_text(digest, one);
    paper_data("workloads", folder, sizeof folder);
    if (!files_digest_below(store, folder, ".ptx", one, error))
        return false;
    digest_add_text(digest, one);
    for (const char *const *policy = options->sweep->policies; *policy; policy++) {
        if (!files_digest(store, "policy", *policy, one, error))
            return false;
        digest_add_text(digest, one);
    }
    if (options->graph && !files_digest(store, "graph", options->graph, one, error))
        return false;
    digest_add_text(digest, options->graph ? one : "");
    return true;
}

/* The knobs as the run will have them. */
static json_t *knobs_of(const Experiment *experiment, const Run *run, Error *error)
{
    WbGpu *gpu = experiment_open(experiment, run->gpu, error);
    for (size_t i = 0; gpu && i < RUN_SETTINGS && run->settings[i]; i++)
        experiment_set(gpu, run->settings[i], error);
    json_t *knobs = gpu && error->status == WB_OK ? machine_knobs(&gpu->config) : NULL;
    wb_gpu_close(gpu);
    return knobs;
}

static bool add_run(const Experiment *experiment, const char *paper, const Run *run, Digest digest,
                    Plan *plan, Error *error)
{
    const PaperOptions *options = experiment->options;
    char name[128];
    PlannedRun planned = {.kind = "paper",
                          .what = arena_printf(&plan->arena, "%s/%s", paper, run->benchmark),
                          .mode = run->mode,
                          .size = paper_sizes[options->size],
                          .gpu = run->gpu ? run->gpu : experiment->gpu,
                          .arguments = json_array(),
                          .command = json_array(),
                          .knobs = knobs_of(experiment, run, error)};
    for (const char *const *word = options->sweep->command; *word; word++)
        json_array_append_new(planned.command, json_string(*word));
    json_array_append_new(planned.command, json_string("--one"));
    json_array_append_new(planned.command, json_string(name_of(run, name)));
    planned.point = json_pack("{s:s, s:s}", "what", planned.what, "mode", planned.mode);
    if (planned.knobs) {
        machine_digest(planned.knobs, planned.machine);
        digest_add_text(&digest, planned.machine);
        digest_add_text(&digest, name);
        digest_end(&digest, planned.hash);
    }
    VEC_PUSH(&plan->runs, planned);
    return error->status == WB_OK;
}

static bool make_plan(const Experiment *experiment, const char *paper, const Store *store, Plan *plan,
                      Error *error)
{
    Digest common;
    plan->name = arena_printf(&plan->arena, "paper %s, %s", paper, paper_sizes[experiment->options->size]);
    plan->file = plan->text = "";
    plan->folder = "/";
    plan->axes = json_pack("[s, s]", "what", "mode");
    if (!files_own_digest(store, plan->binary, error) ||
        !digest_common(experiment, paper, store, plan, &common, error))
        return false;
    for (size_t i = 0; i < experiment->count; i++)
        if (!add_run(experiment, paper, &experiment->runs[i], common, plan, error))
            return false;
    return true;
}

/* -- results -- */

static double number(const json_t *numbers, const char *name)
{
    return json_number_value(json_object_get(numbers, name));
}

static void fill_in(const Experiment *experiment, const json_t *numbers, RunResult *result)
{
    result->cycles = (uint64_t)json_integer_value(json_object_get(numbers, "cycles"));
    result->nanoseconds = number(numbers, "nanoseconds");
    result->deadlocked = number(numbers, "deadlocked") != 0;
    result->right = !result->deadlocked;
    for (size_t i = 0; experiment->statistics[i]; i++)
        result->statistics[i] =
            (uint64_t)json_integer_value(json_object_get(numbers, experiment->statistics[i]));
    const json_t *samples = json_object_get(numbers, "samples");
    for (size_t i = 0; i < RUN_SAMPLES && i < json_array_size(samples); i++)
        result->samples[i] = json_real_value(json_array_get(samples, i));
}

static bool read_result(const Experiment *experiment, const Store *store, const char *hash, Run *run,
                        Error *error)
{
    sqlite3_stmt *row =
        store_prepare(store, "SELECT status, seconds, error, statistics FROM run WHERE hash = ?", error);
    if (!row)
        return false;
    store_bind_text(row, 1, hash);
    const bool found = store_step(store, row, error);
    const char *status = found ? store_text(row, 0) : "";
    run->was_cut_off = strcmp(status, "done") != 0 && strcmp(status, "failed") != 0;
    run->result.seconds = found ? sqlite3_column_double(row, 1) : 0;
    if (strcmp(status, "failed") == 0)
        snprintf(run->result.error, sizeof run->result.error, "%s", store_text(row, 2));
    if (strcmp(status, "done") == 0) {
        json_t *numbers = json_loads(store_text(row, 3), 0, NULL);
        fill_in(experiment, numbers, &run->result);
        json_decref(numbers);
    }
    sqlite3_finalize(row);
    return error->status == WB_OK;
}

static void tell_kept(const Experiment *experiment, const Planned *planned)
{
    if (planned->there)
        fprintf(experiment->options->to, "%zu of %zu runs are in %s already.\n", planned->there,
                planned->runs, experiment->options->sweep->database);
}

bool kept_run(Experiment *experiment, const char *paper, Error *error)
{
    const PaperSweep *sweep = experiment->options->sweep;
    Store store = {0};
    Plan plan = {0};
    Planned planned;
    bool right = store_open(sweep->database, true, &store, error) &&
                 make_plan(experiment, paper, &store, &plan, error) &&
                 study_plan_keep(&plan, &store, &planned, error);
    if (right) {
        tell_kept(experiment, &planned);
        experiment->interrupted = sweep->run(sweep->context, &store, &planned, plan.name, error);
        right = error->status == WB_OK;
    }
    for (size_t i = 0; right && i < experiment->count; i++)
        right = read_result(experiment, &store, plan.runs.items[i].hash, &experiment->runs[i], error);
    study_plan_free(&plan);
    store_close(&store);
    return right;
}
