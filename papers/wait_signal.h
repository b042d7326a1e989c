/* Wait and signal between thread blocks (synchronization thesis, chapter 6), repeated: its runs, the
 * quantities that its figures show, and its claims. Section numbers in brackets are the thesis's. */
#ifndef PAPERS_WAIT_SIGNAL_H
#define PAPERS_WAIT_SIGNAL_H

#include "papers/figure.h"
#include "papers/measure.h"
#include "sync/sync.h"

/* Counters on chip in figure 48: as many as there are events, and these parts of them. */
#define WAIT_SIGNAL_PARTS PART(1) PART(2) PART(4) PART(8)
/* Intervals of PeerWave's looks at flags; the thesis takes the best one [6.4.3]. */
#define WAIT_SIGNAL_INTERVALS INTERVAL(1) INTERVAL(2) INTERVAL(4)

typedef enum WaitSignalMode {
    RUN_REKL,       /* a kernel per wave, or three per step of LUD */
    RUN_REKL_APART, /* SOR: a sweep begins when the one before has ended */
    RUN_DP,
    RUN_FLAGS,
    RUN_WAIT_SIGNAL,
    RUN_TB_ORDER, /* the same, and blocks are dispatched by wave */
    RUN_TB_ORDER_KEPT, /* SAT: and blocks that wait keep their places while any block can run [6.3.3] */
#define INTERVAL(steps) RUN_PEERWAVE_##steps,
    WAIT_SIGNAL_INTERVALS
#undef INTERVAL
#define PART(part) RUN_VIRTUAL_##part, RUN_GROUPED_##part,
        WAIT_SIGNAL_PARTS
#undef PART
            WAIT_SIGNAL_MODES
} WaitSignalMode;

typedef enum WaitSignalKind {
    KIND_WAVES,  /* figures 45 to 47 */
    KIND_EVENTS, /* figure 48 */
    KIND_SAMPLE, /* figure 43: graphs whose blocks fit on the GPU */
    KIND_GRAPH   /* figure 44: graphs whose blocks do not */
} WaitSignalKind;

/* A workload with one size of its data. */
typedef struct WaitSignalBenchmark {
    const char *name, *workload; /* the second in the suite sync */
    WaitSignalKind kind;
    uint32_t sides[INPUT_SIZES]; /* tiles on a side; none for graphs */
} WaitSignalBenchmark;

enum { WAIT_SIGNAL_BENCHMARKS = 33 };
extern const WaitSignalBenchmark wait_signal_benchmarks[WAIT_SIGNAL_BENCHMARKS];

/* The modes of figure 48. */
typedef struct WaitSignalSweep {
    uint32_t part; /* counters on chip are one in so many events */
    int virtual, grouped;
} WaitSignalSweep;
#define PART(part) +1
enum { WAIT_SIGNAL_SWEEP = 0 WAIT_SIGNAL_PARTS };
#undef PART
extern const WaitSignalSweep wait_signal_sweep[WAIT_SIGNAL_SWEEP];
uint32_t wait_signal_counters(uint32_t tiles, uint32_t part);
/* How many tiles share an event so that all events have a counter on chip. */
uint32_t wait_signal_group(uint32_t tiles, uint32_t counters);

/* What is kept of a run. */
typedef enum WaitSignalStatistic {
#define WAIT_SIGNAL_STATISTICS                                                                               \
    KEEP(LAUNCHES, "launches")                                                                               \
    KEEP(SWAPS, "blocks_suspended")                                                                          \
    KEEP(WAITS, "unit_wait_signal.waits")                                                                    \
    KEEP(SIGNALS, "unit_wait_signal.signals")                                                                \
    KEEP(MISSES, "unit_wait_signal.misses")
#define KEEP(name, statistic) KEPT_##name,
    WAIT_SIGNAL_STATISTICS
#undef KEEP
        WAIT_SIGNAL_STATISTIC_COUNT
} WaitSignalStatistic;
_Static_assert((int)WAIT_SIGNAL_STATISTIC_COUNT <= RUN_STATISTICS, "a result has room for all of them");

typedef enum WaitSignalMetric {
    WS_TIME,     /* microseconds of the host's timeline, from the first launch to the end */
    WS_KERNELS,  /* of kernels alone */
    WS_LAUNCHES, /* of the host */
    WS_SWAPS,    /* blocks that left their SMs */
    WS_MISSES    /* waits and signals whose counter was in memory, % */
} WaitSignalMetric;

double wait_signal_metric(const Results *results, const RunResult *result, int metric);

/* The fastest of PeerWave's runs; that with an interval of 1 where none is right. */
int wait_signal_peerwave(const Results *results, size_t benchmark);
/* The metric of ReKL over that of the mode: NAN where one is missing. */
double wait_signal_speedup(const Results *results, size_t benchmark, int mode, int metric);
/* Whether there is a run, and it deadlocked. */
bool wait_signal_deadlocked(const Results *results, size_t benchmark, int mode);

/* -- graphs -- */

SyncRun wait_signal_graph_way(WaitSignalKind kind, int mode, const PaperOptions *options);
bool wait_signal_graph_has(WaitSignalKind kind, int mode);
/* Claims S1 to S4. */
void wait_signal_fill_rekl(const Results *results, const Claim *claim, double *values);
void wait_signal_fill_dp(const Results *results, const Claim *claim, double *values);
void wait_signal_fill_flags(const Results *results, const Claim *claim, double *values);
void wait_signal_fill_graphs(const Results *results, const Claim *claim, double *values);
/* Figures 43 and 44. */
void wait_signal_draw_samples(Sheet *sheet, const Results *results, const char *workload);
void wait_signal_draw_graphs(Sheet *sheet, const Results *results, const char *workload);

/* -- tables -- */

enum { WAIT_SIGNAL_FIGURES = 9 };
/* Figures 43 to 48, between the times of all runs and what they did. */
Sheet wait_signal_figure(const Results *results, size_t index);

Judgement wait_signal_judge(const Results *results, const Claim *claim);

#endif
