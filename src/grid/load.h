/* How blocks are spread over the SMs, as the dispatcher sees it: how many each SM has got, and for how long
 * it had none while others had some. */
#ifndef GRID_LOAD_H
#define GRID_LOAD_H

#include <stdbool.h>

#include "base/stat.h"
#include "sim/clock.h"

typedef struct LoadStatistics {
#define COUNT(field, unit, description) uint64_t field;
#include "grid/load_statistics.def"
#undef COUNT
} LoadStatistics;

extern const StatTable load_statistics;

/* Invariant: its counters are complete for the first `accounted` of the load's shared cycles. */
typedef struct SmLoad {
    LoadStatistics counts;
    uint64_t accounted;
    bool is_busy; /* has a block */
} SmLoad;

/* Only cycles in which some SM has a block are counted: the shared ones. Invariant: busy_sms is the number of
 * SMs that are busy; shared is right for cycle `now`, the last one in which that changed or was asked for. */
typedef struct Load {
    SmLoad *sms;
    uint32_t busy_sms;
    uint64_t shared;
    Cycle now;
} Load;

/* Cycles given to the following never go down from call to call. */

Load load_create(uint32_t sm_count);
void load_free(Load *load);
/* A block has been dispatched to the SM; `is_first`: the SM had none, `is_new`: it was on none before. */
void load_entered(Load *load, uint32_t sm, bool is_first, bool is_new, Cycle now);
/* Word has come that one has gone; `is_last`: the SM has no more. */
void load_left(Load *load, uint32_t sm, bool is_last, Cycle now);
/* Of an SM, up to the cycles before `now`. */
const LoadStatistics *load_counters(Load *load, uint32_t sm, Cycle now);

#endif
