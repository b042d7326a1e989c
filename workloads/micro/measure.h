/* The measurements behind the rows of micro.c; all have the type of Micro's member `measure`. */
#ifndef WORKLOADS_MEASURE_H
#define WORKLOADS_MEASURE_H

#include "micro/micro.h"

#define MEASUREMENT(name) bool name(const Micro *micro, Host *host, const MicroGpu *gpu, double *value)

MEASUREMENT(measure_chase);            /* parameter: bytes that the chain covers */
MEASUREMENT(measure_shared);
MEASUREMENT(measure_chain);
MEASUREMENT(measure_atomic_latency);
MEASUREMENT(measure_atomic_distinct);
MEASUREMENT(measure_atomic_same);
MEASUREMENT(measure_read_warm);        /* parameter: bytes */
MEASUREMENT(measure_read_streaming);   /* parameter: bytes */
MEASUREMENT(measure_block_barrier);    /* parameter: threads */
MEASUREMENT(measure_flag_barrier);     /* parameter: blocks of an SM */
MEASUREMENT(measure_atomic_barrier);   /* parameter: blocks of an SM */
MEASUREMENT(measure_flag_round_trip);

#endif
