// Prefix sums over blocks: three kernels, and one with blocks that wait for their predecessors.
#include <vector>

#include "check.h"

enum { THREADS = 128, BLOCKS = 40, COUNT = THREADS * BLOCKS };

static __device__ int scan_block(int value, int *memory)
{
    memory[threadIdx.x] = value;
    __syncthreads();
    for (int distance = 1; distance < THREADS; distance *= 2) {
        int below = threadIdx.x >= distance ? memory[threadIdx.x - distance] : 0;
        __syncthreads();
        memory[threadIdx.x] += below;
        __syncthreads();
    }
    return memory[threadIdx.x];
}

__global__ void scan_blocks(const int *in, int *out, int *totals)
{
    __shared__ int memory[THREADS];
    int i = blockIdx.x * THREADS + threadIdx.x, sum = scan_block(in[i], memory);
    out[i] = sum;
    if (threadIdx.x == THREADS - 1)
        totals[blockIdx.x] = sum;
}

__global__ void scan_totals(int *totals)
{
    __shared__ int memory[THREADS];
    int sum = scan_block(threadIdx.x < BLOCKS ? totals[threadIdx.x] : 0, memory);
    if (threadIdx.x < BLOCKS)
        totals[threadIdx.x] = sum;
}

__global__ void add_totals(int *out, const int *totals)
{
    if (blockIdx.x > 0)
        out[blockIdx.x * THREADS + threadIdx.x] += totals[blockIdx.x - 1];
}

/* Block numbers are drawn, so that a block waits only for blocks that run already. */
__global__ void scan_chained(const int *in, int *out, int *ticket, volatile long long *carries)
{
    __shared__ int memory[THREADS], block, carry;
    if (threadIdx.x == 0)
        block = atomicAdd(ticket, 1);
    __syncthreads();
    int i = block * THREADS + threadIdx.x, sum = scan_block(in[i], memory);
    if (threadIdx.x == THREADS - 1) {
        long long before = 0;
        if (block > 0)
            while (!((before = carries[block - 1]) >> 32)) {}
        carry = (int)before;
        carries[block] = 1LL << 32 | (unsigned)(carry + sum);
    }
    __syncthreads();
    out[i] = sum + carry;
}

int main()
{
    std::vector<int> host(COUNT), result(COUNT);
    for (int i = 0; i < COUNT; i++)
        host[i] = i * 13 % 7;
    int *in, *out, *totals, *ticket;
    long long *carries;
    CUDA(cudaMalloc(&in, COUNT * sizeof(int)));
    CUDA(cudaMalloc(&out, COUNT * sizeof(int)));
    CUDA(cudaMalloc(&totals, BLOCKS * sizeof(int)));
    CUDA(cudaMalloc(&ticket, sizeof(int)));
    CUDA(cudaMalloc(&carries, BLOCKS * sizeof(long long)));
    CUDA(cudaMemcpy(in, host.data(), COUNT * sizeof(int), cudaMemcpyHostToDevice));
    CUDA(cudaMemset(ticket, 0, sizeof(int)));
    CUDA(cudaMemset(carries, 0, BLOCKS * sizeof(long long)));
    auto check = [&] {
        CUDA(cudaMemcpy(result.data(), out, COUNT * sizeof(int), cudaMemcpyDeviceToHost));
        for (int i = 0, sum = 0; i < COUNT; i++)
            CHECK_EQUAL(result[i], sum += host[i]);
    };
    scan_blocks<<<BLOCKS, THREADS>>>(in, out, totals);
    scan_totals<<<1, THREADS>>>(totals);
    add_totals<<<BLOCKS, THREADS>>>(out, totals);
    check();
    CUDA(cudaMemset(out, 0, COUNT * sizeof(int)));
    scan_chained<<<BLOCKS, THREADS>>>(in, out, ticket, carries);
    check();
    return check_result();
}
