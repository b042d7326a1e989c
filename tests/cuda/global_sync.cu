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

int main()
{
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
