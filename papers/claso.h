/* CLASO: load-balance-aware dispatch of blocks by credits, repeated: its runs, the quantities that its figures
 * show, and its claims. Section numbers in brackets are the paper's. */
#ifndef PAPERS_CLASO_H
#define PAPERS_CLASO_H

#include "claso/claso.h"
#include "papers/figure.h"
#include "papers/measure.h"

/* How many grids figure 2 tries: multiples of the number of SMs, from the second on. */
enum { CL_GRIDS = 23 };

/* A scheduler alone, and CLASO with so many active and loose levels upon it. CL_C10 and CL_C20 behind each of
 * the four schedulers. */
typedef enum ClasoMode {
    CL_LRR,
    CL_LRR_C10,
    CL_LRR_C20,
    CL_TL,
    CL_TL_C10,
    CL_TL_C20,
    CL_OWL,
    CL_OWL_C10,
    CL_OWL_C20,
    CL_DYNCTA,
    CL_DYNCTA_C10,
    CL_DYNCTA_C20,
    CL_LRR_C40, /* upon LRR alone [4.4] */
    CL_LRR_C11,
    CL_LRR_C21,
    CL_LRR_C41,
    CL_LRR_C12,
    CL_LRR_C22,
    CL_LRR_C42,
    CL_GRID, /* LRR on the GPU of figure 2, with its smallest grid; larger ones follow */
    CL_MODES = CL_GRID + CL_GRIDS
} ClasoMode;

/* Blocks of a grid of figure 2. */
uint32_t claso_grid(size_t index);
/* Whether the benchmark is one of the four of figure 2. */
bool claso_is_swept(size_t benchmark);

/* What is kept of a run. */
typedef enum ClasoStatistic {
#define CLASO_STATISTICS                                                                                     \
    KEEP(INSTRUCTIONS, "warp_instructions")                                                                  \
    KEEP(IDLE, "load.idle_cycles")                                                                           \
    KEEP(BUSY, "load.busy_cycles")                                                                           \
    KEEP(RESULT, "scheduler.stall_result")                                                                   \
    KEEP(SHARED, "scheduler.stall_shared")                                                                   \
    KEEP(MEMORY, "scheduler.stall_memory")                                                                   \
    KEEP(ROW_HITS, "dram.row_hits")                                                                          \
    KEEP(ROW_MISSES, "dram.row_misses")                                                                      \
    KEEP(ROW_CONFLICTS, "dram.row_conflicts")                                                                \
    KEEP(SAME_CORE, "dram.same_core")                                                                        \
    KEEP(DRAM_ACTIVE, "dram.active_ticks")                                                                   \
    KEEP(DRAM_BUSY, "dram.busy_ticks")                                                                       \
    KEEP(ISSUED, "scheduler.issued")                                                                         \
    KEEP(PAUSE, "scheduler.stall_pause")                                                                     \
    KEEP(BARRIER, "scheduler.stall_barrier")                                                                 \
    KEEP(ACTIVE, "sm.active_cycles")                                                                         \
    KEEP(RESIDENT_BLOCKS, "sm.resident_block_cycles")                                                        \
    KEEP(L1_LOADS, "l1.loads")                                                                               \
    KEEP(L1_HITS, "l1.load_hits")                                                                            \
    KEEP(FULL, "full_cycles")                                                                                \
    KEEP(LOCAL, "admit_claso.local")                                                                         \
    KEEP(GLOBAL, "admit_claso.shared")
#define KEEP(name, statistic) CL_##name,
    CLASO_STATISTICS
#undef KEEP
        CL_STATISTIC_COUNT
} ClasoStatistic;

/* What is sampled of runs upon LRR. Of the run of figure 3 there are CL_ROWS or fewer lengths of time of
 * samples[CL_ROW_CYCLES] cycles each. In each an SM has three numbers (ClasoProfile), those of the first
 * CL_SHOWN SMs are kept. */
enum { CL_ROWS = 10, CL_SHOWN = 15 };
typedef enum ClasoProfile { CL_EXECUTED, CL_BLOCKS_ISSUED, CL_BLOCKS_FINISHED, CL_PROFILES } ClasoProfile;
typedef enum ClasoSample {
    CL_DIFFERENCE, /* mean of the difference ratios of figure 4; 0: no interval has one */
    CL_INTERVALS,  /* of which it is the mean */
    CL_ROW_COUNT,
    CL_ROW_CYCLES,
    CL_SHOWN_SMS,
    CL_PROFILE /* [CL_PROFILES][CL_ROWS][CL_SHOWN] */
} ClasoSample;
/* The place of a number of that profile among the samples. */
static inline size_t claso_profile_at(ClasoProfile profile, size_t row, size_t sm)
{
    return CL_PROFILE + ((size_t)profile * CL_ROWS + row) * CL_SHOWN + sm;
}
_Static_assert(CL_PROFILE + CL_PROFILES * CL_ROWS * CL_SHOWN <= RUN_SAMPLES, "samples of a run hold it");
/* Cycles of a sample: figure 3 has instructions per 500 cycles. */
#define CL_INTERVAL 500
/* Fills in the samples of a run upon LRR. */
void claso_sample(const Run *run, WbGpu *gpu, RunResult *result);

typedef enum ClasoMetric {
    CLM_IPC,        /* warp instructions in a cycle [4.1] */
    CLM_IDLE,       /* cycles of SMs without a block while others have one [4.1] */
    CLM_SCOREBOARD, /* cycles of schedulers without an issue for want of results [4.1] */
    CLM_IDLE_SHARE, /* idle cycles, % of all SMs' cycles in which one has a block [fig. 2] */
    CLM_DIFFERENCE, /* most over least accesses among SMs [fig. 4] */
    CLM_SAME_CORE,  /* accesses served behind one of the same SM, % [fig. 5] */
} ClasoMetric;

double claso_metric(const Results *results, const RunResult *result, int metric);

enum { CLASO_FIGURES = 16 };
Sheet claso_figure(const Results *results, size_t index);

Judgement claso_judge(const Results *results, const Claim *claim);

#endif
