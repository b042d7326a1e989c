/* What the first launch of a kernel waits for that later ones do not, on a real GPU, with caches as they are and
 * behind a profiler's flush.
 *
 *     nvcc -O3 -arch=sm_90 cold.cu -o cold && ./cold > kept.csv
 *     ncu --clock-control none --cache-control all --metrics sm__cycles_elapsed.max --csv --log-file cycles.csv ./cold
 *
 * h200-cold.csv has both, with a first column that says which, and the profiler's cycles of a launch at the end.
 * Every shape has a kernel of its own, which is launched four times. Its warps read the clock at their start and when
 * each of these is there: the thread's index; a parameter; the end of 64 instructions that no warp has run yet; of 64
 * more; a word of memory that no kernel has used; a word of it beside; and behind a store. Columns: blocks, threads,
 * launch, step, cycles of all warps: least, middle, nine tenths, most, mean. `span` rows: from the first warp's start
 * on an SM to the last one's end on it: least, middle, most of SMs. */
#include <algorithm>
#include <vector>

#include "../caches/caches.cuh"

#define WAIT(value)                                                                                          \
    asm volatile("{ .reg .pred odd; setp.eq.u32 odd, %0, 0xdeadbeef; @odd trap; }" ::"r"(value) : "memory")

enum { STAMPS = 8, LAUNCHES = 4 };

static __device__ __forceinline__ void run_code(float &x, float k)
{
#pragma unroll
    for (int i = 0; i < 64; i++)
        asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(k));
}

template <int SHAPE> __global__ void begin(const float *x, float *y, uint32_t *stamps, uint32_t n, float k)
{
    const uint32_t start = clock();
    uint32_t thread, block, sm;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
    WAIT(thread);
    const uint32_t has_thread = clock();
    WAIT(n);
    const uint32_t has_parameter = clock();
    float value = k;
    run_code(value, k);
    WAIT(__float_as_uint(value));
    const uint32_t has_code = clock();
    run_code(value, k);
    WAIT(__float_as_uint(value));
    const uint32_t has_more = clock();
    asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(block));
    const uint32_t i = block * blockDim.x + thread;
    float word, other;
    asm volatile("ld.global.f32 %0, [%1];" : "=f"(word) : "l"(x + 2 * i / 32 * 32 + i % 32) : "memory");
    WAIT(__float_as_uint(word));
    const uint32_t has_word = clock();
    asm volatile("ld.global.f32 %0, [%1];" : "=f"(other) : "l"(x + 2 * i / 32 * 32 + 32 + i % 32) : "memory");
    WAIT(__float_as_uint(other));
    const uint32_t has_other = clock();
    asm volatile("st.global.f32 [%0], %1;" ::"l"(y + i), "f"(value + word + other) : "memory");
    const uint32_t end = clock();
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (thread % 32 == 0) {
        uint4 *at = (uint4 *)(stamps + (size_t)(i / 32) * STAMPS);
        at[0] = make_uint4(start, has_thread, has_parameter, has_code);
        at[1] = make_uint4(has_more, has_word, has_other, sm << 24 | (end - start));
    }
}

static void print_launch(int blocks, int threads, int launch, const std::vector<uint32_t> &stamps)
{
    static const char *const names[] = {"thread", "parameter", "code", "more", "word", "other"};
    const size_t warps = stamps.size() / STAMPS;
    for (int step = 0; step < 6; step++) {
        std::vector<uint32_t> took;
        double sum = 0;
        for (size_t w = 0; w < warps; w++)
            took.push_back(stamps[w * STAMPS + step + 1] - stamps[w * STAMPS + step]), sum += took.back();
        std::sort(took.begin(), took.end());
        printf("%d,%d,%d,%s,%u,%u,%u,%u,%.1f\n", blocks, threads, launch, names[step], took[0], took[warps / 2],
               took[warps * 9 / 10], took[warps - 1], sum / warps);
    }
    uint32_t base[132], first[132], last[132], spans[132];
    bool is_used[132] = {};
    int used = 0;
    for (size_t w = 0; w < warps; w++) { /* around one of the SM's clocks, since they wrap */
        const uint32_t *at = &stamps[w * STAMPS], sm = at[7] >> 24, length = at[7] & 0xffffff;
        if (!is_used[sm])
            base[sm] = at[0] - 0x80000000u, first[sm] = UINT32_MAX, last[sm] = 0, is_used[sm] = true;
        first[sm] = std::min(first[sm], at[0] - base[sm]);
        last[sm] = std::max(last[sm], at[0] - base[sm] + length);
    }
    for (int sm = 0; sm < 132; sm++)
        if (is_used[sm])
            spans[used++] = last[sm] - first[sm];
    std::sort(spans, spans + used);
    printf("%d,%d,%d,span,%u,%u,,%u,\n", blocks, threads, launch, spans[0], spans[used / 2], spans[used - 1]);
}

template <int SHAPE> static void run(int blocks, int threads)
{
    const size_t warps = (size_t)blocks * threads / 32;
    float *x, *y;
    uint32_t *stamps;
    CHECK(cudaMalloc(&x, warps * 256));
    CHECK(cudaMalloc(&y, warps * 128));
    CHECK(cudaMalloc(&stamps, warps * STAMPS * 4));
    CHECK(cudaMemset(x, 0, warps * 256));
    for (int launch = 0; launch < LAUNCHES; launch++) {
        begin<SHAPE><<<blocks, threads>>>(x, y, stamps, 12345, 0.5f);
        CHECK(cudaDeviceSynchronize());
        std::vector<uint32_t> got(warps * STAMPS);
        CHECK(cudaMemcpy(got.data(), stamps, got.size() * 4, cudaMemcpyDeviceToHost));
        print_launch(blocks, threads, launch, got);
    }
}

int main()
{
    printf("blocks,threads,launch,step,least,middle,nine_tenths,most,mean\n");
    run<0>(1, 32);
    run<1>(1, 32);
    run<2>(132, 32);
    run<3>(132, 256);
    run<4>(132, 1024);
    run<5>(528, 256);
    run<6>(1056, 256);
    run<7>(4224, 256);
    return 0;
}
