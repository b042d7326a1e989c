// nvcc: -gencode arch=compute_90,code=[sm_90,compute_90] -gencode arch=compute_75,code=compute_75 -maxrregcount 40
// A program with machine code for the GPU has the registers that its assembler gave it. That it was told to use
// 40 at the most, and then keeps what is left in local memory, stands nowhere in the PTX.
#include "check.h"

// 100 values that all change in each round, so that none can be left for later.
__global__ void greedy(float *out, int rounds)
{
    float values[100];
#pragma unroll
    for (int i = 0; i < 100; i++)
        values[i] = out[i * 32 + threadIdx.x];
    for (int round = 0; round < rounds; round++) {
#pragma unroll
        for (int i = 0; i < 100; i++)
            values[i] = values[i] * values[(i + 37) % 100] + 1;
    }
#pragma unroll
    for (int i = 0; i < 100; i++)
        out[i * 32 + threadIdx.x] = values[i];
}

__global__ void modest(float *out) { out[threadIdx.x] += 1; }

int main()
{
    cudaDeviceProp device;
    cudaFuncAttributes greedy_needs, modest_needs;
    int blocks = 0;
    CUDA(cudaGetDeviceProperties(&device, 0));
    CUDA(cudaFuncGetAttributes(&greedy_needs, greedy));
    CUDA(cudaFuncGetAttributes(&modest_needs, modest));
    printf("greedy: %d registers, %zu bytes; modest: %d registers\n", greedy_needs.numRegs,
           greedy_needs.localSizeBytes, modest_needs.numRegs);
    CHECK(modest_needs.numRegs < 16);
    CHECK_EQUAL(modest_needs.localSizeBytes, 0);
    if (device.major != 9) // the PTX is compiled, which has no limit
        return check_result();
    CHECK_EQUAL(greedy_needs.numRegs, 40);
    CHECK(greedy_needs.localSizeBytes >= 60 * sizeof(float));
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, greedy, 256, 0));
    CHECK_EQUAL(blocks, device.regsPerMultiprocessor / (40 * 256));

    float *memory, host[3200];
    CUDA(cudaMalloc(&memory, sizeof host));
    CUDA(cudaMemset(memory, 0, sizeof host));
    greedy<<<1, 32>>>(memory, 1);
    modest<<<1, 32>>>(memory);
    CUDA(cudaMemcpy(host, memory, sizeof host, cudaMemcpyDeviceToHost));
    CHECK_EQUAL(host[0], 2);
    CHECK_EQUAL(host[32], 1);
    CUDA(cudaFree(memory));
    return check_result();
}
