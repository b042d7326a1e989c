/* Which bytes are in a row of DRAM together, and how long loads from DRAM take by how many are under way, on a real GPU.
 *
 *     nvcc -O3 -arch=sm_90 rows.cu -o rows && ./rows > h200-rows.csv
 *
 * `pairs`: warps read (or write) 2 GiB by chance, each 64 bytes once, but two pieces that are `distance` bytes apart at the
 * same time (distance 0: each by itself). Columns: pairs; what; distance; blocks of 512 threads; least time in
 * cycles; bytes a cycle. `chains`: each of `warps` warps of `sms` SMs loads words of `lanes` lines by chance, the next ones
 * when all are there, 64 times; nothing of it is in L2. Columns: chains; lanes; sms; warps; middle and mean cycles of
 * a step; sectors a cycle. */
#include <algorithm>
#include <vector>

#include "caches.cuh"

enum { THREADS = 512, AT_ONCE = 4, STEPS = 64 };
#ifndef SPACE_MIB
#define SPACE_MIB 2048
#endif
static const size_t SPACE = (size_t)SPACE_MIB << 20;

static __device__ __forceinline__ uint32_t mix(uint32_t x)
{
    x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu;
    return x ^ x >> 16;
}

/* A permutation by chance of a power of two. */
static __device__ __forceinline__ uint32_t place(uint32_t i, uint32_t count)
{
    for (int round = 0; round < 3; round++)
        i = (i * 0x9e3779b1u + 0x7f4a7c15u) & (count - 1), i ^= i >> 9;
    return i & (count - 1);
}

/* Eight lanes take a pair: four its first piece, four the second. `bit`: of a piece's number, which tells them apart. */
__global__ void pairs(uint4 *data, bool writes, int bit, uint32_t count, uint32_t *out)
{
    const uint32_t lane = threadIdx.x % 4, second = threadIdx.x / 4 % 2, groups = gridDim.x * THREADS / 8;
    const uint32_t group = (blockIdx.x * THREADS + threadIdx.x) / 8, low = (1u << bit) - 1;
    uint32_t sum = 0;
    for (uint32_t i = group; i < count / 2; i += groups * AT_ONCE) {
        uint4 got[AT_ONCE];
        uint4 *at[AT_ONCE];
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++) {
            const uint32_t r = bit < 0 ? 0 : place(i + j * groups, count / 2);
            const uint32_t piece = bit < 0 ? place(2 * (i + j * groups) + second, count)
                                           : (r & ~low) << 1 | second << bit | (r & low);
            at[j] = data + (size_t)piece * 4 + lane;
        }
        if (writes)
#pragma unroll
            for (int j = 0; j < AT_ONCE; j++)
                *at[j] = make_uint4(i, j, 0, 0);
        else
#pragma unroll
            for (int j = 0; j < AT_ONCE; j++)
                got[j] = __ldcs(at[j]);
        if (!writes)
#pragma unroll
            for (int j = 0; j < AT_ONCE; j++)
                sum += got[j].x;
    }
    if (sum == 0xdeadbeef)
        *out = sum;
}

__global__ void chains(const uint32_t *data, uint32_t lanes, uint32_t seed, uint32_t lines, uint32_t *took, uint32_t *out)
{
    const uint32_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32 % lanes;
    uint32_t sum = 0;
    for (uint32_t step = 0; step < STEPS; step++) {
        const uint32_t line = mix(mix(seed * STEPS + step) ^ (warp * 32 + lane + (sum & 1))) % lines;
        const uint32_t start = clock();
        sum |= __ldcg(data + (size_t)line * 32);
        asm volatile("{ .reg .pred odd; setp.eq.u32 odd, %0, 0xdeadbeef; @odd trap; }" ::"r"(sum) : "memory");
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            took[warp * STEPS + step] = clock() - start;
    }
    if (sum == 0xdeadbeef)
        *out = sum;
}

static char *data;
static uint32_t *took, *out;

static void run_pairs(bool writes, size_t distance, int blocks)
{
    int khz, bit = -1;
    CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
    for (size_t d = distance / 64; d; d >>= 1)
        bit++;
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    float least = 1e9f;
    for (int round = 0; round < 3; round++) {
        CHECK(cudaEventRecord(begin));
        pairs<<<blocks, THREADS>>>((uint4 *)data, writes, bit, SPACE / 64, out);
        CHECK(cudaEventRecord(end));
        CHECK(cudaDeviceSynchronize());
        float ms;
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        least = ms < least ? ms : least;
    }
    const double cycles = (double)least * khz;
    printf("pairs,%s,%zu,%d,%.0f,%.1f\n", writes ? "write" : "read", distance, blocks, cycles, SPACE / cycles);
    fflush(stdout);
}

static void run_chains(uint32_t lanes, int sms, int warps)
{
    static uint32_t seed;
    std::vector<uint32_t> cycles((size_t)sms * warps * STEPS);
    for (int round = 0; round < 2; round++) {
        chains<<<sms, warps * 32>>>((uint32_t *)data, lanes, ++seed, SPACE / 128, took, out);
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaMemcpy(cycles.data(), took, cycles.size() * 4, cudaMemcpyDeviceToHost));
    double sum = 0;
    for (uint32_t c : cycles)
        sum += c;
    std::sort(cycles.begin(), cycles.end());
    const double mean = sum / cycles.size();
    printf("chains,%u,%d,%d,%u,%.1f,%.3f\n", lanes, sms, warps, cycles[cycles.size() / 2], mean,
           (double)lanes * sms * warps / mean);
    fflush(stdout);
}

int main()
{
    CHECK(cudaMalloc(&data, SPACE));
    CHECK(cudaMemset(data, 0, SPACE));
    CHECK(cudaMalloc(&took, 132 * 32 * STEPS * 4));
    CHECK(cudaMalloc(&out, 4));
    for (uint32_t lanes : {1u, 4u, 8u, 32u})
        for (int sms : {1, 132})
            for (int warps : {1, 2, 4, 8, 16, 32})
                run_chains(lanes, sms, warps);
    run_pairs(false, 0, 528);
    run_pairs(true, 0, 528);
    for (size_t distance = 64; distance < SPACE; distance *= 2)
        run_pairs(false, distance, 528);
    for (size_t distance = 64; distance <= 65536; distance *= 2)
        run_pairs(true, distance, 528);
    return 0;
}
