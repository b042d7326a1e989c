/* What single machine instructions take that long functions are made of, alone and under load, on a real GPU.
 *
 *     nvcc -O3 -arch=sm_90 pieces.cu -o pieces && ./pieces > h200-pieces.csv
 *
 * A chain of 256 steps by each thread of a block, or four such chains beside each other. Columns: step; chains; warps;
 * cycles of a step. `rcp64` and `rsqrt64` are the approximations that quotients and roots of doubles begin with; `meet`
 * is a branch that is taken to where lanes meet, and a sum, `call` a function's call and return, and a sum; names with two words are two instructions, of which the second needs the first. */
#include "../caches/caches.cuh"

enum { STEPS = 256 };

template <class T> static __device__ T from_bits(uint64_t bits);
template <> __device__ float from_bits<float>(uint64_t bits) { return __uint_as_float((uint32_t)bits); }
template <> __device__ uint32_t from_bits<uint32_t>(uint64_t bits) { return (uint32_t)bits; }
template <> __device__ double from_bits<double>(uint64_t bits) { return __longlong_as_double(bits); }
template <> __device__ uint64_t from_bits<uint64_t>(uint64_t bits) { return bits; }

#define STEP1(name, T, c, text)                                                                                        \
    struct name {                                                                                                      \
        typedef T Value;                                                                                               \
        static __device__ __forceinline__ T of(T x, T a) { asm volatile(text : "+" c(x) : c(a)); return x; }           \
    }

STEP1(Rcp64, double, "d", "{ rcp.approx.ftz.f64 %0, %0; }");
STEP1(Rsqrt64, double, "d", "{ rsqrt.approx.ftz.f64 %0, %0; }");
STEP1(Dfma, double, "d", "fma.rn.f64 %0, %0, %1, %1;");
STEP1(Dadd, double, "d", "add.f64 %0, %0, %1;");
STEP1(Dmul, double, "d", "mul.f64 %0, %0, %1;");
STEP1(DsetSelect, double, "d", "{ .reg .pred p; setp.lt.f64 p, %0, %1; selp.f64 %0, %0, %1, p; }");
STEP1(DfmaThenRcp, double, "d", "{ fma.rn.f64 %0, %0, %1, %1; fma.rn.f64 %0, %0, %1, %1; fma.rn.f64 %0, %0, %1, %1; "
                                "fma.rn.f64 %0, %0, %1, %1; rcp.approx.ftz.f64 %0, %0; }");
STEP1(Ffma, float, "f", "fma.rn.f32 %0, %0, %1, %1;");
STEP1(Ex2, float, "f", "ex2.approx.ftz.f32 %0, %0;");
STEP1(Round, float, "f", "cvt.rni.f32.f32 %0, %0;");
STEP1(FsetSelect, float, "f", "{ .reg .pred p; setp.lt.f32 p, %0, %1; selp.f32 %0, %0, %1, p; }");
STEP1(FsetGuard, float, "f", "{ .reg .pred p; setp.lt.f32 p, %0, %1; @p add.f32 %0, %0, %1; }");
STEP1(F2d, float, "f", "{ .reg .f64 d; cvt.f64.f32 d, %0; cvt.rn.f32.f64 %0, d; }");
STEP1(Imad, uint32_t, "r", "mad.lo.u32 %0, %0, %1, %1;");
STEP1(ImadHi, uint32_t, "r", "mul.hi.u32 %0, %0, %1;");
STEP1(ImadWide, uint64_t, "l", "{ .reg .u32 a, b, c; mov.b64 {a, b}, %0; mov.b64 {c, b}, %1; mad.wide.u32 %0, a, c, %0; }");
STEP1(AddWide, uint64_t, "l", "add.u64 %0, %0, %1;");
STEP1(ImadAdd, uint32_t, "r", "{ mad.lo.u32 %0, %0, %1, %1; xor.b32 %0, %0, %1; }");
STEP1(IsetSelect, uint32_t, "r", "{ .reg .pred p; setp.eq.u32 p, %0, %1; selp.b32 %0, 77, %0, p; add.u32 %0, %0, %1; }");
STEP1(IsetGuard, uint32_t, "r", "{ .reg .pred p; setp.lt.u32 p, %0, %1; @p mad.lo.u32 %0, %0, %1, %1; }");
STEP1(I2fUp, uint32_t, "r", "{ .reg .f32 f; cvt.rp.f32.u32 f, %0; mov.b32 %0, f; }");
STEP1(I2d, uint32_t, "r", "{ .reg .f64 d; .reg .u32 h; cvt.rn.f64.s32 d, %0; mov.b64 {h, %0}, d; }");
STEP1(D2i, double, "d", "{ .reg .s32 i; cvt.rzi.s32.f64 i, %0; mov.b64 %0, {i, i}; }");
STEP1(L2d, uint64_t, "l", "{ .reg .f64 d; cvt.rn.f64.s64 d, %0; mov.b64 %0, d; }");
STEP1(D2l, double, "d", "{ .reg .s64 i; cvt.rzi.s64.f64 i, %0; mov.b64 %0, i; }");
STEP1(Abs, uint32_t, "r", "{ abs.s32 %0, %0; xor.b32 %0, %0, %1; }");
STEP1(Flo, uint32_t, "r", "bfind.u32 %0, %0;");

__device__ float words[2];

struct Meet {
    typedef float Value;
    static __device__ __forceinline__ float of(float x, float a)
    {
        if (x == 0.125f)
            x += atomicAdd(&words[0], x) + atomicAdd(&words[1], x);
        asm volatile("add.f32 %0, %0, %1;" : "+f"(x) : "f"(a));
        return x;
    }
};
static __device__ __noinline__ float called(float x, float a)
{
    asm volatile("add.f32 %0, %0, %1;" : "+f"(x) : "f"(a));
    return x;
}
struct Call {
    typedef float Value;
    static __device__ __forceinline__ float of(float x, float a) { return called(x, a); }
};

template <class Step, int CHAINS>
__global__ void chain(uint64_t x, uint64_t a, uint32_t *out, typename Step::Value *to)
{
    typedef typename Step::Value T;
    T v[CHAINS];
    for (int i = 0; i < CHAINS; i++)
        v[i] = from_bits<T>(x + (threadIdx.x & 3)); /* lanes differ */
    const T with = from_bits<T>(a);
    uint32_t start = 0;
    __syncthreads();
#pragma unroll 1
    for (int round = 0; round < 9; round++) { /* the first one brings the code */
        if (round == 1) {
            __syncthreads();
            start = clock();
        }
#pragma unroll
        for (int k = 0; k < STEPS / 8 / CHAINS; k++)
#pragma unroll
            for (int i = 0; i < CHAINS; i++)
                v[i] = Step::of(v[i], with);
    }
    T all = v[0];
    for (int i = 1; i < CHAINS; i++)
        all += v[i];
    __syncthreads();
    const uint32_t took = clock() - start;
    to[threadIdx.x] = all; /* else the assembler leaves the chain out */
    if (threadIdx.x == 0)
        *out = took;
}

static uint32_t *out;
static void *to;

template <class Step, int CHAINS> static void run_chains(const char *name, uint64_t x, uint64_t a)
{
    for (int warps : {1, 4, 8, 16, 32}) {
        uint32_t took;
        for (int launch = 0; launch < 2; launch++)
            chain<Step, CHAINS><<<1, warps * 32>>>(x, a, out, (typename Step::Value *)to);
        CHECK(cudaMemcpy(&took, out, 4, cudaMemcpyDeviceToHost));
        printf("%s,%d,%d,%.2f\n", name, CHAINS, warps, took / (double)STEPS);
    }
}

template <class Step> static void run(const char *name, uint64_t x, uint64_t a)
{
    run_chains<Step, 1>(name, x, a);
    run_chains<Step, 4>(name, x, a);
}

int main()
{
    const uint64_t one = 0x3ff0000000000000, half = 0x3fe0000000000000, fone = 0x3f800000, fhalf = 0x3f000000;
    CHECK(cudaMalloc(&out, 4));
    CHECK(cudaMalloc(&to, 8192));
    printf("step,chains,warps,cycles\n");
    run<Rcp64>("rcp64", one, half), run<Rsqrt64>("rsqrt64", one, half), run<Dfma>("dfma", one, half);
    run<Dadd>("dadd", one, half), run<Dmul>("dmul", one, half), run<DsetSelect>("dset_select", one, half);
    run<DfmaThenRcp>("4_dfma_rcp64", one, half), run<Ffma>("ffma", fone, fhalf), run<Ex2>("ex2", fone, fhalf);
    run<Round>("round", fone, fhalf), run<FsetSelect>("fset_select", fone, fhalf);
    run<FsetGuard>("fset_guard", fone, fhalf), run<F2d>("f2d_d2f", fone, fhalf), run<Imad>("imad", 3, 5);
    run<ImadHi>("imad_hi", 3, 5), run<ImadWide>("imad_wide", 3, 5), run<AddWide>("add_wide", 3, 5);
    run<ImadAdd>("imad_xor", 3, 5), run<IsetSelect>("iset_select_add", 3, 5), run<IsetGuard>("iset_guard", 3, 5);
    run<I2fUp>("i2f_up", 3, 5), run<I2d>("i2d", 3, 5), run<D2i>("d2i", one, half), run<L2d>("l2d", 3, 5);
    run<D2l>("d2l", one, half), run<Abs>("abs_xor", 3, 5), run<Flo>("flo", 3, 5);
    run<Meet>("meet", fone, fhalf), run<Call>("call", fone, fhalf);
    return 0;
}
