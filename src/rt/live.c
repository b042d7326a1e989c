/* The progress line of a CUDA program, on stderr. Signals have no context, so the Lives of all GPUs belong to
 * the process; the GPU that a call waits for shows its own. */
#include "rt/live.h"

#include <stdlib.h>
#include <string.h>

#include "report/live.h"
#include "rt/network.h"
#include "rt/rt.h"

static Live lives[RT_DEVICES];

static void on_question(int number)
{
    (void)number;
    for (int i = 0; i < RT_DEVICES; i++)
        lives[i].is_asked = 1;
}

/* A program that has another use for the signal keeps it. */
static void answer_questions(void)
{
    struct sigaction old, action = {.sa_handler = on_question, .sa_flags = SA_RESTART};
    if (sigaction(SIGUSR1, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
        sigaction(SIGUSR1, &action, NULL);
}

static bool look(void *context, const WbProgress *progress)
{
    const Live *of = context;
    rt_network_look(of->gpu);
    return live_look(context, progress);
}

bool rt_live_open(WbGpu *const *gpus, uint32_t count)
{
    const char *wanted = getenv("WARPBEAM_PROGRESS");
    const bool is_wanted = wanted && *wanted;
    LiveStyle style;
    if (!live_style(is_wanted ? wanted : "never", stderr, &style)) {
        fprintf(stderr, "warpbeam: WARPBEAM_PROGRESS is auto, always or never, not '%s'.\n", wanted);
        return false;
    }
    if (is_wanted && strcmp(wanted, "never") != 0)
        answer_questions();
    for (uint32_t i = 0; i < count; i++) {
        lives[i] = (Live){.gpu = gpus[i], .to = stderr, .style = style};
        wb_set_progress(gpus[i], look, &lives[i], LIVE_SECONDS);
    }
    return true;
}

void rt_live_clear(void)
{
    for (int i = 0; i < RT_DEVICES; i++)
        if (lives[i].to)
            live_clear(&lives[i]);
}

void rt_live_stop(void)
{
    for (int i = 0; i < RT_DEVICES; i++)
        lives[i].must_stop = 1;
}

bool rt_live_is_stopped(void) { return lives[0].must_stop; }
