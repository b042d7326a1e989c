/* In which turns the schedulers of an SM issue: when each of its warps ends if all do the same, on a real GPU.
 *
 *     nvcc -O3 -arch=sm_90 turns.cu -o turns && ./turns > h200-turns.csv
 *
 * All warps of one SM start behind a barrier, run 128 rounds of a body and keep their clocks at the end of each. Bodies:
 * `chain`, 8 sums that hang on each other; `two` and `four`, 8 rounds of as many chains; `mixed`, what a generator of random
 * numbers does; `shared`, loads of shared memory by whose values the next are addressed; `l1` and `l2`, the same of global
 * memory; `streams`, four loads at once from L2. Columns: body; warps; scheduler (a warp's number mod 4); warp; cycles from the
 * first start on the SM to its own start, and to its ends of a quarter, half, three quarters and all of its rounds. */
#include <algorithm>
#include <vector>

#include "../caches/caches.cuh"

enum Body { CHAIN, TWO, FOUR, MIXED, SHARED, L1, L2, STREAMS, BODIES };
static const char *const names[] = {"chain", "two", "four", "mixed", "shared", "l1", "l2", "streams"};
enum { ROUNDS = 128, STAMPS = 5, WORDS = 1024 };

template <int BODY>
__global__ void take_turns(uint32_t *memory, uint32_t mask, uint32_t *stamps, uint32_t *out)
{
    __shared__ uint32_t words[WORDS];
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    uint32_t state = threadIdx.x * 747796405u + 2891336453u, count = 0, at = lane, sum = 0;
    float x[4] = {1, 2, 3, 4};
    const float k = __uint_as_float(mask);
    for (uint32_t i = threadIdx.x; i < WORDS; i += blockDim.x)
        words[i] = i % 32;
    if (BODY == L1)
        sum = memory[lane];
    __syncthreads();
    uint32_t clocks[STAMPS];
    clocks[0] = clock();
#pragma unroll
    for (int quarter = 1; quarter < STAMPS; quarter++) {
#pragma unroll 1
        for (int round = 0; round < ROUNDS / 4; round++) {
            if (BODY == CHAIN || BODY == TWO || BODY == FOUR)
#pragma unroll
                for (int i = 0; i < 8; i++)
#pragma unroll
                    for (int j = 0; j < (BODY == CHAIN ? 1 : BODY == TWO ? 2 : 4); j++)
                        asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x[j]) : "f"(k));
            if (BODY == MIXED) {
                state ^= state << 13, state ^= state >> 17, state ^= state << 5;
                const uint32_t a = state & 0xffff, b = state >> 16;
                count += (unsigned long long)a * a + (unsigned long long)b * b < 0x100000000ull;
            }
            if (BODY == SHARED)
                at = ((volatile uint32_t *)words)[at];
            if (BODY == L1)
                asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(at) : "l"(memory + at) : "memory");
            if (BODY == L2)
                asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(at) : "l"(memory + at) : "memory");
            if (BODY == STREAMS) {
                uint32_t got[4];
#pragma unroll
                for (int j = 0; j < 4; j++)
                    asm volatile("ld.global.cg.u32 %0, [%1];"
                                 : "=r"(got[j]) : "l"(memory + ((round * 4 + j) * 32 + at & mask)) : "memory");
                at = lane + (got[0] | got[1] | got[2] | got[3]) / 64;
            }
        }
        asm volatile("{ .reg .pred odd; setp.eq.u32 odd, %0, 0xdeadbeef; @odd trap; }"
                     ::"r"(at + count + __float_as_uint(x[0] + x[1] + x[2] + x[3]) + sum) : "memory");
        clocks[quarter] = clock();
    }
    if (lane == 0)
        for (int i = 0; i < STAMPS; i++)
            stamps[warp * STAMPS + i] = clocks[i];
    if (at == 0xdeadbeef)
        *out = at;
}

template <int BODY> static void run(int warps)
{
    static uint32_t *memory, *stamps;
    if (!memory) {
        std::vector<uint32_t> host(65536);
        for (size_t i = 0; i < host.size(); i++)
            host[i] = i % 32;
        CHECK(cudaMalloc(&memory, host.size() * 4));
        CHECK(cudaMalloc(&stamps, 32 * STAMPS * 4));
        CHECK(cudaMemcpy(memory, host.data(), host.size() * 4, cudaMemcpyHostToDevice));
    }
    std::vector<uint32_t> got(warps * STAMPS);
    for (int launch = 0; launch < 3; launch++)
        take_turns<BODY><<<1, warps * 32>>>(memory, 16383, stamps, memory);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got.data(), stamps, got.size() * 4, cudaMemcpyDeviceToHost));
    uint32_t first = got[0];
    for (int w = 1; w < warps; w++)
        if ((int32_t)(got[w * STAMPS] - first) < 0)
            first = got[w * STAMPS];
    for (int scheduler = 0; scheduler < 4; scheduler++)
        for (int w = scheduler; w < warps; w += 4) {
            printf("%s,%d,%d,%d", names[BODY], warps, scheduler, w);
            for (int i = 0; i < STAMPS; i++)
                printf(",%u", got[w * STAMPS + i] - first);
            printf("\n");
        }
}

template <int BODY> static void run_all()
{
    for (int warps : {8, 16, 32})
        run<BODY>(warps);
}

int main()
{
    printf("body,warps,scheduler,warp,start,quarter,half,three_quarters,end\n");
    run_all<CHAIN>(), run_all<TWO>(), run_all<FOUR>(), run_all<MIXED>();
    run_all<SHARED>(), run_all<L1>(), run_all<L2>(), run_all<STREAMS>();
    return 0;
}
