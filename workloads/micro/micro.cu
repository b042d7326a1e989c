// Kernels that measure one property of a GPU each; host code: micro_*.c. They compute what the kernels
// computed whose figures on a real H200 are in h200.csv, so that the figures compare.
// Compiled by: ../build_ptx.sh micro

typedef long long Clock;

// -- latency of memory: each load gives the index of the next --

extern "C" __global__ void chase_ca(const unsigned *next, int hops, unsigned *end, Clock *cycles)
{
    unsigned at = 0;
    for (int k = 0; k < 64; k++)
        at = next[at];
    Clock begin = clock64();
    for (int k = 0; k < hops; k++)
        at = next[at];
    Clock finish = clock64();
    *end = at;
    *cycles = finish - begin;
}

extern "C" __global__ void chase_cg(const unsigned *next, int hops, unsigned *end, Clock *cycles)
{
    unsigned at = 0;
    for (int k = 0; k < 64; k++)
        at = __ldcg(next + at);
    Clock begin = clock64();
    for (int k = 0; k < hops; k++)
        at = __ldcg(next + at);
    Clock finish = clock64();
    *end = at;
    *cycles = finish - begin;
}

extern "C" __global__ void chase_shared(int hops, unsigned *end, Clock *cycles)
{
    __shared__ unsigned next[1024];
    for (int i = 0; i < 1024; i++)
        next[i] = (i * 17 + 5) & 1023;
    unsigned at = 0;
    Clock begin = clock64();
    for (int k = 0; k < hops; k++)
        at = next[at];
    Clock finish = clock64();
    *end = at;
    *cycles = finish - begin;
}

// -- latency of arithmetic: each step needs the one before --

enum Operation { FFMA, FADD, IMAD, IADD_XOR, SINF_APPROX, RSQRTF, DFMA, FDIV, EXPF };

template <Operation OPERATION>
__device__ __forceinline__ void chain(int steps, float *end, Clock *cycles, float a, float b)
{
    float x = a;
    double d = a;
    int i = (int)a, j = (int)b;
    Clock begin = clock64();
#pragma unroll 16
    for (int k = 0; k < steps; k++) {
        if (OPERATION == FFMA)
            x = fmaf(x, b, a);
        if (OPERATION == FADD)
            x = x + b;
        if (OPERATION == IMAD)
            i = i * j + 3;
        if (OPERATION == IADD_XOR)
            i = (i + j) ^ 0x55;
        if (OPERATION == SINF_APPROX)
            x = __sinf(x);
        if (OPERATION == RSQRTF)
            x = rsqrtf(x);
        if (OPERATION == DFMA)
            d = fma(d, (double)b, (double)a);
        if (OPERATION == FDIV)
            x = a / x;
        if (OPERATION == EXPF)
            x = expf(x);
    }
    Clock finish = clock64();
    if (threadIdx.x == 0) {
        *end = x + i + (float)d;
        *cycles = finish - begin;
    }
}

#define CHAIN(name, operation)                                                                               \
    extern "C" __global__ void name(int steps, float *end, Clock *cycles, float a, float b)                  \
    {                                                                                                        \
        chain<operation>(steps, end, cycles, a, b);                                                          \
    }
CHAIN(alu_ffma, FFMA)
CHAIN(alu_fadd, FADD)
CHAIN(alu_imad, IMAD)
CHAIN(alu_iadd_xor, IADD_XOR)
CHAIN(alu_sinf_approx, SINF_APPROX)
CHAIN(alu_rsqrtf, RSQRTF)
CHAIN(alu_dfma, DFMA)
CHAIN(alu_fdiv, FDIV)
CHAIN(alu_expf, EXPF)

// NVIDIA's assembler makes one butterfly shuffle of the sixteen that a loop unrolled like those above has:
// the code that was measured holds a single SHFL for sixteen steps. So that is what is written here.
extern "C" __global__ void alu_shfl(int steps, float *end, Clock *cycles, float a, float b)
{
    float x = a;
    Clock begin = clock64();
#pragma unroll 1
    for (int k = 0; k < steps; k += 16)
        x = __shfl_xor_sync(0xFFFFFFFF, x, 1);
    Clock finish = clock64();
    if (threadIdx.x == 0) {
        *end = x + (int)a + a;
        *cycles = finish - begin;
    }
}

// -- atomics --

extern "C" __global__ void atomic_chain(unsigned *counter, int steps, unsigned *end, Clock *cycles)
{
    unsigned value = 0;
    Clock begin = clock64();
    for (int k = 0; k < steps; k++)
        value = atomicAdd(counter, value & 1);
    Clock finish = clock64();
    *end = value;
    *cycles = finish - begin;
}

extern "C" __global__ void atomic_distinct(unsigned *counters, int steps, int stride)
{
    unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
    for (int k = 0; k < steps; k++)
        atomicAdd(counters + i, 1u);
}

extern "C" __global__ void atomic_same(unsigned *counter, int steps)
{
    for (int k = 0; k < steps; k++)
        if (threadIdx.x % 32 == 0)
            atomicAdd(counter, 1u);
}

// -- bandwidth --

extern "C" __global__ void read_all(const float4 *data, size_t count, float *out)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    float sum = 0;
    for (; i < count; i += (size_t)gridDim.x * blockDim.x) {
        float4 v = data[i];
        sum += v.x + v.y + v.z + v.w;
    }
    if (sum == 12345.678f) // keeps the sum alive
        *out = sum;
}

// -- meeting --

extern "C" __global__ void block_barrier(int rounds, Clock *cycles)
{
    __syncthreads();
    Clock begin = clock64();
    for (int k = 0; k < rounds; k++)
        __syncthreads();
    Clock finish = clock64();
    if (threadIdx.x == 0 && blockIdx.x == 0)
        *cycles = finish - begin;
}

// Every block has a flag of its own to say that it is there, and one to be told to go on; block 0 gathers.
extern "C" __global__ void flag_barrier(int rounds, volatile unsigned *arrived, volatile unsigned *go)
{
    for (int k = 1; k <= rounds; k++) {
        __syncthreads();
        if (blockIdx.x == 0) {
            if (threadIdx.x == 0) {
                __threadfence();
                arrived[0] = k;
            }
            for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x)
                while (arrived[b] < (unsigned)k)
                    ;
            __syncthreads();
            for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x)
                go[b] = k;
        } else if (threadIdx.x == 0) {
            __threadfence();
            arrived[blockIdx.x] = k;
            while (go[blockIdx.x] < (unsigned)k)
                ;
            __threadfence();
        }
        __syncthreads();
    }
}

// Every block adds to one counter and watches it.
extern "C" __global__ void atomic_barrier(int rounds, unsigned *counter)
{
    for (int k = 1; k <= rounds; k++) {
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(counter, 1u);
            while (*(volatile unsigned *)counter < (unsigned)k * gridDim.x)
                ;
            __threadfence();
        }
        __syncthreads();
    }
}

// Two blocks answer each other through two flags.
extern "C" __global__ void flag_round_trip(int rounds, volatile unsigned *flags, Clock *cycles)
{
    if (threadIdx.x)
        return;
    Clock begin = clock64();
    for (int k = 1; k <= rounds; k++) {
        if (blockIdx.x == 0) {
            flags[0] = k;
            while (flags[32] < (unsigned)k)
                ;
        } else {
            while (flags[0] < (unsigned)k)
                ;
            flags[32] = k;
        }
    }
    if (blockIdx.x == 0)
        *cycles = clock64() - begin;
}
