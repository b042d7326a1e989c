// Kernels that measure what was published about older GPUs; host code: older_*.c. Each timed sequence comes
// twice, with 8 and with 16 steps a trip: what the longer one takes more is 8 steps and nothing else, no
// loop and no clock; throughputs come from longer and shorter launches. Instructions are PTX, as in the
// publications that timed them one by one.
// Compiled by: ../build_ptx.sh micro

typedef long long Clock;
typedef unsigned long long Address;

// The kernel NAME<STEPS> as NAME_8 and NAME_16.
#define PAIR(name, parameters, arguments)                                                                    \
    extern "C" __global__ void name##_8 parameters { name<8> arguments; }                                    \
    extern "C" __global__ void name##_16 parameters { name<16> arguments; }

// -- latency of arithmetic: x = x op y, each step needs the one before --

#define CHAIN(name, type, kind, instruction)                                                                 \
    template <int STEPS> __device__ __forceinline__ void name(int trips, type *values, Clock *cycles)        \
    {                                                                                                        \
        type x = values[0];                                                                                  \
        const type y = values[1];                                                                            \
        Clock begin = clock64();                                                                             \
        _Pragma("unroll 1") for (int k = 0; k < trips; k++) _Pragma(                                         \
            "unroll") for (int i = 0; i < STEPS; i++) asm volatile(instruction : "+" kind(x) : kind(y));     \
        Clock finish = clock64();                                                                            \
        if (threadIdx.x == 0) {                                                                              \
            values[0] = x;                                                                                   \
            *cycles = finish - begin;                                                                        \
        }                                                                                                    \
    }                                                                                                        \
    PAIR(name, (int trips, type *values, Clock *cycles), (trips, values, cycles))
CHAIN(iadd, unsigned, "r", "add.u32 %0, %0, %1;")
CHAIN(imad, unsigned, "r", "mad.lo.u32 %0, %0, %1, %1;")
CHAIN(idiv, int, "r", "div.s32 %0, %1, %0;")
CHAIN(popc, unsigned, "r", "popc.b32 %0, %0;")
CHAIN(fadd, float, "f", "add.rn.f32 %0, %0, %1;")
CHAIN(ffma, float, "f", "fma.rn.f32 %0, %0, %1, %1;")
CHAIN(fdiv, float, "f", "div.rn.f32 %0, %1, %0;")
CHAIN(sin, float, "f", "sin.approx.f32 %0, %0;")
CHAIN(rsqrt, float, "f", "rsqrt.approx.f32 %0, %0;")
CHAIN(ex2, float, "f", "ex2.approx.f32 %0, %0;")
CHAIN(dfma, double, "d", "fma.rn.f64 %0, %0, %1, %1;")
CHAIN(ddiv, double, "d", "div.rn.f64 %0, %1, %0;")

// -- latency of memory: each load gives the address of the next, so that no arithmetic is between them --

#define CHASE(name, instruction)                                                                             \
    template <int STEPS>                                                                                     \
    __device__ __forceinline__ void name(Address at, int warm_up, int trips, Address *end, Clock *cycles)    \
    {                                                                                                        \
        _Pragma("unroll 1") for (int k = 0; k < warm_up; k++) asm volatile(instruction : "+l"(at));          \
        Clock begin = clock64();                                                                             \
        _Pragma("unroll 1") for (int k = 0; k < trips; k++)                                                  \
            _Pragma("unroll") for (int i = 0; i < STEPS; i++) asm volatile(instruction : "+l"(at));          \
        Clock finish = clock64();                                                                            \
        *end = at;                                                                                           \
        *cycles = finish - begin;                                                                            \
    }                                                                                                        \
    PAIR(name, (Address at, int warm_up, int trips, Address *end, Clock *cycles),                            \
         (at, warm_up, trips, end, cycles))
CHASE(load_ca, "ld.global.ca.u64 %0, [%0];")
CHASE(load_cg, "ld.global.cg.u64 %0, [%0];")
CHASE(load_nc, "ld.global.nc.u64 %0, [%0];")
CHASE(load_const, "ld.const.u64 %0, [%0];")

__constant__ Address table[4096];

// Where the table is, for those who fill it with addresses.
extern "C" __global__ void table_address(Address *address) { *address = __cvta_generic_to_constant(table); }

// A word of local memory that holds its own address.
template <int STEPS> __device__ __forceinline__ void load_local(int trips, Address *end, Clock *cycles)
{
    Address word[4];
    const Address here = __cvta_generic_to_local(word);
    Address at = here;
    asm volatile("st.local.u64 [%0], %0;" ::"l"(at) : "memory");
    asm volatile("ld.local.u64 %0, [%0];" : "+l"(at)::"memory");
    Clock begin = clock64();
#pragma unroll 1
    for (int k = 0; k < trips; k++)
#pragma unroll
        for (int i = 0; i < STEPS; i++)
            asm volatile("ld.local.u64 %0, [%0];" : "+l"(at)::"memory");
    Clock finish = clock64();
    *end = at - here;
    *cycles = finish - begin;
}
PAIR(load_local, (int trips, Address *end, Clock *cycles), (trips, end, cycles))

// Each lane's word holds its own address; words are `stride` words apart, which makes conflicts of banks.
template <int STEPS>
__device__ __forceinline__ void load_shared(int stride, int trips, unsigned *end, Clock *cycles)
{
    __shared__ unsigned words[1024];
    const unsigned begin_of_words = (unsigned)__cvta_generic_to_shared(words);
    unsigned at = begin_of_words + threadIdx.x * stride * 4;
    asm volatile("st.shared.u32 [%0], %0;" ::"r"(at) : "memory");
    Clock begin = clock64();
#pragma unroll 1
    for (int k = 0; k < trips; k++)
#pragma unroll
        for (int i = 0; i < STEPS; i++)
            asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at)::"memory");
    Clock finish = clock64();
    end[threadIdx.x] = at - begin_of_words;
    if (threadIdx.x == 0)
        *cycles = finish - begin;
}
PAIR(load_shared, (int stride, int trips, unsigned *end, Clock *cycles), (stride, trips, end, cycles))

// Each element of the texture holds its own index.
template <int STEPS>
__device__ __forceinline__ void load_texture(cudaTextureObject_t texture, int trips, unsigned *end,
                                             Clock *cycles)
{
    int at = tex1Dfetch<unsigned>(texture, 5);
    Clock begin = clock64();
#pragma unroll 1
    for (int k = 0; k < trips; k++)
#pragma unroll
        for (int i = 0; i < STEPS; i++)
            at = tex1Dfetch<unsigned>(texture, at);
    Clock finish = clock64();
    *end = at;
    *cycles = finish - begin;
}
PAIR(load_texture, (cudaTextureObject_t texture, int trips, unsigned *end, Clock *cycles),
     (texture, trips, end, cycles))

// -- atomics and barriers --

// The first `together` lanes of a warp add to one word, all others to words and banks of their own.
template <int STEPS>
__device__ __forceinline__ void shared_atomic(int together, int trips, unsigned *counts, Clock *cycles)
{
    __shared__ unsigned words[32];
    words[threadIdx.x] = 0;
    const unsigned at =
        (unsigned)__cvta_generic_to_shared(words + (threadIdx.x < together ? 0 : threadIdx.x));
    unsigned one = 1;
    Clock begin = clock64();
#pragma unroll 1
    for (int k = 0; k < trips; k++)
#pragma unroll
        for (int i = 0; i < STEPS; i++) {
            unsigned old;
            asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(old) : "r"(at), "r"(one) : "memory");
            one = (old >> 31) + 1; // still one, but only known once the atomic is done
        }
    Clock finish = clock64();
    __syncwarp();
    counts[threadIdx.x] = words[threadIdx.x];
    if (threadIdx.x == 0)
        *cycles = finish - begin;
}
PAIR(shared_atomic, (int together, int trips, unsigned *counts, Clock *cycles),
     (together, trips, counts, cycles))

// One lane of each warp adds to a counter that all have.
template <int STEPS> __device__ __forceinline__ void global_atomic(int trips, unsigned *counter)
{
    if (threadIdx.x % 32)
        return;
#pragma unroll 1
    for (int k = 0; k < trips; k++)
#pragma unroll
        for (int i = 0; i < STEPS; i++)
            asm volatile("red.global.add.u32 [%0], 1;" ::"l"(counter) : "memory");
}
PAIR(global_atomic, (int trips, unsigned *counter), (trips, counter))

template <int STEPS> __device__ __forceinline__ void barrier(int trips, Clock *cycles)
{
    __syncthreads();
    Clock begin = clock64();
#pragma unroll 1
    for (int k = 0; k < trips; k++)
#pragma unroll
        for (int i = 0; i < STEPS; i++)
            __syncthreads();
    Clock finish = clock64();
    if (threadIdx.x == 0)
        *cycles = finish - begin;
}
PAIR(barrier, (int trips, Clock *cycles), (trips, cycles))

// -- throughput: four sequences that do not need each other, in all threads of a block --

enum { RATE_STEPS = 16 };

#define RATE(name, type, kind, instruction)                                                                  \
    extern "C" __global__ void name(int trips, type *values)                                                 \
    {                                                                                                        \
        type a = values[0], b = a, c = a, d = a;                                                             \
        const type y = values[1];                                                                            \
        _Pragma("unroll 1") for (int k = 0; k < trips; k++)                                                  \
            _Pragma("unroll") for (int i = 0; i < RATE_STEPS; i++)                                           \
        {                                                                                                    \
            asm volatile(instruction : "+" kind(a) : kind(y));                                               \
            asm volatile(instruction : "+" kind(b) : kind(y));                                               \
            asm volatile(instruction : "+" kind(c) : kind(y));                                               \
            asm volatile(instruction : "+" kind(d) : kind(y));                                               \
        }                                                                                                    \
        if (a == b && c == d)                                                                                \
            values[2 + threadIdx.x] = a;                                                                     \
    }
RATE(rate_ffma, float, "f", "fma.rn.f32 %0, %0, %1, %1;")
RATE(rate_dfma, double, "d", "fma.rn.f64 %0, %0, %1, %1;")
RATE(rate_imad, unsigned, "r", "mad.lo.u32 %0, %0, %1, %1;")
RATE(rate_ex2, float, "f", "ex2.approx.ftz.f32 %0, %0;")

// Every thread loads its own word, into four registers in turn.
#define READ(at, kind, instruction)                                                                          \
    unsigned a = 0, b = 0, c = 0, d = 0;                                                                     \
    _Pragma("unroll 1") for (int k = 0; k < trips; k++)                                                      \
        _Pragma("unroll") for (int i = 0; i < RATE_STEPS; i++)                                               \
    {                                                                                                        \
        asm volatile(instruction : "+r"(a) : kind(at) : "memory");                                           \
        asm volatile(instruction : "+r"(b) : kind(at) : "memory");                                           \
        asm volatile(instruction : "+r"(c) : kind(at) : "memory");                                           \
        asm volatile(instruction : "+r"(d) : kind(at) : "memory");                                           \
    }                                                                                                        \
    end[threadIdx.x] = a + b + c + d;

extern "C" __global__ void read_shared(const unsigned *data, int trips, unsigned *end)
{
    __shared__ unsigned words[1024];
    words[threadIdx.x] = data[threadIdx.x];
    const unsigned at = (unsigned)__cvta_generic_to_shared(words + threadIdx.x);
    READ(at, "r", "ld.shared.u32 %0, [%1];")
}

extern "C" __global__ void read_l1(const unsigned *data, int trips, unsigned *end)
{
    READ(data + threadIdx.x, "l", "ld.global.ca.u32 %0, [%1];")
}

// All threads read on from where they are, and begin again at the end of `mask` + 1 elements: at L2, or as
// ordinary loads do.
template <bool AT_L2>
__device__ __forceinline__ void read_lines(const uint4 *data, unsigned mask, int trips, unsigned *sums)
{
    const unsigned threads = gridDim.x * blockDim.x, first = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
#pragma unroll 8
    for (int k = 0; k < trips; k++) {
        const uint4 *at = data + ((first + k * threads) & mask);
        uint4 v = AT_L2 ? __ldcg(at) : *at;
        sum += v.x + v.y + v.z + v.w;
    }
    sums[first] = sum;
}

extern "C" __global__ void read_l2(const uint4 *data, unsigned mask, int trips, unsigned *sums)
{
    read_lines<true>(data, mask, trips, sums);
}

extern "C" __global__ void read_dram(const uint4 *data, unsigned mask, int trips, unsigned *sums)
{
    read_lines<false>(data, mask, trips, sums);
}
