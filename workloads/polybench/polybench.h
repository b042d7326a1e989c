/* Programs in the shapes of PolyBench-ACC's CUDA programs, with their copies and launches in their order.
 * What an H200 counted for each launch of those is in h200.csv: in several passes, with caches as copies,
 * earlier kernels and the passes before had left them (knob launch_passes). In one pass `gemm` takes 10% longer
 * than the table has (tests/device/caches/README.md). */
#ifndef WORKLOADS_POLYBENCH_H
#define WORKLOADS_POLYBENCH_H

#include "common/host.h"

enum { POLYBENCH_PROGRAMS = 21, POLYBENCH_KERNELS = 45, POLYBENCH_LAUNCHES = 8, POLYBENCH_ARRAYS = 9 };

/* In functional mode, `cycles` are warp instructions, and the rest is not known. */
typedef struct PolybenchLaunch {
    const char *kernel;
    double cycles, instructions; /* the latter of machine code, where the GPU runs that */
    double dram_read;            /* bytes */
    double l1_hits, l2_hits;     /* percent of sectors: in L1 or on their way there; not from DRAM */
} PolybenchLaunch;

/* An array on both sides. Every launch is done on the host, too, with the same roundings, so that at any time
 * both have the same values. `adders` are threads that all add the same positive terms to each element, of
 * which one is enough: what is there in the end depends on who reads before whom writes. Else it is 1. */
typedef struct PolybenchArray {
    float *at;
    uint64_t device;
    size_t count;
    int adders;
} PolybenchArray;

typedef struct PolybenchRun {
    Host *host;
    size_t limit; /* launches after which the program ends; its results are compared as they are then */
    PolybenchLaunch launches[POLYBENCH_LAUNCHES];
    size_t count;
    PolybenchArray arrays[POLYBENCH_ARRAYS];
    size_t array_count;
} PolybenchRun;

typedef struct PolybenchProgram {
    const char *name, *about;
    void (*run)(PolybenchRun *run);
} PolybenchProgram;

extern const PolybenchProgram polybench_programs[POLYBENCH_PROGRAMS];

/* A row of h200.csv. */
typedef struct PolybenchKernel {
    const char *name;
    const char *program;
    size_t launches; /* of its program up to the last one of the kernel */
} PolybenchKernel;

extern const PolybenchKernel polybench_kernels[POLYBENCH_KERNELS];

const PolybenchProgram *polybench_program(const char *name);

/* Loads polybench.ptx from `directory` and runs the program up to so many launches, in the measured size or in
 * a small one. False: host->error says why. The caller ends the host. */
bool polybench_run(const PolybenchProgram *program, size_t limit, bool measured_size, WbGpu *gpu,
                   const char *directory, Host *host, PolybenchRun *run);
/* The mean over a kernel's launches. */
PolybenchLaunch polybench_mean(const PolybenchRun *run, const char *kernel);

#endif
