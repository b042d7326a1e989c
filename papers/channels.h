/* Channels, the aggregator and wavefront yield, repeated: runs, the quantities that the paper's figures and
 * tables show, and its claims. Section numbers in brackets are the paper's. */
#ifndef PAPERS_CHANNELS_H
#define PAPERS_CHANNELS_H

#include "channels/channels.h"
#include "papers/figure.h"
#include "papers/measure.h"

/* One thing each is other than in CH_BASE. */
typedef enum ChannelsPaperMode {
    CH_BASE,
    CH_CU1,
    CH_CU2,
    CH_CU4,
    CH_PER_LANE, /* forms [fig. 17] */
    CH_PADDED,
    CH_WIDTH_256, /* widths [fig. 18] */
    CH_WIDTH_1024,
    CH_WIDTH_4096,
    CH_WIDTH_16384,
    CH_WIDTH_65536,
    CH_SIMPLE, /* aggregators [table 5] */
    CH_LIGHT,
    CH_FOUR_WAY,
    CH_ALONE, /* one wavefront at a time [table 3] */
    CH_FLAT,  /* without channels [table 4] */
    CH_WAVES, /* the paper's inputs without time, to count wavefronts [table 3] */
    CH_MODES
} ChannelsPaperMode;

/* What is kept of a run. */
typedef enum ChannelsStatistic {
#define CHANNELS_STATISTICS                                                                                  \
    KEEP(WARPS, "warps")                                                                                     \
    KEEP(WARP_INSTRUCTIONS, "warp_instructions")                                                             \
    KEEP(THREAD_INSTRUCTIONS, "thread_instructions")                                                         \
    KEEP(SWAPS, "swaps")                                                                                     \
    KEEP(CYCLES, "unit_aggregator.cycles")                                                                   \
    KEEP(IDLE_SCHEDULING, "unit_aggregator.idle_scheduling_cycles")                                          \
    KEEP(IDLE_YIELDS, "unit_aggregator.idle_yields_cycles")                                                  \
    KEEP(IDLE_DEALLOCATION, "unit_aggregator.idle_deallocation_cycles")                                      \
    KEEP(TASKS, "unit_aggregator.tasks")                                                                     \
    KEEP(LANES, "unit_aggregator.lanes")                                                                     \
    KEEP(YIELDS, "unit_aggregator.yields")                                                                   \
    KEEP(CORE_TICKS, "unit_aggregator.core_ticks")                                                           \
    KEEP(CORE_BUSY, "unit_aggregator.core_ticks_busy")                                                       \
    KEEP(SAVED_REGISTERS, "sm.context_saved_registers")                                                      \
    KEEP(SAVED_STACKS, "sm.context_saved_stacks")                                                            \
    KEEP(L1_LOADS, "l1.loads")                                                                               \
    KEEP(L1_MISSES, "l1.load_misses")                                                                        \
    KEEP(L1_STORE_HITS, "l1.store_hits")                                                                     \
    KEEP(L1_STORE_MISSES, "l1.store_misses")                                                                 \
    KEEP(L1_ATOMICS, "l1.atomics")                                                                           \
    KEEP(OWNERSHIP_MISSES, "l1.ownership_misses")                                                            \
    KEEP(TRANSFERS, "l2.cache_transfers")                                                                    \
    KEEP(DRAM_READS, "dram.reads")
#define KEEP(name, statistic) CHS_##name,
    CHANNELS_STATISTICS
#undef KEEP
        CHS_STATISTIC_COUNT
} ChannelsStatistic;

/* What is sampled of a run. */
typedef enum ChannelsSample {
    CHS_LINES, /* of code, of the version that ran */
    CHS_WIDTH, /* lanes of a wavefront */
} ChannelsSample;
/* Lines of a file that are neither empty nor comments; NAN: it cannot be read. */
double channels_code_lines(const char *path);

typedef enum ChannelsMetric {
    CHM_TIME,         /* thousands of cycles */
    CHM_SPEED,        /* one over that */
    CHM_STALLED,      /* cycles without a wavefront on the GPU, % of all [fig. 15, table 5] */
    CHM_STALLED_TIME, /* the same, thousands */
    CHM_ACTIVE_TIME,  /* the others, thousands */
    CHM_DEALLOCATION, /* stalled cycles because of deallocation in order, % of those stalled [8.2.1] */
    CHM_YIELD_STALL,  /* because of wavefronts that had yielded, % of all */
    CHM_WAVES,        /* wavefronts dispatched [table 3] */
    CHM_WAVE_CYCLES,  /* cycles over wavefronts */
    CHM_FILLED,       /* lanes of wavefronts with an element, % */
    CHM_ACTIVE_LANES, /* lanes at work in an instruction, % [fig. 19] */
    CHM_SWAPS,        /* compare-and-swaps of all lanes [8.1] */
    CHM_YIELDS,
    CHM_YIELD_BYTES, /* saved by a yield [7] */
    CHM_BUSY,        /* ticks in which the aggregator's core ends an instruction, % */
    CHM_L1,          /* accesses of CUs for which their L1 was enough, % [fig. 16] */
    CHM_TRANSFERS,   /* that got their bytes from another L1 */
    CHM_L2,          /* from L2 */
    CHM_MEMORY,      /* from DRAM */
    CHM_LINES,       /* of code [table 4] */
} ChannelsMetric;

double channels_metric(const Results *results, const RunResult *result, int metric);

/* CHANNELS_BARS of the figures are drawn as bars, too. */
enum { CHANNELS_BARS = 2, CHANNELS_FIGURES = 9 + CHANNELS_BARS };
Sheet channels_figure(const Results *results, size_t index);
Sheet channels_bars(const Results *results, size_t index);

Judgement channels_judge(const Results *results, const Claim *claim);

#endif
