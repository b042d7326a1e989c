/* The kernels of demo.c: y = a x + y, and a sum by shuffles, shared memory and one atomic a
 * block. */
#include "warpbeam_device.h"

extern "C" __global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = fmaf(a, x[i], y[i]);
}

extern "C" __global__ void sum(int n, const int *values, int *total)
{
    __shared__ int parts[32];
    int mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += values[i];
    for (int step = 16; step > 0; step /= 2)
        mine += __shfl_down_sync(0xffffffffu, mine, step);
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    if (lane == 0)
        parts[warp] = mine;
    __syncthreads();
    if (warp == 0) {
        mine = lane < (int)(blockDim.x / 32) ? parts[lane] : 0;
        for (int step = 16; step > 0; step /= 2)
            mine += __shfl_down_sync(0xffffffffu, mine, step);
        if (lane == 0)
            atomicAdd(total, mine);
    }
}
