// Asynchronous copies: ordered with kernels in their stream, from pinned and from ordinary memory.
#include <vector>

#include "check.h"

__global__ void scale(int *values, int count, int factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        values[i] *= factor;
}

int main()
{
    const int count = 4096, streams = 3;
    const size_t bytes = count * sizeof(int);
    int *pinned, *device[streams];
    CUDA(cudaMallocHost(&pinned, streams * bytes));
    for (int i = 0; i < streams * count; i++)
        pinned[i] = i;
    cudaStream_t stream[streams];
    for (int s = 0; s < streams; s++) {
        CUDA(cudaStreamCreate(&stream[s]));
        CUDA(cudaMalloc(&device[s], bytes));
    }
    // Round trips, each in its stream.
    for (int s = 0; s < streams; s++) {
        CUDA(cudaMemcpyAsync(device[s], pinned + s * count, bytes, cudaMemcpyHostToDevice, stream[s]));
        scale<<<(count + 127) / 128, 128, 0, stream[s]>>>(device[s], count, s + 2);
        CUDA(cudaGetLastError());
        CUDA(cudaMemcpyAsync(pinned + s * count, device[s], bytes, cudaMemcpyDeviceToHost, stream[s]));
    }
    for (int s = 0; s < streams; s++)
        CUDA(cudaStreamSynchronize(stream[s]));
    for (int i = 0; i < streams * count; i++)
        CHECK_EQUAL(pinned[i], i * (i / count + 2));

    // Ordinary memory may be overwritten as soon as the call has returned.
    std::vector<int> ordinary(count, 5), result(count);
    CUDA(cudaMemcpyAsync(device[0], ordinary.data(), bytes, cudaMemcpyHostToDevice, stream[0]));
    for (int &value : ordinary)
        value = -1;
    scale<<<(count + 127) / 128, 128, 0, stream[0]>>>(device[0], count, 10);
    CUDA(cudaMemcpyAsync(device[1], device[0], bytes, cudaMemcpyDeviceToDevice, stream[0]));
    CUDA(cudaMemcpyAsync(result.data(), device[1], bytes, cudaMemcpyDefault, stream[0]));
    CUDA(cudaStreamSynchronize(stream[0]));
    for (int value : result)
        CHECK_EQUAL(value, 50);

    CUDA(cudaMemcpyPeerAsync(device[2], 0, device[1], 0, bytes, stream[1]));
    CUDA(cudaStreamSynchronize(stream[1]));
    CUDA(cudaMemcpy(result.data(), device[2], bytes, cudaMemcpyDeviceToHost));
    CHECK_EQUAL(result[count - 1], 50);
    for (int s = 0; s < streams; s++) {
        CUDA(cudaStreamDestroy(stream[s]));
        CUDA(cudaFree(device[s]));
    }
    CUDA(cudaFreeHost(pinned));
    return check_result();
}
