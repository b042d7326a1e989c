// Long vectors, little work; host code: streaming.c.
#include <cuda_fp16.h>

extern "C" __global__ void copy_float4(const float4 *in, float4 *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}

extern "C" __global__ void triad_stride(float *a, const float *b, const float *c, float s, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        a[i] = b[i] + s * c[i];
}

extern "C" __global__ void gray_image(const unsigned char *in, unsigned char *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = (unsigned char)((in[i * 3] * 77 + in[i * 3 + 1] * 150 + in[i * 3 + 2] * 29) >> 8);
}

extern "C" __global__ void half_scale(const __half2 *x, __half2 *y, __half2 a, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = __hfma2(a, x[i], y[i]);
}
