// Streams and events that are not there: errors, never crashes. CUDA promises that only for null handles.
#include "check.h"

__global__ void nothing() {}

int main()
{
    CUDA_FAILS(cudaErrorInvalidResourceHandle, cudaEventRecord(nullptr, 0));
    CUDA_FAILS(cudaErrorInvalidResourceHandle, cudaEventSynchronize(nullptr));
    CUDA_FAILS(cudaErrorInvalidResourceHandle, cudaEventQuery(nullptr));
    CUDA_FAILS(cudaErrorInvalidResourceHandle, cudaEventDestroy(nullptr));
    CUDA_FAILS(cudaErrorInvalidResourceHandle, cudaStreamDestroy(nullptr));
    CUDA_FAILS(cudaErrorInvalidValue, cudaStreamCreate(nullptr));
    CUDA_FAILS(cudaErrorInvalidValue, cudaEventCreate(nullptr));
    cudaStream_t stream;
    CUDA_FAILS(cudaErrorInvalidValue, cudaStreamCreateWithFlags(&stream, 0xf0));
    cudaEvent_t event;
    CUDA_FAILS(cudaErrorInvalidValue, cudaEventCreateWithFlags(&event, 0xf00));

    if (simulated()) {
        CUDA(cudaStreamCreate(&stream));
        CUDA(cudaStreamDestroy(stream));
        CUDA_FAILS(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(stream));
        CUDA_FAILS(cudaErrorInvalidResourceHandle, cudaStreamQuery(stream));
        CUDA_FAILS(cudaErrorInvalidResourceHandle, cudaStreamDestroy(stream));
        nothing<<<1, 1, 0, stream>>>();
        LAUNCH_FAILS(cudaErrorInvalidResourceHandle);
        nothing<<<1, 1, 0, (cudaStream_t)0x1234>>>();
        LAUNCH_FAILS(cudaErrorInvalidResourceHandle);
        char host[4];
        void *device;
        CUDA(cudaMalloc(&device, 4));
        CUDA_FAILS(cudaErrorInvalidResourceHandle,
                   cudaMemcpyAsync(device, host, 4, cudaMemcpyHostToDevice, stream));
        CUDA_FAILS(cudaErrorInvalidResourceHandle, cudaMemsetAsync(device, 0, 4, stream));
        CUDA(cudaEventCreate(&event));
        CUDA_FAILS(cudaErrorInvalidResourceHandle, cudaEventRecord(event, stream));
        CUDA(cudaEventDestroy(event));
        CUDA_FAILS(cudaErrorInvalidResourceHandle, cudaEventRecord(event, 0));
        CUDA_FAILS(cudaErrorInvalidResourceHandle, cudaStreamWaitEvent(0, event, 0));
        CUDA_FAILS(cudaErrorInvalidResourceHandle, cudaEventDestroy(event));
    }
    nothing<<<1, 1>>>();
    CUDA(cudaGetLastError());
    CUDA(cudaDeviceSynchronize());
    return check_result();
}
