/* How a run shows itself and how it is stopped: a line on stderr, SIGUSR1 for a snapshot, Ctrl-C for an end
 * in good order. Handlers only set flags; the simulation looks at them between two slices of its work. */
#include "cli/progress.h"

#include <signal.h>

#include "base/interrupt.h"
#include "cli/command.h"
#include "report/live.h"

/* One simulation runs at a time; signals have no other way to find it. */
static Live live;
static Interrupt interrupt;
static volatile sig_atomic_t pipe_is_closed;

static void on_interrupt(int number)
{
    if (interrupt_is_first(&interrupt, number))
        live.must_stop = 1;
}

static void on_closed_pipe(int number)
{
    (void)number;
    pipe_is_closed = 1;
}

static void on_question(int number)
{
    (void)number;
    live.is_asked = 1;
}

bool progress_start(WbGpu *gpu, const char *wanted)
{
    LiveStyle style;
    if (!live_style(wanted, stderr, &style)) {
        misuse("--progress is auto, always or never, not '%s'.", wanted);
        return false;
    }
    /* A signal that came before the GPU was open still counts. */
    live = (Live){.gpu = gpu, .to = stderr, .style = style, .must_stop = live.must_stop};
    const struct sigaction question = {.sa_handler = on_question, .sa_flags = SA_RESTART};
    interrupt_catch(on_interrupt, NULL);
    sigaction(SIGUSR1, &question, NULL);
    wb_set_progress(gpu, live_look, &live, LIVE_SECONDS);
    return true;
}

void progress_clear(void)
{
    if (live.to)
        live_clear(&live);
}

bool progress_was_interrupted(void) { return live.must_stop; }

int progress_exit_status(void) { return 128 + interrupt.number; }

void progress_outlive_pipes(void)
{
    const struct sigaction action = {.sa_handler = on_closed_pipe, .sa_flags = SA_RESTART};
    struct sigaction old;
    if (sigaction(SIGPIPE, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
        sigaction(SIGPIPE, &action, NULL);
}

bool progress_pipe_was_closed(void) { return pipe_is_closed; }
