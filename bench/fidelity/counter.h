/* Counters of silicon beside statistics of ours. */
#ifndef FIDELITY_COUNTER_H
#define FIDELITY_COUNTER_H

#include "warpbeam.h"
#include "scale.h"

typedef enum CounterNumber {
#define COUNTER(name, unit, scale, theirs, ours, differs) COUNTER_##name,
#include "counter.def"
#undef COUNTER
    COUNTER_COUNT
} CounterNumber;

typedef struct Counter {
    const char *name, *unit;
    Scale scale;
    const char *theirs, *ours; /* expressions, over columns and over statistics */
    const char *differs;       /* what the two count differently; "": nothing that is known */
} Counter;

extern const Counter counters[COUNTER_COUNT];

/* What was measured for the row of that name in the file; NAN: it was not. */
void counters_read(const char *path, const char *row, double values[COUNTER_COUNT]);
/* Ours over the kernel of that number in the GPU's records, or, if `all` is true, over all that ran. `cycles`
 * is what the caller takes for its time. */
void counters_take(const WbGpu *gpu, bool all, size_t record, double cycles, double values[COUNTER_COUNT]);

#endif
