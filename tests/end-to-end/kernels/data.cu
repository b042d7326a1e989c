// Shared arrays, local arrays, vectors, wide integers. Compiled by nvcc and by clang without an SDK.
#ifdef __clang__
#include "warpbeam_device.h"
#endif

// Static and dynamic shared memory of several types, some of it through generic pointers.
__device__ __noinline__ int sum_range(const int *values, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += values[i];
    return sum;
}

extern "C" __global__ void shared_arrays(int *out, int count)
{
    extern __shared__ double dynamic[];
    __shared__ char small[5];
    __shared__ int fixed[32];
    __shared__ long long accumulator;
    double *first = dynamic;
    int *second = (int *)&first[count];
    short *third = (short *)&second[count];
    int t = (int)threadIdx.x;
    if (t < 5)
        small[t] = (char)(t + 1);
    if (t < 32)
        fixed[t] = t * t;
    if (t == 0)
        accumulator = 0;
    first[t] = t * 0.5;
    second[t] = t * 3;
    third[t] = (short)-t;
    __syncthreads();
    int other = count - 1 - t;
    int sum = (int)first[other] + second[other] + third[other] + small[t % 5] + fixed[t % 32];
    sum += sum_range(t & 1 ? second : fixed, t % 32);
    atomicAdd((unsigned long long *)&accumulator, (unsigned long long)t);
    __syncthreads();
    out[t] = sum + (int)accumulator;
}

extern "C" __global__ void local_arrays(int *out, const int *where)
{
    int t = (int)threadIdx.x, table[17];
    short counts[64] = {};
    for (int i = 0; i < 17; i++)
        table[i] = i * t + 1;
    for (int i = 0; i < 40; i++) {
        int k = (where[(t + i) % 64] + i) % 17;
        table[k] += table[(k + 5) % 17] & 1023;
        counts[table[k] & 63]++;
    }
    int sum = sum_range(table, 17);
    for (int i = 0; i < 64; i++)
        sum = sum * 3 + counts[i];
    out[t] = sum;
}

extern "C" __global__ void dimensions(unsigned *out)
{
    unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    unsigned *to = out + (block * (blockDim.x * blockDim.y * blockDim.z) + thread) * 2;
    to[0] = threadIdx.x | threadIdx.y << 8 | threadIdx.z << 16;
    to[1] = blockIdx.x | blockIdx.y << 8 | blockIdx.z << 16;
}

// Threads that end inside a called function, at different depths.
__device__ __noinline__ int leave(int *out, int depth)
{
    if (depth == 0) {
        out[threadIdx.x] = 1000 + (int)threadIdx.x;
        asm volatile("exit;");
    }
    return depth > 20 ? 1 : leave(out, depth - 1) + 2;
}

extern "C" __global__ void exits(int *out)
{
    int t = (int)threadIdx.x;
    int result = t % 5 == 0 ? -1 : leave(out, t % 7 ? t % 30 : 25);
    __syncthreads();
    out[t] = result;
}

extern "C" __global__ void vectors(const float4 *a, const double2 *b, const uchar4 *c, const short2 *d, float4 *out)
{
    int t = (int)threadIdx.x;
    float4 x = a[t];
    double2 y = b[t];
    uchar4 z = c[t];
    short2 w = d[t];
    out[t] = make_float4(x.x + (float)y.x, x.y - (float)y.y, x.z * (float)z.x + (float)z.w, x.w + (float)w.x * (float)w.y + (float)z.z);
}

extern "C" __global__ void wide_arithmetic(const long long *a, const long long *b, long long *out)
{
    int t = (int)threadIdx.x;
    long long x = a[t], y = b[t];
    unsigned long long ux = (unsigned long long)x, uy = (unsigned long long)y;
    long long *to = out + t * 12;
    to[0] = (long long)(ux + uy);
    to[1] = (long long)(ux * uy);
    to[2] = y ? (y == -1 ? (long long)(0 - ux) : x / y) : 0;
    to[3] = y ? (y == -1 ? 0 : x % y) : 0;
    to[4] = uy ? (long long)(ux / uy) : 0;
    to[5] = uy ? (long long)(ux % uy) : 0;
    to[6] = x >> (y & 63);
    to[7] = (long long)(ux >> (uy & 63) | ux << (63 - (uy & 63)));
    to[8] = x < y ? x : y;
    to[9] = (long long)(ux > uy ? ux : uy);
    to[10] = x < 0 ? (long long)(0 - ux) : x;
    to[11] = (int)x / ((int)y | 1) + (long long)((unsigned)ux % ((unsigned)uy | 1));
}

#ifndef __clang__
// 128-bit integers: carries, wide products, division by a call.
extern "C" __global__ void wider_arithmetic(const unsigned long long *a, const unsigned long long *b,
                                            unsigned long long *out)
{
    int t = (int)threadIdx.x;
    unsigned __int128 x = (unsigned __int128)a[t] << 64 | b[t], y = (unsigned __int128)b[t] << 17 | a[t];
    unsigned __int128 results[5] = {x + y, x - y, x * y, y ? x / y : 0, y ? x % y : 0};
    for (int i = 0; i < 5; i++) {
        out[t * 10 + i * 2] = (unsigned long long)results[i];
        out[t * 10 + i * 2 + 1] = (unsigned long long)(results[i] >> 64);
    }
}
#endif
