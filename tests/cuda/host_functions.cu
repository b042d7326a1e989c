// Host functions and callbacks run in their stream's order, between copies and kernels.
#include <vector>

#include "check.h"

struct Log {
    std::vector<int> entries;
    int *pinned;
};

__global__ void twice(int *value) { *value *= 2; }

static void CUDART_CB note(void *context)
{
    Log *log = (Log *)context;
    log->entries.push_back(*log->pinned);
    *log->pinned += 1;
}

static void CUDART_CB called_back(cudaStream_t, cudaError_t status, void *context)
{
    Log *log = (Log *)context;
    log->entries.push_back(status == cudaSuccess ? 1000 : -1);
}

int main()
{
    Log log;
    int *device;
    CUDA(cudaMallocHost(&log.pinned, sizeof(int)));
    CUDA(cudaMalloc(&device, sizeof(int)));
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    *log.pinned = 1;
    for (int round = 0; round < 3; round++) {
        CUDA(cudaMemcpyAsync(device, log.pinned, sizeof(int), cudaMemcpyHostToDevice, stream));
        twice<<<1, 1, 0, stream>>>(device);
        CUDA(cudaMemcpyAsync(log.pinned, device, sizeof(int), cudaMemcpyDeviceToHost, stream));
        CUDA(cudaLaunchHostFunc(stream, note, &log)); // doubles were noted, and grow by one
    }
    CUDA(cudaStreamAddCallback(stream, called_back, &log, 0));
    CUDA(cudaStreamSynchronize(stream));
    // 1 -> 2, 3 -> 6, 7 -> 14
    CHECK_EQUAL(log.entries.size(), 4);
    if (log.entries.size() == 4) {
        CHECK_EQUAL(log.entries[0], 2);
        CHECK_EQUAL(log.entries[1], 6);
        CHECK_EQUAL(log.entries[2], 14);
        CHECK_EQUAL(log.entries[3], 1000);
    }
    CHECK_EQUAL(*log.pinned, 15);

    // Nobody asked for this one's stream, but for all.
    CUDA(cudaLaunchHostFunc(stream, note, &log));
    CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(*log.pinned, 16);
    CUDA_FAILS(cudaErrorInvalidValue, cudaLaunchHostFunc(stream, nullptr, &log));
    CUDA(cudaStreamDestroy(stream));
    CUDA(cudaFreeHost(log.pinned));
    return check_result();
}
