/* Which warp a scheduler prefers, on a real GPU: clocks of all warps of an SM along straight code and along loops.
 *
 *     nvcc -O3 -arch=sm_90 order.cu -o order && ./order > h200-order.csv
 *
 * Each warp runs 512 additions that hang on each other and keeps its clock every 64. `loop_N`: after every N of them a branch
 * goes back; `straight`: none does; `dense_N`: four chains, so that a warp alone could fill its scheduler; `load_N`: behind every
 * 64 a load from L2 and what hangs on it; `barrier`: as straight, behind a barrier of the block. All blocks are on one SM.
 * Columns: body; blocks; threads; warp of the SM (by block, then within); scheduler; cycles from the SM's first clock to the
 * warp's first and to its eight others. Launched three times, the last is kept. */
#include <algorithm>
#include <vector>

#include "../caches/caches.cuh"

enum { SUMS = 512, STAMPS = 9, PART = 64 };
enum Kind { PLAIN, DENSE, LOAD, BARRIER };

template <int KIND, int LOOP>
__global__ void go(uint32_t *stamps, uint32_t *sm_of, const uint32_t *memory, float k)
{
    uint32_t clocks[STAMPS], sm, slot;
    float x[4] = {1, 2, 3, 4};
    uint32_t at = threadIdx.x % 32;
    if (KIND == BARRIER)
        __syncthreads();
    clocks[0] = clock();
#pragma unroll
    for (int part = 1; part < STAMPS; part++) {
        if (LOOP < PART) {
#pragma unroll 1
            for (int i = 0; i < PART / LOOP; i++)
#pragma unroll
                for (int j = 0; j < LOOP; j++)
#pragma unroll
                    for (int c = 0; c < (KIND == DENSE ? 4 : 1); c++)
                        asm volatile("add.f32 %0, %0, %1;" : "+f"(x[c]) : "f"(k));
        } else
#pragma unroll
            for (int j = 0; j < PART; j++)
#pragma unroll
                for (int c = 0; c < (KIND == DENSE ? 4 : 1); c++)
                    asm volatile("add.f32 %0, %0, %1;" : "+f"(x[c]) : "f"(k));
        if (KIND == LOAD) {
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(at) : "l"(memory + at + __float_as_uint(x[0]) % 2) : "memory");
            at &= 31;
        }
        asm volatile("{ .reg .pred odd; setp.eq.u32 odd, %0, 0xdeadbeef; @odd trap; }"
                     ::"r"(at + __float_as_uint(x[0] + x[1] + x[2] + x[3])) : "memory");
        clocks[part] = clock();
    }
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(slot));
    if (threadIdx.x % 32 == 0) {
        const uint32_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
        for (int i = 0; i < STAMPS; i++)
            stamps[warp * STAMPS + i] = clocks[i];
        sm_of[warp] = sm << 8 | slot;
    }
}

static uint32_t *stamps, *sms, *memory;

template <int KIND, int LOOP> static void run(const char *name, int blocks, int threads)
{
    const int per_sm = blocks, grid = 132 * blocks, warps = grid * threads / 32;
    std::vector<uint32_t> got(warps * STAMPS), where(warps);
    CHECK(cudaFuncSetAttribute(go<KIND, LOOP>, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    for (int launch = 0; launch < 3; launch++)
        go<KIND, LOOP><<<grid, threads, (200 << 10) / per_sm>>>(stamps, sms, memory, 0.5f);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got.data(), stamps, got.size() * 4, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(where.data(), sms, where.size() * 4, cudaMemcpyDeviceToHost));
    const uint32_t sm = where[0] >> 8;
    uint32_t first = got[0];
    for (int w = 0; w < warps; w++)
        if (where[w] >> 8 == sm && (int32_t)(got[w * STAMPS] - first) < 0)
            first = got[w * STAMPS];
    for (int w = 0, n = 0; w < warps; w++)
        if (where[w] >> 8 == sm) {
            printf("%s,%d,%d,%d,%u", name, blocks, threads, n++, where[w] & 255);
            for (int i = 0; i < STAMPS; i++)
                printf(",%u", got[w * STAMPS + i] - first);
            printf("\n");
        }
}

template <int KIND, int LOOP> static void shapes(const char *name)
{
    run<KIND, LOOP>(name, 1, 512), run<KIND, LOOP>(name, 1, 1024), run<KIND, LOOP>(name, 4, 256);
    run<KIND, LOOP>(name, 2, 1024);
}

int main()
{
    CHECK(cudaMalloc(&stamps, 132 * 64 * STAMPS * 4));
    CHECK(cudaMalloc(&sms, 132 * 64 * 4));
    CHECK(cudaMalloc(&memory, 4096));
    CHECK(cudaMemset(memory, 0, 4096));
    printf("body,blocks,threads,warp,slot,start,at_64,at_128,at_192,at_256,at_320,at_384,at_448,at_512\n");
    shapes<PLAIN, 64>("straight"), shapes<BARRIER, 64>("barrier");
    shapes<PLAIN, 8>("loop_8"), shapes<PLAIN, 16>("loop_16"), shapes<PLAIN, 32>("loop_32");
    shapes<DENSE, 64>("dense_64"), shapes<DENSE, 8>("dense_8"), shapes<LOAD, 64>("load_64"), shapes<LOAD, 8>("load_8");
    return 0;
}
