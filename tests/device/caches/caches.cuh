/* What the programs of this folder share. */
#ifndef CACHES_CUH
#define CACHES_CUH

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        cudaError_t status = (call);                                                                         \
        if (status != cudaSuccess) {                                                                         \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status));                                  \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

/* Reads all of it, so that it is in L2 and what was there is not. */
static __global__ void read_all(const uint4 *data, size_t count, uint32_t *out)
{
    uint32_t sum = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        sum += data[i].x;
    if (sum == 0xdeadbeef)
        *out = sum;
}

#endif
