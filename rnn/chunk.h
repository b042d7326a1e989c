/* A chunk of a run: a long run goes in chunks of steps, so that exchanged sequences stay within bounds. Each
 * chunk begins with a kernel that fills the exchanged sequences, computes all layers by the network's method,
 * and finds the layers' states where the chunk before left them. */
#ifndef WBRNN_CHUNK_H
#define WBRNN_CHUNK_H

#include "network.h"

/* Where things lie in `work`. */
typedef struct RnnLayout {
    uint64_t input, own, own_bytes; /* exchanged sequences: of the input, of layer 0, from layer to layer */
    uint64_t ahead, ahead_bytes;    /* preactivations of layer 0, from layer to layer: RnnLayer.ahead. With
                                     * inputs_ahead all layers have the same, one after the other */
    uint64_t carry, carry_bytes;
    uint64_t flags, flag_bytes;     /* of one pass */
    uint64_t lengths;
    uint64_t partial;               /* of kernels that read weights from memory */
    size_t bytes;
} RnnLayout;

/* `steps` from `first` on. */
typedef struct RnnChunk {
    WbRnn *rnn;
    const WbRnnRun *run;
    void *stream;
    RnnLayout layout; /* in addresses of the device */
    uint32_t first, steps, previous;
    uint64_t x;       /* of its first step */
    uint32_t x_step, x_sequence, y_step, y_sequence;
} RnnChunk;

/* Enqueues a run chunk by chunk: behind what every method needs `compute` enqueues the layers. */
WbRnnStatus chunk_enqueue(WbRnn *rnn, const WbRnnRun *run, void *stream,
                          WbRnnStatus (*compute)(const RnnChunk *chunk));
/* Bytes of `work` for a run of so many steps. */
size_t chunk_work_bytes(const WbRnn *rnn, uint32_t steps);

RnnLayer chunk_layer(const RnnChunk *chunk, uint32_t layer);
/* What a kernel computes: so many layers from `first` on, in launch `pass` of the chunk. */
RnnJob chunk_job(const RnnChunk *chunk, uint32_t first, uint32_t layers, uint32_t pass);
WbRnnStatus chunk_launch(const RnnChunk *chunk, RnnKernel *kernel, const RnnLaunch *launch);
/* A layer's O U of all steps of the chunk, where it is computed ahead; that of layer 0 is there already. */
WbRnnStatus chunk_product(const RnnChunk *chunk, uint32_t layer);
/* The kernels that every method needs. */
WbRnnStatus chunk_load(WbRnn *rnn);

/* Blocks of a layer, or of each of its two groups. */
uint32_t chunk_group_blocks(const RnnPlan *plan);

#endif
