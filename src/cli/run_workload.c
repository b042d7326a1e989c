/* `warpbeam run WORKLOAD`: a workload that comes with the simulator and checks its results. */
#include "cli/run_workload.h"

#include <stdio.h>

#include "base/knob.h"
#include "cli/progress.h"
#include "cli/running.h"
#include "papers/paper.h"
#include "sweep/named.h"

typedef struct Job {
    Running running;
    Workload workload;
    size_t mode;
    InputSize size;
    InputChoice choice;
    const char *gpus; /* as --gpus has it; null: one */
} Job;

static int find_names(const char *name, const char *mode, const char *size, Job *job)
{
    Error error = {0};
    const bool found =
        named_workload(name, "there is neither a workload nor a file", &job->workload, &error) &&
        (!mode || named_mode(&job->workload, mode, &job->mode, &error)) &&
        (!size || named_size(&job->workload, size, &job->size, &error));
    return found ? EXIT_DONE : misuse("%s", error.text);
}

/* Zero would stand for the workload's own. */
static int read_choice(const char *option, const char *text, const Workload *workload, uint64_t most,
                       uint64_t *value)
{
    if (!text)
        return EXIT_DONE;
    if (!workload->has_choice)
        return misuse("%s takes no %s; those of dtbl/ do.", workload->name, option);
    if (!knob_parse_count(text, value) || !*value || *value > most)
        return misuse("%s needs a number from 1 on, not '%s'.", option, text);
    return EXIT_DONE;
}

static int read_choices(const char *seed, const char *least, Job *job)
{
    uint64_t elements = 0;
    int result = read_choice("--input-seed", seed, &job->workload, UINT64_MAX, &job->choice.seed);
    if (result == EXIT_DONE)
        result = read_choice("--least", least, &job->workload, UINT32_MAX, &elements);
    job->choice.least = (uint32_t)elements;
    return result;
}

static int read_options(int argument_count, char **arguments, Job *job)
{
    job->running = running_take(&argument_count, arguments);
    const char *mode = take_option(&argument_count, arguments, "--mode");
    const char *size = take_option(&argument_count, arguments, "--size");
    const char *seed = take_option(&argument_count, arguments, "--input-seed");
    const char *least = take_option(&argument_count, arguments, "--least");
    job->gpus = take_option(&argument_count, arguments, "--gpus");
    int result = check_without(argument_count, arguments, &program_options);
    if (result == EXIT_DONE)
        result = check_without(argument_count, arguments, &ptx_options);
    if (result == EXIT_DONE)
        result = check_left_over(argument_count, arguments, 1);
    if (result == EXIT_DONE)
        result = find_names(arguments[1], mode, size, job);
    if (result == EXIT_DONE)
        result = read_choices(seed, least, job);
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

static int run_job(const Job *job, WbGpu *const *gpus, uint32_t count)
{
    char folder[4096];
    Host host;
    const bool right = workload_run_with(&job->workload, job->mode, job->size, job->choice, gpus, count,
                                         paper_data("workloads", folder, sizeof folder), &host);
    progress_clear();
    if (right && running_is_talking(&job->running))
        printf("%s, %s, %s: the result is right\n", job->workload.name, job->workload.modes[job->mode].name,
               input_size_names[job->size]);
    const int result =
        right ? running_report(&job->running, gpus[0]) : running_fail(&job->running, gpus[0], host.error);
    host_end(&host);
    return result;
}

static int check_count(const Job *job, uint32_t count)
{
    if (count <= job->workload.most_gpus)
        return EXIT_DONE;
    return job->workload.most_gpus == 1
               ? misuse("%s runs on one GPU; those of multi/ run on several.", job->workload.name)
               : misuse("%s runs on at most %u GPUs, not on %u.", job->workload.name, job->workload.most_gpus,
                        count);
}

int run_workload(int argument_count, char **arguments)
{
    Job job = {.size = INPUT_SMALL};
    int result = read_options(argument_count, arguments, &job);
    job.running.needed = job.workload.settings;
    WbGpu *gpus[GPU_SET_MOST];
    uint32_t count = 0;
    if (result == EXIT_DONE)
        result = running_open_all(&job.running, job.gpus, gpus, &count);
    if (result == EXIT_DONE)
        result = check_count(&job, count);
    if (result == EXIT_DONE) {
        describe(&job, gpus[0]);
        result = run_job(&job, gpus, count);
    }
    while (count-- > 0)
        wb_gpu_close(gpus[count]);
    running_free(&job.running);
    return result;
}
