/* How far a sweep is, and what asks it to stop. */
#include "cli/sweep.h"

#include <poll.h>
#include <stdio.h>
#include <time.h>

#include "base/interrupt.h"
#include "base/knob.h"
#include "report/live.h"
#include "sweep/work.h"

volatile sig_atomic_t sweep_must_stop;
static Interrupt interrupt;

static void on_interrupt(int number)
{
    if (interrupt_is_first(&interrupt, number))
        sweep_must_stop = 1;
}

/* It only ends a wait. */
static void on_child(int number) { (void)number; }

void sweep_catch_signals(void)
{
    const struct sigaction child = {.sa_handler = on_child};
    interrupt_catch(on_interrupt, NULL);
    sigaction(SIGCHLD, &child, NULL);
}

int sweep_signal(void) { return interrupt.number; }

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static size_t ended(const QueueState *state) { return state->done + state->failed; }

SweepWatch sweep_watch_begin(Sweep *sweep, Error *error)
{
    SweepWatch watch = {.begun = now()};
    watch.state = queue_state(&sweep->store, sweep->planned.study, error);
    watch.before = ended(&watch.state);
    watch.next_line = watch.begun;
    return watch;
}

/* Where there is no terminal, a line now and then, if somebody wants them. */
static void show_line(const Sweep *sweep, SweepWatch *watch, size_t done, size_t count)
{
    enum { SECONDS_BETWEEN = 10 };
    const double time = now();
    LiveStyle style;
    if (!live_style(sweep->progress, stderr, &style) || style != LIVE_LINES || time < watch->next_line)
        return;
    watch->next_line = time + SECONDS_BETWEEN;
    fprintf(stderr, "warpbeam: %zu of %zu runs done", done, count);
    if (watch->state.failed)
        fprintf(stderr, ", %zu failed", watch->state.failed);
    if (done)
        fprintf(stderr, ", about %.0f s left", (time - watch->begun) * (double)(count - done) / (double)done);
    fputs(".\n", stderr);
}

size_t sweep_watch_look(Sweep *sweep, SweepWatch *watch, Error *error)
{
    queue_release(&sweep->store, &sweep->presence, error);
    watch->state = queue_state(&sweep->store, sweep->planned.study, error);
    const size_t left = watch->state.waiting + watch->state.running;
    const size_t done = ended(&watch->state) - watch->before;
    LiveStyle style;
    if (live_style(sweep->progress, stderr, &style) && style == LIVE_REDRAWN && left)
        live_bar(stderr, "runs", done, done + left, now() - watch->begun);
    show_line(sweep, watch, done, done + left);
    return left;
}

void sweep_watch_end(void) { live_bar(stderr, "runs", 1, 1, 0); }

void sweep_wait(double seconds)
{
    /* A signal that comes before the wait is found after it: that is no harm, for it is short. */
    poll(NULL, 0, (int)(1000 * seconds));
}

char **sweep_worker_command(const Sweep *sweep, char *program, char text[32])
{
    VEC(char *) all = {0};
    snprintf(text, 32, "%lld", (long long)sweep->planned.study);
    char *const words[] = {program, "sweep",     sweep->store.path,     "--worker",
                           text,    "--threads", (char *)sweep->threads};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        VEC_PUSH(&all, words[i]);
    if (sweep->reports) {
        VEC_PUSH(&all, "--reports");
        VEC_PUSH(&all, (char *)sweep->reports);
    }
    VEC_PUSH(&all, NULL);
    return all.items;
}

int sweep_work(const char *database, const char *study, const char *threads, const char *reports)
{
    Error error = {0};
    uint64_t number;
    if (!knob_parse_count(study, &number))
        return misuse("--worker needs the number of a study, not '%s'.", study);
    sweep_catch_signals();
    const Work work = {.database = database,
                       .study = (int64_t)number,
                       .threads = threads ? threads : "1",
                       .reports = reports,
                       .must_stop = &sweep_must_stop};
    return work_until_done(&work, &error) ? EXIT_DONE : fail("%s", error.text);
}
