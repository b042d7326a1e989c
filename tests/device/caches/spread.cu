/* At what rate atomics are done that are spread over many lines, on a real GPU.
 *
 *     nvcc -O3 -arch=sm_90 spread.cu -o spread && ./spread > h200-spread.csv
 *
 * Warps add to words by chance: `lanes` neighbouring lanes of a warp have neighbouring words, in one of `lines`
 * lines of 128 bytes, which are in L2. What is added to is drawn before, and held in registers. Four atomics of a warp are on
 * their way at once; a launch begins when all its warps have met. `red` forgets the value, `atom` waits for it. Columns:
 * what; SMs; warps of an SM; lanes at neighbouring words; lines; words that lanes begin at (`any` of a line or the
 * `first`); cycles of the SM that took longest; warp instructions of all SMs in a cycle. */
#include <algorithm>
#include <vector>

#include "caches.cuh"

enum What { RED, ATOM, RED_FLOAT, RED_MAX };
static const char *const names[] = {"red", "atom", "red_float", "red_max"};
static const int MOST = 132;
enum { TIMES = 64 };

static __device__ __forceinline__ uint32_t mix(uint32_t x)
{
    x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu;
    return x ^ x >> 16;
}

__global__ void act(uint32_t *words, What what, uint32_t lanes, uint32_t lines, bool any, uint32_t *met,
                    uint32_t *cycles)
{
    const uint32_t warp = blockIdx.x * blockDim.x / 32 + threadIdx.x / 32, lane = threadIdx.x % 32;
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(met, 1);
        while (*(volatile uint32_t *)met < gridDim.x)
            ;
    }
    __syncthreads();
    const uint32_t start = clock();
    uint32_t sum = 0;
    for (uint32_t i = 0; i < TIMES; i++) {
        const uint32_t chance = mix((warp * TIMES + i) * 32 + lane / lanes);
        const uint32_t within = any ? mix(chance) % (33 - lanes) : 0;
        uint32_t *at = words + (chance % lines) * 32 + within + lane % lanes;
        if (what == RED)
            asm volatile("red.global.add.u32 [%0], 1;" ::"l"(at) : "memory");
        else if (what == RED_FLOAT)
            asm volatile("red.global.add.f32 [%0], 0f3f800000;" ::"l"(at) : "memory");
        else if (what == RED_MAX)
            asm volatile("red.global.max.u32 [%0], %1;" ::"l"(at), "r"(i) : "memory");
        else
            asm volatile("{ .reg .u32 old; atom.global.add.u32 old, [%1], 1; add.u32 %0, %0, old; }"
                         : "+r"(sum)
                         : "l"(at)
                         : "memory");
    }
    uint32_t last;
    asm volatile("atom.global.add.u32 %0, [%1], 0;" : "=r"(last) : "l"(words + lane) : "memory");
    asm volatile("{ .reg .pred odd; setp.eq.u32 odd, %0, 0xdeadbeef; @odd trap; }" ::"r"(sum + last) : "memory");
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = clock() - start;
}

static void run(What what, int sms, int warps, uint32_t lanes, uint32_t lines, bool any)
{
    static uint32_t *words, *met, *cycles;
    if (!words) {
        CHECK(cudaMalloc(&words, 64 << 20));
        CHECK(cudaMalloc(&met, 4));
        CHECK(cudaMalloc(&cycles, 4 * MOST));
    }
    uint32_t least = UINT32_MAX;
    for (int round = 0; round < 3; round++) {
        CHECK(cudaMemset(words, 0, (size_t)lines * 128));
        CHECK(cudaMemset(met, 0, 4));
        act<<<sms, warps * 32>>>(words, what, lanes, lines, any, met, cycles);
        CHECK(cudaDeviceSynchronize());
        std::vector<uint32_t> took(sms);
        CHECK(cudaMemcpy(took.data(), cycles, sms * 4, cudaMemcpyDeviceToHost));
        least = std::min(least, *std::max_element(took.begin(), took.end()));
    }
    printf("%s,%d,%d,%u,%u,%s,%u,%.4f\n", names[what], sms, warps, lanes, lines, any ? "any" : "first", least,
           (double)sms * warps * TIMES / least);
}

int main()
{
    printf("what,sms,warps,lanes,lines,words,cycles,instructions\n");
    for (What what : {RED, ATOM, RED_FLOAT, RED_MAX})
        for (uint32_t lines : {64u, 512u, 4096u, 65536u})
            for (uint32_t lanes : {1u, 2u, 8u, 32u})
                run(what, MOST, 16, lanes, lines, true);
    for (uint32_t lanes : {1u, 2u, 4u, 8u, 16u, 32u})
        for (int sms : {1, 2, 8, 32, MOST})
            for (int warps : {1, 4, 32})
                run(RED, sms, warps, lanes, 65536, false);
    for (int sms : {1, 8, MOST})
        for (int warps : {1, 4, 32})
            run(ATOM, sms, warps, 1, 512, true), run(RED, sms, warps, 1, 512, true);
    return 0;
}
