// cudaDeviceReset: frees everything; variables start anew, and work goes on.
#include "check.h"

__device__ int counter = 10;

__global__ void count(int *copy) { *copy = atomicAdd(&counter, 1) + 1; }

static int run()
{
    int *device, host = 0;
    CUDA(cudaMalloc(&device, sizeof *device));
    count<<<1, 1>>>(device);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost));
    return host;
}

int main()
{
    CHECK_EQUAL(run(), 11);
    CHECK_EQUAL(run(), 12);
    void *memory;
    CUDA(cudaMalloc(&memory, 1 << 20));
    CUDA(cudaDeviceReset());
    CUDA_FAILS(cudaErrorInvalidValue, cudaFree(memory));
    CHECK_EQUAL(run(), 11);
    return check_result();
}
