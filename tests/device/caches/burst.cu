/* How long loads from L2 take when all SMs ask at once, by the distance of their lines, on a real GPU.
 *
 *     nvcc -O3 -arch=sm_90 burst.cu -o burst && ./burst > h200-burst.csv
 *
 * Blocks wait for each other; then each of `warps` warps of 132 SMs loads `rounds` lines past L1, each when the last
 * is there. Of warp w of block b in round r it is line f(b, w, r) * distance: `linear` b * warps + w + 132 * warps * r,
 * `turned` 132 w + b + 132 * warps * r, `random` any of a region of 16 MiB. All lines are in L2 and were read by all
 * SMs before. Columns: pattern, warps, distance in bytes, rounds; cycles of a load: tenth, middle, nine tenths, most,
 * mean; cycles of the slowest SM. */
#include <algorithm>
#include <vector>

#include "caches.cuh"

enum { SMS = 132, LINE = 32 /* words */, REGION = 1 << 17 /* lines */ };
enum Pattern { LINEAR, TURNED, RANDOM };
static const char *const names[] = {"linear", "turned", "random"};

static __device__ __forceinline__ uint32_t mix(uint32_t x)
{
    x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu;
    return x ^ x >> 16;
}

__global__ void load(const uint32_t *lines, Pattern pattern, uint32_t distance, uint32_t rounds, uint32_t *arrived,
                     uint32_t *took, uint32_t *spans)
{
    const uint32_t warps = blockDim.x / 32, w = threadIdx.x / 32, b = blockIdx.x, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1);
        while (*(volatile uint32_t *)arrived < SMS)
            ;
    }
    __syncthreads();
    const uint32_t begin = clock();
    uint32_t sum = 0;
    for (uint32_t r = 0; r < rounds; r++) {
        uint32_t at = (pattern == LINEAR ? b * warps + w : SMS * w + b) + SMS * warps * r;
        at = pattern == RANDOM ? mix(at) : at * distance;
        at &= REGION - 1;
        uint32_t value;
        const uint32_t start = clock();
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(lines + (size_t)at * LINE + lane) : "memory");
        asm volatile("{ .reg .pred odd; setp.eq.u32 odd, %0, 0xdeadbeef; @odd trap; }" ::"r"(value) : "memory");
        const uint32_t cycles = clock() - start;
        sum += value;
        if (lane == 0)
            took[(b * warps + w) * rounds + r] = cycles;
    }
    __syncthreads();
    if (threadIdx.x == 0)
        spans[b] = clock() - begin;
    if (sum == 0xdeadbeef)
        took[0] = sum;
}

int main()
{
    uint32_t *lines, *arrived, *took, *spans;
    CHECK(cudaMalloc(&lines, (size_t)REGION * LINE * 4));
    CHECK(cudaMemset(lines, 0, (size_t)REGION * LINE * 4));
    CHECK(cudaMalloc(&arrived, 4));
    CHECK(cudaMalloc(&took, (size_t)SMS * 32 * 64 * 4));
    CHECK(cudaMalloc(&spans, SMS * 4));
    printf("pattern,warps,distance,rounds,tenth,middle,nine_tenths,most,mean,slowest_sm\n");
    for (int pattern : {LINEAR, TURNED, RANDOM})
        for (int warps : {1, 8, 32})
            for (int distance : {1, 2, 4, 8, 16, 32, 64, 512})
                for (int rounds : {1, 32}) {
                    if (pattern == RANDOM && distance > 1)
                        continue;
                    std::vector<uint32_t> all(SMS * warps * rounds), span(SMS);
                    for (int round = 0; round < 3; round++) {
                        CHECK(cudaMemset(arrived, 0, 4));
                        load<<<SMS, warps * 32>>>(lines, (Pattern)pattern, distance, rounds, arrived, took, spans);
                        CHECK(cudaDeviceSynchronize());
                    }
                    CHECK(cudaMemcpy(all.data(), took, all.size() * 4, cudaMemcpyDeviceToHost));
                    CHECK(cudaMemcpy(span.data(), spans, SMS * 4, cudaMemcpyDeviceToHost));
                    std::sort(all.begin(), all.end());
                    double sum = 0;
                    for (uint32_t t : all)
                        sum += t;
                    const size_t n = all.size();
                    printf("%s,%d,%d,%d,%u,%u,%u,%u,%.1f,%u\n", names[pattern], warps, distance * 128, rounds, all[n / 10],
                           all[n / 2], all[n * 9 / 10], all[n - 1], sum / n, *std::max_element(span.begin(), span.end()));
                }
    return 0;
}
