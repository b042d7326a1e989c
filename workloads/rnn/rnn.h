/* Recurrent networks by the library of rnn/ on a simulated GPU [sync-thesis §3.2.3, §5]: the same planner,
 * packing and kernels as on silicon, each kind in all ways that the thesis compares, and with events of the
 * machine in place of flags in memory. Results are compared with those computed in double precision here.
 *
 * Time is that of the host's timeline from the call of the run until the host knows its end: a run by streams
 * has all its launches in it. Weights and input go to the device before. */
#ifndef WORKLOADS_RNN_H
#define WORKLOADS_RNN_H

#include "common/host.h"
#include "graphs/generate.h"

/* How cells of a network come to follow each other. */
typedef enum RecurrentMode {
    RECURRENT_FLAGS,      /* wait-signal: values that show whether they have been written, the fastest */
    RECURRENT_STREAM,     /* a kernel for each layer and step, streams and events */
    RECURRENT_PERSISTENT, /* one kernel, all blocks compute each cell, a barrier of all behind it */
    RECURRENT_ARRAYS,     /* write and read flag arrays, an entry a block: Fig 29 (a) */
    RECURRENT_ENTRY,      /* the same, all blocks read one entry: Fig 29 (b) */
    RECURRENT_COUNTER,    /* a counter a layer */
    RECURRENT_SPLIT,      /* arrays, S W and O U of a layer by two groups of blocks [§5.1.1] */
    RECURRENT_HARDWARE,   /* wb_wait() and wb_signal() */
    RECURRENT_MODES
} RecurrentMode;

/* {0} is a run on the small input by flags. */
typedef struct RecurrentRun {
    RecurrentMode mode;
    InputSize size;
    /* 0: as `size` has it. The input is as wide as a layer. */
    uint32_t layers, hidden, steps, batch;
    uint32_t groups; /* of a grouped LSTM; 0: as many as have 64 units each, and two at least */
    uint32_t seed;   /* of weights and input; 0: 1 */
    bool split;      /* S W and O U by two groups of blocks, however they tell each other */
} RecurrentRun;

typedef struct RecurrentBenchmark {
    const char *name; /* in small letters: lstm */
    const char *about;
    int kind; /* WbRnnKind */
} RecurrentBenchmark;

enum { RECURRENT_BENCHMARKS = 6 };
extern const RecurrentBenchmark recurrent_benchmarks[RECURRENT_BENCHMARKS];
extern const char *const recurrent_mode_names[RECURRENT_MODES];

/* Null: there is none of that name. */
const RecurrentBenchmark *recurrent_find(const char *name);
/* Runs a network once and compares; `directory` is workloads/rnn. False: host->error says why. The caller ends
 * the host. */
bool recurrent_run(const RecurrentBenchmark *benchmark, const RecurrentRun *run, WbGpu *gpu,
                   const char *directory, Host *host);

#endif
