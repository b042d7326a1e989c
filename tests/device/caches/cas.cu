/* What compare-and-swap takes beside sums, on a real GPU.
 *
 *     nvcc -O3 -arch=sm_90 cas.cu -o cas && ./cas > h200-cas.csv
 *
 * Each warp does 64 atomics on 64 words in 2 lines or on words of its own, `group` neighbouring lanes at one word; a
 * compare-and-swap never (`fails`) or always finds what it wants, or each lane but one fails (`races`). Columns:
 * what; blocks; warps of a block; lanes at one word; words in all; cycles an instruction of the slowest SM. */
#include <algorithm>
#include <vector>

#include "caches.cuh"

enum What { ADD, CAS_FAILS, CAS_RACES, MAX, EXCH };
static const char *const names[] = {"add", "cas_fails", "cas_races", "max", "exch"};
enum { TIMES = 64 };

__global__ void act(uint32_t *words, What what, uint32_t group, uint32_t mask, uint32_t *cycles)
{
    const uint32_t warp = blockIdx.x * blockDim.x / 32 + threadIdx.x / 32, lane = threadIdx.x % 32;
    uint32_t sum = 0, seen = 0;
    const uint32_t start = clock();
    for (uint32_t i = 0; i < TIMES; i++) {
        uint32_t *at = words + (((warp * TIMES + i) * 5 + lane / group) & mask), value = 0;
        if (what == ADD)
            value = atomicAdd(at, 1);
        else if (what == MAX)
            value = atomicMax(at, sum & 1);
        else if (what == EXCH)
            value = atomicExch(at, lane);
        else if (what == CAS_FAILS)
            value = atomicCAS(at, 0xffffffff, 1);
        else
            value = atomicCAS(at, seen, seen + lane), seen = value;
        asm volatile("{ .reg .pred odd; setp.eq.u32 odd, %1, 0xdeadbeef; @odd trap; add.u32 %0, %0, %1; }"
                     : "+r"(sum)
                     : "r"(value)
                     : "memory");
    }
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = clock() - start;
    if (sum == 0xdeadbeef)
        words[0] = sum;
}

int main()
{
    uint32_t *words, *cycles;
    CHECK(cudaMalloc(&words, 64 << 20));
    CHECK(cudaMalloc(&cycles, 4096));
    printf("what,blocks,warps,group,words,cycles\n");
    for (int what = 0; what < 5; what++)
        for (int blocks : {1, 132})
            for (int warps : {1, 8})
                for (uint32_t group : {1u, 4u, 7u, 32u})
                    for (uint32_t count : {64u, 1u << 20}) {
                        CHECK(cudaMemset(words, 0, 64 << 20));
                        uint32_t most = 0;
                        for (int round = 0; round < 2; round++) {
                            act<<<blocks, warps * 32>>>(words, (What)what, group, count - 1, cycles);
                            CHECK(cudaDeviceSynchronize());
                            std::vector<uint32_t> took(blocks);
                            CHECK(cudaMemcpy(took.data(), cycles, blocks * 4, cudaMemcpyDeviceToHost));
                            most = *std::max_element(took.begin(), took.end());
                        }
                        printf("%s,%d,%d,%u,%u,%.1f\n", names[what], blocks, warps, group, count, most / (double)TIMES);
                    }
    return 0;
}
