/* The runs that a paper's figures are made of: benchmarks in several modes, each in a process of its own on a
 * GPU of its own, so that no number hangs on which others run beside it. */
#ifndef PAPERS_RUNS_H
#define PAPERS_RUNS_H

#include "common/host.h"
#include "paper.h"

enum { RUN_STATISTICS = 32, RUN_SETTINGS = 8, RUN_SAMPLES = 512, RUN_GPUS = 8 };

/* Numbers are valid only if it is right. */
typedef struct RunResult {
    bool right;
    bool deadlocked;                     /* not right, because blocks waited for each other without an end, as
                                            the experiment says that they may */
    uint64_t cycles;                     /* of all kernels that the host launched, one after the other */
    double nanoseconds;                  /* of the same, and from the host's calls to their beginnings */
    uint64_t statistics[RUN_STATISTICS]; /* in the order of the experiment's names */
    double samples[RUN_SAMPLES];         /* of what experiment->sample takes, over time */
    double seconds;                      /* of the whole run on this machine */
    char error[2048];                    /* why it is not right */
} RunResult;

typedef struct Run {
    const char *benchmark, *mode;
    const char *gpu;                    /* that it runs on; null: the experiment's */
    const char *settings[RUN_SETTINGS]; /* what makes the mode: "knob=value"; null behind the last one */
    size_t index;                       /* whatever the paper finds its benchmark and mode by */
    bool was_cut_off;                   /* nothing is known of it: the experiment was interrupted before */
    RunResult result;
} Run;

/* What all runs of a paper have in common. A GPU is opened by name and set by `settings`, then by those of
 * the user, then by those of the run, so that the user can change all but what is being compared. */
typedef struct Experiment {
    const char *gpu;
    const char *const *settings;   /* null behind the last one */
    const char *const *statistics; /* names of those to keep; null behind the last one */
    /* True: the result is right. False: host->error says why. In the run's own process. */
    bool (*execute)(const Run *run, const PaperOptions *options, WbGpu *gpu, Host *host);
    /* The same on several GPUs of one host, as many as `gpus` says; `gpus` null: on one, by execute. */
    uint32_t (*gpus)(const Run *run);
    bool (*execute_on)(const Run *run, const PaperOptions *options, WbGpu *const *gpus, uint32_t count,
                       Host *host);
    /* Fills result->samples after a run that is right, in the same process; null: there are none. */
    void (*sample)(const Run *run, WbGpu *gpu, RunResult *result);
    /* Whether a deadlock of that run is a result, not a failure; null: of none. */
    bool (*may_deadlock)(const Run *run);
    const PaperOptions *options;
    Run *runs;
    size_t count;
    double begun;                  /* the host's clock when they were started */
    int interrupted;               /* number of the signal that ended them before all were done; 0: none */
} Experiment;

/* The GPU as all runs on it share it, to look at its knobs; `gpu` null: the experiment's. Null: an error
 * stands. */
WbGpu *experiment_open(const Experiment *experiment, const char *gpu, Error *error);
/* Sets "knob=value". */
bool experiment_set(WbGpu *gpu, const char *setting, Error *error);
/* Runs them all and says so benchmark by benchmark; reports go to the folder "runs" of the options' folder.
 * Ctrl-C, SIGTERM and SIGHUP leave those that are done. */
void experiment_run(Experiment *experiment);
/* Does one of them in this process, and fills in its result. */
void experiment_work(const Experiment *experiment, Run *run);
/* How many are done and have failed. */
size_t experiment_failed(const Experiment *experiment);
/* How many are done, right or not. */
size_t experiment_done(const Experiment *experiment);
/* The name and the sentence of each run that has failed. */
void experiment_write_failures(const Experiment *experiment, FILE *out);
/* A row for each run that is done: benchmark, mode, cycles, right, statistics, nanoseconds, seconds. */
void experiment_write_csv(const Experiment *experiment, FILE *out);

#endif
