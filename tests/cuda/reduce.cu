// Reductions as programs write them: in shared memory, by shuffles, and with the last block finishing.
#include "check.h"

enum { COUNT = 20000, BLOCKS = 16, THREADS = 256 };

__device__ unsigned finished;

__global__ void in_shared(const int *values, int *sums)
{
    __shared__ int memory[THREADS];
    int sum = 0;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < COUNT; i += BLOCKS * THREADS)
        sum += values[i];
    memory[threadIdx.x] = sum;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            memory[threadIdx.x] += memory[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = memory[0];
}

__global__ void in_one_launch(const int *values, volatile int *partial, int *result)
{
    __shared__ int of_warps[THREADS / 32];
    __shared__ bool last;
    int sum = 0;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < COUNT; i += BLOCKS * THREADS)
        sum += values[i];
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, distance);
    if (threadIdx.x % 32 == 0)
        of_warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        int total = 0;
        for (int warp = 0; warp < THREADS / 32; warp++)
            total += of_warps[warp];
        partial[blockIdx.x] = total;
        __threadfence();
        last = atomicInc(&finished, BLOCKS - 1) == BLOCKS - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int total = 0;
        for (int block = 0; block < BLOCKS; block++)
            total += partial[block];
        *result = total;
    }
}

int main()
{
    static int host[COUNT];
    int expected = 0;
    for (int i = 0; i < COUNT; i++)
        expected += host[i] = i * 31 % 1000 - 300;
    int *values, *sums, *result, partial[BLOCKS], total = 0;
    CUDA(cudaMalloc(&values, sizeof host));
    CUDA(cudaMalloc(&sums, sizeof partial));
    CUDA(cudaMalloc(&result, sizeof *result));
    CUDA(cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice));
    in_shared<<<BLOCKS, THREADS>>>(values, sums);
    CUDA(cudaMemcpy(partial, sums, sizeof partial, cudaMemcpyDeviceToHost));
    for (int sum : partial)
        total += sum;
    CHECK_EQUAL(total, expected);
    for (int round = 0; round < 3; round++) {
        CUDA(cudaMemset(result, 0, sizeof *result));
        in_one_launch<<<BLOCKS, THREADS>>>(values, sums, result);
        CUDA(cudaMemcpy(&total, result, sizeof total, cudaMemcpyDeviceToHost));
        CHECK_EQUAL(total, expected);
    }
    return check_result();
}
