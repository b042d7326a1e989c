/* Fifteen ordinary kernels, each checked against a result computed here. */
#ifndef WORKLOADS_CORRELATION_H
#define WORKLOADS_CORRELATION_H

#include "common/host.h"

/* host->measured_size chooses the size whose counters on a real GPU are in h200.csv. */
typedef struct CorrelationKernel {
    const char *name, *about; /* and one line */
    bool (*run)(Host *host);
} CorrelationKernel;

enum { CORRELATION_COUNT = 15 };
extern const CorrelationKernel correlation_kernels[CORRELATION_COUNT];

#endif
