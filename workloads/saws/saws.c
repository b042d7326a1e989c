#include "saws/saws.h"

#define SAWS(name, suite, program, has_barriers, about)                                                      \
    {{#name, about, #suite "/" #program ".ptx", suite##_##program##_run}, has_barriers},
#define SAWS_AS(name, suite, program, has_barriers, about)                                                   \
    {{#name, about, #suite "/" #program ".ptx", saws_##name##_run}, has_barriers},
const SawsBenchmark saws_benchmarks[SAWS_BENCHMARKS] = {
#include "saws/saws.def"
};
