#include "claso/claso.h"

#define CLASO(program, about, launches, blocks, threads, per_sm)                                             \
    {{#program, about, "claso/" #program ".ptx", claso_##program##_run}, launches, blocks, threads, per_sm},
const ClasoBenchmark claso_benchmarks[CLASO_BENCHMARKS] = {
#include "claso/claso.def"
};
