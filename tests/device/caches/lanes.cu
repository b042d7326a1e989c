/* What loads of 32 different lines take of L1, on a real GPU, by how many of them hit.
 *
 *     nvcc -O3 -arch=sm_90 lanes.cu -o lanes && ./lanes > h200-lanes.csv
 *
 * Each lane of a warp goes along a row of its own, as in a product of a matrix whose rows belong to threads, `step` words
 * at a time: of 8 / step loads the first misses, as a sector has 8 words. Rows are in L2, 128 words long and 129 lines apart, and are
 * gone through `times` times in a row where they stay in L1. `lines`: lanes that share a line are 32 / lines. Four loads are on
 * their way at once. Columns: SMs; warps of an SM; lines of a load; step; times; cycles of the SM that took longest; cycles a
 * load. */
#include <algorithm>
#include <vector>

#include "caches.cuh"

static const int MOST = 132;
enum { WORDS = 128, PITCH = 129 * 32 };

__global__ void walk(const uint32_t *data, uint32_t lines, uint32_t step, uint32_t times, uint32_t *cycles)
{
    const uint32_t warp = blockIdx.x * blockDim.x / 32 + threadIdx.x / 32, lane = threadIdx.x % 32;
    const uint32_t *row = data + (size_t)(warp * lines + lane % lines) * PITCH;
    uint32_t sum = 0;
    __syncthreads();
    const uint32_t start = clock();
    for (uint32_t t = 0; t < times; t++)
        for (uint32_t i = 0; i < WORDS; i += 4 * step) {
            uint32_t got[4];
#pragma unroll
            for (int j = 0; j < 4; j++)
                asm volatile("ld.global.u32 %0, [%1];" : "=r"(got[j]) : "l"(row + i + j * step) : "memory");
            sum |= got[0] | got[1] | got[2] | got[3];
        }
    asm volatile("{ .reg .pred odd; setp.eq.u32 odd, %0, 0xdeadbeef; @odd trap; }" ::"r"(sum) : "memory");
    __syncthreads();
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = clock() - start;
}

int main()
{
    const size_t bytes = (size_t)MOST * 8 * 32 * PITCH * 4;
    uint32_t *data, *cycles;
    CHECK(cudaMalloc(&data, bytes));
    CHECK(cudaMalloc(&cycles, MOST * 4));
    CHECK(cudaMemset(data, 0, bytes));
    printf("sms,warps,lines,step,times,cycles,cycles_a_load\n");
    for (int sms : {1, 16, MOST})
        for (int warps : {1, 4, 8})
            for (uint32_t lines : {1u, 4u, 8u, 16u, 32u})
                for (uint32_t step : {1u, 2u, 4u, 8u})
                    for (uint32_t times : {1u, 16u}) {
                        uint32_t least = UINT32_MAX;
                        for (int round = 0; round < 4; round++) {
                            walk<<<sms, warps * 32>>>(data, lines, step, times, cycles);
                            CHECK(cudaDeviceSynchronize());
                            std::vector<uint32_t> took(sms);
                            CHECK(cudaMemcpy(took.data(), cycles, sms * 4, cudaMemcpyDeviceToHost));
                            least = std::min(least, *std::max_element(took.begin(), took.end()));
                        }
                        const double loads = (double)warps * times * WORDS / step;
                        printf("%d,%d,%u,%u,%u,%u,%.2f\n", sms, warps, lines, step, times, least, least / loads);
                    }
    return 0;
}
