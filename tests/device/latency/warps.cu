/* Where warps spend their time from their start on, and what instructions take beside others, on a real GPU.
 *
 *     nvcc -O3 -arch=sm_90 warps.cu -o warps && ./warps > h200-warps.csv
 *
 * `begin` rows: a kernel whose warps read the clock at their start and when each of these is there: the thread's
 * index, the block's index, a parameter, a word of memory, a word of other memory, and behind a store. Grid; threads;
 * first launch or again; the step; cycles of all warps: least, middle, nine tenths, most, mean.
 * `last` rows: from the first warp's start on an SM to the last warp's end on it: least, middle, most of SMs.
 * `chain` rows: instruction; warps on one SM; cycles of each in a chain of 512, or of four such in four chains. */
#include <algorithm>
#include <vector>

#include "../caches/caches.cuh"

#define WAIT(value)                                                                                          \
    asm volatile("{ .reg .pred odd; setp.eq.u32 odd, %0, 0xdeadbeef; @odd trap; }" ::"r"(value) : "memory")

enum { STAMPS = 8 };

__global__ void begin(const float *x, const float *x2, float *y, uint32_t *stamps, uint32_t n)
{
    const uint32_t start = clock();
    uint32_t thread, block, sm;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
    WAIT(thread);
    const uint32_t has_thread = clock();
    asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(block));
    WAIT(block);
    const uint32_t has_block = clock();
    WAIT(n);
    const uint32_t has_parameter = clock();
    const uint32_t i = block * blockDim.x + thread;
    float value = 0, other = 0;
    if (i < n)
        asm volatile("ld.global.f32 %0, [%1];" : "=f"(value) : "l"(x + i) : "memory");
    WAIT(__float_as_uint(value));
    const uint32_t has_word = clock();
    if (i < n)
        asm volatile("ld.global.f32 %0, [%1];" : "=f"(other) : "l"(x2 + i) : "memory");
    WAIT(__float_as_uint(other));
    const uint32_t has_other = clock();
    if (i < n)
        asm volatile("st.global.f32 [%0], %1;" ::"l"(y + i), "f"(value + other) : "memory");
    const uint32_t end = clock();
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (thread % 32 == 0) {
        uint4 *at = (uint4 *)(stamps + (size_t)(i / 32) * STAMPS);
        at[0] = make_uint4(start, has_thread, has_block, has_parameter);
        at[1] = make_uint4(has_word, has_other, end, sm);
    }
}

static void print_steps(int grid, int threads, const char *when, const std::vector<uint32_t> &stamps)
{
    static const char *const names[] = {"thread", "block", "parameter", "word", "other", "store"};
    const size_t warps = stamps.size() / STAMPS;
    for (int step = 0; step < 6; step++) {
        std::vector<uint32_t> took;
        double sum = 0;
        for (size_t w = 0; w < warps; w++)
            took.push_back(stamps[w * STAMPS + step + 1] - stamps[w * STAMPS + step]), sum += took.back();
        std::sort(took.begin(), took.end());
        printf("begin,%d,%d,%s,%s,%u,%u,%u,%u,%.1f\n", grid, threads, when, names[step], took[0], took[warps / 2],
               took[warps * 9 / 10], took[warps - 1], sum / warps);
    }
    std::vector<uint32_t> first(132, UINT32_MAX), last(132, 0), spans;
    uint32_t base[132];
    for (uint32_t &b : base)
        b = 0;
    for (size_t w = 0; w < warps; w++)
        base[stamps[w * STAMPS + 7]] = stamps[w * STAMPS];
    for (size_t w = 0; w < warps; w++) { /* around any of the SM's clocks, since they wrap */
        const uint32_t sm = stamps[w * STAMPS + 7], middle = base[sm] - 0x80000000u;
        first[sm] = std::min(first[sm], stamps[w * STAMPS] - middle);
        last[sm] = std::max(last[sm], stamps[w * STAMPS + 6] - middle);
    }
    for (int sm = 0; sm < 132; sm++)
        if (last[sm])
            spans.push_back(last[sm] - first[sm]);
    std::sort(spans.begin(), spans.end());
    printf("last,%d,%d,%s,%u,%u,%u\n", grid, threads, when, spans[0], spans[spans.size() / 2], spans.back());
}

static void run_begin(const float *x, const float *x2, float *y, FILE *file)
{
    static const int shapes[][2] = {{1, 32}, {1, 256}, {1, 1024}, {132, 32}, {132, 256}, {132, 1024}, {264, 1024},
                                    {1056, 256}, {2112, 256}, {4224, 256}, {2112, 64}};
    for (const int *shape : shapes)
        for (int round = 0; round < 3; round++) {
            const int warps = shape[0] * shape[1] / 32;
            uint32_t *stamps;
            CHECK(cudaMalloc(&stamps, (size_t)warps * STAMPS * 4));
            CHECK(cudaMemset(stamps, 0, (size_t)warps * STAMPS * 4));
            begin<<<shape[0], shape[1]>>>(x, x2, y, stamps, (uint32_t)shape[0] * shape[1]);
            CHECK(cudaDeviceSynchronize());
            std::vector<uint32_t> got((size_t)warps * STAMPS);
            CHECK(cudaMemcpy(got.data(), stamps, got.size() * 4, cudaMemcpyDeviceToHost));
            if (round != 1)
                print_steps(shape[0], shape[1], round ? "again" : "first", got);
            if (file)
                fwrite(got.data(), 4, got.size(), file);
            CHECK(cudaFree(stamps));
        }
}

enum Op { EX2, I2F, F2I, POPC, SHFL, LDS, LDS_HALF, LDS_CONFLICT, LDS_CONFLICT_2, SM, SM_4, CONSTANT, CONSTANT_4, BALLOT, LG2_EX2, I2F_F2I, BRANCH, CLOCK, OPS };
static const char *const op_names[] = {"ex2", "i2f", "f2i", "popc", "shfl", "lds", "lds_half", "lds_conflict",
                                       "lds_conflict_2", "smid", "smid_4", "constant", "constant_4", "ballot", "lg2_ex2",
                                       "i2f_f2i", "branch", "clock"};

__constant__ uint32_t zeros[256];

template <int OP> static __device__ __forceinline__ uint32_t once(uint32_t v, uint32_t *s)
{
    uint32_t r = v;
    if (OP == EX2)
        asm volatile("ex2.approx.ftz.f32 %0, %1;" : "=r"(r) : "r"(v));
    if (OP == LG2_EX2)
        asm volatile("{ .reg .f32 a; lg2.approx.ftz.f32 a, %1; ex2.approx.ftz.f32 %0, a; }" : "=r"(r) : "r"(v));
    if (OP == I2F)
        asm volatile("cvt.rn.f32.s32 %0, %1;" : "=r"(r) : "r"(v));
    if (OP == F2I)
        asm volatile("cvt.rzi.s32.f32 %0, %1;" : "=r"(r) : "r"(v));
    if (OP == I2F_F2I)
        asm volatile("{ .reg .f32 a; cvt.rn.f32.s32 a, %1; cvt.rzi.s32.f32 %0, a; }" : "=r"(r) : "r"(v));
    if (OP == POPC)
        asm volatile("popc.b32 %0, %1;" : "=r"(r) : "r"(v));
    if (OP == SHFL)
        asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, -1;" : "=r"(r) : "r"(v));
    if (OP == LDS || OP == LDS_CONFLICT || OP == LDS_CONFLICT_2 || OP == LDS_HALF)
        r = ((volatile uint32_t *)s)[v];
    if (OP == SM || OP == SM_4)
        asm volatile("{ .reg .u32 a; mov.u32 a, %%smid; and.b32 a, a, %2; add.u32 %0, a, %1; }" : "=r"(r) : "r"(v), "r"(s[1023]));
    if (OP == CONSTANT || OP == CONSTANT_4)
        r = zeros[v]; /* all lanes the same */
    if (OP == BRANCH)
        asm volatile("{ .reg .pred p; setp.eq.u32 p, %1, 0xdeadbeef; @p trap; add.u32 %0, %1, %2; }" : "=r"(r) : "r"(v), "r"(s[1023]));
    if (OP == CLOCK)
        asm volatile("{ .reg .u32 a; mov.u32 a, %%clock; and.b32 a, a, %2; add.u32 %0, a, %1; }" : "=r"(r) : "r"(v), "r"(s[1023]));
    if (OP == BALLOT)
        asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 77; vote.sync.ballot.b32 %0, p, -1; }" : "=r"(r) : "r"(v));
    return r;
}

template <int OP> __global__ void chain(uint32_t *out, uint32_t seed)
{
    __shared__ uint32_t s[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        s[i] = i % 1023; /* the last is 0 */
    __syncthreads();
    uint32_t v = seed;
    if (OP == LDS_CONFLICT || OP == LDS_CONFLICT_2)
        v += threadIdx.x % 32 % (OP == LDS_CONFLICT ? 32 : 2) * 32;
    else if (OP != CONSTANT && OP != CONSTANT_4)
        v += threadIdx.x % 32;
    uint32_t w[3] = {v, v + s[1023], v + s[1022] - 1022}; /* the same, which the compiler cannot know */
    const uint32_t start = clock();
    if (OP != LDS_HALF || threadIdx.x % 32 < 16)
        for (int i = 0; i < 32; i++) {
#pragma unroll
            for (int k = 0; k < 16; k++) {
                v = once<OP>(v, s);
                if (OP == SM_4 || OP == CONSTANT_4) /* four chains beside each other */
                    for (uint32_t &other : w)
                        other = once<OP>(other, s);
            }
        }
    v += w[0] + w[1] + w[2];
    WAIT(v);
    const uint32_t took = clock() - start;
    if (threadIdx.x == 0)
        out[0] = took;
    if (v == 0xdeadbeef)
        out[1] = v;
}

template <int OP> static void run_chain(uint32_t *out)
{
    for (int warps : {1, 4, 8, 16, 32}) {
        uint32_t took = 0;
        for (int round = 0; round < 2; round++) {
            chain<OP><<<1, warps * 32>>>(out, 0);
            CHECK(cudaMemcpy(&took, out, 4, cudaMemcpyDeviceToHost));
        }
        printf("chain,%s,%d,%.2f\n", op_names[OP], warps, took / 512.0);
    }
    if constexpr (OP + 1 < OPS)
        run_chain<OP + 1>(out);
}

int main(int count, char **words)
{
    float *x, *x2, *y;
    const size_t bytes = (size_t)16 << 20;
    CHECK(cudaMalloc(&x, bytes));
    CHECK(cudaMalloc(&x2, bytes));
    CHECK(cudaMalloc(&y, bytes));
    CHECK(cudaMemset(x, 0, bytes));
    CHECK(cudaMemset(x2, 0, bytes));
    CHECK(cudaMemset(y, 0, bytes));
    FILE *file = count > 1 ? fopen(words[1], "wb") : NULL;
    run_begin(x, x2, y, file);
    if (file)
        fclose(file);
    run_chain<0>((uint32_t *)y);
    return 0;
}
