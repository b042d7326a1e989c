#include "common/jobs.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Job {
    pid_t process; /* 0: not started, or ended */
    int pipe;      /* where its result comes from */
    bool ended;
    JobEnd end;
} Job;

static void start(const Jobs *jobs, size_t index, Job *job)
{
    int ends[2];
    fflush(NULL); /* or the child writes the buffers again */
    if (pipe(ends))
        abort();
    job->process = fork();
    if (job->process < 0)
        abort();
    if (!job->process) {
        void *result = calloc(1, jobs->result_size);
        close(ends[0]);
        alarm(jobs->limit);
        jobs->work(index, jobs->context, result);
        fflush(NULL);
        _exit(write(ends[1], result, jobs->result_size) != (ssize_t)jobs->result_size);
    }
    close(ends[1]);
    job->pipe = ends[0];
}

static void finish(const Jobs *jobs, Job *job, int status, const struct rusage *usage)
{
    void *result = calloc(1, jobs->result_size);
    job->end.finished = read(job->pipe, result, jobs->result_size) == (ssize_t)jobs->result_size;
    job->end.result = result;
    job->end.peak_megabytes = (double)usage->ru_maxrss / 1024;
    if (!job->end.finished && WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        snprintf(job->end.reason, sizeof job->end.reason, "took more than %u s", jobs->limit);
    else if (!job->end.finished && WIFSIGNALED(status))
        snprintf(job->end.reason, sizeof job->end.reason, "crashed: %s", strsignal(WTERMSIG(status)));
    else if (!job->end.finished)
        snprintf(job->end.reason, sizeof job->end.reason, "ended early");
    close(job->pipe);
    job->process = 0;
    job->ended = true;
}

/* Waits until one of the running jobs ends. */
static void wait_for_one(const Jobs *jobs, Job *all)
{
    int status;
    struct rusage usage;
    pid_t process = wait4(-1, &status, 0, &usage);
    for (size_t i = 0; i < jobs->count; i++)
        if (all[i].process == process)
            finish(jobs, &all[i], status, &usage);
}

void jobs_run(const Jobs *jobs)
{
    Job *all = calloc(jobs->count, sizeof *all);
    size_t started = 0, told = 0;
    int running = 0;
    while (told < jobs->count) {
        if (started < jobs->count && running < jobs->parallel) {
            start(jobs, started, &all[started]);
            started++, running++;
            continue;
        }
        wait_for_one(jobs, all);
        running--;
        for (; told < jobs->count && all[told].ended; told++) {
            jobs->done(told, jobs->context, &all[told].end);
            free((void *)all[told].end.result);
        }
    }
    free(all);
}
