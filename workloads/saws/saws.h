/* The benchmarks of synchronization-aware warp scheduling [sync-thesis §7.4]: programs of Parboil, Rodinia
 * and CUDA's SDK, fifteen whose blocks meet at barriers and fifteen without. Written here from the
 * algorithms, with the published kernels' structure. Some are those of the suite claso. */
#ifndef WORKLOADS_SAWS_H
#define WORKLOADS_SAWS_H

#include "common/benchmark.h"

typedef struct SawsBenchmark {
    Benchmark benchmark;
    bool has_barriers;
} SawsBenchmark;

#define SAWS(name, ...) SAWS_NUMBER_##name,
#define SAWS_AS(name, ...) SAWS_NUMBER_##name,
enum {
#include "saws/saws.def"
    SAWS_BENCHMARKS
};
#undef SAWS
#undef SAWS_AS

extern const SawsBenchmark saws_benchmarks[SAWS_BENCHMARKS];

#define SAWS(name, suite, program, ...) bool suite##_##program##_run(Host *host, const BenchmarkRun *run);
#define SAWS_AS(name, ...) bool saws_##name##_run(Host *host, const BenchmarkRun *run);
#include "saws/saws.def"
#undef SAWS
#undef SAWS_AS

#endif
