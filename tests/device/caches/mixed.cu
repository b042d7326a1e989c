/* What loops of loads and a store take of an SM's L1, on a real GPU.
 *
 *     nvcc -O3 -arch=sm_90 mixed.cu -o mixed && ./mixed > h200-mixed.csv
 *
 * As products of a matrix and a vector do whose sums are in memory: each round of a warp loads `uniform` words that all lanes
 * share, then a word of `lines` lines, adds them to a sum, and stores that: `none`; `word`: all lanes the same; `line`: a
 * word for each lane, in one line; `lanes`: each in a line of its own; `red`: as line, but added there. `hit`: lines are
 * in L1, `miss`: each lane goes along a row in L2, so that every eighth round misses. `at_once`: rounds whose loads
 * are on their way together. Columns: warps of a block; blocks; lines; uniform; store; hit or miss; at once; cycles of the
 * slowest block a round, and a round and warp. */
#include <algorithm>
#include <vector>

#include "caches.cuh"

enum Store { NONE, WORD, LINE, LANES, RED, STORES };
static const char *const names[] = {"none", "word", "line", "lanes", "red"};
enum { PITCH = 129 * 32, ROUNDS = 256, MOST_WARPS = 16 };

template <int STORE, int AT_ONCE>
__global__ void go(const float *data, const float *vector, float *sums, uint32_t lines, uint32_t uniform, uint32_t step,
                   uint32_t *cycles)
{
    const uint32_t lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const float *row = data + (size_t)(warp * 32 + lane % lines) * PITCH;
    float *to = sums + (STORE == WORD ? warp * 32 : STORE == LANES ? (size_t)(warp * 32 + lane) * 32 : warp * 32 + lane);
    float sum = 0;
    uint32_t start = 0;
    for (int32_t round = -64; round < ROUNDS; round += AT_ONCE) {
        if (round == 0) {
            __syncthreads();
            start = clock();
        }
        float got[AT_ONCE], factor[AT_ONCE];
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++) {
            factor[j] = 1;
            const uint32_t at = (uint32_t)(round + 64 + j) * step;
            if (uniform)
                asm volatile("ld.global.f32 %0, [%1];" : "=f"(factor[j]) : "l"(vector + at) : "memory");
            asm volatile("ld.global.f32 %0, [%1];" : "=f"(got[j]) : "l"(row + at) : "memory");
        }
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++) {
            sum += got[j] * factor[j];
            if (STORE == RED)
                asm volatile("red.global.add.f32 [%0], %1;" ::"l"(to), "f"(sum) : "memory");
            else if (STORE != NONE)
                asm volatile("st.global.f32 [%0], %1;" ::"l"(to), "f"(sum) : "memory");
        }
    }
    asm volatile("{ .reg .pred odd; setp.eq.f32 odd, %0, 0f42280000; @odd trap; }" ::"f"(sum) : "memory");
    __syncthreads();
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = clock() - start;
}

static float *data, *sums;
static uint32_t *cycles;

template <int STORE, int AT_ONCE> static void run(int warps, int blocks, uint32_t lines, uint32_t uniform, uint32_t step)
{
    uint32_t least = UINT32_MAX;
    for (int again = 0; again < 3; again++) {
        go<STORE, AT_ONCE><<<blocks, warps * 32>>>(data, data, sums, lines, uniform, step, cycles);
        CHECK(cudaDeviceSynchronize());
        std::vector<uint32_t> took(blocks);
        CHECK(cudaMemcpy(took.data(), cycles, blocks * 4, cudaMemcpyDeviceToHost));
        least = std::min(least, *std::max_element(took.begin(), took.end()));
    }
    printf("%d,%d,%u,%u,%s,%s,%d,%.2f,%.2f\n", warps, blocks, lines, uniform, names[STORE], step ? "miss" : "hit", AT_ONCE,
           (double)least / ROUNDS, (double)least / ROUNDS / warps);
    fflush(stdout);
}

template <int STORE> static void run_all(int warps, int blocks)
{
    for (uint32_t lines : {1u, 8u, 32u})
        for (uint32_t uniform : {0u, 1u})
            for (uint32_t step : {0u, 1u}) {
                run<STORE, 1>(warps, blocks, lines, uniform, step);
                run<STORE, 4>(warps, blocks, lines, uniform, step);
            }
}

int main()
{
    const size_t bytes = (size_t)4 * MOST_WARPS * 32 * PITCH * 4;
    CHECK(cudaMalloc(&data, bytes));
    CHECK(cudaMalloc(&sums, 4 * MOST_WARPS * 32 * 128));
    CHECK(cudaMalloc(&cycles, 4 * 4));
    CHECK(cudaMemset(data, 0, bytes));
    CHECK(cudaMemset(sums, 0, 4 * MOST_WARPS * 32 * 128));
    printf("warps,blocks,lines,uniform,store,when,at_once,cycles,cycles_a_warp\n");
    for (int blocks : {1, 4})
        for (int warps : {1, 2, 4, 8, 16}) {
            run_all<NONE>(warps, blocks);
            run_all<WORD>(warps, blocks);
            run_all<LINE>(warps, blocks);
            run_all<LANES>(warps, blocks);
            run_all<RED>(warps, blocks);
        }
    return 0;
}
