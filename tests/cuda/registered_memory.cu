// Ordinary host memory that is registered, so that kernels reach it.
#include "check.h"

__global__ void negate(int *values, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        values[i] = -values[i];
}

int main()
{
    const size_t bytes = 2 * 4096;
    const int count = bytes / sizeof(int);
    int *memory = (int *)aligned_alloc(4096, bytes);
    for (int i = 0; i < count; i++)
        memory[i] = i;

    CUDA(cudaHostRegister(memory, bytes, cudaHostRegisterMapped));
    int *device;
    CUDA(cudaHostGetDevicePointer(&device, memory, 0));
    negate<<<(count + 255) / 256, 256>>>(device, count);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < count; i++)
        CHECK_EQUAL(memory[i], -i);
    cudaPointerAttributes attributes;
    CUDA(cudaPointerGetAttributes(&attributes, memory + 5));
    CHECK_EQUAL(attributes.type, cudaMemoryTypeHost);
    CHECK(attributes.devicePointer == device + 5);

    CUDA_FAILS(cudaErrorHostMemoryAlreadyRegistered,
               cudaHostRegister(memory, bytes, cudaHostRegisterDefault));
    CUDA(cudaHostUnregister(memory));
    CUDA_FAILS(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(memory));
    CUDA(cudaPointerGetAttributes(&attributes, memory));
    CHECK_EQUAL(attributes.type, cudaMemoryTypeUnregistered);
    CHECK_EQUAL(memory[count - 1], 1 - count); // the memory itself stays

    // Registered again, for copies.
    CUDA(cudaHostRegister(memory, bytes, cudaHostRegisterPortable));
    int *copy;
    CUDA(cudaMalloc(&copy, bytes));
    CUDA(cudaMemcpyAsync(copy, memory, bytes, cudaMemcpyHostToDevice));
    negate<<<(count + 255) / 256, 256>>>(copy, count);
    CUDA(cudaMemcpyAsync(memory, copy, bytes, cudaMemcpyDeviceToHost));
    CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(memory[count - 1], count - 1);
    CUDA(cudaHostUnregister(memory));
    CUDA(cudaFree(copy));
    free(memory);
    return check_result();
}
