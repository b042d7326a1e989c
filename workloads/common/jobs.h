/* Pieces of work in processes of their own, several at once: each starts with fresh memory, whose peak is
 * known afterwards, and one that crashes or never ends takes no other along. */
#ifndef WORKLOADS_JOBS_H
#define WORKLOADS_JOBS_H

#include <stdbool.h>
#include <stddef.h>

enum { JOBS_RESULT_BYTES = 8192 };

typedef struct JobEnd {
    bool finished;        /* false: `result` is not valid, and `reason` tells why */
    bool was_cut_off;     /* not finished because of a signal to the caller: it was ended, or never started */
    char reason[64];
    const void *result;
    double peak_megabytes;
} JobEnd;

typedef struct Jobs {
    size_t count;
    int parallel;         /* processes at once */
    bool stops_in_order;  /* Ctrl-C, SIGTERM and SIGHUP end what runs, and the caller tells what is done */
    unsigned limit;       /* seconds after which a job is ended; 0: never */
    /* Does piece `index` and fills `result`, which was zeroed. Runs in the job's process. */
    void (*work)(size_t index, void *context, void *result);
    void *context;
    size_t result_size;   /* at most JOBS_RESULT_BYTES, so that a pipe holds it */
    /* In the caller's process, in order of `index`, as soon as all before it are done too. */
    void (*done)(size_t index, void *context, const JobEnd *end);
} Jobs;

/* Runs all pieces. They end with the caller, whatever ends it. */
void jobs_run(const Jobs *jobs);
/* The number of the signal that stopped them in order; 0: none did. */
int jobs_signal(void);

#endif
