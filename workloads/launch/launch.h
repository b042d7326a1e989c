/* Launches whose counters on a real GPU are in h200.csv: empty and nearly empty kernels of many shapes, and
 * one kernel for each class of instruction or memory pattern. */
#ifndef WORKLOADS_LAUNCH_H
#define WORKLOADS_LAUNCH_H

#include "common/host.h"

typedef struct LaunchCase {
    const char *name; /* as in h200.csv */
    const char *kernel;
    uint32_t blocks, threads;
    /* Launches the kernel. False: its result is wrong. */
    bool (*run)(const struct LaunchCase *launch, Host *host);
    int parameter; /* of the kernel, where it has one */
} LaunchCase;

enum { LAUNCH_COUNT = 39 };
extern const LaunchCase launch_cases[LAUNCH_COUNT];

/* Loads launch.ptx from `directory` and runs the case; its time is host->cycles. False: host->error says
 * why. The caller ends the host. */
bool launch_run(const LaunchCase *launch, WbGpu *gpu, const char *directory, Host *host);

#endif
