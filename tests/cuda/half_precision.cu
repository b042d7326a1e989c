// 16-bit floating point, both formats: conversions, arithmetic, comparisons, pairs.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "check.h"

__global__ void halves(const float *in, float *out, __half2 *pairs, int count)
{
    int i = threadIdx.x;
    if (i >= count)
        return;
    __half x = __float2half(in[i]), two = __float2half(2.0f), one = __int2half_rn(1);
    __half r = __hfma(x, two, one);
    r = __hsub(__hadd(r, x), __hmul(x, one));
    out[i] = __half2float(r);
    if (__hgt(x, __float2half(100.0f)))
        out[i] = -1.0f;
    __half2 pair = __halves2half2(x, __hneg(x));
    pairs[i] = __hadd2(__hmul2(pair, __float2half2_rn(4.0f)), __float2half2_rn(0.5f));
}

__global__ void brains(const float *in, float *out, int count)
{
    int i = threadIdx.x;
    if (i >= count)
        return;
    __nv_bfloat16 x = __float2bfloat16(in[i]);
    __nv_bfloat162 pair = __floats2bfloat162_rn(in[i], 1.0f);
    pair = __hmul2(pair, pair);
    out[i] = __bfloat162float(x * x + __float2bfloat16(1.0f)) + 1000.0f * __low2float(pair);
}

__global__ void functions(float *out)
{
    __half x = __float2half(2.0f);
    out[0] = __half2float(hsqrt(x));
    out[1] = __half2float(hrcp(x));
    out[2] = __half2float(hexp2(x));
    out[3] = __half2float(__hdiv(__float2half(1.0f), __float2half(3.0f)));
    out[4] = __half2int_rz(__float2half(-7.75f));
    out[5] = __hisnan(__float2half(0.0f) / __float2half(0.0f));
    out[6] = __hisinf(__float2half(70000.0f));
    out[7] = __half2float(__ushort_as_half(0x3555));
    out[8] = __half2float(hfloor(__float2half(-1.5f)));
}

int main()
{
    const int count = 128;
    float *in, *out;
    __half2 *pairs;
    CUDA(cudaMallocManaged(&in, count * sizeof *in));
    CUDA(cudaMallocManaged(&out, count * sizeof *out));
    CUDA(cudaMallocManaged(&pairs, count * sizeof *pairs));
    for (int i = 0; i < count; i++)
        in[i] = i;
    halves<<<1, count>>>(in, out, pairs, count);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < count; i++) {
        CHECK_EQUAL(out[i], i > 100 ? -1.0f : 2.0f * i + 1);
        CHECK_EQUAL(__low2float(pairs[i]), 4 * i + 0.5f);
        CHECK_EQUAL(__high2float(pairs[i]), -4 * i + 0.5f);
    }
    brains<<<1, 16>>>(in, out, 16); // squares up to 225 are exact in 8 bits
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 16; i++)
        CHECK_EQUAL(out[i], i * i + 1 + 1000.0f * i * i);
    functions<<<1, 1>>>(out);
    CUDA(cudaDeviceSynchronize());
    const float expected[] = {1.4140625f, 0.5f, 4.0f, 0.333251953125f, -7, 1, 1, 0.333251953125f, -2};
    for (int i = 0; i < 9; i++)
        CHECK_EQUAL(out[i], expected[i]);
    // The same on the host.
    CHECK_EQUAL(__half2float(__float2half(1.0f / 3)), 0.333251953125f);
    CHECK_EQUAL(__bfloat162float(__float2bfloat16(3.14159f)), 3.140625f);
    return check_result();
}
