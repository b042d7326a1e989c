/* What a network computes, in double precision on the host: what kernels are compared with. */
#ifndef WBRNN_REFERENCE_H
#define WBRNN_REFERENCE_H

#include "warpbeam_rnn.h"

/* All arrays on the host in doubles. weights[layer] as in WbRnnWeights, but doubles. */
typedef struct ReferenceWeights {
    const double *w_input, *w_state, *b_input, *b_state; /* biases may be null */
    const double *period, *shift, *open, *peephole;
    double leak;
} ReferenceWeights;

typedef struct ReferenceRun {
    uint32_t steps;
    const double *x, *h0, *c0;  /* [steps][batch][input], [layers][batch][hidden]; null states are zeros */
    double *y, *hn, *cn;        /* may be null */
    const uint32_t *lengths;    /* null: all `steps` */
    const double *times;        /* null: 0, 1, 2, ... */
} ReferenceRun;

/* False: there was no memory. */
bool reference_run(const WbRnnShape *shape, const ReferenceWeights *weights, const ReferenceRun *run);

/* Made-up networks for tests and workloads: uniform in +-1/sqrt(hidden) as PyTorch initializes, by the 32-bit
 * generator of Numerical Recipes; x and states uniform in +-1. Time gates have periods of 2 to 16 steps, and
 * no whole time is at an edge of a gate. What is optional may be set to null. */
typedef struct ReferenceData {
    size_t w_input_count[16], w_state_count[16], bias_count;
    float *w_input[16], *w_state[16], *b_input[16], *b_state[16];
    float *period[16], *shift[16], *open[16], *peephole[16]; /* phased LSTM, else null */
    float leak;
    float *x, *h0, *c0;
} ReferenceData;

bool reference_data(const WbRnnShape *shape, uint32_t steps, uint32_t seed, ReferenceData *data);
void reference_free(ReferenceData *data);
/* A layer's weights, for wbrnn_set_weights() of networks in single precision. */
WbRnnWeights reference_weights(const ReferenceData *data, uint32_t layer);
/* reference_run() on float data, values rounded to the shape's type first. Null results are not written. */
bool reference_run_data(const WbRnnShape *shape, const ReferenceData *data, uint32_t steps,
                        const uint32_t *lengths, double *y, double *hn, double *cn);

/* To the nearest value of the type, to the even one of two. */
float reference_round(WbRnnType type, float value);
/* The bits of a value of WBRNN_F16 or WBRNN_BF16. */
uint16_t reference_to_half(WbRnnType type, float value);
float reference_from_half(WbRnnType type, uint16_t bits);

#endif
