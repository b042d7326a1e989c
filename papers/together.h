/* All mechanisms on one machine: five problems (workloads/together), each by every mechanism that can express
 * it, on four GPUs, and on one of them with other warp schedulers and policies of blocks. No paper has this:
 * there are no claims. */
#ifndef PAPERS_TOGETHER_H
#define PAPERS_TOGETHER_H

#include "papers/results.h"
#include "papers/sheet.h"
#include "together/together.h"

/* Where a mechanism runs: on a GPU as it is shipped, or on TG_POLICY_GPU with one policy changed. */
typedef enum TogetherColumn {
    TG_GTX480,
    TG_K20C,
    TG_GTX970,
    TG_H200,
    TG_LRR, /* warp schedulers; the GPU's own is greedy-then-oldest */
    TG_TWO_LEVEL,
    TG_SAWS,
    TG_CLASO, /* admission of blocks */
    TG_DYNCTA,
    TG_COLUMNS,
    TG_GPUS = TG_LRR,
    TG_POLICY_GPU = TG_GTX970,
} TogetherColumn;

/* Behind all mechanisms on all columns: two problems at once on each GPU, which count as the stencil's. */
enum { TG_SIDE = TOGETHER_MODES * TG_COLUMNS, TG_MODES = TG_SIDE + TG_GPUS };

typedef enum TogetherStatistic {
    TGS_KEYS, /* most keys of an order of blocks that the dispatcher held at once */
} TogetherStatistic;

extern const char *const together_columns[TG_COLUMNS];

/* Whether the study has such a run. */
bool together_runs(size_t problem, TogetherMode mode, TogetherColumn column);
/* Microseconds; NAN: there is no such run, or it failed. */
double together_time(const Results *results, size_t problem, TogetherMode mode, TogetherColumn column);
/* Launches by the host over that, on the same GPU as it is shipped. */
double together_speedup(const Results *results, size_t problem, TogetherMode mode, TogetherColumn column);

enum { TOGETHER_FIGURES = 3 + TOGETHER_PROBLEMS + 6 };
Sheet together_figure(const Results *results, size_t index);
/* Mechanisms over all that they can express: speedups and bytes. */
Sheet together_balance(const Results *results);
/* Bytes of hardware of mechanisms and of policies. */
Sheet together_hardware(const Results *results);
Sheet together_policy_state(const Results *results);
/* A mechanism and a policy, and two mechanisms side by side. */
Sheet together_pairs(const Results *results);
Sheet together_side_by_side(const Results *results);

#endif
