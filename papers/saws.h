/* Synchronization-aware warp scheduling (chapter 7 of the synchronization thesis), repeated: its runs, the
 * quantities that its figures show, and its claims. Section numbers in brackets are the thesis's. */
#ifndef PAPERS_SAWS_H
#define PAPERS_SAWS_H

#include "papers/figure.h"
#include "papers/measure.h"
#include "saws/saws.h"

/* A number of schedulers and their policy. Benchmarks without barriers run in those up to SM_2_SAWS. */
typedef enum SawsMode {
    SM_1_GTO,
    SM_1_CATLS,
    SM_2_GTO,
    SM_2_CATLS,
    SM_2_SAWS,
    SM_2_UNTOGGLED, /* every barrier promotes [fig. 55] */
    SM_4_GTO,
    SM_4_CATLS,
    SM_4_SAWS,
    SM_OWN_GTO, /* gtx970 as it is: four schedulers, each with pipes of its own */
    SM_OWN_CATLS,
    SM_OWN_SAWS,
    SM_MODES
} SawsMode;

/* What is kept of a run. */
typedef enum SawsStatistic {
#define SAWS_STATISTICS                                                                                      \
    KEEP(P1, "sm.barrier_p1_cycles")                                                                         \
    KEEP(P2, "sm.barrier_p2_cycles")                                                                         \
    KEEP(CLEARED, "sm.barriers_cleared")                                                                     \
    KEEP(STALL_MEMORY, "scheduler.stall_memory")                                                             \
    KEEP(STALL_BARRIER, "scheduler.stall_barrier")                                                           \
    KEEP(ACTIVE, "sm.active_cycles")
#define KEEP(name, statistic) SS_##name,
    SAWS_STATISTICS
#undef KEEP
        SS_STATISTIC_COUNT
} SawsStatistic;

/* What is sampled of a run. */
typedef enum SawsSample { SS_SPREAD, SS_SCHEDULERS } SawsSample;

typedef enum SawsMetric {
    SMT_CYCLES, /* thousands, of all kernels */
    SMT_SPEED,  /* one over that */
    SMT_WAIT,   /* from the first hit of a barrier until it clears, summed over barriers [7.1.1] */
    SMT_P1,     /* of that, until the local first hit on the scheduler on which it clears [7.1.2] */
    SMT_P2,
    SMT_P1_SHARE,      /* of the whole, % */
    SMT_WAIT_EACH,     /* cycles of a barrier */
    SMT_SPREAD,        /* of blocks' rates of clearing barriers: standard deviation, % of the mean [7.4.3] */
    SMT_MEMORY_SHARE,  /* of the schedulers' cycles, %: without an issue because of memory */
    SMT_BARRIER_SHARE, /* because all warps that could have issued waited at barriers */
} SawsMetric;

double saws_metric(const Results *results, const RunResult *result, int metric);
/* The mean over the benchmarks with or without barriers that have it; NAN if a run of one is missing. */
double saws_mean(const Results *results, Quantity quantity, bool has_barriers);

/* -- tables -- */

enum { SAWS_FIGURES = 9 };
Sheet saws_figure(const Results *results, size_t index);

Judgement saws_judge(const Results *results, const Claim *claim);

#endif
