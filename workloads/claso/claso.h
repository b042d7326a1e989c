/* The benchmarks of "CLASO" [claso table 2]: programs of CUDA's SDK, of Rodinia, of Parboil and of the set
 * that comes with GPGPU-Sim, whose blocks are spread over the SMs unevenly. Written here from the algorithms,
 * with the published kernels' structure: what lies in which memory, barriers, divergence, blocks and grids.
 *
 * At sizes small and full, launches, blocks and threads are those of table 2. A thread of the small size does
 * less than the published one where a run would take too long; the head of each file says what and why. */
#ifndef WORKLOADS_CLASO_H
#define WORKLOADS_CLASO_H

#include "common/benchmark.h"

/* A row of table 2, as it is printed there. */
typedef struct ClasoBenchmark {
    Benchmark benchmark;
    uint32_t launches; /* #K */
    uint32_t blocks;   /* #C, of all launches together */
    double threads;    /* CS, of a block on average over the launches */
    double per_sm;     /* CpC, blocks that fit on an SM on average over the launches */
} ClasoBenchmark;

#define CLASO(program, ...) CLASO_NUMBER_##program,
enum {
#include "claso/claso.def"
    CLASO_BENCHMARKS
};
#undef CLASO

extern const ClasoBenchmark claso_benchmarks[CLASO_BENCHMARKS];

#define CLASO(program, ...) bool claso_##program##_run(Host *host, const BenchmarkRun *run);
#include "claso/claso.def"
#undef CLASO

#endif
