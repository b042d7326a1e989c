/* The two smallest kernels that are worth a look, checked bit for bit. */
#ifndef WORKLOADS_DEMO_H
#define WORKLOADS_DEMO_H

#include "common/host.h"

typedef struct DemoKernel {
    const char *name, *about;
    /* True: the result is right. host->status tells failures of the machine itself. */
    bool (*run)(Host *host);
} DemoKernel;

enum { DEMO_COUNT = 2 };
extern const DemoKernel demo_kernels[DEMO_COUNT];

#endif
