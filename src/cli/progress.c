#include "cli/progress.h"

#include <signal.h>

#include "cli/command.h"
#include "report/live.h"

/* One simulation runs at a time; signals have no other way to find it. */
static Live live;

static void on_interrupt(int number)
{
    (void)number;
    live.must_stop = 1;
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
    live = (Live){.gpu = gpu, .to = stderr, .style = style, .must_stop = live.must_stop};
    const struct sigaction interrupt = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART | SA_RESETHAND};
    const struct sigaction question = {.sa_handler = on_question, .sa_flags = SA_RESTART};
    struct sigaction old;
    if (sigaction(SIGINT, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
        sigaction(SIGINT, &interrupt, NULL);
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
