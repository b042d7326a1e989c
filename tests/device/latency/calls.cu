/* What functions that are many instructions take, on a real GPU.
 *
 *     nvcc -O3 -arch=sm_90 calls.cu -o calls && ./calls > h200-calls.csv
 *
 * A chain of 16 calls by each thread of a block. Columns: function; warps; cycles of a call, of the second launch (of
 * the first: `first`). Arguments hang on the last result, which is near 1; `_large` arguments need the long reduction,
 * `_mixed` ones do so in every fourth lane. */
#include <cmath>

#include "../caches/caches.cuh"

enum { TIMES = 16 };

struct Sin { static __device__ float of(float x, float a) { return sinf(x * a) + 1; } };
struct SinCos { static __device__ float of(float x, float a) { float s, c; sincosf(x * a, &s, &c); return s * c + 1; } };
struct Exp { static __device__ float of(float x, float a) { return expf(x * a) * 0.1f; } };
struct Log { static __device__ float of(float x, float a) { return logf(x * a + 2.0f); } };
struct Pow { static __device__ float of(float x, float a) { return powf(x, a); } };
struct Erf { static __device__ float of(float x, float a) { return erff(x * a); } };
struct Tanh { static __device__ float of(float x, float a) { return tanhf(x * a) + 1; } };
struct Sqrt { static __device__ float of(float x, float a) { return sqrtf(x * a + 1); } };
struct Div { static __device__ float of(float x, float a) { return a / (x + 1); } };
struct Cbrt { static __device__ float of(float x, float a) { return cbrtf(x + a); } };
struct Lgamma { static __device__ float of(float x, float a) { return lgammaf(x + a) + 3; } };
struct DExp { static __device__ double of(double x, double a) { return exp(x * a) * 0.1; } };
struct DLog { static __device__ double of(double x, double a) { return log(x * a + 2); } };
struct DSqrt { static __device__ double of(double x, double a) { return sqrt(x * a + 1); } };
struct DDiv { static __device__ double of(double x, double a) { return a / (x + 1); } };
struct DSin { static __device__ double of(double x, double a) { return sin(x * a) + 1; } };
struct UDiv { static __device__ uint32_t of(uint32_t x, uint32_t a) { return (x | 0x40000000) / a; } };
struct UMod { static __device__ uint32_t of(uint32_t x, uint32_t a) { return (x | 0x40000000) % a; } };
struct IMod { static __device__ int of(int x, int a) { return (x | 0x40000000) % a; } };
struct LDiv { static __device__ uint64_t of(uint64_t x, uint64_t a) { return (x | (uint64_t)1 << 50) / a; } };

template <class Function, class T> __global__ void chain(T x, T a, T every_fourth, uint32_t *out)
{
    if (threadIdx.x % 4 == 0)
        a = every_fourth;
    const uint32_t start = clock();
    for (int i = 0; i < TIMES; i++)
        x = Function::of(x, a);
    const uint32_t low = (uint32_t)(double)x;
    asm volatile("{ .reg .pred odd; setp.eq.u32 odd, %0, 0xdeadbeef; @odd trap; }" ::"r"(low) : "memory");
    const uint32_t took = clock() - start;
    if (threadIdx.x == 0)
        out[0] = took;
}

static uint32_t *out;

template <class Function, class T> static void run(const char *name, T x, T a, T every_fourth)
{
    for (int warps : {1, 8, 16, 32}) {
        uint32_t took[3];
        for (int round = 0; round < 3; round++) {
            chain<Function, T><<<1, warps * 32>>>(x, a, every_fourth, out);
            CHECK(cudaMemcpy(&took[round], out, 4, cudaMemcpyDeviceToHost));
        }
        if (warps == 1)
            printf("%s,first,%.1f\n", name, took[0] / (double)TIMES);
        printf("%s,%d,%.1f\n", name, warps, took[2] / (double)TIMES);
    }
}

int main()
{
    CHECK(cudaMalloc(&out, 4));
    run<Sin, float>("sinf", 1, 0.9f, 0.9f);
    run<Sin, float>("sinf_large", 1, 3e6f, 3e6f);
    run<Sin, float>("sinf_mixed", 1, 0.9f, 3e6f);
    run<SinCos, float>("sincosf", 1, 0.9f, 0.9f);
    run<SinCos, float>("sincosf_large", 1, 3e6f, 3e6f);
    run<SinCos, float>("sincosf_mixed", 1, 0.9f, 3e6f);
    run<Exp, float>("expf", 1, 0.9f, 0.9f);
    run<Log, float>("logf", 1, 0.9f, 0.9f);
    run<Pow, float>("powf", 1.5f, 0.9f, 0.9f);
    run<Erf, float>("erff", 1, 0.9f, 0.9f);
    run<Tanh, float>("tanhf", 1, 0.9f, 0.9f);
    run<Sqrt, float>("sqrtf", 1, 0.9f, 0.9f);
    run<Div, float>("fdiv", 1, 0.9f, 0.9f);
    run<Cbrt, float>("cbrtf", 1, 0.9f, 0.9f);
    run<Lgamma, float>("lgammaf", 1, 0.9f, 0.9f);
    run<DExp, double>("exp", 1, 0.9, 0.9);
    run<DLog, double>("log", 1, 0.9, 0.9);
    run<DSqrt, double>("sqrt", 1, 0.9, 0.9);
    run<DDiv, double>("ddiv", 1, 0.9, 0.9);
    run<DSin, double>("sin", 1, 0.9, 0.9);
    run<UDiv, uint32_t>("u32_div", 1, 77, 77);
    run<UMod, uint32_t>("u32_mod", 1, 77, 77);
    run<IMod, int>("s32_mod", 1, 77, 77);
    run<LDiv, uint64_t>("u64_div", 1, 77, 77);
    return 0;
}
