/* `warpbeam run WORKLOAD`: a workload that comes with the simulator and checks its results. */
#include "cli/run_workload.h"

#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/progress.h"
#include "cli/running.h"
#include "papers/paper.h"
#include "registry/registry.h"

typedef struct Job {
    Running running;
    Workload workload;
    size_t mode;
    InputSize size;
} Job;

/* Writes "six/nbody and correlation/nbody", the workloads that are named so by `name`; returns how many. */
static size_t list_meant(const char *name, WorkloadNaming naming, char *text, size_t size)
{
    Workload other;
    size_t count = 0, told = 0;
    for (size_t i = 0; workload_at(i, &other); i++)
        count += workload_naming(&other, name) == naming;
    *text = '\0';
    for (size_t i = 0; workload_at(i, &other); i++) {
        if (workload_naming(&other, name) != naming)
            continue;
        const size_t length = strlen(text);
        snprintf(text + length, size - length, "%s%s",
                 !told              ? ""
                 : told + 1 < count ? ", "
                                    : " and ",
                 other.name);
        told++;
    }
    return count;
}

/* A workload's name as the user writes names: with its suite, or without. */
static const char *as_written(const Workload *workload, const char *name)
{
    return strchr(name, '/') ? workload->name : strchr(workload->name, '/') + 1;
}

static int unknown_workload(const char *name)
{
    char hint[NEAREST_HINT_SIZE];
    Workload other, best;
    Nearest nearest = nearest_to(name);
    for (size_t i = 0; workload_at(i, &other); i++) {
        const char *before = nearest.best;
        nearest_offer(&nearest, as_written(&other, name));
        if (nearest.best != before)
            best = other;
        nearest.best = as_written(&best, name); /* the name of `other` does not last */
    }
    if (nearest_name(&nearest))
        nearest.best = best.name;
    return misuse("there is neither a workload nor a file '%s'%s", name,
                  nearest_hint(&nearest, hint, sizeof hint));
}

static int find_workload(const char *name, Workload *workload)
{
    char meant[2048];
    if (workload_find(name, workload))
        return EXIT_DONE;
    if (list_meant(name, NAMED_WITHOUT_SUITE, meant, sizeof meant) > 1)
        return misuse("'%s' names several workloads; there are %s.", name, meant);
    const size_t count = *name ? list_meant(name, NAMED_BY_BEGINNING, meant, sizeof meant) : 0;
    if (count == 0)
        return unknown_workload(name);
    return misuse(count == 1 ? "there is neither a workload nor a file '%s'; did you mean %s?"
                             : "there is neither a workload nor a file '%s', but there are %s.",
                  name, meant);
}

static int read_mode(const char *text, Job *job)
{
    char hint[NEAREST_HINT_SIZE];
    Nearest nearest = nearest_to(text);
    for (size_t i = 0; i < job->workload.mode_count; i++) {
        nearest_offer(&nearest, job->workload.modes[i].name);
        if (strcmp(text, job->workload.modes[i].name) == 0) {
            job->mode = i;
            return EXIT_DONE;
        }
    }
    return misuse("%s has no mode '%s'%s", job->workload.name, text,
                  nearest_hint(&nearest, hint, sizeof hint));
}

static int read_size(const char *text, Job *job)
{
    char hint[NEAREST_HINT_SIZE];
    Nearest nearest = nearest_to(text);
    for (size_t i = 0; i < INPUT_SIZES; i++) {
        if (!job->workload.sizes[i])
            continue;
        nearest_offer(&nearest, input_size_names[i]);
        if (strcmp(text, input_size_names[i]) == 0) {
            job->size = (InputSize)i;
            return EXIT_DONE;
        }
    }
    return misuse("%s has no size '%s'%s", job->workload.name, text,
                  nearest_hint(&nearest, hint, sizeof hint));
}

static int read_options(int argument_count, char **arguments, Job *job)
{
    job->running = running_take(&argument_count, arguments);
    const char *mode = take_option(&argument_count, arguments, "--mode");
    const char *size = take_option(&argument_count, arguments, "--size");
    int result = check_without(argument_count, arguments, &program_options);
    if (result == EXIT_DONE)
        result = check_without(argument_count, arguments, &ptx_options);
    if (result == EXIT_DONE)
        result = check_left_over(argument_count, arguments, 1);
    if (result == EXIT_DONE)
        result = find_workload(arguments[1], &job->workload);
    if (result == EXIT_DONE && mode)
        result = read_mode(mode, job);
    if (result == EXIT_DONE && size)
        result = read_size(size, job);
    return result;
}

static void describe(const Job *job, WbGpu *gpu)
{
    wb_set_run(gpu, &(WbRunInfo){
                        .kind = "workload",
                        .what = job->workload.name,
                        .mode = job->workload.mode_count > 1 ? job->workload.modes[job->mode].name : NULL,
                        .size = input_size_names[job->size],
                    });
}

static int run_job(const Job *job, WbGpu *gpu)
{
    char folder[4096];
    Host host;
    const bool right = workload_run(&job->workload, job->mode, job->size, gpu,
                                    paper_data("workloads", folder, sizeof folder), &host);
    progress_clear();
    if (right && running_is_talking(&job->running))
        printf("%s, %s, %s: the result is right\n", job->workload.name, job->workload.modes[job->mode].name,
               input_size_names[job->size]);
    const int result =
        right ? running_report(&job->running, gpu) : running_fail(&job->running, gpu, host.error);
    host_end(&host);
    return result;
}

int run_workload(int argument_count, char **arguments)
{
    Job job = {.size = INPUT_SMALL};
    int result = read_options(argument_count, arguments, &job);
    job.running.needed = job.workload.settings;
    WbGpu *gpu = NULL;
    if (result == EXIT_DONE)
        result = running_open(&job.running, &gpu);
    if (result == EXIT_DONE) {
        describe(&job, gpu);
        result = run_job(&job, gpu);
    }
    wb_gpu_close(gpu);
    running_free(&job.running);
    return result;
}
