/* What all commands that run kernels share: how the GPU is chosen and changed, and how it reports. */
#ifndef CLI_RUNNING_H
#define CLI_RUNNING_H

#include "cli/command.h"
#include "config/gpu_set.h"
#include "base/vec.h"
#include "cli/policies.h"
#include "report/report.h"

enum { RUNNING_PATH_SIZE = 4096 };

typedef struct Running {
    const char *gpu;           /* name or path of the configuration, given or the user's usual; null: none */
    PolicyPaths policies;      /* shared objects */
    VEC(char *) settings;      /* "knob=value", in order */
    const char *threads, *stats, *timeline, *page, *progress; /* null where not given */
    const char *profile;       /* of a program: the file for the graph of its launches; null: none */
    const char *input;         /* the file that is run, which no output may be; null: none */
    const char *const *needed; /* "knob", "value" pairs before all settings, ended by null; null: none */
    bool cycle;                /* not only results */
    bool lines;                /* --profile-lines */
    ReportOptions report;
} Running;

/* Whether it is the name of a configuration, if a wrong one, or a path: to give it is then no misuse. */
bool gpu_is_there(const char *name);
/* Opens the GPU of that name or path; returns as running_open() does. */
int gpu_open(const char *name, WbGpu **gpu);
/* What the GPU has to say of modules and kernels goes to stderr. */
void gpu_tell(WbGpu *gpu);
/* The options of the group running_options. */
Running running_take(int *argument_count, char **arguments);
void running_free(Running *running);
/* Loads policies, opens the GPU, sets its knobs and tries whether all outputs can be written; returns
 * EXIT_DONE, or once the failure has been told EXIT_FAILED or EXIT_USAGE. What kernels print goes where the
 * report's text goes. */
int running_open(const Running *running, WbGpu **gpu);
/* The same of several GPUs, as --gpus names them (config/gpu_set.h); null: one. *count is 0 on failure. */
int running_open_all(const Running *running, const char *gpus, WbGpu *opened[GPU_SET_MOST], uint32_t *count);
/* Whether people read standard output: no output of the run has taken it. */
bool running_is_talking(const Running *running);
/* The path of a new file for the statistics that the page of --report needs, and the like; false once the
 * failure has been told. */
bool running_new_file(char path[RUNNING_PATH_SIZE]);
/* Makes the page of a statistics file. */
int running_write_page(const Running *running, const char *statistics);
/* Says on stderr which of the outputs are there; `more` follows the names. */
void running_tell_written(const char *const *paths, size_t count, const char *more);
/* Gives out the report: files first, then what goes to standard output, which may have no reader any more. */
int running_report(const Running *running, WbGpu *gpu);
/* Tells the failure of what ran; where kernels have left records, or a signal has stopped it, also gives out
 * the report so far. Returns the exit status. */
int running_fail(const Running *running, WbGpu *gpu, const char *sentence);

#endif
