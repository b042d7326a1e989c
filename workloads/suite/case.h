/* One run of a kernel of the suite: its inputs, device memory and results, all freed at its end. */
#ifndef WORKLOADS_SUITE_CASE_H
#define WORKLOADS_SUITE_CASE_H

#include "common/host.h"

enum { CASE_ARRAYS = 32 };

/* Arrays of the host and buffers of the device, in the order in which they were made. */
typedef struct Case {
    Host *host;
    void *arrays[CASE_ARRAYS];
    uint64_t buffers[CASE_ARRAYS];
    size_t array_count, buffer_count;
} Case;

/* The size that tests take, or the one that was measured. */
int case_size(const Host *host, int small, int measured);
/* Zeroed; without memory the program ends with a sentence. */
void *case_array(Case *c, size_t count, size_t size);
/* Random values from `low` to below `high`; with 16 random bits, so that sums are exact enough to compare. */
float *case_floats(Case *c, size_t count, float low, float high, uint32_t seed);
double *case_doubles(Case *c, size_t count, double low, double high, uint32_t seed);
/* Random numbers below `limit`. */
uint32_t *case_words(Case *c, size_t count, uint32_t limit, uint32_t seed);
/* Device memory with these bytes; without contents if `data` is null. */
uint64_t case_buffer(Case *c, const void *data, size_t bytes);
uint64_t case_zeros(Case *c, size_t bytes);
/* The device's bytes. */
void *case_result(Case *c, uint64_t address, size_t bytes);
/* Frees all; returns `right`. */
bool case_end(Case *c, bool right);

/* Whether two numbers differ by at most so much of 1 and the expected one together. */
bool case_near(double got, double expected, double tolerance);
/* The same of every `stride`-th of `count` floats. */
bool case_floats_near(const float *got, const float *expected, size_t count, size_t stride, double tolerance);

/* A whole number of at most 11 bits as a half. */
uint16_t case_half(int number);

#define CASE_LAUNCH(c, kernel, grid, block, ...)                                                             \
    HOST_LAUNCH((c)->host, (kernel), dim((uint32_t)(grid), 1, 1), dim((uint32_t)(block), 1, 1), __VA_ARGS__)

#endif
