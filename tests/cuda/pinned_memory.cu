// Page-locked host memory, and kernels that read and write it in place.
#include "check.h"

__global__ void square(const int *in, int *out, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = in[i] * in[i];
}

int main()
{
    const int count = 1000;
    const size_t bytes = count * sizeof(int);
    int *in, *out, *device_in, *device_out;
    CUDA(cudaHostAlloc(&in, bytes, cudaHostAllocMapped | cudaHostAllocWriteCombined));
    CUDA(cudaHostAlloc(&out, bytes, cudaHostAllocMapped | cudaHostAllocPortable));
    unsigned flags;
    CUDA(cudaHostGetFlags(&flags, in));
    CHECK((flags & cudaHostAllocMapped) && (flags & cudaHostAllocWriteCombined));
    CUDA(cudaHostGetDevicePointer(&device_in, in, 0));
    CUDA(cudaHostGetDevicePointer(&device_out, out, 0));
    for (int i = 0; i < count; i++) {
        in[i] = i;
        out[i] = -1;
    }
    square<<<4, 256>>>(device_in, device_out, count);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < count; i++)
        CHECK_EQUAL(out[i], i * i);

    // With unified addressing the host's own pointer does, too; and it is a source of copies.
    square<<<4, 256>>>(out, in, 10);
    CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(in[9], 81 * 81);
    int *device;
    CUDA(cudaMalloc(&device, bytes));
    CUDA(cudaMemcpy(device, out, bytes, cudaMemcpyDefault));
    memset(out, 0, bytes);
    CUDA(cudaMemcpy(out, device, bytes, cudaMemcpyDefault));
    CHECK_EQUAL(out[31], 31 * 31);

    // A pointer into the middle has a device pointer into the middle.
    int *middle;
    CUDA(cudaHostGetDevicePointer(&middle, out + 100, 0));
    CHECK(middle == device_out + 100);

    cudaPointerAttributes attributes;
    CUDA(cudaPointerGetAttributes(&attributes, in));
    CHECK_EQUAL(attributes.type, cudaMemoryTypeHost);
    CHECK(attributes.hostPointer == in);
    CUDA(cudaFreeHost(in));
    CUDA(cudaFreeHost(out));
    CUDA(cudaFree(device));
    CUDA_FAILS(cudaErrorInvalidValue, cudaFreeHost(&attributes));
    CUDA(cudaFreeHost(nullptr));
    return check_result();
}
