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

struct LingerParameters {
    int *out;
    int cycles;
};

/* Every thread writes a line of its own, after so many cycles. */
extern "C" __global__ void linger(int *out, int cycles)
{
    const long long end = clock64() + cycles;
    while (clock64() < end)
        ;
    out[threadIdx.x * 32] = 1;
}

__device__ LingerParameters *linger_parameters(int *out, int cycles)
{
    LingerParameters *buffer = (LingerParameters *)wb_get_parameter_buffer(8, sizeof(LingerParameters));
    *buffer = {out, cycles};
    return buffer;
}

extern "C" __global__ void launch_linger_group(int *out)
{
    if (wb_launch_agg_group((const void *)linger, linger_parameters(out, 20000), dim3(1), dim3(32), 0))
        __trap();
}

__device__ void wait_until(long long cycle)
{
    while (clock64() < cycle)
        ;
}

/* The first warp begins to wait for a short launch; when that is complete, and the block still on its SM
 * because the call takes a while, the third launches a long one and the second waits for it. cycles: that a
 * call takes. */
extern "C" __global__ void wait_twice(int *out, int *seen, int cycles)
{
    __shared__ long long start;
    if (threadIdx.x == 0)
        start = clock64();
    __syncthreads();
    const long long call = cycles;
    if (threadIdx.x == 0) {
        wb_launch_device((const void *)linger, linger_parameters(out, cycles), dim3(1), dim3(32), 0,
                         WB_STREAM_FIRE_AND_FORGET);
        wb_device_sync();
        seen[0] = out[0];
    } else if (threadIdx.x == 32) {
        wait_until(start + call * 28 / 10);
        wb_device_sync();
        seen[1] = out[1024];
    } else if (threadIdx.x == 64) {
        LingerParameters *buffer = linger_parameters(out + 1024, 4 * cycles);
        wait_until(start + call * 27 / 10);
        wb_launch_device((const void *)linger, buffer, dim3(1), dim3(32), 0, WB_STREAM_FIRE_AND_FORGET);
    }
}

/* The second warp reads what a launch will write, so that the L1 has it as it was; the first waits for the
 * launch, which has just ended or not, and must see it as it is. */
extern "C" __global__ void wait_and_look(int *out, int *seen, int cycles, int offset)
{
    __shared__ volatile int is_over;
    __shared__ long long start;
    is_over = 0;
    if (threadIdx.x == 0)
        start = clock64();
    __syncthreads();
    if (threadIdx.x == 0) {
        wb_launch_device((const void *)linger, linger_parameters(out, cycles), dim3(1), dim3(32), 0,
                         WB_STREAM_FIRE_AND_FORGET);
        wait_until(start + offset);
        wb_device_sync();
        seen[0] = out[0];
        is_over = 1;
    } else if (threadIdx.x == 32) {
        int sum = 0;
        while (!is_over) {
            int value;
            asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(out));
            sum += value;
        }
        seen[1] = sum;
    }
}
