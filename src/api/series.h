/* Time series of a kernel: what was counted in each interval of it.
 *
 * Every so many cycles after the launch the counters of series.def are read, and what they have grown by is
 * kept, together with five numbers of every SM: warp instructions, accesses that the L2 looked up, cycles of
 * resident warps, requests that DRAM served, and blocks that were started. The last sample ends with the
 * kernel and may be shorter. At the end of a sample it is also looked how many blocks wait to be dispatched,
 * and for the first kernel of a flow graph how full its channels are. Without an interval there is one
 * sample, the whole kernel. Looking at counters changes nothing: a kernel takes the same cycles with and
 * without samples. */
#ifndef API_SERIES_H
#define API_SERIES_H

#include <stdbool.h>

#include "api/series_channels.h"
#include "base/stat.h"
#include "base/vec.h"
#include "sim/world.h"

struct CycleMachine;
struct GridKernel;

enum {
#define SERIES(component, counter) SERIES_##component##_##counter,
#include "api/series.def"
#undef SERIES
    SERIES_ROWS
};

/* What is kept of every SM, behind the rows of series.def. */
typedef enum CoreRow {
    CORE_INSTRUCTIONS,
    CORE_ACCESSES,
    CORE_WARPS,
    CORE_DRAM,
    CORE_BLOCKS,
    CORE_ROWS
} CoreRow;

/* What is read, and not counted. */
typedef struct SeriesState {
    uint64_t waiting_blocks; /* of what is on the machine, not dispatched yet */
    uint64_t ready_nodes;    /* of the dependency graph, in its buffer: their blocks could be dispatched */
    uint64_t away_blocks;    /* that have begun, and are off the SMs */
    uint64_t held_warps;     /* that wait in place for an event of the machine */
} SeriesState;

/* Invariant: values holds a row of `width` differences, states one, for each of `ends`; `last` are the
 * counters at `from`, where the sample that is being taken began. */
typedef struct Series {
    Cycle interval;         /* 0: one sample */
    Cycle from, next;       /* begin and end of the sample being taken */
    uint32_t sm_count, width;
    const Stat *stats[SERIES_ROWS]; /* where the counters are in their components */
    uint64_t *last;         /* [width] */
    VEC(Cycle) ends;        /* of the samples; the first begins with the launch */
    VEC(uint64_t) values;   /* sample by sample */
    VEC(SeriesState) states; /* at the end of each */
    SeriesChannels *channels; /* the same, of a flow graph; null: the kernel is not the first of one */
} Series;

/* Numbers of one sample. */
uint32_t series_width(uint32_t sm_count);
/* The counters that series keep, made of the sums of all components; the caller frees them. */
uint64_t *series_columns(const struct CycleMachine *machine, uint64_t *const *sums);
/* `columns`: as they are now. */
Series *series_begin(uint32_t sm_count, const uint64_t *columns, Cycle interval, Cycle now);
/* The machine has been run to cycle series->next: takes that sample of the kernel. */
void series_sample(Series *series, const struct CycleMachine *machine, const struct GridKernel *kernel);
/* Takes the last sample, up to the kernel's end. */
void series_end(Series *series, const struct CycleMachine *machine, const struct GridKernel *kernel,
                const uint64_t *columns, Cycle now);
/* Samples of a larger interval, a multiple of what it was by a power of two: neighbours become one, until
 * that is so. Unless it has ended, the one without a neighbour goes on. */
void series_coarsen(Series *series, Cycle interval, bool has_ended);
/* Null: nothing to do. */
void series_free(Series *series);

/* The name of a row as in lists of statistics: "l2.load_hits". */
const char *series_row_name(uint32_t row, char *buffer, size_t size);
/* Whether the row is of links, which not all GPUs have. */
bool series_row_is_link(uint32_t row);
/* A value of sample `sample`: of a row of series.def, or of one SM. */
uint64_t series_value(const Series *series, uint32_t sample, uint32_t row);
uint64_t series_core_value(const Series *series, uint32_t sample, CoreRow row, uint32_t sm);

#endif
