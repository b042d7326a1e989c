/* The program of compress_*.cu: kernels enough that compressing them pays. */
#pragma once

#include "../check.h"

template <int N> __global__ void polynomial(float *out, float x)
{
    float sum = 0;
#pragma unroll
    for (int i = 0; i < N; i++)
        sum = sum * x + (i * 31 % 17) * 0.25f;
    out[threadIdx.x] = sum + threadIdx.x;
}

__device__ const char text[] =
    "The quick brown fox jumps over the lazy dog; pack my box with five dozen liquor jugs.";

__global__ void spell(char *out)
{
    if (threadIdx.x < sizeof text)
        out[threadIdx.x] = text[threadIdx.x];
}

template <int N> static void check_polynomial(float *out)
{
    float host[32], expected = 0;
    polynomial<N><<<1, 32>>>(out, 0.5f);
    CUDA(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        expected = expected * 0.5f + (i * 31 % 17) * 0.25f;
    for (int i = 0; i < 32; i++)
        CHECK(host[i] - i - expected < 1e-4f && expected + i - host[i] < 1e-4f);
}

int main()
{
    float *out;
    CUDA(cudaMalloc(&out, 128));
    check_polynomial<10>(out);
    check_polynomial<20>(out);
    check_polynomial<40>(out);
    check_polynomial<80>(out);
    char spelled[128];
    spell<<<1, 128>>>((char *)out);
    CUDA(cudaMemcpy(spelled, out, 87, cudaMemcpyDeviceToHost));
    CHECK(strncmp(spelled,
                  "The quick brown fox jumps over the lazy dog; pack my box with five dozen liquor jugs.",
                  87) == 0);
    return check_result();
}
