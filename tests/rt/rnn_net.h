/* Networks of the RNN library for tests: with made-up weights, on a simulated GPU by way of the driver
 * API. */
#ifndef RT_RNN_NET_H
#define RT_RNN_NET_H

#include "network.h"
#include "reference.h"

enum { HIDDEN = 64, STEPS = 4 };

/* A network, its input and states on the device, and room for results. */
typedef struct Net {
    WbRnnShape shape;
    uint32_t steps;
    ReferenceData data;
    WbRnn *rnn;
    uint64_t x, h0, c0, y, hn, cn; /* on the device */
} Net;

#define WORKS(net, call)                                                                                     \
    do {                                                                                                     \
        const WbRnnStatus status_ = call;                                                                    \
        if (status_)                                                                                         \
            fail_msg("%s: %d: %s", #call, status_, wbrnn_error((net)->rnn));                                 \
    } while (0)

/* Group setup of a test: chooses the GPU, in functional mode, and makes its primary context current. */
int net_begin(void **state);
/* Its teardown. */
int net_end(void **state);

/* HIDDEN units; grouped LSTMs have two groups. */
WbRnnShape net_shape(WbRnnKind kind, uint32_t layers, uint32_t input, uint32_t batch);
void net_open(Net *net, WbRnnShape shape, uint32_t steps, const WbRnnOptions *options);
/* The same on a GPU whose blocks have no more bytes of shared memory than this, nor L2. */
void net_open_small(Net *net, WbRnnShape shape, uint32_t steps, const WbRnnOptions *options, uint32_t bytes);
void net_close(Net *net);

WbRnnWeights net_weights(const Net *net, uint32_t layer);
/* With states and all results. */
WbRnnRun net_run(const Net *net, const uint32_t *lengths);
/* The device has what the reference says. */
void net_check(const Net *net, const uint32_t *lengths);
void net_run_and_check(Net *net, const uint32_t *lengths);

uint64_t net_to_device(const float *values, size_t count);

#endif
