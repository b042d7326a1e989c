/* A program of a benchmark suite: input made here, one or more launches by the host, results compared with
 * those computed here. Suites that consist of such programs are tables of them (claso/, saws/); a table may
 * have programs of another suite. */
#ifndef WORKLOADS_BENCHMARK_H
#define WORKLOADS_BENCHMARK_H

#include "common/host.h"
#include "graphs/generate.h"

/* {0} is a run on the small input with the published grid. */
typedef struct BenchmarkRun {
    InputSize size;
    uint32_t blocks; /* of the grid of each launch, the work of a block stays; 0: as `size` has it. Programs
                      * whose grid follows from a larger input take the nearest that they can have */
    uint32_t seed;   /* of the input; 0: 1 */
} BenchmarkRun;

typedef struct Benchmark {
    const char *name;  /* in small letters: bs */
    const char *about; /* one line */
    const char *file;  /* PTX, in workloads: claso/bs.ptx */
    /* Makes the input, runs on host->gpu until the end, and compares. True: the result is right.
     * host->status tells failures of the machine itself. */
    bool (*run)(Host *host, const BenchmarkRun *run);
} Benchmark;

/* Loads the benchmark's PTX and runs it; `workloads` is the folder of that name. False: host->error says why.
 * The caller ends the host. */
bool benchmark_run(const Benchmark *benchmark, const BenchmarkRun *run, WbGpu *gpu, const char *workloads,
                   Host *host);

/* -- for the benchmarks -- */

static inline uint32_t benchmark_seed(const BenchmarkRun *run) { return run->seed ? run->seed : 1; }

/* Rows of a grid that is so many blocks wide: those nearest to the blocks that the run wants, or `rows`. */
static inline uint32_t benchmark_rows(const BenchmarkRun *run, uint32_t width, uint32_t rows)
{
    const uint32_t nearest = (run->blocks + width / 2) / width;
    return !run->blocks ? rows : nearest ? nearest : 1;
}

/* Whether the device has these values at this address, each off by at most `tolerance` times its size, or by
 * `tolerance` if it is smaller than 1. For kernels whose functions the GPU approximates. */
bool benchmark_near(Host *host, uint64_t address, const float *expected, size_t count, float tolerance);

#endif
