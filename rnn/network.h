/* A network: what its files share. */
#ifndef WBRNN_NETWORK_H
#define WBRNN_NETWORK_H

#include "claims.h"
#include "device.h"
#include "kernels/job.h"

/* Where the weights of a layer lie on the device. */
typedef struct RnnWeightsAt {
    bool set;
    uint64_t w_input, w_state; /* packed; w_input as the user gave it where its product is computed ahead */
    uint64_t bias, extra;
} RnnWeightsAt;

/* Device memory that grows. `kept` are those it had before, which captured graphs may still use. */
typedef struct RnnBuffer {
    uint64_t address;
    size_t bytes;
    uint64_t *kept;
    uint32_t kept_count;
} RnnBuffer;

typedef struct RnnStreams RnnStreams; /* of the stream method */

/* Invariant: a network that could not be created has no device or is not ready, and `error` says why for
 * good. `end` is recorded behind every run that is not captured. */
struct WbRnn {
    RnnDevice *device;
    bool ready;
    WbRnnShape shape;
    WbRnnOptions options;
    RnnPlan plan;
    RnnKernel *kernel, *prepare, *product; /* product: where the first layer's O U is computed ahead */
    RnnWeightsAt weights[JOB_LAYERS];
    RnnBuffer work;      /* exchanged sequences, and what else a run needs */
    uint64_t stuck;      /* RnnStuck, which blocks poll */
    RnnStuck *told;      /* what the host sees of it */
    uint64_t told_address;
    void *end;
    bool has_run;        /* `end` was recorded */
    bool captured;       /* a run went into a graph of the user's, which may be launched at any time */
    uint32_t leave;      /* tests: a block that leaves at once; ~0: none */
    RnnClaim claim;
    RnnStreams *streams;
    char error[512];
};

/* How a method runs a network. */
typedef struct RnnMethod {
    /* SMs that a run holds until its end, since its blocks wait for each other; 0: none. */
    uint32_t (*claimed)(const WbRnn *rnn);
    /* Kernels of the method; called once. */
    WbRnnStatus (*load)(WbRnn *rnn);
    /* What load() has made besides, even if it failed; null: nothing. */
    void (*unload)(WbRnn *rnn);
    /* Bytes of `work` that a run of so many steps needs. */
    size_t (*work_bytes)(const WbRnn *rnn, uint32_t steps);
    /* Enqueues all of a run. */
    WbRnnStatus (*enqueue)(WbRnn *rnn, const WbRnnRun *run, void *stream);
} RnnMethod;

extern const RnnMethod method_stream, method_persistent, method_wait_signal;

/* The method that the plan has chosen; null: this library does not have it. */
const RnnMethod *network_method(const WbRnn *rnn);

/* Notes the sentence and returns the status. */
__attribute__((format(printf, 3, 4)))
WbRnnStatus network_fail(WbRnn *rnn, WbRnnStatus status, const char *format, ...);
/* Takes over what the device said. */
WbRnnStatus network_device(WbRnn *rnn, WbRnnStatus status);
/* Whether the watchdog has ended a run since it was last asked. */
WbRnnStatus network_check_stuck(WbRnn *rnn);

bool network_has_cells(WbRnnKind kind); /* a state c beside h: LSTMs */
uint32_t network_inputs(const WbRnn *rnn, uint32_t layer); /* of a layer */
size_t network_type_bytes(const WbRnn *rnn);

/* At least so many bytes, of undefined contents. `capturing`: nothing can be allocated. */
WbRnnStatus buffer_reserve(WbRnn *rnn, RnnBuffer *buffer, size_t bytes, bool capturing);
void buffer_release(WbRnn *rnn, RnnBuffer *buffer);

/* weights.c: memory for the weights of all layers. */
WbRnnStatus weights_allocate(WbRnn *rnn);
void weights_release(WbRnn *rnn);

#endif
