/* What all commands that run kernels share: how the GPU is chosen and changed, and how it reports. */
#ifndef CLI_RUNNING_H
#define CLI_RUNNING_H

#include "cli/command.h"
#include "base/vec.h"
#include "report/report.h"

enum { RUNNING_PATH_SIZE = 4096 };

typedef struct Running {
    const char *gpu;           /* name or path of the configuration; null: not given */
    VEC(char *) settings;      /* "knob=value", in order */
    const char *threads, *stats, *timeline, *page, *progress; /* null where not given */
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
/* The path of a new file for the statistics that the page of --report needs; false once the failure has been
 * told. */
bool running_new_file(char path[RUNNING_PATH_SIZE]);
/* Makes the page of a statistics file. */
int running_write_page(const Running *running, const char *statistics);
/* Gives out the report. */
int running_report(const Running *running, WbGpu *gpu);
/* Tells the failure of what ran; of what Ctrl-C has stopped, also gives out the report so far. Returns the exit
 * status. */
int running_fail(const Running *running, WbGpu *gpu, const char *sentence);

#endif
