#include "common/jobs.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/interrupt.h"

typedef struct Job {
    volatile pid_t process; /* 0: not started, or ended */
    int pipe;               /* where its result comes from */
    bool ended;
    JobEnd end;
} Job;

/* -- signals to the caller -- */

/* A handler has no other way to find what it has to end. */
static struct {
    Interrupt interrupt;
    Job *jobs;
    size_t count;
} running;

/* The signals as they were before. */
typedef struct Held {
    bool is_caught;
    struct sigaction old[INTERRUPT_SIGNALS];
} Held;

static void on_interrupt(int number)
{
    if (!interrupt_is_first(&running.interrupt, number))
        return;
    for (size_t i = 0; i < running.count; i++)
        if (running.jobs[i].process)
            kill(running.jobs[i].process, SIGTERM);
}

static Held catch_interrupts(const Jobs *jobs)
{
    Held held = {.is_caught = jobs->stops_in_order};
    if (held.is_caught)
        interrupt_catch(on_interrupt, held.old);
    return held;
}

static void let_go(const Held *held)
{
    for (int i = 0; held->is_caught && i < INTERRUPT_SIGNALS; i++)
        sigaction(interrupt_signals[i], &held->old[i], NULL);
}

/* -- jobs -- */

/* In the job's process, which ends with the caller. */
static void work(const Jobs *jobs, size_t index, pid_t caller, int to)
{
    void *result = calloc(1, jobs->result_size);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != caller)
        _exit(1);
    alarm(jobs->limit);
    jobs->work(index, jobs->context, result);
    fflush(NULL);
    _exit(write(to, result, jobs->result_size) != (ssize_t)jobs->result_size);
}

/* No signal comes before the handler knows the process. */
static void start(const Jobs *jobs, size_t index, Job *job, const Held *held)
{
    int ends[2];
    sigset_t all, before;
    const pid_t caller = getpid();
    fflush(NULL); /* or the child writes the buffers again */
    if (pipe(ends))
        abort();
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    const pid_t process = running.interrupt.number ? 0 : fork();
    if (process < 0)
        abort();
    if (process == 0 && getpid() != caller) {
        let_go(held);
        sigprocmask(SIG_SETMASK, &before, NULL);
        close(ends[0]);
        work(jobs, index, caller, ends[1]);
    }
    job->process = process;
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(ends[1]);
    job->pipe = ends[0];
}

static void explain(const Jobs *jobs, JobEnd *end, int status)
{
    end->was_cut_off = running.interrupt.number != 0;
    if (end->was_cut_off)
        snprintf(end->reason, sizeof end->reason, "was interrupted");
    else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        snprintf(end->reason, sizeof end->reason, "took more than %u s", jobs->limit);
    else if (WIFSIGNALED(status))
        snprintf(end->reason, sizeof end->reason, "crashed: %s", strsignal(WTERMSIG(status)));
    else
        snprintf(end->reason, sizeof end->reason, "ended early");
}

static void finish(const Jobs *jobs, Job *job, int status, const struct rusage *usage)
{
    void *result = calloc(1, jobs->result_size);
    job->process = 0;
    job->end.finished = read(job->pipe, result, jobs->result_size) == (ssize_t)jobs->result_size;
    job->end.result = result;
    job->end.peak_megabytes = (double)usage->ru_maxrss / 1024;
    if (!job->end.finished)
        explain(jobs, &job->end, status);
    close(job->pipe);
    job->ended = true;
}

/* Waits until one of the running jobs ends. */
static void wait_for_one(const Jobs *jobs, Job *all)
{
    int status;
    struct rusage usage;
    pid_t process = wait4(-1, &status, 0, &usage);
    for (size_t i = 0; i < jobs->count; i++)
        if (process > 0 && all[i].process == process)
            finish(jobs, &all[i], status, &usage);
}

/* Of what is not started any more. */
static void cut_off(const Jobs *jobs, Job *job) { finish(jobs, job, 0, &(struct rusage){0}); }

void jobs_run(const Jobs *jobs)
{
    Job *all = calloc(jobs->count, sizeof *all);
    size_t started = 0, told = 0;
    int alive = 0;
    running.jobs = all;
    running.count = jobs->count;
    const Held held = catch_interrupts(jobs);
    while (told < jobs->count) {
        if (started < jobs->count && (alive < jobs->parallel || running.interrupt.number)) {
            Job *job = &all[started];
            start(jobs, started++, job, &held);
            if (job->process)
                alive++;
            else
                cut_off(jobs, job);
        } else {
            wait_for_one(jobs, all);
            alive--;
        }
        for (; told < jobs->count && all[told].ended; told++) {
            jobs->done(told, jobs->context, &all[told].end);
            free((void *)all[told].end.result);
        }
    }
    let_go(&held);
    running.count = 0;
    free(all);
}

int jobs_signal(void) { return running.interrupt.number; }
