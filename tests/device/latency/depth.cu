/* How many loads of several passes a warp can issue before it has to wait, on a real GPU.
 *
 *     nvcc -O3 -arch=sm_90 depth.cu -o depth && ./depth > h200-depth.csv
 *
 * Some warps of a block issue 24 loads that do not depend on each other and look at the clock after each: `lds` from shared
 * memory with `passes` lanes in each bank, `ldg` from `passes` lines of L1, `l2` from lines that are in L2 only, `stg` stores
 * to `passes` lines. Warps 0, 4, 8 and 12 are in one partition of the SM, 0 to 3 in four. Columns: what; passes; warps;
 * number of the load; cycles from before the first of all until behind it was issued: the warp that comes first, the
 * one that comes last; the same until its value is there, in the last row of each (number 25). */
#include "../caches/caches.cuh"

enum Kind { LDS, LDG, L2, STG, KINDS };
static const char *const names[] = {"lds", "ldg", "l2", "stg"};
enum { PITCH = 129 * 128, WARPS = 16, LOADS = 24, STEP = 4096 };

template <int KIND> static __device__ __forceinline__ void issue(uint64_t at, uint32_t times, uint32_t *clocks, uint32_t *sum)
{
    uint32_t got[LOADS];
    for (uint32_t t = 0; t < times; t++) {
        clocks[0] = clock();
#pragma unroll
        for (int j = 0; j < LOADS; j++) {
            if (KIND == LDS)
                asm volatile("ld.shared.u32 %0, [%1];" : "=r"(got[j]) : "r"((uint32_t)at) : "memory");
            else if (KIND == LDG)
                asm volatile("ld.global.u32 %0, [%1];" : "=r"(got[j]) : "l"(at + j * 4) : "memory");
            else if (KIND == L2)
                asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(got[j]) : "l"(at + j * 4) : "memory");
            else
                asm volatile("st.global.u32 [%0], %1;" ::"l"(at + j * 4), "r"(0) : "memory");
            clocks[j + 1] = clock();
        }
        if (KIND != STG)
#pragma unroll
            for (int j = 0; j < LOADS; j++)
                *sum |= got[j];
        asm volatile("{ .reg .pred odd; setp.eq.u32 odd, %0, 0xdeadbeef; @odd trap; }" ::"r"(*sum) : "memory");
        clocks[LOADS + 1] = clock();
        __syncwarp();
    }
}

template <int KIND> __global__ void go(uint32_t passes, uint32_t warps, char *data, uint32_t *cycles)
{
    __shared__ uint32_t shared[2048];
    for (uint32_t i = threadIdx.x; i < 2048; i += blockDim.x)
        shared[i] = 0;
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uint64_t in_shared = __cvta_generic_to_shared(shared) + lane * passes * 4 % 4096;
    const uint64_t at = KIND == LDS ? in_shared : (uint64_t)data + (uint64_t)(warp * 32 + lane % passes) * PITCH;
    const bool runs = warps >> warp & 1;
    uint32_t clocks[LOADS + 2], sum = 0;
    /* The first time brings code and lines. */
    for (uint32_t again = 0; again < 2; again++) {
        __syncthreads();
        if (runs)
            issue<KIND>(at, 1, clocks, &sum);
    }
    if (runs && lane == 0)
        for (int j = 0; j < LOADS + 2; j++)
            cycles[warp * (LOADS + 2) + j] = clocks[j];
}

template <int KIND> static void measure(char *data, uint32_t *cycles)
{
    static uint32_t got[WARPS * (LOADS + 2)];
    for (uint32_t warps : {0x1u, 0x11u, 0x1111u, 0x3u, 0xfu, 0xffu, 0xffffu})
        for (uint32_t passes : {1u, 4u, 8u, 32u}) {
            for (int round = 0; round < 2; round++) {
                go<KIND><<<1, WARPS * 32>>>(passes, warps, data, cycles);
                CHECK(cudaDeviceSynchronize());
            }
            CHECK(cudaMemcpy(got, cycles, sizeof got, cudaMemcpyDeviceToHost));
            uint32_t begin = UINT32_MAX;
            for (int warp = 0; warp < WARPS; warp++)
                if (warps >> warp & 1 && got[warp * (LOADS + 2)] - got[0] + 0x10000000u < begin)
                    begin = got[warp * (LOADS + 2)] - got[0] + 0x10000000u;
            begin = begin - 0x10000000u + got[0];
            for (int j = 1; j < LOADS + 2; j++) {
                uint32_t least = UINT32_MAX, most = 0;
                for (int warp = 0; warp < WARPS; warp++) {
                    const uint32_t took = got[warp * (LOADS + 2) + j] - begin;
                    if (!(warps >> warp & 1))
                        continue;
                    least = took < least ? took : least;
                    most = took > most ? took : most;
                }
                printf("%s,%u,", names[KIND], passes);
                for (uint32_t warp = 0, first = 1; warp < WARPS; warp++)
                    if (warps >> warp & 1)
                        printf("%s%u", first ? "" : "+", warp), first = 0;
                printf(",%d,%u,%u\n", j, least, most);
            }
            fflush(stdout);
        }
}

int main()
{
    char *data;
    uint32_t *cycles;
    CHECK(cudaMalloc(&data, (size_t)WARPS * 32 * PITCH));
    CHECK(cudaMemset(data, 0, (size_t)WARPS * 32 * PITCH));
    CHECK(cudaMalloc(&cycles, WARPS * (LOADS + 2) * 4));
    printf("what,passes,warps,load,first,last\n");
    measure<LDS>(data, cycles);
    measure<LDG>(data, cycles);
    measure<L2>(data, cycles);
    measure<STG>(data, cycles);
    return 0;
}
