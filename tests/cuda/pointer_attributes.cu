// What cudaPointerGetAttributes says of every kind of pointer.
#include "check.h"

__device__ int variable[4];

int main()
{
    int *device, *pinned, *managed, local, *symbol;
    CUDA(cudaMalloc(&device, 4096));
    CUDA(cudaMallocHost(&pinned, 4096));
    CUDA(cudaMallocManaged(&managed, 4096));
    CUDA(cudaGetSymbolAddress((void **)&symbol, variable));
    cudaPointerAttributes attributes;

    CUDA(cudaPointerGetAttributes(&attributes, device + 10));
    CHECK_EQUAL(attributes.type, cudaMemoryTypeDevice);
    CHECK_EQUAL(attributes.device, 0);
    CHECK(attributes.devicePointer == device + 10 && attributes.hostPointer == nullptr);
    CUDA(cudaPointerGetAttributes(&attributes, pinned + 10));
    CHECK_EQUAL(attributes.type, cudaMemoryTypeHost);
    CHECK(attributes.hostPointer == pinned + 10 && attributes.devicePointer != nullptr);
    CUDA(cudaPointerGetAttributes(&attributes, managed + 10));
    CHECK_EQUAL(attributes.type, cudaMemoryTypeManaged);
    CHECK(attributes.hostPointer == managed + 10 && attributes.devicePointer == managed + 10);
    CUDA(cudaPointerGetAttributes(&attributes, symbol + 1));
    CHECK_EQUAL(attributes.type, cudaMemoryTypeDevice);
    CUDA(cudaPointerGetAttributes(&attributes, &local));
    CHECK_EQUAL(attributes.type, cudaMemoryTypeUnregistered);

    CUDA(cudaFree(device));
    CUDA(cudaPointerGetAttributes(&attributes, device));
    CHECK_EQUAL(attributes.type, cudaMemoryTypeUnregistered);
    CUDA_FAILS(cudaErrorInvalidValue, cudaPointerGetAttributes(nullptr, pinned));
    CUDA(cudaFreeHost(pinned));
    CUDA(cudaFree(managed));
    return check_result();
}
