/* A job opens a GPU, lets the set run its rows there and hands their outcomes over. */
#include "job.h"

#include <stdio.h>
#include <string.h>

#include "common/jobs.h"
#include "print.h"

/* What a job hands over. */
typedef struct Result {
    Outcome outcomes[JOB_ROWS];
    char error[sizeof((Row *)0)->error];
} Result;

_Static_assert(sizeof(Result) <= JOBS_RESULT_BYTES, "a pipe must hold a result");

static bool set_knob(WbGpu *gpu, const char *assignment, Result *result)
{
    char name[64];
    const char *equals = strchr(assignment, '=');
    snprintf(name, sizeof name, "%.*s", equals ? (int)(equals - assignment) : 0, assignment);
    if (wb_gpu_set(gpu, name, equals ? equals + 1 : "") == WB_OK)
        return true;
    snprintf(result->error, sizeof result->error, "%s", wb_error(gpu));
    return false;
}

static WbGpu *open_gpu(const Options *options, const Row *row, Result *result)
{
    WbGpu *gpu;
    char threads[32];
    snprintf(threads, sizeof threads, "threads=%d", options->threads);
    if (wb_gpu_open(row->gpu ? row->gpu : options->gpu, &gpu, result->error, sizeof result->error) != WB_OK)
        return NULL;
    bool set = options->functional || (set_knob(gpu, "mode=cycle", result) && set_knob(gpu, threads, result));
    set = set && (options->functional || !row->set->knob || set_knob(gpu, row->set->knob, result));
    for (int i = 0; set && i < options->knob_count; i++)
        set = set_knob(gpu, options->knobs[i], result);
    if (set)
        return gpu;
    wb_gpu_close(gpu);
    return NULL;
}

static void work(size_t index, void *context, void *to)
{
    const Run *run = context;
    const RowJob *job = &run->jobs.items[index];
    const Row *rows = &run->rows.items[job->first];
    Result *result = to;
    WbGpu *gpu = open_gpu(&run->options, rows, result);
    if (!gpu)
        return;
    Host host;
    const bool right = rows->set->run(rows, job->count, gpu, &host, result->outcomes);
    for (size_t i = 0; i < job->count; i++) {
        result->outcomes[i].right = right;
        result->outcomes[i].seconds = host.wall;
    }
    if (!right)
        snprintf(result->error, sizeof result->error, "%s", host.error);
    host_end(&host);
    wb_gpu_close(gpu);
}

static void done(size_t index, void *context, const JobEnd *end)
{
    Run *run = context;
    const RowJob *job = &run->jobs.items[index];
    const Result *result = end->result;
    for (size_t i = 0; i < job->count; i++) {
        Row *row = &run->rows.items[job->first + i];
        if (end->finished)
            row->outcome = result->outcomes[i];
        snprintf(row->error, sizeof row->error, "%s", end->finished ? result->error : end->reason);
        print_row(run, job->first + i);
    }
}

void jobs_run_rows(Run *run)
{
    const Jobs jobs = {
        .count = run->jobs.count,
        .parallel = run->options.jobs,
        .limit = run->options.limit,
        .work = work,
        .done = done,
        .context = run,
        .result_size = sizeof(Result),
    };
    jobs_run(&jobs);
}
