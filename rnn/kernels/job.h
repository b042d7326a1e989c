/* What the host tells kernels of a run, and where things lie in memory. Included by C and by CUDA.
 *
 * Batches go in tiles of four sequences, of halves eight. What layers exchange is a sequence of slots: slot 0
 * is the initial state, slot t + 1 what step t computes. A slot holds batch tiles, a tile positions, a
 * position one unit's values of the tile's sequences, 16 bytes. Position of unit u: u's group times `slice`,
 * plus u's place in the group; slice is a group's units, padded to what a tile's lanes cover. Positions
 * beyond units hold zeros. */
#ifndef WBRNN_JOB_H
#define WBRNN_JOB_H

#include <stdint.h>

enum {
    JOB_LAYERS = 16,      /* at most, of a network */
    JOB_THREADS = 256,    /* of a block */
    JOB_WARPS = 8,
    JOB_BATCH = 4,        /* sequences of a batch tile */
    JOB_HALF_BATCH = 8,   /* the same of halves */
    JOB_SEQUENCES = 64,   /* at most, of a batch */
};

/* A word of exchanged data that has not been written. No value is ever stored as this: a NaN with these bits
 * becomes another NaN. */
#define JOB_UNWRITTEN 0xffffffffu

/* Where a run stopped, written by the first block that gave up. */
typedef struct RnnStuck {
    uint32_t given_up; /* not 0: leave at once */
    uint32_t layer, step, block, waited_for; /* 1: own layer, 2: the layer below, 3: the barrier of all */
} RnnStuck;

/* Flags of a layer's batch tile, in words: three arrays of an entry a block, a counter on a line of its own,
 * and an array between the two groups of blocks. sync.cuh uses them. */
#define JOB_FLAG_ARRAY(blocks) (((blocks) + 31u) / 32u * 32u)
#define JOB_FLAG_WORDS(blocks) (4u * JOB_FLAG_ARRAY(blocks) + 32u)

/* One layer of a pass. Pointers are addresses of the device. */
typedef struct RnnLayer {
    uint64_t w_input, w_state; /* packed: pack.h. No w_input: O U was computed before the launch */
    uint64_t bias;             /* [hidden][4 rows]: sums of both biases; of GRUs r, z, and n's two apart */
    uint64_t extra;            /* phased LSTM: [hidden][8]: period, shift, open, leak, peepholes i f o, 0 */
    uint64_t below, own;       /* exchanged sequences: of the layer below, or of the input; of this layer */
    uint64_t c0, cn, hn;       /* [batch][hidden]: read before the first step, written behind the last; 0:
                                * none. Of the network's type, but `carry` has floats */
    uint64_t y;                /* the user's output: of the last layer, else 0 */
    uint64_t ahead;            /* preactivations [slot][tile][position][4 rows][sequence] that someone else
                                * computes: the first layer's input product, or the blocks of O U; else 0.
                                * Step t's are in slot t + 1, without biases. Basic RNNs have one row */
    uint64_t carry;            /* floats [batch][hidden]: where c is between launches of a run, as their c0
                                * and cn, and between steps in kernels that keep it in memory. 0: no c */
} RnnLayer;

/* For kernels that read weights from memory in each step. */
typedef struct RnnMemory {
    uint32_t block_tiles; /* warp tiles of a block */
    uint32_t state_kept, input_kept; /* quads (four products a lane and row) of each tile that lie in shared
                                      * memory, of W and of U; of halves k16 steps of each warp's part */
    uint32_t cell_place;  /* RnnPlace of c: shared or global memory */
    uint64_t partial;     /* floats [layer][tile of the layer's blocks][4 rows][4 sequences], of halves
                           * [32 lanes][4 sums]: where O U of the next cell waits until its S W is there */
} RnnMemory;

typedef struct RnnJob {
    uint32_t layers;       /* in flight in this launch */
    uint32_t first_layer;  /* of the network, for names */
    uint32_t blocks;       /* of a layer; with `split` of each of its two groups */
    uint32_t hidden, groups, slice; /* slice: positions of a group */
    uint32_t batch, tiles; /* sequences; batch tiles */
    uint32_t steps;        /* of this launch */
    uint32_t first_step;   /* of the run: launches of long runs follow each other */
    uint32_t kind, sync, split;
    uint32_t y_step, y_sequence; /* elements between steps and between sequences of y */
    uint32_t leave;        /* tests: a block that leaves at once, so that the watchdog is seen to work; ~0 */
    uint64_t lengths;      /* [tile][sequence]; 0 beyond the batch */
    uint64_t times;        /* [steps of the run][batch], or 0 */
    uint64_t flags;        /* JOB_FLAG_WORDS(blocks) words a layer and tile, zeroed before the launch */
    uint64_t stuck;        /* RnnStuck */
    uint64_t told;         /* RnnStuck in memory of the host: who gives up first writes the same there */
    uint64_t watchdog;     /* nanoseconds */
    RnnLayer layer[JOB_LAYERS];
    RnnMemory memory;
} RnnJob;

/* For kernels whose blocks compute every cell together. */
typedef struct RnnTogether {
    RnnJob job;
    uint32_t warps_per_tile; /* that share the products of a warp tile */
    uint32_t state_kept, input_kept; /* quads (four products a lane and row) that each warp has in shared
                                      * memory: of W, behind those in registers, and of U */
    uint32_t unused;
} RnnTogether;

/* One cell of the stream method: a layer's step. Of the layer c0 is read and cn and hn are written in this
 * step. Preactivations of O U go by `ahead`. */
typedef struct RnnStep {
    RnnLayer layer;
    uint64_t lengths, times; /* as in RnnJob */
    uint32_t blocks;         /* for the units; as many for each one or four batch tiles */
    uint32_t step, first_step;
    uint32_t hidden, groups, slice, batch, tiles, kind;
    uint32_t y_step, y_sequence;
    uint32_t unused;
} RnnStep;

/* Before the launches of some steps, one a pass: fills exchanged sequences. Slot 0 gets the initial state,
 * or what the steps before left in their last slot; slots from 1 on are unwritten, and those of the input
 * have x. The first one of a run forgets where the last run was stuck. */
typedef struct RnnPrepare {
    uint64_t x;             /* the user's, of this launch's first step */
    uint64_t below;         /* the input's exchanged sequence; 0: its product is computed ahead */
    uint64_t own[JOB_LAYERS];
    uint64_t h0;            /* [layers][batch][hidden], or 0 */
    uint64_t lengths;       /* [tile][sequence]: gets those below */
    uint64_t flags;         /* of all passes: set to 0 */
    uint64_t flag_words;
    uint64_t stuck;
    uint32_t layers, steps, batch, tiles;
    uint32_t hidden, input, groups, slice;
    uint32_t x_step, x_sequence; /* elements between steps and between sequences of x */
    uint32_t type;
    uint32_t previous;      /* steps of the launches before; 0: the run begins */
    uint32_t length[JOB_SEQUENCES];
} RnnPrepare;

/* A layer's O U of all steps of a launch, as one product: the first layer's, or any one's whose layer below
 * is done. */
typedef struct RnnProduct {
    uint64_t x;             /* the user's, of this launch's first step */
    uint64_t w_input;       /* as the user gave it: [gates x hidden][input / groups] */
    uint64_t ahead;         /* as in RnnLayer */
    uint32_t steps, batch, tiles, gates;
    uint32_t hidden, input, groups, slice;
    uint32_t x_step, x_sequence;
    uint32_t type;
    uint32_t exchanged;     /* not 0: x is the exchanged sequence of the layer below */
} RnnProduct;

#endif
