/* Inference of recurrent networks of several layers in one kernel: every layer has thread blocks of its own,
 * weights stay on chip for all time steps, and blocks wait for each other by flags, so that layers work at
 * different time steps at once [sync thesis, chapter 5].
 *
 *     WbRnn *rnn;
 *     WbRnnShape shape = {.kind = WBRNN_LSTM, .layers = 8, .hidden = 256, .input = 256, .batch = 4};
 *     if (wbrnn_create(&shape, NULL, &rnn) || wbrnn_set_weights(rnn, 0, ...) || ...)
 *         puts(wbrnn_error(rnn));
 *     if (wbrnn_run(rnn, &(WbRnnRun){.steps = 256, .x = x, .y = y}, stream) || wbrnn_wait(rnn))
 *         puts(wbrnn_error(rnn));
 *     wbrnn_destroy(rnn);
 *
 * x, y and states are device memory. Calls return a status; wbrnn_error() has the sentence. A network belongs
 * to the CUDA context that was current when it was created, and is used by one host thread at a time. Runs of
 * one network follow each other, on whatever streams they are. */
#ifndef WARPBEAM_RNN_H
#define WARPBEAM_RNN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct WbRnn WbRnn;

typedef enum WbRnnStatus {
    WBRNN_OK,
    WBRNN_INVALID,     /* an argument that cannot work */
    WBRNN_TOO_SMALL,   /* this GPU cannot run it so: too few SMs, too little memory on chip */
    WBRNN_BUSY,        /* another network has the SMs, and this one was told not to wait for them */
    WBRNN_STUCK,       /* the watchdog ended a run; the sentence names layer and step */
    WBRNN_MEMORY,      /* of host or device */
    WBRNN_GPU,         /* the driver's sentence is in the error */
} WbRnnStatus;

typedef enum WbRnnKind {
    WBRNN_TANH,    /* S = tanh(S W + O U + b) */
    WBRNN_RELU,
    WBRNN_LSTM,    /* gates i, f, g, o */
    WBRNN_GRU,     /* gates r, z, n; n = tanh(O U + b + r (S W + c)) */
    WBRNN_GROUPED_LSTM, /* inputs and states in independent groups [Kuchaiev and Ginsburg 2017, 2.2] */
    WBRNN_PHASED_LSTM,  /* a gate opens and closes with time [Neil et al. 2016]; with peepholes */
    WBRNN_KINDS
} WbRnnKind;

/* Of weights, x, y and states. */
typedef enum WbRnnType { WBRNN_F32, WBRNN_F16, WBRNN_BF16, WBRNN_TYPES } WbRnnType;

/* What a network is. */
typedef struct WbRnnShape {
    WbRnnKind kind;
    WbRnnType type;
    uint32_t layers; /* 1 to 16 */
    uint32_t hidden; /* 64 to 2,048 */
    uint32_t input;  /* 1 to 8,192; that of the first layer, the others have `hidden` */
    uint32_t batch;  /* 1 to 64 */
    uint32_t groups; /* of grouped LSTMs, 1 to 16: they divide hidden and input; 0 is 1 */
} WbRnnShape;

/* How a network is run. */
typedef enum WbRnnMethod {
    WBRNN_AUTO,        /* wait-signal with the synchronization that the planner thinks fastest */
    WBRNN_STREAM,      /* a kernel for each layer and step, two streams a layer, events */
    WBRNN_PERSISTENT,  /* one kernel, all blocks compute each cell, a barrier of all blocks behind it */
    WBRNN_WAIT_SIGNAL, /* one kernel, blocks of a layer wait for those they need */
    WBRNN_METHODS
} WbRnnMethod;

/* How blocks of the wait-signal kernel tell each other. */
typedef enum WbRnnSync {
    WBRNN_SYNC_AUTO,
    WBRNN_SYNC_ARRAYS,   /* write and read flag arrays, a block that collects, an entry a block: Fig 29 (a) */
    WBRNN_SYNC_ENTRY,    /* the same, all blocks read one entry: Fig 29 (b) */
    WBRNN_SYNC_COUNTER,  /* a counter a layer and step; release and acquire */
    WBRNN_SYNC_DATA,     /* no flags: a value that has not been written is seen to be so */
    WBRNN_SYNC_HARDWARE, /* wb_wait and wb_signal, on a simulated GPU */
    WBRNN_SYNCS
} WbRnnSync;

typedef struct WbRnnOptions {
    WbRnnMethod method;
    WbRnnSync sync;
    bool graph;           /* stream method: the launches are captured once and launched as one graph */
    bool split;           /* wait-signal: S W and O U by two groups of blocks [section 5.1.1] */
    bool refuse_if_busy;  /* WBRNN_BUSY instead of waiting for another network to end */
    uint32_t sm_limit;    /* at most so many SMs; 0: all */
    uint32_t watchdog_ms; /* after so long a wait inside of the kernel the run gives up; 0: 2,000 */
    const char *kernels;  /* folder of the kernels' PTX or cubins; null: those built in */
} WbRnnOptions;

/* The options may be null. *rnn is null only when there was no memory for it: after another failure it has
 * the sentence, and is destroyed as any. */
WbRnnStatus wbrnn_create(const WbRnnShape *shape, const WbRnnOptions *options, WbRnn **rnn);
void wbrnn_destroy(WbRnn *rnn);
/* The sentence of the last call that failed; "" when none did. */
const char *wbrnn_error(const WbRnn *rnn);

/* Weights of one layer, in host or device memory, of the network's type. PyTorch's layout: w_input is
 * [gates x hidden][inputs of the layer], w_state [gates x hidden][hidden], row-major, gates i f g o or r z n,
 * biases [gates x hidden] or null. cuDNN's is the same, matrix by matrix: wbrnn_set_weights_cudnn().
 * Groups: rows of a group's units have the columns of their group alone: inputs/groups and hidden/groups. */
typedef struct WbRnnWeights {
    const void *w_input, *w_state, *b_input, *b_state;
    size_t w_input_count, w_state_count, bias_count; /* elements of each, checked */
    /* Phased LSTM, floats [hidden] each: period, shift and open share of the time gate, and peepholes of i, f
     * and o [3][hidden] or null. `leak` is the share that passes while the gate is closed. */
    const float *period, *shift, *open, *peephole;
    float leak;
} WbRnnWeights;

/* Copies them, behind what is in the default stream and behind the network's last run. */
WbRnnStatus wbrnn_set_weights(WbRnn *rnn, uint32_t layer, const WbRnnWeights *weights);
/* All layers from one buffer as cuDNN packs it: for each layer all input matrices, then all state matrices,
 * gate by gate (cuDNN has i f g o and r z n as well); behind the matrices of all layers come the biases in
 * the same order. `count` is checked. */
WbRnnStatus wbrnn_set_weights_cudnn(WbRnn *rnn, const void *buffer, size_t count);

/* One run. x is [steps][batch][input], y [steps][batch][hidden] (or batch first), states
 * [layers][batch][hidden], all of the network's type; c states of LSTMs too. Null initial states are zeros,
 * null results are not written. */
typedef struct WbRnnRun {
    uint32_t steps;
    bool batch_first;
    const void *x, *h0, *c0;
    void *y, *hn, *cn;
    const uint32_t *lengths; /* host memory, [batch]; null: all have `steps`. y is 0 behind a sequence's end,
                              * and its last states are those at its end */
    const float *times;      /* device memory, phased LSTM: [steps][batch]; null: 0, 1, 2, ... */
} WbRnnRun;

/* Enqueues a run on a CUstream (a cudaStream_t is one; null is the default stream), behind the network's last
 * run. It claims the SMs that it needs: where other networks of the process have them, it begins when enough
 * of their runs have ended, or is refused (refuse_if_busy).
 *
 * A run may be captured, once another one of at least its length has gone before and so has allocated its
 * memory. In a graph it neither claims nor follows: whoever launches graphs with runs lets them follow each
 * other, unless SMs suffice for all (sm_limit), and destroys them before the network. */
WbRnnStatus wbrnn_run(WbRnn *rnn, const WbRnnRun *run, void *stream);
/* Waits for the network's last run that was not captured, and says whether the watchdog ended one. */
WbRnnStatus wbrnn_wait(WbRnn *rnn);

/* What the planner decided, in sentences: blocks a layer, what lies where, layers in flight. Returns the
 * length; writes at most `size` bytes. */
size_t wbrnn_explain(const WbRnn *rnn, char *text, size_t size);

const char *wbrnn_kind_name(WbRnnKind kind);
const char *wbrnn_type_name(WbRnnType type);
const char *wbrnn_method_name(WbRnnMethod method);
const char *wbrnn_sync_name(WbRnnSync sync);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
