/* A convolution over exclusive-or of indices by the fast Walsh transform, as the SDK's fastWalshTransform.
 * Passes of radix 4 over global memory until what belongs together fits into shared memory, where a block
 * does the rest with a barrier before each stage. */

constexpr int LOG2_SHARED = 11, SHARED = 1 << LOG2_SHARED; /* as the host has it */

struct Four {
    float a, b, c, d;
};

__device__ __forceinline__ Four butterfly(float a, float b, float c, float d)
{
    const float ac = a + c, bd = b + d, a_c = a - c, b_d = b - d;
    return {ac + bd, ac - bd, a_c + b_d, a_c - b_d};
}

/* One stage: all that belongs together is spread over a row of blocks. */
extern "C" __global__ void fwt_global(float *to, const float *from, int stride)
{
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    const int size = blockDim.x * gridDim.x * 4;
    to += blockIdx.y * size;
    from += blockIdx.y * size;
    const int low = at & (stride - 1);
    const int i0 = ((at - low) << 2) + low, i1 = i0 + stride, i2 = i1 + stride, i3 = i2 + stride;
    const Four out = butterfly(from[i0], from[i1], from[i2], from[i3]);
    to[i0] = out.a, to[i1] = out.b, to[i2] = out.c, to[i3] = out.d;
}

/* All stages of 2048 values a block; 512 threads. At most 20 registers: 3 blocks on Fermi. */
extern "C" __global__ __maxnreg__(20) void fwt_shared(float *to, const float *from)
{
    __shared__ float data[SHARED];
    to += blockIdx.x * SHARED;
    from += blockIdx.x * SHARED;
    for (int i = threadIdx.x; i < SHARED; i += blockDim.x)
        data[i] = from[i];
    const int at = threadIdx.x;
    for (int stride = SHARED / 4; stride > 0; stride >>= 2) {
        const int low = at & (stride - 1);
        const int i0 = ((at - low) << 2) + low, i1 = i0 + stride, i2 = i1 + stride, i3 = i2 + stride;
        __syncthreads();
        const Four out = butterfly(data[i0], data[i1], data[i2], data[i3]);
        data[i0] = out.a, data[i1] = out.b, data[i2] = out.c, data[i3] = out.d;
    }
    /* 11 is odd: one stage of radix 2 is left. */
    __syncthreads();
    for (int i = 2 * threadIdx.x; i < SHARED; i += 2 * blockDim.x) {
        const float a = data[i], b = data[i + 1];
        data[i] = a + b, data[i + 1] = a - b;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < SHARED; i += blockDim.x)
        to[i] = data[i];
}

extern "C" __global__ void fwt_modulate(float *values, const float *kernel, int count)
{
    const float scale = 1.0f / count;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x)
        values[i] *= kernel[i] * scale;
}
