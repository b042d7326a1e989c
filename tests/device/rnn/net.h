/* A network with made-up weights on a real GPU, its runs, and how far results are from the reference; and
 * what is counted. */
#ifndef DEVICE_RNN_NET_H
#define DEVICE_RNN_NET_H

#include "network.h"
#include "reference.h"

/* The program: what it was told and what it has counted. */
typedef struct Program {
    RnnDevice *gpu;       /* for the memory of tests; open for as long as modules shall stay loaded */
    const char *kernels;  /* folder, or null */
    const char *only;     /* part of a group's name, or null */
    bool small;           /* shapes for tools that are slow: sanitizers, simulators */
    uint32_t cases;       /* of the groups sizes and random, at most */
    uint32_t watchdog_ms; /* more than usual where a tool slows the GPU down */
    uint32_t repeats;     /* how many runs have to be equal */
    uint32_t passed, failed, skipped;
} Program;

/* Invariant: buffers are of the shape and hold `steps` steps; values are of the shape's type. */
typedef struct Net {
    Program *program;
    WbRnnShape shape;
    uint32_t steps;
    ReferenceData data;
    WbRnn *rnn;
    uint64_t x, h0, c0, y, hn, cn; /* on the device */
    WbRnnStatus status;            /* of the first call that failed */
    char why[512];
} Net;

/* Counts a check; says which failed. */
__attribute__((format(printf, 3, 4)))
void check(Program *program, bool holds, const char *format, ...);
__attribute__((format(printf, 2, 3)))
void skip(Program *program, const char *format, ...);

/* "lstm fp32 L2 H64 I64 B4 T5", of the static buffer of one call. */
const char *name_of(const WbRnnShape *shape, uint32_t steps);

/* Makes data and network, gives it its weights. False: net->status and net->why say why; close it anyway. */
bool net_open(Net *net, Program *program, WbRnnShape shape, uint32_t steps, WbRnnOptions options);
void net_close(Net *net);
/* A run with all states, not waited for. */
bool net_run(Net *net, const uint32_t *lengths, void *stream);
bool net_wait(Net *net);
/* Both, and how far the results are from the reference: the largest difference, over 1 or the value where
 * that is larger. Infinity: the run failed, or a NaN is where none should be or the other way round. */
double net_error(Net *net, const uint32_t *lengths);
/* What was computed, bits as they are: y, hn, and cn of LSTMs. To be freed. */
void *net_results(const Net *net, size_t *bytes);
/* What an error may be. */
double net_bound(const WbRnnShape *shape);

WbRnnWeights net_weights(const Net *net, uint32_t layer); /* floats; only of WBRNN_F32 */
WbRnnStatus net_set_weights(Net *net, uint32_t layer);
/* From floats of the host, as values of the shape's type. */
void net_write(const Net *net, uint64_t to, const float *values, size_t count);

#endif
