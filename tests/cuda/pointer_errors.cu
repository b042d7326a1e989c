// Wrong pointers and sizes given to memory calls: an error each, and the program goes on.
#include "check.h"

int main()
{
    char host[256] = {}, *device, *freed;
    CUDA(cudaMalloc(&device, 256));
    CUDA(cudaMalloc(&freed, 256));
    CUDA(cudaFree(freed));

    CUDA_FAILS(cudaErrorInvalidValue, cudaFree(freed));
    CUDA_FAILS(cudaErrorInvalidValue, cudaFree(device + 16));
    CUDA_FAILS(cudaErrorInvalidValue, cudaFree(host));
    CUDA(cudaFree(nullptr));
    CUDA_FAILS(cudaErrorInvalidValue, cudaMalloc((void **)nullptr, 16));
    void *memory = (void *)1;
    CUDA(cudaMalloc(&memory, 0));
    CHECK(memory == nullptr);
    CUDA_FAILS(cudaErrorMemoryAllocation, cudaMalloc(&memory, (size_t)1 << 50));

    CUDA_FAILS(cudaErrorInvalidValue, cudaMemcpy(nullptr, host, 16, cudaMemcpyHostToDevice));
    CUDA_FAILS(cudaErrorInvalidValue, cudaMemcpy(host, nullptr, 16, cudaMemcpyDeviceToHost));
    CUDA_FAILS(cudaErrorInvalidValue, cudaMemcpy(freed, host, 16, cudaMemcpyHostToDevice));
    CUDA_FAILS(cudaErrorInvalidValue, cudaMemcpy(host, freed, 16, cudaMemcpyDeviceToHost));
    CUDA_FAILS(cudaErrorInvalidValue, cudaMemset(freed, 0, 16));
    CUDA_FAILS(cudaErrorInvalidValue, cudaMemset(nullptr, 0, 16));
    CUDA_FAILS(cudaErrorInvalidMemcpyDirection, cudaMemcpy(device, host, 16, (cudaMemcpyKind)77));
    // Beyond the end of the allocation.
    CUDA_FAILS(cudaErrorInvalidValue, cudaMemcpy(device, host, 257, cudaMemcpyHostToDevice));
    CUDA_FAILS(cudaErrorInvalidValue, cudaMemcpy(host, device + 250, 7, cudaMemcpyDeviceToHost));
    CUDA_FAILS(cudaErrorInvalidValue, cudaMemset(device + 1, 0, 256));
    // A direction that the pointers contradict.
    CUDA_FAILS(cudaErrorInvalidValue, cudaMemcpy(host, device, 16, cudaMemcpyHostToDevice));
    CUDA_FAILS(cudaErrorInvalidValue, cudaMemcpy(device, host, 16, cudaMemcpyDeviceToDevice));

    // Everything still works.
    host[3] = 42;
    CUDA(cudaMemcpy(device, host, 256, cudaMemcpyHostToDevice));
    host[3] = 0;
    CUDA(cudaMemcpy(host, device, 256, cudaMemcpyDeviceToHost));
    CHECK_EQUAL(host[3], 42);
    CUDA(cudaFree(device));
    return check_result();
}
