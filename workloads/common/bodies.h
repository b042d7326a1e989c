/* The reference of the n-body kernels: bodies are four floats, position and mass. */
#ifndef WORKLOADS_BODIES_H
#define WORKLOADS_BODIES_H

#include <stdbool.h>

/* Compares the x acceleration of every `stride`-th of `n` bodies with one computed in double. */
bool bodies_are_right(const float *bodies, const float *accelerations, int n, int stride);

#endif
