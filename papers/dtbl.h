/* Dynamic Thread Block Launch (ISCA 2015), repeated: its runs, the quantities that its figures show, and its
 * claims. Section numbers in brackets are the paper's. */
#ifndef PAPERS_DTBL_H
#define PAPERS_DTBL_H

#include "dtbl/dtbl.h"
#include "papers/claims.h"
#include "papers/figure.h"
#include "papers/measure.h"

/* How a benchmark runs: without launches by kernels; with kernels (CDP) or groups (DTBL) that take no time to
 * launch; with the times of table 3; with smaller and larger tables of groups [5.2D]. Then what the paper says
 * too little of: records of groups that are read in lines and ahead; groups that find no kernel and take as
 * long as cudaLaunchDevice; kernels of which any number is on its way to the distributor at once; and kernels
 * whose 283 cycles there pass as fast as its authors' simulator counts them. Last, the first five on the real
 * chip instead of the authors' machine. */
typedef enum DtblMode {
    DTBL_FLAT,
    DTBL_CDP_IDEAL,
    DTBL_DTBL_IDEAL,
    DTBL_CDP,
    DTBL_DTBL,
    DTBL_DTBL_512,
    DTBL_DTBL_2048,
    DTBL_LINES,
    DTBL_FALLBACK,
    DTBL_CDP_AT_ONCE,
    DTBL_CDP_EDGES,
    DTBL_CHIP, /* and the other four in the order of the first five */
    DTBL_CHIP_CDP_IDEAL,
    DTBL_CHIP_DTBL_IDEAL,
    DTBL_CHIP_CDP,
    DTBL_CHIP_DTBL,
    DTBL_MODES
} DtblMode;

/* What is kept of a run. */
typedef enum DtblStatistic {
#define DTBL_STATISTICS                                                                                      \
    KEEP(WARP_INSTRUCTIONS, "warp_instructions")                                                             \
    KEEP(THREAD_INSTRUCTIONS, "thread_instructions")                                                         \
    KEEP(DRAM_READS, "dram.reads")                                                                           \
    KEEP(DRAM_WRITES, "dram.writes")                                                                         \
    KEEP(DRAM_ACTIVE, "dram.active_ticks")                                                                   \
    KEEP(RESIDENT_WARPS, "sm.resident_warp_cycles")                                                          \
    KEEP(DEVICE_KERNELS, "device_kernels")                                                                   \
    KEEP(DEVICE_GROUPS, "device_groups")                                                                     \
    KEEP(DEVICE_THREADS, "device_threads")                                                                   \
    KEEP(LAUNCHES_BEGUN, "launches_begun")                                                                   \
    KEEP(LAUNCH_WAIT, "launch_wait_cycles")                                                                  \
    KEEP(LAUNCH_BYTES, "launch_bytes_peak")                                                                  \
    KEEP(GROUPS_JOINED, "groups_joined")                                                                     \
    KEEP(GROUPS_ALONE, "groups_alone")                                                                       \
    KEEP(GROUPS_OVERFLOWED, "groups_overflowed")                                                             \
    KEEP(FETCH_CYCLES, "group_fetch_cycles")
#define KEEP(name, statistic) DTBL_##name,
    DTBL_STATISTICS
#undef KEEP
        DTBL_STATISTIC_COUNT
} DtblStatistic;

typedef enum DtblMetric {
    METRIC_CYCLES,
    METRIC_ACTIVITY,   /* active threads of a warp instruction, % [5.2A] */
    METRIC_DRAM,       /* reads and writes in a tick of a channel with a request [5.2A] */
    METRIC_OCCUPANCY,  /* resident warps of those that fit, %, while kernels run [5.2B] */
    METRIC_WAIT,       /* cycles from a launch to its first block, on average [5.2B] */
    METRIC_FOOTPRINT,  /* most bytes reserved for launches that have not begun [5.2B] */
    METRIC_LAUNCHES,   /* kernels and groups */
    METRIC_THREADS,    /* of a launch, in whole blocks [3.1] */
    METRIC_JOINED,     /* groups that find a kernel to join, % [4.2] */
    METRIC_OVERFLOWED, /* groups whose entry of the table is taken, % [4.2] */
    METRIC_STALL,      /* cycles in which the SMX scheduler waits for a group's record, % [4.3] */
} DtblMetric;

double dtbl_metric(const Results *results, const RunResult *result, int metric);
/* The sum of a statistic over all benchmarks. */
uint64_t dtbl_sum(const Results *results, DtblMode mode, DtblStatistic statistic);

/* -- tables -- */

enum { DTBL_FIGURES = 14 };
/* The inputs; figures 6 to 12, between the cycles of all runs and what was launched; what they hang on. */
Sheet dtbl_figure(const Results *results, size_t index);
/* Whether any benchmark has run on the real chip; without, its table and its column are left out. */
bool dtbl_has_chip(const Results *results);

/* -- dtbl_inputs.c -- */

Sheet dtbl_inputs(const Results *results);

/* -- dtbl_levels.c -- */

/* Occupancies that follow from pairs of points and ratios that the paper gives. */
Sheet dtbl_levels(const Results *results);

/* -- dtbl_choices.c -- */

/* Claims judged again without outliers, and with what DTBL's runs are by the other choices. */
Sheet dtbl_choices(const Results *results);

Judgement dtbl_judge(const Results *results, const Claim *claim);

#endif
