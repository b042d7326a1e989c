// How many blocks fit on an SM, and which block size the runtime would choose.
#include "check.h"

__global__ void small(int *out) { out[threadIdx.x] = threadIdx.x; }

__global__ void with_shared(int *out)
{
    __shared__ int memory[4096]; // 16 KiB
    memory[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = memory[blockDim.x - 1 - threadIdx.x];
}

extern __shared__ int dynamic[];
__global__ void with_dynamic(int *out) { out[threadIdx.x] = dynamic[threadIdx.x]; }

int main()
{
    cudaDeviceProp device;
    CUDA(cudaGetDeviceProperties(&device, 0));
    int blocks;
    for (int threads = 64; threads <= 1024; threads *= 2) {
        CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, small, threads, 0));
        int by_threads = device.maxThreadsPerMultiProcessor / threads;
        CHECK_EQUAL(blocks, by_threads < device.maxBlocksPerMultiProcessor
                                ? by_threads
                                : device.maxBlocksPerMultiProcessor);
    }
    // Shared memory is the limit: 16 KiB and the system's share for each block.
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, with_shared, 64, 0));
    CHECK_EQUAL(blocks, device.sharedMemPerMultiprocessor / (16384 + device.reservedSharedMemPerBlock));
    CUDA(cudaFuncSetAttribute(with_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              (int)device.sharedMemPerBlockOptin));
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        &blocks, with_dynamic, 64, device.sharedMemPerBlockOptin, cudaOccupancyDefault));
    CHECK_EQUAL(blocks, 1);
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, with_dynamic, 64, 32 * 1024));
    CHECK_EQUAL(blocks, device.sharedMemPerMultiprocessor / (32 * 1024 + device.reservedSharedMemPerBlock));

    int least_grid, best;
    CUDA(cudaOccupancyMaxPotentialBlockSize(&least_grid, &best, small, 0, 0));
    CHECK(best >= 32 && best <= 1024);
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, small, best, 0));
    CHECK_EQUAL(blocks * best, device.maxThreadsPerMultiProcessor);
    CHECK_EQUAL(least_grid, blocks * device.multiProcessorCount);
    CUDA(cudaOccupancyMaxPotentialBlockSize(&least_grid, &best, small, 0, 128));
    CHECK(best <= 128);

    size_t available;
    CUDA(cudaOccupancyAvailableDynamicSMemPerBlock(&available, with_dynamic, 2, 128));
    CHECK(available > 48 * 1024 && available <= device.sharedMemPerMultiprocessor / 2);
    CUDA_FAILS(cudaErrorInvalidValue, cudaOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, small, 128, 0));
    return check_result();
}
