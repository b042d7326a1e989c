/* Compares the outputs of a form with the recorded ones, by the form's rule. */
#ifndef TESTS_ISA_COMPARE_H
#define TESTS_ISA_COMPARE_H

#include "forms.h"

/* The first output that is not as recorded. */
typedef struct Difference {
    unsigned vector, output;
    uint64_t expected, actual;
} Difference;

/* The number of vectors that differ; `first` is set where there are any. */
unsigned compare_outputs(const Form *form, const uint64_t *inputs, unsigned vectors, const uint8_t *expected,
                         const uint8_t *actual, Difference *first);

#endif
