/* Runs of papers that are kept in the database of a sweep (docs/SWEEP.md): what has been run is not run again,
 * and what was interrupted goes on. Each run is a process of `warpbeam paper ... --one`, which a worker of the
 * sweep starts, here or on a cluster. */
#ifndef PAPERS_KEPT_H
#define PAPERS_KEPT_H

#include "papers/runs.h"
#include "sweep/plan.h"

typedef struct PaperSweep {
    const char *database;
    const char *const *command;  /* arguments of warpbeam that repeat this paper, ended by null */
    const char *const *policies; /* files of loaded policies, ended by null */
    /* Does the runs that are waiting; the number of the signal that ended that, or 0. */
    int (*run)(void *context, const Store *store, const Planned *planned, const char *study, Error *error);
    void *context;
} PaperSweep;

/* Does what the database does not have, and fills in all results. False: the error says why. */
bool kept_run(Experiment *experiment, const char *paper, Error *error);
/* Does the one run that the options name, and writes its numbers to the options' file. */
bool kept_run_one(Experiment *experiment, Error *error);

#endif
