/* Measurements of single properties of a GPU: latencies, throughputs, the cost of meeting. Each has a row in
 * h200.csv, what a real GPU measured in the same way, and checks that its kernels computed the right
 * thing. */
#ifndef WORKLOADS_MICRO_H
#define WORKLOADS_MICRO_H

#include "common/host.h"

/* What a measurement has to know of the GPU and its host to fill it and to turn cycles into time. */
typedef struct MicroGpu {
    uint32_t sm_count;
    double clock_khz;
    double empty_launch_us; /* between events around a launch that does nothing, as measured */
    double launch_interval_us; /* between launches that a host can start, as measured; 0: no limit */
} MicroGpu;

typedef struct Micro Micro;
struct Micro {
    const char *name, *unit; /* as in h200.csv */
    const char *note;        /* where the measurement differs from the real one's; null: nowhere */
    /* False: the kernel's result is wrong. host->status tells failures of the machine itself. */
    bool (*measure)(const Micro *micro, Host *host, const MicroGpu *gpu, double *value);
    const char *kernel;
    uint64_t parameter; /* bytes, threads or blocks of an SM, as the measurement needs */
};

enum { MICRO_COUNT = 48 };
extern const Micro micros[MICRO_COUNT];

/* Loads micro.ptx from `directory` and measures. False: host->error says why. The caller ends the host. */
bool micro_run(const Micro *micro, WbGpu *gpu, const char *directory, const MicroGpu *properties, Host *host,
               double *value);
/* The same with the kernels of another file of that directory. */
bool micro_run_of(const char *file, const Micro *micro, WbGpu *gpu, const char *directory,
                  const MicroGpu *properties, Host *host, double *value);

#endif
