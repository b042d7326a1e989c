/* What all commands that run kernels share: how the GPU is chosen and changed, and how it reports. */
#ifndef CLI_RUNNING_H
#define CLI_RUNNING_H

#include "cli/command.h"
#include "base/vec.h"
#include "report/report.h"

typedef struct Running {
    const char *gpu;           /* name or path of the configuration; null: not given */
    VEC(char *) settings;      /* "knob=value", in order */
    const char *threads, *stats, *timeline, *progress, *page; /* null where not given */
    const char *label;         /* what the page calls the run */
    const char *const *needed; /* "knob", "value" pairs before all settings, ended by null; null: none */
    bool cycle;                /* not only results */
    ReportOptions report;
} Running;

/* The options of the group running_options. */
Running running_take(int *argument_count, char **arguments);
void running_free(Running *running);
/* Opens the GPU and sets its knobs; null once the failure has been told. What kernels print goes where the
 * report's text goes. */
WbGpu *running_open(const Running *running);
/* Whether people read standard output: it is not taken by the JSON. */
bool running_is_talking(const Running *running);
/* Gives out the report. */
int running_report(const Running *running, WbGpu *gpu);
/* Tells the failure of what ran; of what Ctrl-C has stopped, also gives out the report so far. Returns the exit
 * status. */
int running_fail(const Running *running, WbGpu *gpu, const char *sentence);

/* -- the page, where one is wanted -- */

enum { PAGE_STATS_SIZE = 64 };
/* Makes a file for the statistics that the page is made of. Returns EXIT_DONE or EXIT_FAILED. */
int running_page_begin(char path[PAGE_STATS_SIZE]);
/* Writes the page. */
int running_page_end(const Running *running, const char *stats);

#endif
