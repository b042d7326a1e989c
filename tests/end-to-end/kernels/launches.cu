/* Kernels that launch themselves and wait for that, or leave the adding up to others. */
#include "warpbeam_device.h"

struct NodeParameters {
    int *sums;
    int node, depth;
};

/* The nodes of a binary tree: each launches its children, waits for them off its SM, and adds up what they
 * found. Shared memory, registers and a barrier live through the wait. */
extern "C" __global__ void tree(int *sums, int node, int depth)
{
    __shared__ int sum;
    const int thread = threadIdx.x;
    const float kept = (float)(thread * 7 + node);
    if (thread == 0)
        sum = 1;
    __syncthreads();
    if (depth > 0 && thread < 2) {
        NodeParameters *buffer = (NodeParameters *)wb_get_parameter_buffer(8, sizeof(NodeParameters));
        *buffer = {sums, 2 * node + 1 + thread, depth - 1};
        if (wb_launch_device((const void *)tree, buffer, dim3(1), dim3(64), 0, WB_STREAM_FIRE_AND_FORGET))
            __trap();
    }
    if (thread >= 32) /* the others wait at the barrier while the first warp's threads wait for children */
        __syncthreads();
    else {
        wb_device_sync();
        __syncthreads();
    }
    if (depth > 0 && thread < 2)
        atomicAdd(&sum, *(volatile int *)&sums[2 * node + 1 + thread]);
    __syncthreads();
    if (thread == 0)
        sums[node] = sum;
    if (kept != (float)(thread * 7 + node))
        __trap();
}

struct CountParameters {
    int *count;
    int depth;
};

/* Groups of the kernel's own shape that launch groups: nobody waits, all add to one number. */
extern "C" __global__ void spread(int *count, int depth)
{
    atomicAdd(count, 1);
    if (depth == 0 || threadIdx.x % 16)
        return;
    CountParameters *buffer = (CountParameters *)wb_get_parameter_buffer(8, sizeof(CountParameters));
    *buffer = {count, depth - 1};
    if (wb_launch_agg_group((const void *)spread, buffer, dim3(1, 2, 1), dim3(32), 0))
        __trap();
}

/* What an aggregated block sees of itself: its index in the group, the group's dimensions. */
extern "C" __global__ void shape(int *seen)
{
    if (threadIdx.x == 0)
        seen[blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)] =
            gridDim.x * 10000 + gridDim.y * 100 + gridDim.z;
}

extern "C" __global__ void launch_shape(int *seen)
{
    int **buffer = (int **)wb_get_parameter_buffer(8, sizeof(int *));
    *buffer = seen;
    if (wb_launch_agg_group((const void *)shape, buffer, dim3(2, 3, 4), dim3(32), 0))
        __trap();
}
