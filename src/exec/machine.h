/* What a running instruction may ask of the GPU around it: the clock, the device heap, the output of
 * printf, and the counters. The functional engine and the timing model each provide one. */
#ifndef EXEC_MACHINE_H
#define EXEC_MACHINE_H

#include "exec/statistics.h"
#include "exec/warp.h"

enum { ALLOCATION_CACHE_ENTRIES = 64 };

/* The allocation that each instruction's last global access found, by the low bits of its program
 * counter. Valid while the address space's `next` and `used` are these: every allocation moves `next`,
 * every free changes `used`, and addresses are never reused. */
typedef struct AllocationCache {
    uint64_t next, used;
    const Allocation *found[ALLOCATION_CACHE_ENTRIES];
} AllocationCache;

typedef struct Machine {
    uint64_t clock;            /* cycles: %clock; in functional mode, warp instructions issued so far */
    uint32_t clock_khz;        /* turns cycles into the nanoseconds of %globaltimer */
    uint32_t sm_count;
    uint32_t warps_per_sm;     /* %nwarpid */
    uint64_t heap_limit, heap_used;
    WbOutput *output;
    void *output_context;
    ExecStatistics statistics;
    AllocationCache allocations;
} Machine;

#endif
