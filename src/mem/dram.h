/* A DRAM channel with its controller: FR-FCFS over banks with open rows, writes drained in batches.
 *
 * A request is one line's sectors, all in one row; each aligned piece of the size of a burst that they touch
 * is a column command. What may be given when is the table in dram_timing.h; the scheduler takes, among the
 * banks' next commands, the one that can go first, column commands of the oldest request before the others.
 *
 * The channel is worked off lazily: what it does depends only on the requests and the cycles they came in,
 * never on when it is asked. So nobody needs to call it for every command: dram_advance() says when something
 * can be new to the outside. Refreshes of an idle channel are accounted for when the next request comes. */
#ifndef MEM_DRAM_H
#define MEM_DRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/stat.h"
#include "config/config.h"
#include "sim/clock.h"

typedef struct DramStatistics {
#define COUNT(field, unit, description) uint64_t field;
#include "mem/dram_statistics.def"
#undef COUNT
} DramStatistics;

extern const StatTable dram_statistics;

typedef struct DramChannel DramChannel;

/* Whether the knobs of the DRAM fit together. */
WbStatus dram_check(const GpuConfig *config, Error *error);
/* The knobs have passed the checks here and in interleave.h. */
DramChannel *dram_create(const GpuConfig *config);
void dram_free(DramChannel *channel);

/* Cycles given to the following never go down from call to call. */

/* Whether the controller has room for one more, as of the last advance; if not, the caller comes back in
 * the cycle that dram_advance() names. */
bool dram_has_room(const DramChannel *channel, bool write);
/* Takes a request; there is room. `local` is the line's address within the channel
 * (interleave_channel_local()), `sectors` a mask that is not empty. Reads come back with their ticket; of
 * writes nothing more is heard. */
void dram_take(DramChannel *channel, uint64_t local, uint8_t sectors, bool write, uint32_t sm,
               uint32_t ticket, Cycle now);
/* Does all that is due by `now`. Returns the next cycle in which a read can be done or room appear where
 * there is none (it may turn out that neither happens), CYCLE_NEVER if the channel is empty. */
Cycle dram_advance(DramChannel *channel, Cycle now);
/* Pops a read whose data have come by `now`, in the order in which they came. */
bool dram_next_done(DramChannel *channel, Cycle now, uint32_t *ticket);

/* The counters, up to the end of cycle `now`. */
const DramStatistics *dram_counters(DramChannel *channel, Cycle now);
/* Requests served for each SM, counted with their first data; [sm_count] for all others. A read is for the SM
 * whose request missed first, a write-back for the one whose request needs the place. */
const uint64_t *dram_requests_by_sm(const DramChannel *channel);
/* Zeroes them all at the end of cycle `now`. */
void dram_reset_counters(DramChannel *channel, Cycle now);

#endif
