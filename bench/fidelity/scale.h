/* How a value of ours is compared with a measured one. */
#ifndef FIDELITY_SCALE_H
#define FIDELITY_SCALE_H

#include <stdbool.h>

typedef struct Scale {
    bool is_difference; /* an error is ours less theirs; else that over theirs, in per cent */
    double least;       /* of the latter: less counts as this much, so that next to nothing is near nothing */
} Scale;

#endif
