// What a kernel needs, and how much shared memory it may ask for.
#include "check.h"

__constant__ int table[100];

__global__ void __launch_bounds__(256) plain(int *out)
{
    __shared__ int memory[500];
    memory[threadIdx.x] = table[threadIdx.x % 100];
    __syncthreads();
    out[threadIdx.x] = memory[255 - threadIdx.x];
}

__global__ void spilling(int *out, int index)
{
    volatile int local[64];
    for (int i = 0; i < 64; i++)
        local[i] = i * index;
    out[threadIdx.x] = local[(index + threadIdx.x) % 64];
}

__global__ void large(int *out, int count)
{
    extern __shared__ int memory[];
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        memory[i] = 3 * i;
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        out[i] = memory[count - 1 - i];
}

int main()
{
    cudaFuncAttributes attributes;
    CUDA(cudaFuncGetAttributes(&attributes, plain));
    CHECK_EQUAL(attributes.sharedSizeBytes, 2000);
    CHECK_EQUAL(attributes.maxThreadsPerBlock, 256);
    CHECK_EQUAL(attributes.localSizeBytes, 0);
    CHECK(attributes.numRegs >= 4 && attributes.numRegs <= 64);
    CHECK_EQUAL(attributes.ptxVersion, 75);
    CHECK(attributes.binaryVersion >= 20);
    CHECK(attributes.maxDynamicSharedSizeBytes >= 40 * 1024 &&
          attributes.maxDynamicSharedSizeBytes <= 48 * 1024);
    CUDA(cudaFuncGetAttributes(&attributes, spilling));
    printf("%zu bytes of local memory\n", attributes.localSizeBytes);
    CHECK(attributes.localSizeBytes >= 256 || !simulated());
    CUDA(cudaFuncGetAttributes(&attributes, (const void *)large));
    CHECK_EQUAL(attributes.sharedSizeBytes, 0);

    // More than 48 KiB only after asking.
    const int bytes = 60 * 1024, count = bytes / sizeof(int);
    int *out, host[count];
    CUDA(cudaMalloc(&out, bytes));
    large<<<1, 256, bytes>>>(out, count);
    LAUNCH_FAILS(cudaErrorInvalidValue);
    CUDA(cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    CUDA(cudaFuncSetAttribute(large, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
    CUDA(cudaFuncSetCacheConfig(large, cudaFuncCachePreferShared));
    CUDA(cudaFuncGetAttributes(&attributes, large));
    CHECK_EQUAL(attributes.maxDynamicSharedSizeBytes, bytes);
    CHECK_EQUAL(attributes.preferredShmemCarveout, 50);
    large<<<1, 256, bytes>>>(out, count);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(host, out, bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; i++)
        CHECK_EQUAL(host[i], 3 * (count - 1 - i));

    CUDA_FAILS(cudaErrorInvalidValue,
               cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, 10 << 20));
    // The documented error, or what CUDA 13 says.
    cudaError_t error = cudaFuncGetAttributes(&attributes, (const void *)main);
    CHECK(error == cudaErrorInvalidDeviceFunction || error == cudaErrorInvalidResourceHandle);
    CUDA(cudaFree(out));
    return check_result();
}
