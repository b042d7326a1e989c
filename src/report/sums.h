/* A kernel's counters, summed over the parts of the machine, under the names that components gave them; and
 * what ratios need of the machine. */
#ifndef REPORT_SUMS_H
#define REPORT_SUMS_H

#include "api/gpu.h"
#include "sm/lsu/lsu.h"

/* What the unit counts, under the names of its .def. */
#define COUNT(field, unit, description) uint64_t field;
typedef struct AggregatorSums {
#include "base/def_begin.h"
#include "grid/unit/aggregator.def"
#include "base/def_end.h"
} AggregatorSums;
#undef COUNT

typedef struct KernelSums {
    ExecStatistics exec;
    GridStatistics front_end;
    LoadStatistics load;
    DatsStatistics graph;
    SmStatistics sm;
    SchedulerStatistics scheduler;
    LsuStatistics lsu;
    L1Statistics l1;
    L2Statistics l2;
    DramStatistics dram;
    AggregatorSums aggregator;
    CrossbarPort request_out, request_in, reply_out, reply_in;

    uint64_t cycles;               /* of the kernel */
    uint64_t scheduler_cycles;     /* of all schedulers while their SMs had a block */
    uint64_t global_accesses;      /* loads, stores and atomics of warps */
    uint64_t l2_sectors;           /* looked up */
    uint64_t l2_ticks;             /* L2 clocks of all slices during the kernel */
    uint64_t dram_requests;
    uint64_t dram_bytes;           /* read and written */
    uint64_t dram_ticks;           /* command clocks of all channels during the kernel */
    uint64_t crossbar_sm_ticks;    /* crossbar clocks of the SMs' ports, one way */
    uint64_t crossbar_slice_ticks; /* and of the slices' */
    uint64_t warp_width, warps_per_sm, clock_khz;
} KernelSums;

KernelSums kernel_sums(const KernelRecord *record, const GpuConfig *config);
/* The struct of one part's counters, from the record's details. */
void kernel_part(const KernelRecord *record, Component component, uint32_t part, void *to);

#endif
