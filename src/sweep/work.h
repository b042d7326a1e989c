/* A worker: takes runs of a study one after the other, each in a process of its own, and writes down what
 * became of them.
 *
 * What a run writes goes into files in memory, so nothing is left behind whatever ends it. A run ends with
 * its worker. One that crashes has failed; one that was killed is repeated. */
#ifndef SWEEP_WORK_H
#define SWEEP_WORK_H

#include <signal.h>

#include "sweep/queue.h"

typedef struct Work {
    const char *database;
    int64_t study;
    const char *threads;                /* host threads of each run */
    const char *reports;                /* folder for their whole reports; null: they are not kept */
    volatile sig_atomic_t *must_stop;   /* set by a signal: the run at hand is put back */
} Work;

/* Works until no run is waiting, or somebody wants an end. False: the error says why. */
bool work_until_done(const Work *work, Error *error);

#endif
