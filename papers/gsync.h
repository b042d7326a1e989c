/* Global synchronization with partial context switches (chapter 4 of the synchronization thesis), repeated:
 * its runs, the quantities that its figures show, and its claims. Section numbers in brackets are the
 * thesis's. */
#ifndef PAPERS_GSYNC_H
#define PAPERS_GSYNC_H

#include "papers/figure.h"
#include "papers/measure.h"
#include "sync/sync.h"

/* What runs: a benchmark of the suite with data of one size. */
typedef enum GsyncInput {
    GS_STENCIL_64,
    GS_STENCIL_100,
    GS_STENCIL_256,
    GS_STENCIL_576,
    GS_STENCIL_1024,
    GS_BFS_NY_20K,
    GS_BFS_1M,
    GS_BFS_NY,
    GS_BFS_SF,
    GS_BFS_UT,
    GS_CNN,
    GS_RNN,
    GS_CNN_LARGE,
    GS_RNN_LARGE,
    GS_INPUTS
} GsyncInput;
enum { GS_STENCILS = GS_STENCIL_1024 + 1 };

/* How blocks synchronize: the modes of the suite, and global sync on two other machines. */
typedef enum GsyncMode {
    GS_REKL,
    GS_DP,
    GS_MUTEX,
    GS_FLAGS,
    GS_PT_NEIGHBOUR,
    GS_PT_INTERLEAVED,
    GS_PT_QUEUE,
    GS_GSYNC,
    GS_NAIVE, /* a block that waits leaves at once with all of its context, all blocks of an SM in turn */
    GS_IDEAL, /* context switches take next to no time */
    GS_MODES
} GsyncMode;

/* What is kept of a run. */
typedef enum GsyncStatistic {
#define GSYNC_STATISTICS                                                                                     \
    KEEP(LOAD_HITS, "l2.load_hits")                                                                          \
    KEEP(LOAD_PENDING, "l2.load_pending")                                                                    \
    KEEP(LOAD_MISSES, "l2.load_misses")                                                                      \
    KEEP(SYNCS, "unit_global_sync.syncs")                                                                    \
    KEEP(WHOLE, "yield_context_bytes")                                                                       \
    KEEP(LAST, "yield_kept_bytes")                                                                           \
    KEEP(YIELDS_STAYED, "yields_stayed")                                                                     \
    KEEP(YIELDS_MOVED, "yields_moved")                                                                       \
    KEEP(YIELDS_SAVED, "yields_saved")                                                                       \
    KEEP(LEFT, "sm.context_full_bytes")                                                                      \
    KEEP(STAYED, "sm.context_kept_bytes")                                                                    \
    KEEP(MOVED, "sm.context_local_bytes")                                                                    \
    KEEP(DEAD, "sm.context_dead_bytes")                                                                      \
    KEEP(READ_ONLY, "sm.context_read_only_bytes")                                                            \
    KEEP(SAVED_REGISTERS, "sm.context_saved_registers")                                                      \
    KEEP(SAVED_SHARED, "sm.context_saved_shared")                                                            \
    KEEP(SAVED_STACKS, "sm.context_saved_stacks")                                                            \
    KEEP(RESTORED_REGISTERS, "sm.context_restored_registers")                                                \
    KEEP(RESTORED_SHARED, "sm.context_restored_shared")                                                      \
    KEEP(RESTORED_STACKS, "sm.context_restored_stacks")
#define KEEP(name, statistic) GS_##name,
    GSYNC_STATISTICS
#undef KEEP
        GS_STATISTIC_COUNT
} GsyncStatistic;

/* What is sampled of a run: of a block of the last kernel that the host launched. */
typedef enum GsyncSample { GS_WARPS, GS_SHARED_BYTES } GsyncSample;

typedef enum GsyncMetric {
    GSM_TIME,  /* of the host's timeline, us [4.5.1] */
    GSM_LOADS, /* sectors that SMs loaded from L2 */
    GSM_LAST,  /* of all context of blocks that waited, % [fig. 20]: blocks that nobody needed the place of */
    GSM_LOCAL, /* kept in registers and shared memory that nobody used */
    GSM_DEAD,  /* registers that were not read again */
    GSM_READ_ONLY,  /* shared memory that was loaded again */
    GSM_REDUCTION,  /* all that was not saved in memory */
    GSM_SWAPPED,    /* MB saved and restored for each barrier [4.4] */
    GSM_DEAD_SHARE, /* registers that were not read again, of those of blocks that left, % [4.4.2] */
} GsyncMetric;

double gsync_metric(const Results *results, const RunResult *result, int metric);
/* Times of a mode over those of another, for one input; NAN where either is missing. */
double gsync_over(const Results *results, GsyncInput input, GsyncMode mode, GsyncMode other);
/* Whether it ran until no block could go on. */
bool gsync_deadlocked(const Results *results, GsyncInput input, GsyncMode mode);
/* Blocks of the inputs of the stencil, as in their names. */
extern const uint32_t gsync_stencil_blocks[GS_STENCILS];

/* -- tables -- */

enum { GSYNC_FIGURES = 6 };
Sheet gsync_figure(const Results *results, size_t index);

Judgement gsync_judge(const Results *results, const Claim *claim);

#endif
