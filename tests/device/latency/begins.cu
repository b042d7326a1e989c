/* When the warps of an SM begin, on a real GPU.
 *
 *     nvcc -O3 -arch=sm_90 begins.cu -o begins && ./begins > h200-begins.csv
 *
 * Each warp keeps its clock at its start. All blocks fit on the GPU at once. `idle`: warps sleep for 4 us then, so that none is in
 * another's way; `busy`: they run 128 instructions that depend on each other; `wide`: idle, with 128 registers a thread;
 * `shared`: idle, with 24 KiB of shared memory a block. Columns: what; blocks; threads; launch; rank of a warp among those of its
 * SM by start; cycles behind the SM's first: least, middle and most of SMs; end of the rank's warp, likewise the middle. */
#include <algorithm>
#include <vector>

#include "../caches/caches.cuh"

enum What { IDLE, BUSY, WIDE, SHARED };
static const char *const names[] = {"idle", "busy", "wide", "shared"};
static const int SMS = 132;

template <int WHAT> static __device__ __forceinline__ void body(uint2 *stamps, float k)
{
    const uint32_t start = clock();
    float x = k;
    uint32_t sm;
    if (WHAT == BUSY) {
#pragma unroll
        for (int i = 0; i < 128; i++)
            asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(k));
    } else
        __nanosleep(4000);
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    const uint32_t end = clock();
    if (threadIdx.x % 32 == 0)
        stamps[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = make_uint2(start, sm << 24 | ((end - start) & 0xffffff));
    if (x == 3.0f)
        stamps[0].x = 0;
}

__global__ void idle(uint2 *stamps, float k) { body<IDLE>(stamps, k); }
__global__ void busy(uint2 *stamps, float k) { body<BUSY>(stamps, k); }
__global__ void __maxnreg__(128) wide(uint2 *stamps, float k)
{
    float many[100];
#pragma unroll
    for (int i = 0; i < 100; i++)
        asm volatile("mov.f32 %0, %1;" : "=f"(many[i]) : "f"(k + i));
    body<WIDE>(stamps, k);
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 100; i++)
        asm volatile("add.f32 %0, %0, %1;" : "+f"(sum) : "f"(many[i]));
    if (sum == 3.0f)
        stamps[0].x = 0;
}

static void run(What what, int blocks, int threads)
{
    const size_t warps = (size_t)blocks * threads / 32;
    uint2 *stamps;
    CHECK(cudaMalloc(&stamps, warps * sizeof *stamps));
    void (*const kernels[])(uint2 *, float) = {idle, busy, wide, idle};
    CHECK(cudaFuncSetAttribute(idle, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10));
    for (int launch = 0; launch < 3; launch++) {
        kernels[what]<<<blocks, threads, what == SHARED ? 24 << 10 : 0>>>(stamps, 0.5f);
        CHECK(cudaDeviceSynchronize());
        std::vector<uint2> got(warps);
        CHECK(cudaMemcpy(got.data(), stamps, warps * sizeof *stamps, cudaMemcpyDeviceToHost));
        std::vector<std::vector<std::pair<uint32_t, uint32_t>>> starts(SMS);
        size_t most = 0;
        for (auto w : got)
            starts[w.y >> 24].push_back({w.x, w.x + (w.y & 0xffffff)});
        for (auto &s : starts) {
            if (s.empty())
                continue;
            const uint32_t base = s[0].first - 0x80000000u;
            for (auto &p : s)
                p.first -= base, p.second -= base;
            std::sort(s.begin(), s.end());
            const uint32_t first = s[0].first;
            for (auto &p : s)
                p.first -= first, p.second -= first;
            most = std::max(most, s.size());
        }
        for (size_t rank = 0; rank < most; rank++) {
            std::vector<uint32_t> at, ends;
            for (auto &s : starts)
                if (rank < s.size())
                    at.push_back(s[rank].first), ends.push_back(s[rank].second);
            std::sort(at.begin(), at.end());
            std::sort(ends.begin(), ends.end());
            if (launch == 2)
                printf("%s,%d,%d,%d,%zu,%u,%u,%u,%u\n", names[what], blocks, threads, launch, rank, at[0],
                       at[at.size() / 2], at.back(), ends[ends.size() / 2]);
        }
    }
}

int main()
{
    printf("what,blocks,threads,launch,rank,least,middle,most,end\n");
    for (What what : {IDLE, BUSY}) {
        run(what, 1, 1024);
        run(what, 132, 256);
        run(what, 132, 1024);
        run(what, 264, 1024);
        run(what, 528, 256);
        run(what, 528, 512);
        run(what, 1056, 256);
        run(what, 1056, 64);
        run(what, 2112, 128);
        run(what, 4224, 32);
    }
    run(WIDE, 528, 128);
    run(SHARED, 528, 128);
    run(SHARED, 1056, 256);
    return 0;
}
