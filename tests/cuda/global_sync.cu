// A kernel whose blocks synchronize, and are more than fit on the GPU: wb_global_sync() of warpbeam_device.h in
// an ordinary CUDA program. No GPU has it; there the program only shows that it cannot be loaded.
// nvcc: -I../../include
// gpus: gtx970 h200
#include "check.h"
#include "warpbeam_device.h"

enum { BLOCKS = 1400, THREADS = 64, SIZE = BLOCKS * THREADS, STEPS = 2 };

__device__ __noinline__ void meet()
{
    __syncthreads();
    wb_global_sync();
}

// Each step, every number becomes the sum of its neighbours and itself, in place.
__global__ void smooth(unsigned *numbers, int steps)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int step = 0; step < steps; step++) {
        const unsigned sum = numbers[(i + SIZE - 1) % SIZE] + numbers[i] + numbers[(i + 1) % SIZE];
        wb_global_sync();
        numbers[i] = sum;
        meet();
    }
}

// Behind the sync each block sees what the next one wrote before it.
__global__ void meet_next(unsigned *words)
{
    if (threadIdx.x == 0)
        words[blockIdx.x] = blockIdx.x + 1;
    wb_global_sync();
    if (threadIdx.x == 0)
        words[gridDim.x + blockIdx.x] = words[(blockIdx.x + 1) % gridDim.x];
}

// A kernel and a group of blocks, side by side: each synchronizes by itself.
__global__ void launch_both(unsigned *words)
{
    unsigned **buffer = (unsigned **)wb_get_parameter_buffer(8, sizeof(unsigned *));
    *buffer = words + threadIdx.x * 100;
    if (threadIdx.x == 0)
        wb_launch_device((const void *)meet_next, buffer, dim3(5), dim3(40), 0, WB_STREAM_FIRE_AND_FORGET);
    else
        wb_launch_agg_group((const void *)meet_next, buffer, dim3(7), dim3(40), 0);
}

static void check_met(const unsigned *words, unsigned blocks)
{
    for (unsigned i = 0; i < blocks; i++)
        CHECK_EQUAL(words[blocks + i], (i + 1) % blocks + 1);
}

// Grids that run at once have counts of their own.
static void check_side_by_side()
{
    unsigned *words, host[400];
    cudaStream_t streams[2];
    CUDA(cudaMalloc(&words, sizeof host));
    for (int i = 0; i < 2; i++)
        CUDA(cudaStreamCreate(&streams[i]));
    meet_next<<<9, 40, 0, streams[0]>>>(words + 200);
    meet_next<<<4, 40, 0, streams[1]>>>(words + 300);
    CUDA(cudaDeviceSynchronize());
    launch_both<<<1, 2>>>(words);
    CUDA(cudaMemcpy(host, words, sizeof host, cudaMemcpyDeviceToHost));
    check_met(host, 5);
    check_met(host + 100, 7);
    check_met(host + 200, 9);
    check_met(host + 300, 4);
}

int main()
{
    check_side_by_side();
    static unsigned host[SIZE], expected[SIZE], before[SIZE];
    for (int i = 0; i < SIZE; i++)
        host[i] = expected[i] = i * 2654435761u;
    for (int step = 0; step < STEPS; step++) {
        memcpy(before, expected, sizeof before);
        for (int i = 0; i < SIZE; i++)
            expected[i] = before[(i + SIZE - 1) % SIZE] + before[i] + before[(i + 1) % SIZE];
    }
    unsigned *numbers;
    CUDA(cudaMalloc(&numbers, sizeof host));
    CUDA(cudaMemcpy(numbers, host, sizeof host, cudaMemcpyHostToDevice));
    smooth<<<BLOCKS, THREADS>>>(numbers, STEPS);
    CUDA(cudaMemcpy(host, numbers, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(memcmp(host, expected, sizeof host) == 0);
    return check_result();
}
