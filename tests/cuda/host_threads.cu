// Host threads, each with its own stream, memory and errors.
#include <atomic>
#include <thread>
#include <vector>

#include "check.h"

enum { THREADS = 4, ROUNDS = 5, COUNT = 2000 };

__device__ unsigned shared_counter;
static std::atomic<int> wrong;

__global__ void mix(unsigned *values, int count, unsigned seed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    values[i] = values[i] * 2654435761u + seed;
    if (i == 0)
        atomicAdd(&shared_counter, 1);
}

static void work(unsigned seed)
{
    std::vector<unsigned> host(COUNT), expected(COUNT);
    for (unsigned i = 0; i < COUNT; i++)
        host[i] = expected[i] = i;
    cudaStream_t stream;
    unsigned *device;
    bool fine = cudaStreamCreate(&stream) == cudaSuccess &&
                cudaMalloc(&device, COUNT * sizeof(unsigned)) == cudaSuccess;
    for (int round = 0; fine && round < ROUNDS; round++) {
        fine &= cudaMemcpyAsync(device, host.data(), COUNT * sizeof(unsigned), cudaMemcpyHostToDevice,
                                stream) == cudaSuccess;
        mix<<<(COUNT + 127) / 128, 128, 0, stream>>>(device, COUNT, seed);
        fine &= cudaGetLastError() == cudaSuccess;
        fine &= cudaMemcpyAsync(host.data(), device, COUNT * sizeof(unsigned), cudaMemcpyDeviceToHost,
                                stream) == cudaSuccess;
        fine &= cudaStreamSynchronize(stream) == cudaSuccess;
        for (unsigned &value : expected)
            value = value * 2654435761u + seed;
    }
    // An error of this thread alone.
    fine &= cudaFree((void *)0x8) == cudaErrorInvalidValue && cudaGetLastError() == cudaErrorInvalidValue;
    fine &= cudaFree(device) == cudaSuccess && cudaStreamDestroy(stream) == cudaSuccess;
    if (!fine || host != expected)
        wrong++;
}

int main()
{
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < THREADS; i++)
        threads.emplace_back(work, 17 * i + 1);
    for (std::thread &thread : threads)
        thread.join();
    CHECK_EQUAL(wrong.load(), 0);
    CHECK_EQUAL(cudaGetLastError(), cudaSuccess);
    unsigned counted;
    CUDA(cudaMemcpyFromSymbol(&counted, shared_counter, sizeof counted));
    CHECK_EQUAL(counted, THREADS * ROUNDS);
    return check_result();
}
