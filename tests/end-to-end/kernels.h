/* Running the compiled kernels of tests/end-to-end/kernels: every test runs once for each variant that
 * the compilers made of its source. Needs harness.h's headers, which it includes. */
#ifndef TESTS_KERNELS_H
#define TESTS_KERNELS_H

#include "harness.h"

typedef struct Kernels {
    WbGpu *gpu;
    WbModule *module;
    const char *variant; /* the file's name, for messages */
    char printed[8192];  /* what kernels have printed, terminated */
    size_t printed_length;
} Kernels;

typedef void KernelsTest(Kernels *kernels);

/* Runs the test on a GPU for every kernels/<source>.*.ptx; fails if there is none. */
void kernels_each_on(const char *gpu, const char *source, KernelsTest *test);
/* The same on an H200. */
void kernels_each(const char *source, KernelsTest *test);

/* A copy of host data in device memory. */
uint64_t kernels_upload(Kernels *kernels, const void *data, size_t bytes);
/* Copies back and frees. */
void kernels_download(Kernels *kernels, uint64_t from, void *data, size_t bytes);

typedef struct KernelsShape {
    uint32_t blocks, threads, shared_bytes;
} KernelsShape;
WbStatus kernels_try(Kernels *kernels, const char *name, KernelsShape shape, const WbArgument *arguments,
                     uint32_t count);
void kernels_run(Kernels *kernels, const char *name, KernelsShape shape, const WbArgument *arguments,
                 uint32_t count);
#define KERNELS_RUN(kernels, name, blocks, threads, shared, ...)                                             \
    kernels_run(kernels, name, (KernelsShape){blocks, threads, shared}, (WbArgument[]){__VA_ARGS__},         \
                sizeof((WbArgument[]){__VA_ARGS__}) / sizeof(WbArgument))

/* Fails, naming variant and index, unless the arrays are the same bit for bit. */
void kernels_same(Kernels *kernels, const char *what, const void *got, const void *expected, size_t element,
                  size_t count);

/* How many floating-point numbers lie between two; NaN is 0 away from NaN only. */
uint64_t kernels_ulps(double a, double b);
uint64_t kernels_ulps_float(float a, float b);

/* A repeatable stream of numbers. */
uint32_t kernels_random(uint32_t *state);

#endif
