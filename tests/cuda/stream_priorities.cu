// Priorities: their range, and that a more urgent kernel overtakes one that waits for room.
#include "busy.h"

/* One block an SM, for so much shared memory: later blocks wait for earlier ones. */
__global__ void occupy(unsigned long long *last_end, int steps, float *result)
{
    extern __shared__ float memory[];
    float x = threadIdx.x;
#pragma unroll 16
    for (int i = 0; i < steps; i++)
        x = x * 0.5f + 1.0f;
    memory[threadIdx.x] = x;
    *result = memory[threadIdx.x];
    atomicMax(last_end, now());
}

int main()
{
    int least, greatest;
    CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK_EQUAL(least, 0);
    CHECK(greatest < least);
    cudaStream_t low, high, beyond;
    CUDA(cudaStreamCreateWithPriority(&low, cudaStreamNonBlocking, least));
    CUDA(cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, greatest));
    CUDA(cudaStreamCreateWithPriority(&beyond, cudaStreamNonBlocking, greatest - 100)); // clamped
    int priority;
    CUDA(cudaStreamGetPriority(high, &priority));
    CHECK_EQUAL(priority, greatest);
    CUDA(cudaStreamGetPriority(beyond, &priority));
    CHECK_EQUAL(priority, greatest);
    CUDA(cudaStreamGetPriority(low, &priority));
    CHECK_EQUAL(priority, least);

    int sms, shared;
    CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CUDA(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    CUDA(cudaFuncSetAttribute(occupy, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    unsigned long long *ends;
    float *result;
    CUDA(cudaMallocManaged(&ends, 2 * sizeof *ends));
    CUDA(cudaMalloc(&result, sizeof *result));
    ends[0] = ends[1] = 0;
    occupy<<<1, 32, shared, low>>>(&ends[0], 10, result);
    CUDA(cudaDeviceSynchronize());
    const int steps = STEPS_OF_10_US / 2, waves = 8;
    occupy<<<waves * sms, 32, shared, low>>>(&ends[0], steps, result);
    occupy<<<1, 32, shared, high>>>(&ends[1], steps, result);
    CUDA(cudaDeviceSynchronize());
    CHECK(ends[0] > 0 && ends[1] > 0);
    if (time_passes())
        CHECK(ends[1] < ends[0]);
    CUDA(cudaStreamDestroy(low));
    CUDA(cudaStreamDestroy(high));
    CUDA(cudaStreamDestroy(beyond));
    return check_result();
}
