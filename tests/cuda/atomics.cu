// Atomic operations of every kind and type, on global and shared memory.
#include <cuda_fp16.h>

#include "check.h"

struct Cells {
    int i_add, i_sub, i_min, i_max, i_and, i_or, i_xor, i_exchange, i_lock;
    unsigned u_add, u_increment, u_decrement, u_min, u_max, shared_sum;
    unsigned long long l_add, l_min, l_max, l_or, l_cas_sum;
    long long s_max;
    float f_add, f_exchange;
    double d_add;
    int locked_sum, blocks_done, system_add, block_add;
    __half2 h_add;
};

enum { BLOCKS = 8, THREADS = 128, ALL = BLOCKS * THREADS };

__global__ void run(Cells *cells)
{
    unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&cells->i_add, -1);
    atomicSub(&cells->i_sub, 2);
    atomicMin(&cells->i_min, 500 - (int)id);
    atomicMax(&cells->i_max, (int)id - 500);
    atomicAnd(&cells->i_and, ~(1 << id % 16));
    atomicOr(&cells->i_or, 1 << id % 16);
    atomicXor(&cells->i_xor, (int)id);
    atomicExch(&cells->i_exchange, 77);
    atomicAdd(&cells->u_add, id);
    atomicInc(&cells->u_increment, 99);
    atomicDec(&cells->u_decrement, 99);
    atomicMin(&cells->u_min, id + 3u);
    atomicMax(&cells->u_max, id);
    atomicAdd(&cells->l_add, 1ull << 32);
    atomicMin(&cells->l_min, (1ull << 40) + id);
    atomicMax(&cells->l_max, (1ull << 40) + id);
    atomicMax(&cells->s_max, -(long long)id);
    atomicOr(&cells->l_or, 1ull << id % 64);
    atomicAdd(&cells->f_add, 0.5f);
    atomicExch(&cells->f_exchange, 2.5f);
    atomicAdd(&cells->d_add, 0.25);
    atomicAdd(&cells->h_add, __floats2half2_rn(id < 64, id < 32 ? 0.5f : 0.0f));
    atomicAdd_system(&cells->system_add, 1);
    atomicAdd_block(&cells->block_add + 0 * blockIdx.x, blockIdx.x == 0);

    // A sum by compare and swap.
    unsigned long long seen = cells->l_cas_sum, expected;
    do {
        expected = seen;
        seen = atomicCAS(&cells->l_cas_sum, expected, expected + id);
    } while (seen != expected);

    __shared__ unsigned sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(&cells->shared_sum, sum);
        // A lock: one block after the other.
        while (atomicCAS(&cells->i_lock, 0, 1) != 0) {}
        __threadfence();
        volatile int *locked = &cells->locked_sum;
        *locked = *locked + 1;
        __threadfence();
        atomicExch(&cells->i_lock, 0);
        atomicAdd(&cells->blocks_done, 1);
    }
}

int main()
{
    Cells host = {}, *cells;
    host.i_and = 0x1ffff;
    host.l_min = ~0ull;
    host.u_min = ~0u;
    host.s_max = -1000000;
    CUDA(cudaMalloc(&cells, sizeof host));
    CUDA(cudaMemcpy(cells, &host, sizeof host, cudaMemcpyHostToDevice));
    run<<<BLOCKS, THREADS>>>(cells);
    CUDA(cudaMemcpy(&host, cells, sizeof host, cudaMemcpyDeviceToHost));
    unsigned sum = ALL * (ALL - 1) / 2;
    CHECK_EQUAL(host.i_add, -ALL);
    CHECK_EQUAL(host.i_sub, -2 * ALL);
    CHECK_EQUAL(host.i_min, 500 - (ALL - 1));
    CHECK_EQUAL(host.i_max, ALL - 1 - 500);
    CHECK_EQUAL(host.i_and, 0x10000);
    CHECK_EQUAL(host.i_or, 0xffff);
    CHECK_EQUAL(host.i_xor, 0);
    CHECK_EQUAL(host.i_exchange, 77);
    CHECK_EQUAL(host.u_add, sum);
    CHECK_EQUAL(host.u_increment, ALL % 100);
    CHECK_EQUAL(host.u_decrement, (100 - ALL % 100) % 100);
    CHECK_EQUAL(host.u_min, 3);
    CHECK_EQUAL(host.u_max, ALL - 1);
    CHECK_EQUAL(host.l_add, (unsigned long long)ALL << 32);
    CHECK_EQUAL(host.l_min, 1ull << 40);
    CHECK_EQUAL(host.l_max, (1ull << 40) + ALL - 1);
    CHECK_EQUAL(host.s_max, 0);
    CHECK(host.l_or == ~0ull);
    CHECK_EQUAL(host.l_cas_sum, sum);
    CHECK_EQUAL(host.f_add, ALL * 0.5f);
    CHECK_EQUAL(host.f_exchange, 2.5f);
    CHECK_EQUAL(host.d_add, ALL * 0.25);
    CHECK_EQUAL(__low2float(host.h_add), 64.0f);
    CHECK_EQUAL(__high2float(host.h_add), 16.0f);
    CHECK_EQUAL(host.system_add, ALL);
    CHECK_EQUAL(host.block_add, THREADS);
    CHECK_EQUAL(host.shared_sum, BLOCKS * THREADS * (THREADS - 1) / 2);
    CHECK_EQUAL(host.locked_sum, BLOCKS);
    CHECK_EQUAL(host.blocks_done, BLOCKS);
    return check_result();
}
