/* Three ways to an end, exit, quick_exit and a crash, write the same files once. */
#include "rt/finish.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "report/report.h"
#include "rt/live.h"
#include "rt/rt.h"
#include "rt/settings.h"
#include "rt/told.h"
#include "rt/variable.h"
#include "warpbeam_graph.h"

enum { CRASH_STACK = 256 * 1024, CRASH_SECONDS = 20 };

/* Invariant: count is 0 until there is something to finish. A child that the program forks has another
 * process. */
static struct {
    WbGpu *gpus[RT_DEVICES];
    uint32_t count;
    FinishFiles files;
    pid_t process;
    volatile sig_atomic_t crashing;
    bool is_written; /* what is known */
    bool has_failed; /* a file could not be written */
    Interrupt interrupt;
} end;

/* Tells what could not be written. */
static void check_written(const WbGpu *gpu, WbStatus status)
{
    if (status == WB_OK)
        return;
    end.has_failed = true;
    fprintf(stderr, "warpbeam: %s\n", wb_error(gpu));
    settings_give_notice(SETTINGS_NOTICE_UNWRITTEN);
}

/* A file that may grow no further is told like a full disk: its signal would end the process without a
 * word. */
static struct sigaction ignore_file_limit(void)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction old;
    sigaction(SIGXFSZ, &ignore, &old);
    return old;
}

/* In one piece: other ranks of an MPI program may write to the same place. */
static void write_summary(void)
{
    static const char name[] = "warpbeam: ";
    const char *rank = variable_text("WARPBEAM_RANK", NULL);
    char *text = NULL;
    size_t size;
    FILE *whole = open_memstream(&text, &size);
    if (!whole)
        return;
    report_summary(end.gpus[0], whole);
    fclose(whole);
    if (rank && strncmp(text, name, strlen(name)) == 0)
        fprintf(stderr, "%srank %s: %s", name, rank, text + strlen(name));
    else
        fputs(text, stderr);
    free(text);
}

/* Reports of a GPU are of all that were opened with it. */
static void write_statistics(void)
{
    const struct sigaction old = ignore_file_limit();
    const FinishFiles *files = &end.files;
    end.is_written = true;
    if (files->statistics)
        check_written(end.gpus[0], wb_report(end.gpus[0], files->statistics, files->parts));
    if (files->timeline)
        check_written(end.gpus[0], wb_timeline(end.gpus[0], files->timeline));
    sigaction(SIGXFSZ, &old, NULL);
    report_violations(end.gpus[0], stderr);
    if (told_again())
        fprintf(stderr, "warpbeam: Failures of calls whose reasons had been told before: %" PRIu64 ".\n",
                told_again());
    if (files->summary)
        write_summary();
}

/* Where the graph of a GPU's profile goes: that of the first as the user has said, those of the others with
 * their number before the ending, as graph.gpu1.dot. */
static char *path_of(const char *path, uint32_t gpu)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    const int stem = (int)(dot ? (size_t)(dot - path) : strlen(path));
    char *made = NULL;
    if (gpu == 0 || asprintf(&made, "%.*s.gpu%u%s", stem, path, gpu, dot ? dot : "") < 0)
        return strdup(path);
    return made;
}

static WbStatus write_profile(WbGpu *gpu, const char *path)
{
    WbGraph *graph;
    WbStatus status = wb_profile_end(gpu, &graph);
    if (status == WB_OK)
        status = wb_graph_write(graph, path);
    wb_graph_destroy(graph);
    return status;
}

static void write_profiles(void)
{
    if (!end.files.profile)
        return;
    const struct sigaction old = ignore_file_limit();
    for (uint32_t i = 0; i < end.count; i++) {
        char *path = path_of(end.files.profile, i);
        check_written(end.gpus[i], write_profile(end.gpus[i], path));
        free(path);
    }
    sigaction(SIGXFSZ, &old, NULL);
}

/* Work that the program did not wait for still runs, so that its kernels are counted and print; but not
 * where a host function ends the program, since then the GPU is in the middle of its work. */
static void finish(void)
{
    if (end.process != getpid() || end.crashing)
        return;
    rt_enter_always("the program's end");
    for (uint32_t i = 0; i < end.count && !rt_in_host_function(); i++)
        if (wb_wait(end.gpus[i]))
            fprintf(stderr, "warpbeam: %s\n", wb_error(end.gpus[i]));
    fflush(stdout);
    if (!rt_in_host_function())
        write_profiles();
    write_statistics();
    rt_leave();
}

/* A program that has done what it should has still failed if its files are not there. To end it again from
 * here is taken well: what else there is to do at its end is done. */
static void finish_with(int status, void *unused)
{
    (void)unused;
    finish();
    if (end.has_failed && status == EXIT_SUCCESS && end.process == getpid())
        exit(EXIT_FAILURE);
}

/* Its status is not known here. */
static void finish_quickly(void)
{
    finish();
    if (end.has_failed && end.process == getpid())
        quick_exit(EXIT_FAILURE);
}

/* What has ended this process may be sent to all of its group, and nobody may read what it says. */
static _Noreturn void write_after_crash(int number)
{
    signal(number, SIG_DFL);
    for (int i = 0; i < INTERRUPT_SIGNALS; i++)
        signal(interrupt_signals[i], SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGALRM, SIG_DFL);
    alarm(CRASH_SECONDS);
    size_t kernels = 0;
    for (uint32_t i = 0; i < end.count; i++)
        kernels += wb_record_count(end.gpus[i]);
    fprintf(stderr, "warpbeam: the program was ended by signal %d (%s), when %zu of its kernels had ended.\n",
            number, strsignal(number), kernels);
    write_statistics();
    _exit(0);
}

/* Writes what is known in a copy of the process: whatever is broken in this one, the copy has locks and a
 * time limit of its own, and the signal then takes the course it would have taken. */
static void on_crash(int number)
{
    if (!end.crashing && end.process == getpid()) {
        end.crashing = 1;
        const pid_t child = _Fork(); /* which, unlike fork(), takes no locks that the crash may have left */
        if (child == 0) {
            write_after_crash(number);
        }
        while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    signal(number, SIG_DFL);
    raise(number);
}

/* Whatever thread this is: those of a program may block the signal, and the one that watches for idle
 * programs blocks all, so that it would wait there for ever. */
static void end_by(int number)
{
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, number);
    signal(number, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &only, NULL);
    raise(number);
}

void finish_interrupted(bool is_told)
{
    if (!end.is_written && end.process == getpid()) {
        rt_enter_always("an interruption");
        signal(SIGPIPE, SIG_IGN); /* which would lose what is written behind it */
        if (!is_told)
            fputs("warpbeam: The program was interrupted between kernels.\n", stderr);
        write_statistics();
        fflush(stdout);
    }
    end_by(end.interrupt.number);
}

/* While a call is under way it is told to come to its end, and the program ends there; a second signal does
 * not wait for that. */
static void on_interrupt(int number)
{
    if (!interrupt_is_first(&end.interrupt, number))
        return;
    if (rt_is_in_call() && end.process == getpid())
        rt_live_stop();
    else
        on_crash(number);
}

/* Only where the program has no handler of its own, and on a stack of its own: the program's may be what
 * overflowed. */
static void watch_crashes(void)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE,  SIGILL,  SIGABRT, SIGTERM,
                                  SIGINT,  SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU};
    static char place[CRASH_STACK];
    const stack_t stack = {.ss_sp = place, .ss_size = sizeof place};
    sigaltstack(&stack, NULL);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction old, action = {.sa_handler = interrupt_is_one(numbers[i]) ? on_interrupt : on_crash,
                                        .sa_flags = SA_ONSTACK | SA_NODEFER};
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            sigaction(numbers[i], &action, NULL);
    }
}

/* As the program may change its folder; it is kept to the end. */
static const char *whole_path(const char *path) { return path ? file_whole_path(path) : NULL; }

void finish_expect(WbGpu *const *gpus, uint32_t count, const FinishFiles *files)
{
    memcpy(end.gpus, gpus, count * sizeof *gpus);
    end.count = count;
    end.files = (FinishFiles){
        .statistics = whole_path(files->statistics),
        .timeline = whole_path(files->timeline),
        .profile = whole_path(files->profile),
        .parts = files->parts,
        .summary = files->summary,
    };
    end.process = getpid();
    on_exit(finish_with, NULL);
    at_quick_exit(finish_quickly);
    if (files->statistics || files->timeline || files->summary)
        watch_crashes();
}
