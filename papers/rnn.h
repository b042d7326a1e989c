/* Recurrent networks with wait-signal in software (chapter 5 of the synchronization thesis), repeated: its
 * runs, the quantities that its figures show, and its claims. Numbers in brackets are the thesis's. */
#ifndef PAPERS_RNN_H
#define PAPERS_RNN_H

#include "papers/figure.h"
#include "papers/measure.h"

/* What runs: four layers of 128 units each, and, of the three kinds that figures 32 to 34 show, networks that
 * differ from that in one number. */
typedef enum RnnInput {
#define RNN_SHAPES(KIND)                                                                                     \
    RN_##KIND, RN_##KIND##_2L, RN_##KIND##_8L, RN_##KIND##_H64, RN_##KIND##_H256, RN_##KIND##_LONG
    RNN_SHAPES(BASIC),
    RNN_SHAPES(GRU),
    RNN_SHAPES(LSTM),
#undef RNN_SHAPES
    RN_GROUPED,
    RN_PHASED,
    RN_INPUTS
} RnnInput;

/* How cells follow each other; the same again on the other GPU, RN_MODES_A_GPU further. */
typedef enum RnnMode {
    RN_STREAM,
    RN_PERSISTENT,
    RN_SPLIT, /* the thesis's own form: flag arrays [fig. 29 (a)], two groups of blocks a layer [5.1.1] */
    RN_ARRAYS,
    RN_ENTRY,
    RN_COUNTER,
    RN_FLAGS,
    RN_HARDWARE,
    RN_MODES_A_GPU,
    RN_H200 = RN_MODES_A_GPU, /* added to one of the above */
    RN_MODES = 2 * RN_MODES_A_GPU
} RnnMode;

/* What is kept of a run. From ISSUED to BRANCH: cycles of schedulers with work of their own blocks. */
typedef enum RnnStatistic {
#define RNN_STATISTICS                                                                                       \
    KEEP(ACTIVE, "sm.active_cycles")                                                                         \
    KEEP(IDLE, "sm.idle_cycles")                                                                             \
    KEEP(ISSUED, "scheduler.issued")                                                                         \
    KEEP(POLICY, "scheduler.stall_policy")                                                                   \
    KEEP(PIPE, "scheduler.stall_pipe")                                                                       \
    KEEP(LSU, "scheduler.stall_lsu")                                                                         \
    KEEP(OPERANDS, "scheduler.stall_operands")                                                               \
    KEEP(RESULT, "scheduler.stall_result")                                                                   \
    KEEP(SHARED, "scheduler.stall_shared")                                                                   \
    KEEP(FETCH, "scheduler.stall_fetch")                                                                     \
    KEEP(BRANCH, "scheduler.stall_branch")                                                                   \
    KEEP(ATOMICS, "l2.atomics")                                                                              \
    KEEP(INSTRUCTIONS, "sm.warp_instructions")
#define KEEP(name, statistic) RN_##name,
    RNN_STATISTICS
#undef KEEP
        RN_STATISTIC_COUNT
} RnnStatistic;

/* What is sampled of a run. */
typedef enum RnnSample {
    RN_KERNELS,     /* that the host launched */
    RN_PASSES,      /* of these, of the wait-signal kernel */
    RN_BLOCKS,      /* of the last one */
    RN_CELL_CYCLES, /* of the kernels of cells, by streams */
    RN_WAVE_CYCLES, /* from the first one's beginning to the last one's end */
} RnnSample;

typedef enum RnnMetric {
    RNM_TIME, /* of the host's timeline, us */
    RNM_KERNELS,
    RNM_PASSES,       /* launches of the wait-signal kernel */
    RNM_AT_ONCE,      /* kernels of cells that run at a time, on average */
    RNM_BARRIERS,     /* of all blocks: an atomic of each block */
    RNM_INSTRUCTIONS, /* thousands, of warps */
    RNM_OCCUPIED,     /* of all SMs, % of the time: with a block */
    RNM_BUSY,   /* of all schedulers, % of the time: a warp issued, or had but its own work to wait for */
    RNM_ISSUED, /* of all schedulers, % of the time: a warp issued */
} RnnMetric;

/* A network, as a run of that size has it. */
typedef struct RnnShape {
    const char *kind; /* of workloads/rnn */
    uint32_t layers, hidden, steps, batch, groups;
} RnnShape;

RnnShape rnn_shape(RnnInput input, InputSize size);

double rnn_metric(const Results *results, const RunResult *result, int metric);

/* -- memory of a network [fig. 13], from its shape -- */

typedef struct RnnMemory {
    double weights, inputs, outputs; /* bytes */
} RnnMemory;

/* With sequences of the length that the full input has, whatever runs. */
RnnMemory rnn_memory(RnnInput input);
/* Of the weights in all of it, %. */
double rnn_weight_share(RnnInput input);

/* -- tables -- */

enum { RNN_FIGURES = 14 };
Sheet rnn_figure(const Results *results, size_t index);

Judgement rnn_judge(const Results *results, const Claim *claim);

#endif
