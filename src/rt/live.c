/* The progress line of a CUDA program, on stderr. Signals have no context, so there is one Live for the
 * process, which has one GPU. */
#include "rt/live.h"

#include <stdlib.h>
#include <string.h>

#include "report/live.h"

static Live live;

static void on_question(int number)
{
    (void)number;
    live.is_asked = 1;
}

/* A program that has another use for the signal keeps it. */
static void answer_questions(void)
{
    struct sigaction old, action = {.sa_handler = on_question, .sa_flags = SA_RESTART};
    if (sigaction(SIGUSR1, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
        sigaction(SIGUSR1, &action, NULL);
}

bool rt_live_open(WbGpu *gpu)
{
    const char *wanted = getenv("WARPBEAM_PROGRESS");
    const bool is_wanted = wanted && *wanted;
    LiveStyle style;
    if (!live_style(is_wanted ? wanted : "never", stderr, &style)) {
        fprintf(stderr, "warpbeam: WARPBEAM_PROGRESS is auto, always or never, not '%s'.\n", wanted);
        return false;
    }
    live = (Live){.gpu = gpu, .to = stderr, .style = style};
    if (is_wanted && strcmp(wanted, "never") != 0)
        answer_questions();
    wb_set_progress(gpu, live_look, &live, LIVE_SECONDS);
    return true;
}

void rt_live_clear(void)
{
    if (live.to)
        live_clear(&live);
}

void rt_live_stop(void) { live.must_stop = 1; }

bool rt_live_is_stopped(void) { return live.must_stop; }
