/* `warpbeam sweep`: what its parts share. */
#ifndef CLI_SWEEP_H
#define CLI_SWEEP_H

#include <signal.h>

#include "base/vec.h"
#include "cli/command.h"
#include "sweep/plan.h"
#include "sweep/queue.h"

/* How the runs of a study are to be done. */
typedef struct Sweep {
    const char *database;              /* its path */
    Store store;
    Presence presence;
    Planned planned;
    const char *study;                 /* the study's name */
    unsigned processes;                /* at once */
    const char *threads, *reports;     /* of workers; reports: null: none */
    const char *progress;              /* auto, always or never; null: auto */
    bool is_detached;                  /* on Slurm: nobody waits for the end */
    VEC(const char *) slurm_options;
} Sweep;

/* What is shown while runs are done. Times are of the host's clock. */
typedef struct SweepWatch {
    size_t before;                     /* runs that had an end when it began */
    double begun, next_line;
    QueueState state;
} SweepWatch;

/* A signal wants an end. */
extern volatile sig_atomic_t sweep_must_stop;
/* From now on signals are noted there; the first one's number. */
void sweep_catch_signals(void);
int sweep_signal(void);

SweepWatch sweep_watch_begin(Sweep *sweep, Error *error);
/* Gives back what dead workers had, and shows how far it is. Runs that have no end yet. */
size_t sweep_watch_look(Sweep *sweep, SweepWatch *watch, Error *error);
/* Takes the bar away. */
void sweep_watch_end(void);
/* Waits a moment, or until a child has ended. */
void sweep_wait(double seconds);
/* The arguments of a worker, ended by null; the caller frees the array alone. `text` holds numbers. */
char **sweep_worker_command(const Sweep *sweep, char *program, char text[32]);

/* Do all runs that are waiting; EXIT_DONE or EXIT_FAILED once the failure has been told. */
int sweep_run_here(Sweep *sweep);
int sweep_run_on_slurm(Sweep *sweep);
/* `warpbeam sweep FILE --worker STUDY`. */
int sweep_work(const char *database, const char *study, const char *threads, const char *reports);

#endif
