/* How the passes of loads that need several go between each other, on a real GPU.
 *
 *     nvcc -O3 -arch=sm_90 passes.cu -o passes && ./passes > h200-passes.csv
 *
 * Some warps of a block load: `lds` from shared memory with `passes` lanes in each bank, `ldg` from `passes` lines of L1,
 * `lds_16` and `ldg_16` 16 bytes a lane that follow each other. A load's address depends on the load before, or on the four
 * before (`at_once`). Warps 0, 4, 8 and 12 are in one partition of the SM, 0 to 3 in four. `beside`: another warp runs such
 * loads, too, an eighth as many. Columns: load; passes; at once; warps (their numbers); beside: load, passes, at once, warp;
 * cycles a load of the slowest warp; the same of the warp beside. */
#include <vector>

#include "../caches/caches.cuh"

enum Kind { LDS, LDG, LDS_16, LDG_16 };
static const char *const names[] = {"lds", "ldg", "lds_16", "ldg_16"};
enum { PITCH = 129 * 128, WARPS = 16, ROUNDS = 8 };

template <int KIND> static __device__ __forceinline__ uint32_t once(uint64_t at)
{
    uint32_t a, b = 0, c = 0, d = 0;
    if (KIND == LDS)
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(a) : "r"((uint32_t)at) : "memory");
    else if (KIND == LDG)
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(a) : "l"(at) : "memory");
    else if (KIND == LDS_16)
        asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                     : "r"((uint32_t)at)
                     : "memory");
    else
        asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                     : "l"(at)
                     : "memory");
    return a | b | c | d;
}

template <int KIND, int AT_ONCE> static __device__ uint32_t walk(uint64_t at, uint32_t times)
{
    uint32_t sum = 0, got[AT_ONCE];
    const uint32_t step = KIND == LDS ? 4096 : KIND == LDG ? 4 : 512;
    for (uint32_t i = 0; i < times; i++)
#pragma unroll
        for (int round = 0; round < ROUNDS; round++) {
#pragma unroll
            for (int j = 0; j < AT_ONCE; j++)
                got[j] = once<KIND>(at + sum + j * step);
#pragma unroll
            for (int j = 0; j < AT_ONCE; j++)
                sum |= got[j];
        }
    return sum;
}

struct Part {
    Kind kind;
    uint32_t passes, at_once, warps, times; /* warps: a bit each */
};

static __device__ uint32_t run(const Part &part, const char *data, const uint32_t *shared)
{
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uint64_t in_shared = __cvta_generic_to_shared(shared), in_global = (uint64_t)data;
    if (part.kind == LDS) {
        const uint64_t at = in_shared + lane * part.passes * 4 % 4096;
        return part.at_once == 1 ? walk<LDS, 1>(at, part.times) : walk<LDS, 4>(at, part.times);
    }
    if (part.kind == LDG) {
        const uint64_t at = in_global + (uint64_t)(warp * 32 + lane % part.passes) * PITCH;
        return part.at_once == 1 ? walk<LDG, 1>(at, part.times) : walk<LDG, 4>(at, part.times);
    }
    if (part.kind == LDS_16)
        return part.at_once == 1 ? walk<LDS_16, 1>(in_shared + lane * 16, part.times)
                                 : walk<LDS_16, 4>(in_shared + lane * 16, part.times);
    return part.at_once == 1 ? walk<LDG_16, 1>(in_global + lane * 16, part.times)
                             : walk<LDG_16, 4>(in_global + lane * 16, part.times);
}

__global__ void go(Part one, Part other, const char *data, uint32_t *cycles, uint32_t *out)
{
    __shared__ uint32_t shared[4096];
    for (uint32_t i = threadIdx.x; i < 4096; i += blockDim.x)
        shared[i] = 0;
    const uint32_t warp = threadIdx.x / 32;
    Part part = one.warps >> warp & 1 ? one : other;
    const bool runs = (one.warps | other.warps) >> warp & 1;
    const uint32_t times = part.times;
    part.times = 1;
    uint32_t sum = runs ? run(part, data, shared) : 0; /* L1 has the lines then */
    part.times = times;
    __syncthreads();
    const uint32_t start = clock();
    if (runs)
        sum |= run(part, data + sum, shared + sum);
    asm volatile("{ .reg .pred odd; setp.eq.u32 odd, %0, 0xdeadbeef; @odd trap; }" ::"r"(sum) : "memory");
    if (threadIdx.x % 32 == 0)
        cycles[warp] = clock() - start;
    if (sum == 0xdeadbeef)
        *out = sum;
}

static char *data;
static uint32_t *cycles, *out;

static void measure(Part one, Part other)
{
    double took = 1e9, beside = 1e9;
    for (int round = 0; round < 3; round++) {
        go<<<1, WARPS * 32>>>(one, other, data, cycles, out);
        CHECK(cudaDeviceSynchronize());
        uint32_t got[WARPS];
        CHECK(cudaMemcpy(got, cycles, sizeof got, cudaMemcpyDeviceToHost));
        double most = 0, most_beside = 0;
        for (int warp = 0; warp < WARPS; warp++) {
            if (one.warps >> warp & 1)
                most = got[warp] > most ? got[warp] : most;
            if (other.warps >> warp & 1)
                most_beside = got[warp];
        }
        took = most < took ? most : took;
        beside = most_beside < beside ? most_beside : beside;
    }
    printf("%s,%u,%u,", names[one.kind], one.passes, one.at_once);
    for (uint32_t warp = 0, first = 1; warp < WARPS; warp++)
        if (one.warps >> warp & 1)
            printf("%s%u", first ? "" : "+", warp), first = 0;
    if (other.warps)
        printf(",%s,%u,%u,%d", names[other.kind], other.passes, other.at_once, __builtin_ctz(other.warps));
    else
        printf(",-,0,0,-");
    printf(",%.2f,%.2f\n", took / (one.times * ROUNDS * one.at_once),
           other.warps ? beside / (other.times * ROUNDS * other.at_once) : 0);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const uint32_t times = argc > 1 ? atoi(argv[1]) : 64;
    CHECK(cudaMalloc(&data, (size_t)WARPS * 32 * PITCH));
    CHECK(cudaMemset(data, 0, (size_t)WARPS * 32 * PITCH));
    CHECK(cudaMalloc(&cycles, WARPS * 4));
    CHECK(cudaMalloc(&out, 4));
    printf("load,passes,at_once,warps,beside,beside_passes,beside_at_once,beside_warp,cycles,beside_cycles\n");
    const Part none = {LDS, 0, 0, 0, 0};
    for (uint32_t warps : {0x1u, 0x3u, 0x5u, 0x9u, 0x11u, 0x7u, 0xfu, 0x1111u, 0x33u, 0xffu, 0xffffu})
        for (uint32_t at_once : {1u, 4u}) {
            for (Kind kind : {LDS, LDG})
                for (uint32_t passes : {1u, 2u, 4u, 8u, 16u, 32u})
                    measure({kind, passes, at_once, warps, times}, none);
            measure({LDS_16, 4, at_once, warps, times}, none);
            measure({LDG_16, 4, at_once, warps, times}, none);
        }
    for (Kind kind : {LDS, LDG})
        for (uint32_t passes : {4u, 32u})
            for (uint32_t warps : {0x1u, 0x11u, 0xfu})
                for (uint32_t beside : {1u << 5, 1u << 8})
                    for (Kind other : {LDS, LDG})
                        for (uint32_t other_passes : {1u, 4u, 32u})
                            measure({kind, passes, 4, warps, times}, {other, other_passes, 1, beside, times / 8});
    return 0;
}
