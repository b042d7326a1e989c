/* A memory partition: some L2 slices and the DRAM channel behind them. A shard; its number is sm_count plus
 * the partition's. It serves requests that come as MESSAGE_REQUEST and answers each with one MESSAGE_REPLY.
 *
 * Slices that want the DRAM channel in the same cycle take turns. */
#ifndef MEM_PARTITION_H
#define MEM_PARTITION_H

#include "mem/l2.h"

typedef struct Partition {
    Shard shard;
    L2Shared shared;         /* config, DRAM channel, accesses[] and what else slices need */
    Cycle dram_next;         /* when the channel has something to do */
    L2Slice *slices;
    uint32_t slice_count;
    uint32_t first_slice;    /* its number among all slices */
    uint32_t turn;           /* the slice that is served first */
} Partition;

/* The configuration and the crossbar must outlive the partition. */
Partition *partition_create(const GpuConfig *config, Crossbar *crossbar, uint32_t number,
                            AtomicPerform *atomic);
void partition_free(Partition *partition);
/* Whether nothing is under way, write-backs included. */
bool partition_is_idle(const Partition *partition);
/* Empties the caches without writing anything back: the data is in its place anyway. */
void partition_invalidate(Partition *partition);
/* Lines of these addresses are no longer in the slices: their memory has moved away. */
void partition_forget(Partition *partition, uint64_t address, uint64_t bytes);
/* Drops the copy that one of its slices has of a line of the slice opposite, where it lies at `local`: the
 * host has written it. */
void partition_drop(Partition *partition, SlicePlace place);
/* What a copy or a fill does to a line of one of its slices: l2_touch(). */
bool partition_touch(Partition *partition, SlicePlace place, L2Touch touch, uint64_t *gone);
/* One of its slices has a copy of a line of the slice opposite, where it lies at `local`: l2_touch_copy(). */
bool partition_touch_copy(Partition *partition, SlicePlace place, const uint8_t *bytes, uint64_t *gone);
/* Brings the statistics up to cycle `now`, for reports between windows. */
void partition_account(Partition *partition, Cycle now);

/* Of one of its slices, counted from 0. */
const L2Statistics *partition_statistics(const Partition *partition, uint32_t slice);
/* Requests of each SM that were looked up here; [sm_count] of the front end. */
const uint64_t *partition_accesses(const Partition *partition);
/* Of its DRAM channel: requests that were served for each SM, as of the last call that follows; [sm_count]
 * for the front end and units. */
const uint64_t *partition_dram_accesses(const Partition *partition);
/* Of its DRAM channel, up to cycle `now`. */
const DramStatistics *partition_dram_statistics(const Partition *partition, Cycle now);
/* Zeroes all of these at cycle `now`; time that is being waited counts from there. */
void partition_reset_statistics(Partition *partition, Cycle now);

#endif
