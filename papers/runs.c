#include "runs.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "api/check_policies.h"
#include "common/jobs.h"
#include "report/live.h"
#include "sheet.h"
#include "sim/team.h"

_Static_assert(sizeof(RunResult) <= JOBS_RESULT_BYTES, "a pipe holds the result of a run");

/* -- one run, in its own process -- */

bool experiment_set(WbGpu *gpu, const char *setting, Error *error)
{
    char name[64];
    const char *equals = strchr(setting, '=');
    snprintf(name, sizeof name, "%.*s", equals ? (int)(equals - setting) : 0, setting);
    if (!equals)
        error_set(error, WB_ERROR_ARGUMENT, "a setting needs KNOB=VALUE; '%s' has no '='.", setting);
    else if (wb_gpu_set(gpu, name, equals + 1))
        error_set(error, WB_ERROR_ARGUMENT, "%s", wb_error(gpu));
    return error->status == WB_OK;
}

/* Runs at the same time share the processors of the host. */
static bool set_threads(const PaperOptions *options, WbGpu *gpu, Error *error)
{
    char setting[64];
    const uint32_t share = team_processors() / (uint32_t)options->jobs;
    if (options->threads)
        snprintf(setting, sizeof setting, "threads=%s", options->threads);
    else
        snprintf(setting, sizeof setting, "threads=%u", share ? share : 1);
    return experiment_set(gpu, setting, error);
}

static bool set_knobs(const Experiment *experiment, WbGpu *gpu, Error *error)
{
    const PaperOptions *options = experiment->options;
    bool set = true;
    for (const char *const *setting = experiment->settings; set && *setting; setting++)
        set = experiment_set(gpu, *setting, error);
    for (size_t i = 0; set && i < options->setting_count; i++)
        set = experiment_set(gpu, options->settings[i], error);
    return set && set_threads(options, gpu, error);
}

static bool set_run(const Run *run, WbGpu *gpu, Error *error)
{
    for (size_t i = 0; i < RUN_SETTINGS && run->settings[i]; i++)
        if (!experiment_set(gpu, run->settings[i], error))
            return false;
    return true;
}

static void close_all(WbGpu *const *gpus, uint32_t count)
{
    while (count-- > 0)
        wb_gpu_close(gpus[count]);
}

/* GPUs of one name and one host; `run` null: without its own settings. False: an error stands. */
static bool open_all(const Experiment *experiment, const char *name, const Run *run, WbGpu **gpus,
                     uint32_t count, Error *error)
{
    const char *names[RUN_GPUS];
    char text[sizeof error->text];
    for (uint32_t i = 0; i < count; i++)
        names[i] = name ? name : experiment->gpu;
    if (wb_gpus_open(names, count, gpus, text, sizeof text)) {
        error_set(error, WB_ERROR_ARGUMENT, "%s", text);
        return false;
    }
    for (uint32_t i = 0; i < count && error->status == WB_OK; i++)
        if (set_knobs(experiment, gpus[i], error) && gpu_check_policies(gpus[i]))
            error_set(error, WB_ERROR_ARGUMENT, "%s", wb_error(gpus[i]));
    for (uint32_t i = 0; run && i < count && error->status == WB_OK; i++)
        set_run(run, gpus[i], error);
    if (error->status != WB_OK)
        close_all(gpus, count);
    return error->status == WB_OK;
}

WbGpu *experiment_open(const Experiment *experiment, const char *name, Error *error)
{
    WbGpu *gpu;
    return open_all(experiment, name, NULL, &gpu, 1, error) ? gpu : NULL;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void keep_statistics(const Experiment *experiment, WbGpu *gpu, RunResult *result, Error *error)
{
    for (size_t i = 0; experiment->statistics[i]; i++) {
        WbStat stat = {0};
        if (wb_stat_find(gpu, experiment->statistics[i], &stat))
            error_set(error, WB_ERROR_NOT_FOUND, "there is no statistic '%s'.", experiment->statistics[i]);
        result->statistics[i] = stat.value;
    }
}

enum { PATH_BYTES = 4096 };

static const char *report_path(const Experiment *experiment, const Run *run, char path[PATH_BYTES])
{
    snprintf(path, PATH_BYTES, "%s/runs/%s-%s.json", experiment->options->out, run->benchmark, run->mode);
    return path;
}

static void write_report(const Experiment *experiment, const Run *run, WbGpu *gpu, Error *error)
{
    char path[PATH_BYTES];
    wb_set_run(gpu, &(WbRunInfo){.kind = "workload",
                                 .what = run->benchmark,
                                 .mode = run->mode,
                                 .size = paper_sizes[experiment->options->size]});
    if (wb_report(gpu, report_path(experiment, run, path), 0))
        error_set(error, WB_ERROR_ARGUMENT, "%s", wb_error(gpu));
}

static void execute(const Experiment *experiment, const Run *run, WbGpu *const *gpus, uint32_t count,
                    RunResult *result, Error *error)
{
    Host host = {0};
    WbGpu *gpu = gpus[0];
    const bool right = experiment->gpus
                           ? experiment->execute_on(run, experiment->options, gpus, count, &host)
                           : experiment->execute(run, experiment->options, gpu, &host);
    if (!right)
        error_set(error, WB_ERROR_ARGUMENT, "%s", host.error);
    result->deadlocked = host.status == WB_ERROR_DEADLOCK && experiment->may_deadlock &&
                         experiment->may_deadlock(run);
    result->cycles = host.total_cycles;
    result->nanoseconds = host.total_time;
    keep_statistics(experiment, gpu, result, error);
    if (experiment->sample && error->status == WB_OK)
        experiment->sample(run, gpu, result);
    if (experiment->options->out)
        write_report(experiment, run, gpu, error);
    host_end(&host);
}

static void do_run(const Experiment *experiment, const Run *run, RunResult *result)
{
    Error error = {0};
    const double begun = now();
    WbGpu *gpus[RUN_GPUS];
    const uint32_t count = experiment->gpus ? experiment->gpus(run) : 1;
    if (open_all(experiment, run->gpu, run, gpus, count, &error)) {
        execute(experiment, run, gpus, count, result, &error);
        close_all(gpus, count);
    }
    result->seconds = now() - begun;
    result->right = error.status == WB_OK;
    memcpy(result->error, error.text, sizeof result->error);
}

static void work(size_t index, void *context, void *to)
{
    const Experiment *experiment = context;
    do_run(experiment, &experiment->runs[index], to);
}

void experiment_work(const Experiment *experiment, Run *run) { do_run(experiment, run, &run->result); }

/* -- all of them -- */

static void done(size_t index, void *context, const JobEnd *end)
{
    Experiment *experiment = context;
    Run *run = &experiment->runs[index];
    run->was_cut_off = end->was_cut_off;
    if (run->was_cut_off)
        return;
    if (end->finished)
        memcpy(&run->result, end->result, sizeof run->result);
    else
        snprintf(run->result.error, sizeof run->result.error, "the run %s.", end->reason);
    if (index + 1 == experiment->count || strcmp(run[1].benchmark, run->benchmark) != 0) {
        live_bar(stderr, "runs", 1, 1, 0); /* makes room for the line */
        fprintf(experiment->options->to, "%zu of %zu runs done: %s\n", index + 1, experiment->count,
                run->benchmark);
        fflush(experiment->options->to);
    }
    live_bar(stderr, "runs", index + 1, experiment->count, now() - experiment->begun);
}

/* Of an earlier start, perhaps one that was interrupted. */
static void tell_old_reports(const Experiment *experiment)
{
    char path[PATH_BYTES];
    size_t old = 0;
    for (size_t i = 0; experiment->options->out && i < experiment->count; i++)
        old += access(report_path(experiment, &experiment->runs[i], path), F_OK) == 0;
    if (old)
        fprintf(experiment->options->to,
                "%s has the reports of %zu of these %zu runs from an earlier start: all are run again.\n",
                experiment->options->out, old, experiment->count);
}

size_t experiment_done(const Experiment *experiment)
{
    size_t count = 0;
    for (size_t i = 0; i < experiment->count; i++)
        count += !experiment->runs[i].was_cut_off;
    return count;
}

static bool has_failed(const Run *run)
{
    return !run->result.right && !run->result.deadlocked && !run->was_cut_off;
}

void experiment_run(Experiment *experiment)
{
    const Jobs jobs = {
        .count = experiment->count,
        .parallel = experiment->options->jobs,
        .stops_in_order = true,
        .work = work,
        .done = done,
        .context = experiment,
        .result_size = sizeof(RunResult),
    };
    tell_old_reports(experiment);
    experiment->begun = now();
    live_bar(stderr, "runs", 0, experiment->count, 0);
    jobs_run(&jobs);
    experiment->interrupted = jobs_signal();
    live_bar(stderr, "runs", 1, 1, 0);
}

size_t experiment_failed(const Experiment *experiment)
{
    size_t failed = 0;
    for (size_t i = 0; i < experiment->count; i++)
        failed += has_failed(&experiment->runs[i]);
    return failed;
}

void experiment_write_failures(const Experiment *experiment, FILE *out)
{
    for (size_t i = 0; i < experiment->count; i++) {
        const Run *run = &experiment->runs[i];
        if (has_failed(run))
            fprintf(out, "%s, %s: %s\n", run->benchmark, run->mode, run->result.error);
    }
}

/* Those behind the last one that is not 0 are left out. */
static void write_samples(const double *samples, FILE *out)
{
    size_t count = RUN_SAMPLES;
    while (count && samples[count - 1] == 0)
        count--;
    fputc(',', out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%.17g", i ? " " : "", samples[i]);
}

void experiment_write_csv(const Experiment *experiment, FILE *out)
{
    fputs("benchmark,mode,cycles,right", out);
    for (size_t i = 0; experiment->statistics[i]; i++)
        fprintf(out, ",%s", experiment->statistics[i]);
    fprintf(out, ",nanoseconds,seconds%s\n", experiment->sample ? ",samples" : "");
    for (size_t r = 0; r < experiment->count; r++) {
        const Run *run = &experiment->runs[r];
        const RunResult *result = &run->result;
        if (run->was_cut_off)
            continue;
        fprintf(out, "%s,%s,%" PRIu64 ",%s", run->benchmark, run->mode, result->cycles,
                result->right ? "true" : result->deadlocked ? "deadlock" : "false");
        for (size_t i = 0; experiment->statistics[i]; i++)
            fprintf(out, ",%" PRIu64, result->statistics[i]);
        fprintf(out, ",%.0f,%.3f", result->nanoseconds, result->seconds);
        if (experiment->sample)
            write_samples(result->samples, out);
        fputc('\n', out);
    }
}
