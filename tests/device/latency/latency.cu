// Latencies and costs of a real GPU that the configurations name as their source and that no document gives:
// dependent chains of one machine instruction each, fences, atomics, the turnover of blocks on an SM.
// Build: nvcc -O3 -arch=sm_90 latency.cu -o latency      Run: ./latency > h200-latency.csv
#include <cstdio>
#include <cstdlib>
#include <algorithm>
#include <vector>

static void check(cudaError_t error, int line)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(error));
        exit(1);
    }
}
#define CHECK(call) check(call, __LINE__)

enum { ROUNDS = 256, UNROLL = 32 };

// A chain of one PTX instruction: x = op(x). `step` has "+r"(x) or the like as its operands.
#define CHAIN(name, Type, constraint, start, text)                                                           \
    __global__ void name(long long *cycles, Type *out, int rounds)                                           \
    {                                                                                                        \
        Type x = (Type)(threadIdx.x + start);                                                                \
        long long begin = clock64();                                                                         \
        for (int k = 0; k < rounds; k++) {                                                                   \
            _Pragma("unroll") for (int i = 0; i < UNROLL; i++) asm volatile(text : "+" constraint(x));       \
        }                                                                                                    \
        long long end = clock64();                                                                           \
        out[threadIdx.x] = x;                                                                                \
        if (threadIdx.x == 0)                                                                                \
            *cycles = end - begin;                                                                           \
    }

CHAIN(add_s32, int, "r", 1, "{.reg .u32 t; mov.u32 t, %clock; add.s32 %0, %0, t;}")
CHAIN(add_xor, int, "r", 1, "add.s32 %0, %0, %0; xor.b32 %0, %0, 12345;")
CHAIN(add_shf, int, "r", 1, "add.s32 %0, %0, 77; shf.l.wrap.b32 %0, %0, %0, 3;")
CHAIN(shl_b32, int, "r", 1, "shf.l.wrap.b32 %0, %0, %0, 3;")
CHAIN(mad_s32, int, "r", 1, "mad.lo.s32 %0, %0, %0, %0;")
CHAIN(mulhi_s32, int, "r", 1, "mul.hi.s32 %0, %0, %0;")
CHAIN(prmt_b32, int, "r", 1, "prmt.b32 %0, %0, %0, 0x1230;")
CHAIN(min_s32, int, "r", 1, "min.s32 %0, %0, 12345;")
CHAIN(popc_b32, int, "r", 1, "popc.b32 %0, %0;")
CHAIN(bfind_u32, int, "r", 1, "bfind.u32 %0, %0;")
CHAIN(add_s64, long long, "l", 1, "add.s64 %0, %0, 123456789123;")
CHAIN(mad_wide, long long, "l", 1, "{.reg .u32 t; cvt.u32.u64 t, %0; mad.wide.u32 %0, t, 77, %0;}")
CHAIN(mul_s64, long long, "l", 1, "mul.lo.s64 %0, %0, %0;")
CHAIN(setp_selp, int, "r", 1, "{.reg .pred p; setp.gt.s32 p, %0, 7; selp.s32 %0, 5, 9, p;}")
CHAIN(fma_f32, float, "f", 1, "fma.rn.f32 %0, %0, %0, %0;")
CHAIN(add_f32, float, "f", 1, "add.f32 %0, %0, 0f3F8CCCCD;")
CHAIN(min_f32, float, "f", 1, "min.f32 %0, %0, 0f3F8CCCCD;")
CHAIN(fma_f16x2, int, "r", 1, "fma.rn.f16x2 %0, %0, %0, %0;")
CHAIN(fma_f64, double, "d", 1, "fma.rn.f64 %0, %0, %0, %0;")
CHAIN(add_f64, double, "d", 1, "add.f64 %0, %0, 0d3FF1999999999999;")
CHAIN(ex2_ftz, float, "f", 1, "ex2.approx.ftz.f32 %0, %0;")
CHAIN(rcp_ftz, float, "f", 1, "rcp.approx.ftz.f32 %0, %0;")
CHAIN(rsqrt_ftz, float, "f", 1, "rsqrt.approx.ftz.f32 %0, %0;")
CHAIN(sin_ftz, float, "f", 1, "sin.approx.ftz.f32 %0, %0;")
CHAIN(cvt_f32_s32, int, "r", 1, "{.reg .f32 t; cvt.rn.f32.s32 t, %0; mov.b32 %0, t;}")
CHAIN(cvt_f64_f32, float, "f", 1, "{.reg .f64 t; cvt.f64.f32 t, %0; cvt.rn.f32.f64 %0, t;}")
CHAIN(shfl_b32, int, "r", 1, "shfl.sync.bfly.b32 %0, %0, 1, 31, -1;")
CHAIN(ballot_b32, int, "r", 1, "{.reg .pred p; setp.gt.s32 p, %0, 7; vote.sync.ballot.b32 %0, p, -1;}")
CHAIN(redux_s32, int, "r", 1, "redux.sync.add.s32 %0, %0, -1;")
CHAIN(match_b32, int, "r", 1, "match.any.sync.b32 %0, %0, -1;")
CHAIN(special, int, "r", 1, "{.reg .u32 t; mov.u32 t, %laneid; add.u32 %0, %0, t;}")
CHAIN(smid, int, "r", 1, "{.reg .u32 t; mov.u32 t, %smid; add.u32 %0, %0, t;}")
CHAIN(syncwarp, int, "r", 1, "bar.warp.sync -1; add.s32 %0, %0, 1;")

template <class Kernel, class Type> void chain(const char *name, Kernel kernel, Type *out, int threads = 32)
{
    long long *cycles, value;
    CHECK(cudaMalloc(&cycles, 8));
    for (int i = 0; i < 3; i++)
        kernel<<<1, threads>>>(cycles, out, ROUNDS);
    CHECK(cudaMemcpy(&value, cycles, 8, cudaMemcpyDeviceToHost));
    printf("%s,cycles,%.3f\n", name, (double)value / (ROUNDS * UNROLL));
    CHECK(cudaFree(cycles));
}

// x = op(x) where the loop itself is the measure.
__global__ void loop_only(long long *cycles, int *out, int rounds)
{
    int x = 0;
    long long begin = clock64();
#pragma unroll 1
    for (int k = 0; k < rounds * UNROLL; k++)
        asm volatile("add.s32 %0, %0, 1;" : "+r"(x));
    long long end = clock64();
    out[threadIdx.x] = x;
    if (threadIdx.x == 0)
        *cycles = end - begin;
}
__global__ void fence_alone(long long *cycles, int *out, int rounds)
{
    long long begin = clock64();
    for (int k = 0; k < rounds * UNROLL; k++)
        __threadfence();
    *cycles = clock64() - begin;
}
__global__ void fence_block(long long *cycles, int *out, int rounds)
{
    long long begin = clock64();
    for (int k = 0; k < rounds * UNROLL; k++)
        __threadfence_block();
    *cycles = clock64() - begin;
}
__global__ void store_fence(long long *cycles, int *out, int rounds)
{
    long long begin = clock64();
    for (int k = 0; k < rounds * UNROLL; k++) {
        *(volatile int *)out = k;
        __threadfence();
    }
    *cycles = clock64() - begin;
}
// An atomic without result, then a load of the same word: how long until the load is there.
__global__ void red_load(long long *cycles, int *out, int rounds)
{
    long long begin = clock64();
    int x = 0;
    for (int k = 0; k < rounds * UNROLL; k++) {
        atomicAdd(out + (x & 1), 0);
        x = *(volatile int *)(out + (x & 1));
    }
    *cycles = clock64() - begin + (x & 1);
}
__global__ void load_volatile(long long *cycles, int *out, int rounds)
{
    long long begin = clock64();
    int x = 0;
    for (int k = 0; k < rounds * UNROLL; k++)
        x = *(volatile int *)(out + (x & 1));
    *cycles = clock64() - begin + (x & 1);
}
// A fence, then a load of what nobody writes: at L2, and through L1.
__global__ void fence_load(long long *cycles, int *out, int rounds)
{
    long long begin = clock64();
    int x = 0;
    for (int k = 0; k < rounds * UNROLL; k++) {
        __threadfence();
        x = *(volatile int *)(out + (x & 1));
    }
    *cycles = clock64() - begin + (x & 1);
}
// The same with arithmetic that takes 300 cycles between fence and load.
__global__ void fence_wait_load(long long *cycles, int *out, int rounds)
{
    long long begin = clock64();
    int x = 0;
    for (int k = 0; k < rounds * UNROLL; k++) {
        __threadfence();
#pragma unroll
        for (int i = 0; i < 75; i++)
            asm volatile("mad.lo.s32 %0, %0, %0, %0;" : "+r"(x));
        x = *(volatile int *)(out + (x & 1));
    }
    *cycles = clock64() - begin + (x & 1);
}
__global__ void store_load(long long *cycles, int *out, int rounds)
{
    long long begin = clock64();
    int x = 0;
    for (int k = 0; k < rounds * UNROLL; k++) {
        *(volatile int *)(out + (x & 1)) = k & 1;
        x = *(volatile int *)(out + (x & 1));
    }
    *cycles = clock64() - begin + (x & 1);
}
__global__ void shared_atomic_return(long long *cycles, int *out, int rounds)
{
    __shared__ int s[32];
    s[threadIdx.x & 31] = 0;
    __syncthreads();
    int x = 0;
    long long begin = clock64();
    for (int k = 0; k < rounds * UNROLL; k++)
        x = atomicAdd(&s[x & 1], 0);
    long long end = clock64();
    out[threadIdx.x] = x;
    *cycles = end - begin;
}
__global__ void shared_store_load(long long *cycles, int *out, int rounds)
{
    __shared__ volatile int s[32];
    s[threadIdx.x & 31] = 0;
    __syncthreads();
    int x = 0;
    long long begin = clock64();
    for (int k = 0; k < rounds * UNROLL; k++) {
        s[x] = 0;
        x = s[x];
    }
    long long end = clock64();
    out[threadIdx.x] = x;
    *cycles = end - begin;
}
__constant__ int table[1024];
__global__ void constant_chain(long long *cycles, int *out, int rounds)
{
    int x = 0;
    long long begin = clock64();
    for (int k = 0; k < rounds * UNROLL; k++)
        x = table[x & 1023];
    long long end = clock64();
    out[threadIdx.x] = x;
    *cycles = end - begin;
}
__global__ void global_chain(long long *cycles, int *out, int rounds)
{
    long long begin = clock64();
    const int *p = out;
    long long x = 0;
#pragma unroll 8
    for (int k = 0; k < rounds * UNROLL; k++)
        asm volatile("{.reg .u64 a; add.u64 a, %1, %0; ld.global.ca.u64 %0, [a];}" : "+l"(x) : "l"(p));
    long long end = clock64();
    out[threadIdx.x] = (int)x;
    *cycles = end - begin;
}

__global__ void global_chain_32(long long *cycles, int *out, int rounds)
{
    long long begin = clock64();
    unsigned x = 0;
#pragma unroll 8
    for (int k = 0; k < rounds * UNROLL; k++)
        asm volatile("{.reg .u64 a; mad.wide.u32 a, %0, 4, %1; ld.global.ca.u32 %0, [a];}" : "+r"(x) : "l"(out));
    long long end = clock64();
    out[threadIdx.x] = (int)x;
    *cycles = end - begin;
}
__global__ void shared_chain(long long *cycles, int *out, int rounds)
{
    __shared__ int s[64];
    s[threadIdx.x] = 0;
    __syncthreads();
    unsigned x = (unsigned)__cvta_generic_to_shared(s);
    s[0] = (int)x;
    __syncthreads();
    long long begin = clock64();
#pragma unroll 8
    for (int k = 0; k < rounds * UNROLL; k++)
        asm volatile("ld.shared.u32 %0, [%0];" : "+r"(x));
    long long end = clock64();
    out[threadIdx.x] = (int)x;
    *cycles = end - begin;
}
// A loop whose branch waits for nothing but its own counter; the body is a chain of `n` sums.
template <int N> __global__ void loop_of(long long *cycles, float *out, int rounds)
{
    float x = threadIdx.x;
    long long begin = clock64();
#pragma unroll 1
    for (int k = 0; k < rounds * UNROLL; k++) {
#pragma unroll
        for (int i = 0; i < N; i++)
            asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(x));
    }
    long long end = clock64();
    out[threadIdx.x] = x;
    if (threadIdx.x == 0)
        *cycles = end - begin;
}

// Throughput of atomics: every block does `rounds` of them; time by events outside.
template <int MODE> __global__ void atomics(unsigned *p, unsigned *out, int rounds)
{
    unsigned x = 0;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < rounds; k++) {
        if (MODE == 0) // own word of consecutive words, nothing returned
            asm volatile("red.global.add.u32 [%0], 1;" ::"l"(p + i));
        if (MODE == 1) // the same, returned
            asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(x) : "l"(p + i));
        if (MODE == 2) // one lane a warp, all at one word
            if (threadIdx.x % 32 == 0)
                asm volatile("red.global.add.u32 [%0], 1;" ::"l"(p));
        if (MODE == 3) // all lanes at one word
            asm volatile("red.global.add.u32 [%0], 1;" ::"l"(p));
        if (MODE == 4) // all lanes at one word, returned
            asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(x) : "l"(p));
        if (MODE == 5) // one word of its own line per warp
            asm volatile("red.global.add.u32 [%0], 1;" ::"l"(p + (i / 32) * 32));
        if (MODE == 6) // each lane a sector of its own
            asm volatile("red.global.add.u32 [%0], 1;" ::"l"(p + (size_t)i * 8));
        if (MODE == 7) // float sums on consecutive words
            asm volatile("red.global.add.f32 [%0], 0f3F800000;" ::"l"(p + i));
        if (MODE == 8) // compare and swap on consecutive words
            asm volatile("atom.global.cas.b32 %0, [%1], 0, 0;" : "=r"(x) : "l"(p + i));
        if (MODE == 9) // stores of consecutive words, another row each round
            asm volatile("st.global.u32 [%0], %1;" ::"l"(p + i + (size_t)(k % 32) * gridDim.x * blockDim.x), "r"(k));
        if (MODE == 10) // stores, each lane a sector of its own, the next word of it each round
            asm volatile("st.global.u32 [%0], %1;" ::"l"(p + (size_t)i * 8 + k % 8), "r"(k));
        if (MODE == 11) // stores, each lane a line of its own, the next word of it each round
            asm volatile("st.global.u32 [%0], %1;" ::"l"(p + (size_t)i * 32 + k % 32), "r"(k));
        if (MODE == 12) // loads from L2, each lane a sector of its own
            asm volatile("{.reg .u32 t; ld.relaxed.gpu.global.u32 t, [%1]; xor.b32 %0, %0, t;}" : "+r"(x) : "l"(p + (size_t)i * 8));
        if (MODE == 13) // loads from L2, each lane a line of its own
            asm volatile("{.reg .u32 t; ld.relaxed.gpu.global.u32 t, [%1]; xor.b32 %0, %0, t;}" : "+r"(x) : "l"(p + (size_t)i * 32));
        if (MODE == 17) // stores, all lanes of all warps at one word
            asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(p), "r"(k));
        if (MODE == 18) // stores, all lanes of a warp at one word, the warps of four blocks in one sector
            asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(p + blockIdx.x / 4 * 8), "r"(k));
        if (MODE == 19) // stores, one sector for each warp, the next word of it each round
            asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(p + (size_t)(i / 32) * 8 + k % 8), "r"(k));
        if (MODE == 15) // one lane a warp loads one word, which does not change
            if (threadIdx.x % 32 == 0)
                asm volatile("{.reg .u32 t; ld.volatile.global.u32 t, [%1]; xor.b32 %0, %0, t;}" : "+r"(x) : "l"(p));
        if (MODE == 16) // the same with relaxed order at the GPU's scope
            if (threadIdx.x % 32 == 0)
                asm volatile("{.reg .u32 t; ld.relaxed.gpu.global.u32 t, [%1]; xor.b32 %0, %0, t;}" : "+r"(x) : "l"(p));
        if (MODE == 14) // loads from L2, consecutive words
            asm volatile("{.reg .u32 t; ld.relaxed.gpu.global.u32 t, [%1]; xor.b32 %0, %0, t;}" : "+r"(x) : "l"(p + i));
    }
    if (x == 12345)
        *out = x;
}
template <int MODE> void throughput(const char *name, unsigned *p, unsigned *out, int blocks, int threads)
{
    const int rounds = 256;
    cudaEvent_t a, b;
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    float best = 1e30f;
    for (int i = 0; i < 5; i++) {
        cudaEventRecord(a);
        atomics<MODE><<<blocks, threads>>>(p, out, rounds);
        cudaEventRecord(b);
        CHECK(cudaEventSynchronize(b));
        float t;
        cudaEventElapsedTime(&t, a, b);
        best = std::min(best, t);
    }
    printf("%s,blocks,%d,threads,%d,warp_instructions,%lld,us,%.2f\n", name, blocks, threads,
           (long long)blocks * (threads / 32) * rounds, best * 1e3);
}

// The parts of a grid-wide barrier made of an atomic counter, in cycles, averaged over rounds and blocks.
__global__ void barrier_parts(unsigned *count, long long *parts, int rounds)
{
    long long sums[5] = {0, 0, 0, 0, 0};
    for (int k = 1; k <= rounds; k++) {
        long long t0 = clock64();
        __syncthreads();
        long long t1 = clock64();
        if (threadIdx.x == 0) {
            __threadfence();
            long long t2 = clock64();
            atomicAdd(count, 1u);
            while (*(volatile unsigned *)count < (unsigned)k * gridDim.x)
                ;
            long long t3 = clock64();
            __threadfence();
            long long t4 = clock64();
            sums[1] += t2 - t1;
            sums[2] += t3 - t2;
            sums[3] += t4 - t3;
        }
        long long t5 = clock64();
        __syncthreads();
        sums[0] += t1 - t0;
        sums[4] += clock64() - t5;
    }
    if (threadIdx.x == 0)
        for (int i = 0; i < 5; i++)
            atomicAdd((unsigned long long *)&parts[i], (unsigned long long)sums[i]);
}
static void barrier(int blocks, int threads)
{
    unsigned *count;
    long long *parts, h[5];
    const int rounds = 1000;
    CHECK(cudaMalloc(&count, 256));
    CHECK(cudaMalloc(&parts, 64));
    for (int i = 0; i < 2; i++) {
        CHECK(cudaMemset(count, 0, 256));
        CHECK(cudaMemset(parts, 0, 64));
        barrier_parts<<<blocks, threads>>>(count, parts, rounds);
    }
    CHECK(cudaMemcpy(h, parts, sizeof h, cudaMemcpyDeviceToHost));
    printf("barrier_parts,blocks,%d,threads,%d", blocks, threads);
    const char *names[5] = {"sync", "fence", "count_and_spin", "fence", "sync"};
    for (int i = 0; i < 5; i++)
        printf(",%s,%.1f", names[i], (double)h[i] / rounds / blocks);
    printf("\n");
}

// Blocks one after the other on each SM (shared memory allows one at a time): when they begin and end.
struct Life {
    unsigned sm;
    long long begin, end;
};
__global__ void live(Life *lives, int spin)
{
    extern __shared__ char room[];
    long long begin = clock64();
    while (clock64() - begin < spin)
        ;
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned sm;
        asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
        lives[blockIdx.x] = {sm, begin, clock64()};
    }
}
// The same with the only store right at the beginning, so that no store is under way when the block ends.
__global__ void live_quietly(Life *lives, int spin)
{
    extern __shared__ char room[];
    long long begin = clock64();
    if (threadIdx.x == 0) {
        unsigned sm;
        asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
        lives[blockIdx.x] = {sm, begin, begin + spin};
    }
    while (clock64() - begin < spin)
        ;
}
// When each warp of a block begins, from the first on.
__global__ void warp_starts(long long *starts)
{
    long long begin = clock64();
    if (threadIdx.x % 32 == 0)
        starts[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32] = begin;
}

template <class Kernel> void turnover(const char *name, Kernel kernel, int threads)
{
    const int blocks = 132 * 8, shared = 200 * 1024;
    Life *lives;
    std::vector<Life> h(blocks);
    CHECK(cudaMalloc(&lives, blocks * sizeof(Life)));
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    for (int i = 0; i < 2; i++)
        kernel<<<blocks, threads, shared>>>(lives, 3000);
    CHECK(cudaMemcpy(h.data(), lives, blocks * sizeof(Life), cudaMemcpyDeviceToHost));
    std::sort(h.begin(), h.end(), [](const Life &a, const Life &b) {
        return a.sm != b.sm ? a.sm < b.sm : a.begin < b.begin;
    });
    std::vector<long long> gaps;
    for (int i = 1; i < blocks; i++)
        if (h[i].sm == h[i - 1].sm)
            gaps.push_back(h[i].begin - h[i - 1].end);
    std::sort(gaps.begin(), gaps.end());
    printf("%s,threads,%d,min,%lld,median,%lld,max,%lld\n", name, threads, gaps[0],
           gaps[gaps.size() / 2], gaps.back());
    CHECK(cudaFree(lives));
}

// Stores of one word by all warps of all blocks, each `rounds` times: how long until a fence has passed.
__global__ void store_word(char *p, long long *cycles, int rounds, int sectors)
{
    const int warp = threadIdx.x / 32, warps = blockDim.x / 32;
    __syncthreads();
    long long begin = clock64();
    for (int k = 0; k < rounds; k += 4) {
#pragma unroll
        for (int j = 0; j < 4; j++)
            asm volatile("st.global.u32 [%0], %1;" ::"l"(p + (size_t)(((k + j) * warps + warp) & (sectors - 1)) * 32), "r"(k)
                         : "memory");
    }
    long long issued = clock64();
    __threadfence();
    __syncthreads();
    long long end = clock64();
    if (threadIdx.x == 0) {
        cycles[2 * blockIdx.x] = end - begin;
        cycles[2 * blockIdx.x + 1] = issued - begin;
    }
}
static void word_stores(char *p, long long *cycles, int blocks, int threads)
{
    const int rounds = 512;
    std::vector<long long> h(2 * blocks);
    long long least = 1LL << 60, issue = 0;
    for (int i = 0; i < 4; i++) {
        store_word<<<blocks, threads>>>(p, cycles, rounds, 1);
        CHECK(cudaMemcpy(h.data(), cycles, blocks * 16, cudaMemcpyDeviceToHost));
        long long most = 0, most_issue = 0;
        for (int b = 0; b < blocks; b++) {
            most = std::max(most, h[2 * b]);
            most_issue = std::max(most_issue, h[2 * b + 1]);
        }
        if (most < least)
            least = most, issue = most_issue;
    }
    printf("store_word,blocks,%d,threads,%d,warp_instructions,%d,cycles,%lld,issued,%lld\n", blocks, threads,
           blocks * threads / 32 * rounds, least, issue);
}

// Reductions to two words in turn: in half the time of one word's if they are in different slices.
__global__ void pairs(char *p, long long *cycles, int rounds, int distance)
{
    if (threadIdx.x % 32 == 0) {
        long long begin = clock64();
        char *to = p + (threadIdx.x / 32 + blockIdx.x) % 2 * distance;
        for (int k = 0; k < rounds; k++)
            asm volatile("red.global.add.u32 [%0], 1;" ::"l"(to) : "memory");
        __threadfence();
        if (threadIdx.x == 0)
            cycles[blockIdx.x] = clock64() - begin;
    }
}
static void pair_of_words(char *p, long long *cycles, int distance)
{
    std::vector<long long> h(132);
    double best = 1e30;
    for (int i = 0; i < 3; i++) {
        pairs<<<132, 256>>>(p, cycles, 64, distance);
        CHECK(cudaMemcpy(h.data(), cycles, 132 * 8, cudaMemcpyDeviceToHost));
        best = std::min(best, (double)*std::max_element(h.begin(), h.end()) / (132 * 8 * 64));
    }
    printf("red_pair,distance,%d,cycles,%.3f\n", distance, best);
}

int main()
{
    void *buffer;
    CHECK(cudaMalloc(&buffer, 256 << 20));
    CHECK(cudaMemset(buffer, 0, 256 << 20));
#define RUN(name, Type) chain(#name, name, (Type *)buffer)
    RUN(add_s32, int); RUN(add_xor, int); RUN(add_shf, int); RUN(shl_b32, int); RUN(mad_s32, int); RUN(mulhi_s32, int);
    RUN(prmt_b32, int); RUN(min_s32, int); RUN(popc_b32, int); RUN(bfind_u32, int); RUN(add_s64, long long);
    RUN(mad_wide, long long); RUN(mul_s64, long long); RUN(setp_selp, int); RUN(fma_f32, float);
    RUN(add_f32, float); RUN(min_f32, float); RUN(fma_f16x2, int); RUN(fma_f64, double); RUN(add_f64, double);
    RUN(ex2_ftz, float); RUN(rcp_ftz, float); RUN(rsqrt_ftz, float); RUN(sin_ftz, float); RUN(cvt_f32_s32, int);
    RUN(cvt_f64_f32, float); RUN(shfl_b32, int); RUN(ballot_b32, int); RUN(redux_s32, int); RUN(match_b32, int);
    RUN(special, int); RUN(smid, int); RUN(syncwarp, int); RUN(loop_only, int); RUN(shared_atomic_return, int);
    RUN(shared_store_load, int); RUN(constant_chain, int);
    RUN(shared_chain, int);
    chain("loop_of_1", loop_of<1>, (float *)buffer);
    chain("loop_of_4", loop_of<4>, (float *)buffer);
    chain("loop_of_8", loop_of<8>, (float *)buffer);
    chain("loop_of_16", loop_of<16>, (float *)buffer);
    CHECK(cudaMemset(buffer, 0, 4096));
    chain("global_chain_32", global_chain_32, (int *)buffer, 1);
    CHECK(cudaMemset(buffer, 0, 4096));
    chain("global_chain", global_chain, (int *)buffer, 1);
    chain("fence_alone", fence_alone, (int *)buffer, 1);
    chain("fence_block", fence_block, (int *)buffer, 1);
    chain("store_fence", store_fence, (int *)buffer, 1);
    CHECK(cudaMemset(buffer, 0, 4096));
    chain("store_load", store_load, (int *)buffer, 1);
    CHECK(cudaMemset(buffer, 0, 4096));
    chain("red_load", red_load, (int *)buffer, 1);
    chain("load_volatile", load_volatile, (int *)buffer, 1);
    chain("fence_load", fence_load, (int *)buffer, 1);
    chain("fence_wait_load", fence_wait_load, (int *)buffer, 1);
    unsigned *p = (unsigned *)buffer, *out = p + (200 << 18);
    for (int blocks : {1, 132, 528}) {
        throughput<0>("red_consecutive", p, out, blocks, 256);
        throughput<1>("atom_consecutive", p, out, blocks, 256);
        throughput<2>("red_one_lane_one_word", p, out, blocks, 256);
        throughput<3>("red_all_lanes_one_word", p, out, blocks, 256);
        throughput<4>("atom_all_lanes_one_word", p, out, blocks, 256);
        throughput<5>("red_word_per_warp", p, out, blocks, 256);
        throughput<6>("red_sector_per_lane", p, out, blocks, 256);
        throughput<7>("red_f32_consecutive", p, out, blocks, 256);
        throughput<8>("cas_consecutive", p, out, blocks, 256);
        throughput<9>("store_consecutive", p, out, blocks, 256);
        throughput<10>("store_sector_per_lane", p, out, blocks, 256);
        throughput<11>("store_line_per_lane", p, out, blocks, 256);
        throughput<12>("load_sector_per_lane", p, out, blocks, 256);
        throughput<13>("load_line_per_lane", p, out, blocks, 256);
        throughput<14>("load_consecutive", p, out, blocks, 256);
        throughput<17>("store_one_word", p, out, blocks, 256);
        throughput<18>("store_word_per_4_blocks", p, out, blocks, 256);
        throughput<19>("store_sector_per_warp", p, out, blocks, 256);
        throughput<15>("load_volatile_one_word", p, out, blocks, 256);
        throughput<16>("load_relaxed_one_word", p, out, blocks, 256);
    }
    for (int blocks : {1, 2, 16, 132, 264, 528})
        barrier(blocks, 256);
    barrier(132, 32);
    for (int threads : {32, 256, 1024})
        turnover("block_turnover", live, threads);
    for (int threads : {32, 256, 1024})
        turnover("block_turnover_quiet", live_quietly, threads);
    long long *starts, h[32];
    CHECK(cudaMalloc(&starts, 32 * 8));
    for (int i = 0; i < 2; i++)
        warp_starts<<<1, 1024>>>(starts);
    CHECK(cudaMemcpy(h, starts, sizeof h, cudaMemcpyDeviceToHost));
    printf("warp_starts");
    for (int i = 0; i < 32; i++)
        printf(",%lld", h[i] - *std::min_element(h, h + 32));
    printf("\n");
    long long *times;
    CHECK(cudaMalloc(&times, 132 * 16));
    for (int blocks : {1, 16, 33, 66, 132})
        word_stores((char *)buffer, times, blocks, 256);
    for (int threads : {32, 64, 256, 1024})
        word_stores((char *)buffer, times, 132, threads);
    for (int distance : {0, 4, 32, 64, 96, 128, 256, 384, 512, 640, 768, 896, 1024})
        pair_of_words((char *)buffer, times, distance);
    CHECK(cudaDeviceSynchronize());
    return 0;
}
