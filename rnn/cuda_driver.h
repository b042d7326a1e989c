/* The CUDA driver as device_cuda.c uses it: declared here, since CUDA need not be there when this is
 * built, and found in libcuda.so.1 when a network is created. */
#ifndef WBRNN_CUDA_DRIVER_H
#define WBRNN_CUDA_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* CUlaunchAttribute and CUlaunchConfig. */
typedef struct CudaAttribute {
    int id;
    int padding;
    union {
        int number;
        char bytes[64];
    } value;
} CudaAttribute;

typedef struct CudaConfig {
    uint32_t grid[3], block[3];
    uint32_t shared;
    void *stream;
    CudaAttribute *attributes;
    uint32_t attribute_count;
} CudaConfig;

typedef struct Cuda {
#define CUDA_CALL(name, arguments) int(*name) arguments;
#define CUDA_MAYBE(name, arguments) int(*name) arguments;
#include "cuda_driver.def"
#undef CUDA_CALL
#undef CUDA_MAYBE
    bool simulated; /* the driver is Warpbeam's */
} Cuda;

/* Null, with a sentence: there is no driver, or one that lacks a call. Opened once in a process. */
const Cuda *cuda_open(char *error, size_t size);

#endif
