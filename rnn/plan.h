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
    uint32_t cluster_blocks; /* largest cluster that can be resident with a block an SM; 0 or 1: none */
    uint32_t clusters;       /* how many of them at once */
} RnnGpu;

/* Global: L2 as far as it fits. */
typedef enum RnnPlace { PLACE_REGISTERS, PLACE_SHARED, PLACE_GLOBAL } RnnPlace;

/* A plan. Invariant: blocks that wait for each other are resident together: layers_in_flight x layer_blocks
 * <= blocks_sm x SMs. Lanes and depth: a warp's lanes split the sums of `32 / lanes` x `thread_units` units
 * into `lanes` parts of `depth` products each; lanes x depth is the padded width of a group (slice). */
typedef struct RnnPlan {
    WbRnnMethod method;
    WbRnnSync sync;
    bool split;
    char kernel[48];             /* of the method's module: rnn_wait_lstm_16x16 */
    uint32_t rows;               /* weights' rows of a thread: 4; GRU 3 */
    uint32_t lanes, depth;       /* K is split over so many lanes, so many products each */
    uint32_t thread_units;       /* units of a thread: 1; basic RNNs 4 */
    uint32_t warp_units, block_units; /* units of a warp, of a block */
    uint32_t slice;              /* lanes x depth */
    uint32_t positions;          /* groups x slice: of a batch tile of a slot */
    uint32_t layer_blocks;       /* both groups of blocks, if split; the collecting block not counted */
    uint32_t collectors;         /* blocks that only collect flags: one a layer with arrays and entry */
    uint32_t layers_in_flight, passes;
    uint32_t blocks_sm;          /* resident at a time on an SM */
    RnnPlace state_place, input_place; /* of W and of U */
    uint32_t shared_bytes;       /* dynamic, of a block */
    uint32_t registers;          /* of a thread, as compiled at most */
    bool input_ahead;            /* the first layer's O U is computed before, as one product */
    uint32_t chunk_steps;        /* longest launch: exchanged sequences of more would take too much memory */
    size_t weight_bytes, layer_bytes; /* of the network, of a layer */
    char why[256];               /* the sentence, when there is no plan */
} RnnPlan;

/* WBRNN_OK, or WBRNN_INVALID and WBRNN_TOO_SMALL with plan->why. */
WbRnnStatus plan_make(const WbRnnShape *shape, const WbRnnOptions *options, const RnnGpu *gpu, RnnPlan *plan);
/* In sentences, as snprintf. */
size_t plan_explain(const WbRnnShape *shape, const RnnGpu *gpu, const RnnPlan *plan, char *text, size_t size);

uint32_t plan_gates(WbRnnKind kind); /* 1, 3 or 4 */

#endif
