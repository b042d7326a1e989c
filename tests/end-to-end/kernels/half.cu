// Half precision and bfloat16 as cuda_fp16.h and cuda_bf16.h write them.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void halves(const unsigned short *a, const unsigned short *b, unsigned short *out, int count)
{
    int t = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (t >= count)
        return;
    __half x = __ushort_as_half(a[t]), y = __ushort_as_half(b[t]);
    __half results[16] = {
        __hadd(x, y), __hsub(x, y), __hmul(x, y), __hfma(x, y, x), __hdiv(x, y), hsqrt(__habs(x)), __hneg(x),
        __hmax(x, y), __hmin(x, y), __hadd_sat(x, y), hfloor(x), hrint(x), __float2half(__half2float(x) * 3.0f),
        __int2half_rn(__half2int_rz(y)), __double2half((double)__half2float(x) / 3), __hfma_sat(x, y, y)};
    for (int i = 0; i < 16; i++)
        out[i * count + t] = __half_as_ushort(results[i]);
    out[16 * count + t] = (unsigned short)(__hlt(x, y) | __heq(x, y) << 1 | __hge(x, y) << 2 | __hisnan(x) << 3 |
                                           __hltu(x, y) << 4 | __hneu(x, y) << 5);
}

extern "C" __global__ void half_pairs(const __half2 *a, const __half2 *b, __half2 *out, int count)
{
    int t = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (t >= count)
        return;
    __half2 x = a[t], y = b[t];
    out[t] = __hfma2(x, y, __hadd2(x, y));
    out[count + t] = __lowhigh2highlow(__hmul2(x, __hsub2(y, x)));
    out[2 * count + t] = __halves2half2(__high2half(x), __low2half(y));
    out[3 * count + t] = __hmax2(x, __hneg2(y));
}

extern "C" __global__ void bfloats(const float *a, const float *b, float *out, int count)
{
    int t = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (t >= count)
        return;
    __nv_bfloat16 x = __float2bfloat16(a[t]), y = __float2bfloat16(b[t]);
    out[t] = __bfloat162float(x);
    out[count + t] = __bfloat162float(__hadd(x, y));
    out[2 * count + t] = __bfloat162float(__hmul(x, y));
    out[3 * count + t] = __bfloat162float(__hmul(__hadd(x, y), y));
    out[4 * count + t] = __bfloat162float(__hmax(x, y));
}
