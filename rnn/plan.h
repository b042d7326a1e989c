/* Decides from shape and GPU how a network runs: which kernel, how many blocks a layer gets, what lies in
 * registers, shared memory or L2, how many layers are in flight at a time. No part of it calls the GPU. */
#ifndef WBRNN_PLAN_H
#define WBRNN_PLAN_H

#include "warpbeam_rnn.h"

/* What the planner knows of a GPU. */
typedef struct RnnGpu {
    uint32_t sms;
    uint32_t shared_block;  /* bytes of shared memory that a block may have */
    uint32_t shared_sm;
    uint32_t registers_sm;
    uint32_t registers_thread;
    uint32_t l2_bytes;
    uint32_t capability;    /* 90; tensor cores of the half kernels need 80 */
    bool simulated;         /* has wb_wait and wb_signal */
} RnnGpu;

/* Global: L2 as far as it fits. */
typedef enum RnnPlace { PLACE_REGISTERS, PLACE_SHARED, PLACE_GLOBAL } RnnPlace;

/* A plan. Invariant: blocks that wait for each other are resident together: layers_in_flight x
 * (layer_blocks + collectors) <= blocks_sm x SMs.
 *
 * A warp tile is what a warp computes at a time. Lanes and depth: the lanes of a warp split the sums of
 * `32 / lanes` x `thread_units` units into `lanes` parts of `depth` products each; lanes x depth is the
 * padded width of a group (slice). The halves' tile is the 16 rows of an mma: lanes is 16, depth counts its
 * k16 steps. `warps_per_tile` warps share a tile's depth; tiles of a block, contiguous, go round over its
 * warps. */
typedef struct RnnPlan {
    WbRnnMethod method;
    WbRnnSync sync;              /* of wait-signal, never auto then */
    bool split;
    char kernel[48];             /* of the method's module: rnn_wait_lstm_16x16 */
    uint32_t rows;               /* weights' rows of a thread: 4; GRU 3, but halves 4 */
    uint32_t lanes, depth;
    uint32_t thread_units;       /* units of a thread: 1; basic RNNs 4 */
    uint32_t warp_units, block_units; /* units of a warp tile, of a block */
    uint32_t warps_per_tile;     /* 1, 2, 4 or 8 */
    uint32_t block_tiles;        /* warp tiles of a block: block_units / warp_units */
    uint32_t layer_tiles;        /* warp tiles of a layer; blocks may have more, of pad units */
    uint32_t slice;              /* lanes x depth */
    uint32_t positions;          /* groups x slice: of a batch tile of a slot, 16 bytes each */
    uint32_t batch_tile, batch_tiles; /* sequences of a batch tile: 4, halves 8; tiles */
    uint32_t layer_blocks;       /* both groups of blocks, if split; the collecting block not counted */
    uint32_t collectors;         /* blocks that only collect flags: one a layer with arrays and entry */
    uint32_t layers_in_flight, passes; /* persistent kernels compute layer by layer: 1; 1 */
    uint32_t sms;                /* that it may use: all, or as the options limit them */
    uint32_t blocks_sm;          /* resident at a time on an SM */
    RnnPlace state_place, input_place; /* of W and of U: the farthest, where they lie in several */
    RnnPlace cell_place;         /* of c between steps: shared memory, or global, in RnnLayer.carry */
    uint32_t stages;             /* buffers of a batch tile's positions in shared memory: 4 (two each of x and
                                  * h), 2 (one each), 1 (used in turn); 0: read from global memory */
    uint32_t state_kept, input_kept; /* single precision, kernels that read weights: RnnMemory, RnnTogether */
    uint32_t shared_bytes;       /* dynamic, of a block */
    uint32_t registers;          /* of a thread, as compiled at most */
    bool input_ahead;            /* the first layer's O U is computed before, as one product */
    bool inputs_ahead;           /* those of all layers are; one layer is in flight at a time */
    uint32_t chunk_steps;        /* longest launch: exchanged sequences of more would take too much memory */
    uint32_t step_cycles;        /* that a step takes by the planner's model (plan_model.c) */
    size_t weight_bytes, layer_bytes; /* both matrices, not padded: of the network, of a later layer */
    char why[256];               /* the sentence, when there is no plan */
} RnnPlan;

/* WBRNN_OK, or WBRNN_INVALID and WBRNN_TOO_SMALL with plan->why. The options may be null. */
WbRnnStatus plan_make(const WbRnnShape *shape, const WbRnnOptions *options, const RnnGpu *gpu, RnnPlan *plan);
/* In sentences, as snprintf. */
size_t plan_explain(const WbRnnShape *shape, const RnnGpu *gpu, const RnnPlan *plan, char *text, size_t size);

uint32_t plan_gates(WbRnnKind kind); /* 1, 3 or 4 */
const char *plan_type(WbRnnType type); /* in names of kernels: "", "fp16_" or "bf16_" */
/* Bytes of a block of the persistent kernel in single precision for sums and states. */
size_t plan_persistent_partial(const RnnPlan *plan);

#endif
