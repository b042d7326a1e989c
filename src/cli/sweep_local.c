/* A sweep on this machine: so many workers, each a process, and another one for each that is killed. */
#include "cli/sweep.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/interrupt.h"

/* Between looks at how far it is; the end of a worker is noticed at once. */
#define LOOK_SECONDS 0.2

typedef VEC(pid_t) Workers;

/* A worker ends in good order when the sweep is gone. */
static bool start_worker(const Sweep *sweep, Workers *workers)
{
    char text[32], **command = sweep_worker_command(sweep, "warpbeam", text);
    const pid_t caller = getpid(), process = fork();
    if (process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != caller)
            _exit(1);
        execv("/proc/self/exe", command);
        _exit(1);
    }
    xfree(command);
    if (process > 0)
        VEC_PUSH(workers, process);
    return process > 0;
}

static void remove_worker(Workers *workers, pid_t process)
{
    for (uint32_t i = 0; i < workers->count; i++)
        if (workers->items[i] == process) {
            workers->items[i] = workers->items[--workers->count];
            return;
        }
}

/* False: a worker cannot work, which it has told. One that was killed is no failure. */
static bool reap(Workers *workers, int how)
{
    int status;
    bool right = true;
    for (pid_t process; workers->count && (process = waitpid(-1, &status, how)) != 0;) {
        if (process < 0 && errno != EINTR)
            break;
        if (process < 0)
            continue;
        remove_worker(workers, process);
        right = right && !(WIFEXITED(status) && WEXITSTATUS(status));
    }
    return right;
}

static void stop(Workers *workers)
{
    for (uint32_t i = 0; i < workers->count; i++)
        kill(workers->items[i], SIGTERM);
    reap(workers, 0);
}

int sweep_run_here(Sweep *sweep)
{
    Error error = {0};
    Workers workers = {0};
    bool right = true;
    SweepWatch watch = sweep_watch_begin(sweep, &error);
    while (right && error.status == WB_OK && !sweep_must_stop && sweep_watch_look(sweep, &watch, &error)) {
        /* Another sweep may have some of the runs: then this one only waits for them. */
        const size_t wanted = watch.state.waiting < sweep->processes ? watch.state.waiting : sweep->processes;
        while (right && workers.count < wanted)
            right =
                start_worker(sweep, &workers) || fail("no worker can be started: %s.", strerror(errno)) < 0;
        sweep_wait(LOOK_SECONDS);
        right = reap(&workers, WNOHANG) && right;
    }
    sweep_watch_end();
    stop(&workers);
    VEC_FREE(&workers);
    return error.status != WB_OK ? fail("%s", error.text) : right ? EXIT_DONE : EXIT_FAILED;
}
