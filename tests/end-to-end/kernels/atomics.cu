// Atomics of all types and operations, in global and shared memory, and what is built on them.
#include <cuda_fp16.h>

struct Cells {
    int add_i, sub_i, min_i, max_i, and_i, or_i, xor_i;
    unsigned add_u, min_u, max_u, inc_u, dec_u, exch_u, cas_u;
    unsigned long long add_l, min_l, max_l, and_l, or_l, xor_l, cas_l;
    long long min_s, max_s;
    float add_f, cas_f;
    double add_d;
    __half2 add_h2;
    __half add_h;
    unsigned short cas_s, exch_count;
    unsigned before; // sum of what atomicAdd returned
};

__device__ void touch(Cells *c, int t)
{
    atomicAdd(&c->add_i, t - 5);
    atomicSub(&c->sub_i, t);
    atomicMin(&c->min_i, -t * 3);
    atomicMax(&c->max_i, t * 3 - 100);
    atomicAnd(&c->and_i, ~(1 << t % 17));
    atomicOr(&c->or_i, 1 << t % 29);
    atomicXor(&c->xor_i, t * 77);
    atomicAdd(&c->before, atomicAdd(&c->add_u, 1u));
    atomicMin(&c->min_u, 4000000000u - (unsigned)t);
    atomicMax(&c->max_u, 4000000000u + (unsigned)t);
    atomicInc(&c->inc_u, 9u);
    atomicDec(&c->dec_u, 12u);
    if (atomicExch(&c->exch_u, 1u) == 0)
        c->exch_count = 1;
    atomicAdd(&c->add_l, 1ull << t % 40);
    atomicMin(&c->min_l, ~0ull - (unsigned)t);
    atomicMax(&c->max_l, (1ull << 63) + (unsigned)t);
    atomicAnd(&c->and_l, ~(1ull << t % 50));
    atomicOr(&c->or_l, 1ull << t % 61);
    atomicXor(&c->xor_l, (unsigned long long)t << 33);
    atomicMin(&c->min_s, -(1ll << 40) - t);
    atomicMax(&c->max_s, (1ll << 40) + t);
    atomicAdd(&c->add_f, 0.25f);
    atomicAdd(&c->add_d, t * 0.125);
    atomicAdd(&c->add_h2, __floats2half2_rn(1.0f, 0.5f));
    atomicAdd(&c->add_h, __float2half(0.5f));
    unsigned seen = c->cas_u, expected;
    do {
        expected = seen;
        seen = atomicCAS(&c->cas_u, expected, expected + 3);
    } while (seen != expected);
    unsigned long long wide = c->cas_l, wanted;
    do {
        wanted = wide;
        wide = atomicCAS(&c->cas_l, wanted, wanted * 2 > 1000000 ? wanted + 2 : wanted + 1);
    } while (wide != wanted);
    int bits = __float_as_int(c->cas_f), old;
    do {
        old = bits;
        bits = atomicCAS((int *)&c->cas_f, old, __float_as_int(__int_as_float(old) + 2.0f));
    } while (bits != old);
    unsigned short low = c->cas_s, was;
    do {
        was = low;
        low = atomicCAS(&c->cas_s, was, (unsigned short)(was + 5));
    } while (low != was);
}

extern "C" __global__ void global_atomics(Cells *cells) { touch(cells, (int)threadIdx.x); }

extern "C" __global__ void shared_atomics(Cells *cells)
{
    __shared__ Cells c;
    if (threadIdx.x == 0)
        c = *cells;
    __syncthreads();
    touch(&c, (int)threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0)
        *cells = c;
}

extern "C" __global__ void histogram(const unsigned *in, unsigned *out, int count)
{
    __shared__ unsigned bins[64];
    for (int i = (int)threadIdx.x; i < 64; i += (int)blockDim.x)
        bins[i] = 0;
    __syncthreads();
    for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < count; i += (int)(gridDim.x * blockDim.x))
        atomicAdd(&bins[in[i] % 64], 1u);
    __syncthreads();
    for (int i = (int)threadIdx.x; i < 64; i += (int)blockDim.x)
        atomicAdd(&out[i], bins[i]);
}

// Every thread of every block takes one lock; the lock's holder updates plain memory.
extern "C" __global__ void spin_lock(int *lock, volatile int *value)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            value[0] = value[0] + 1;
            value[1] = value[1] ^ (int)(blockIdx.x * blockDim.x + threadIdx.x);
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

// The lock as first written by everyone: from Volta on it ends too.
extern "C" __global__ void naive_lock(int *lock, volatile int *value)
{
    while (atomicCAS(lock, 0, 1) != 0)
        ;
    value[0] = value[0] + 1;
    __threadfence();
    atomicExch(lock, 0);
}

// The block that ends last adds up what all blocks have written.
extern "C" __global__ void last_block(const int *in, int *partial, unsigned *done, int *total)
{
    __shared__ int sums[128];
    __shared__ bool is_last;
    unsigned t = threadIdx.x;
    sums[t] = in[blockIdx.x * blockDim.x + t];
    for (unsigned step = blockDim.x / 2; step; step /= 2) {
        __syncthreads();
        if (t < step)
            sums[t] += sums[t + step];
    }
    if (t == 0) {
        partial[blockIdx.x] = sums[0];
        __threadfence();
        is_last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last)
        return;
    int sum = 0;
    for (unsigned i = t; i < gridDim.x; i += blockDim.x)
        sum += ((volatile int *)partial)[i];
    sums[t] = sum;
    for (unsigned step = blockDim.x / 2; step; step /= 2) {
        __syncthreads();
        if (t < step)
            sums[t] += sums[t + step];
    }
    if (t == 0)
        *total = sums[0];
}

// Blocks that hand a token on: block i waits for block i - 1, whatever order they run in.
extern "C" __global__ void relay(volatile int *token, int *order)
{
    if (threadIdx.x == 0) {
        while (*token != (int)blockIdx.x)
            ;
        order[blockIdx.x] = (int)blockIdx.x * 10;
        __threadfence();
        *token = (int)blockIdx.x + 1;
    }
}
