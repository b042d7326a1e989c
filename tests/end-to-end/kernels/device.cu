/* Uses every name that warpbeam_device.h gives, so that a test can see it compile with nvcc and clang. */
#include "warpbeam_device.h"

extern __shared__ int dynamic[];
__constant__ float table[4] = {1, 2, 3, 4};

extern "C" __global__ void __launch_bounds__(256) atomics(int *i, unsigned *u, unsigned long long *l,
                                                          float *f, double *d)
{
    atomicAdd(i, 1); atomicAdd(u, 1u); atomicAdd(l, 1ull); atomicAdd(f, 1.0f); atomicAdd(d, 1.0);
    atomicSub(i + 1, 1); atomicSub(u + 1, 1u);
    atomicExch(i + 2, 7); atomicExch(u + 2, 7u); atomicExch(l + 2, 7ull); atomicExch(f + 2, 7.0f);
    atomicMin(i + 3, -5); atomicMin(u + 3, 5u); atomicMin(l + 3, 5ull);
    atomicMax(i + 4, -5); atomicMax(u + 4, 5u); atomicMax(l + 4, 5ull);
    atomicInc(u + 5, 100u); atomicDec(u + 6, 100u);
    atomicAnd(i + 7, 6); atomicAnd(u + 7, 6u); atomicAnd(l + 7, 6ull);
    atomicOr(i + 8, 6); atomicOr(u + 8, 6u); atomicOr(l + 8, 6ull);
    atomicXor(i + 9, 6); atomicXor(u + 9, 6u); atomicXor(l + 9, 6ull);
    atomicCAS(i + 10, 0, 1); atomicCAS(u + 10, 0u, 1u); atomicCAS(l + 10, 0ull, 1ull);
}

extern "C" __global__ void warps(int *out, float *reals, double *doubles)
{
    unsigned all = 0xffffffffu;
    int lane = threadIdx.x % warpSize;
    int sum = __shfl_sync(all, lane, 3) + __shfl_up_sync(all, lane, 1) + __shfl_down_sync(all, lane, 2, 16) +
              __shfl_xor_sync(all, lane, 5);
    reals[threadIdx.x] = __shfl_xor_sync(all, (float)lane, 1);
    doubles[threadIdx.x] = __shfl_down_sync(all, (double)lane, 1);
    sum += __ballot_sync(all, lane & 1) + __any_sync(all, lane == 3) + __all_sync(all, lane < 32);
    sum += __match_any_sync(all, lane / 4) + __activemask();
    __syncwarp();
    dynamic[threadIdx.x] = sum;
    __syncthreads();
    sum += __syncthreads_count(lane > 3) + __syncthreads_and(1) + __syncthreads_or(0);
    __threadfence_block(); __threadfence(); __threadfence_system();
    out[threadIdx.x] = sum + dynamic[blockDim.x - 1 - threadIdx.x];
}

extern "C" __global__ void bits(unsigned *out, int *in)
{
    dim3 at(blockIdx.x, gridDim.x);
    int x = in[threadIdx.x];
    unsigned y = (unsigned)x;
    out[threadIdx.x] = __popc(y) + __clz(x) + __ffs(x) + __brev(y) + __byte_perm(y, at.x, 0x5140) +
                       __umulhi(y, y) + __popcll(y) + __clzll(x) + __ffsll(x) +
                       (unsigned)__umul64hi(y, y) + __mul24(x, x) +
                       __funnelshift_l(y, y, 7) + __funnelshift_r(y, y, 7) + min(x, 5) + max(y, 5u) + abs(x) +
                       __float_as_int(__int_as_float(x)) + __ldg(in) + at.y;
}

extern "C" __global__ void functions(int which, int n, const float *x, const float *y, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float a = x[i], b = y[i], r = 0;
    switch (which) {
    case 0: r = sinf(a); break;
    case 1: r = cosf(a); break;
    case 2: r = expf(a); break;
    case 3: r = logf(a); break;
    case 4: r = powf(a, b); break;
    case 5: r = exp2f(a); break;
    case 6: r = log2f(a); break;
    case 7: r = tanhf(a); break;
    case 8: r = fmodf(a, b); break;
    case 9: r = sqrtf(a) + rsqrtf(a); break;
    case 10: r = fmaf(a, b, fminf(a, fmaxf(b, fabsf(a)))); break;
    case 11: r = floorf(a) + ceilf(a) + truncf(a) + rintf(a) + roundf(a) + copysignf(a, b); break;
    case 12: r = __sinf(a) + __cosf(a) + __expf(a) + __logf(a) + __powf(a, b) + __fdividef(a, b); break;
    case 13: r = tanf(a) + log10f(b); break;
    }
    out[i] = r;
}

extern "C" __global__ void services(int n, float4 *v, long long *times)
{
    long long begin = clock64();
    assert(n > 0);
    int *block = (int *)malloc(n * sizeof(int));
    block[0] = n;
    printf("%d %f %s\n", block[0], table[n & 3], "text");
    free(block);
    float2 two = make_float2(1, 2);
    v[threadIdx.x] = make_float4(two.x, two.y, 3, 4);
    times[0] = clock64() - begin;
}
