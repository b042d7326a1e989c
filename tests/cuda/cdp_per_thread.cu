// With --default-stream per-thread every thread of a grid has a default stream of its own; the block's is
// cudaStreamLegacy.
// nvcc: -rdc=true --default-stream per-thread
#include "busy.h"

enum { THREADS = 4, STEPS = 5 };

__global__ void step(long long *value, int number, float *waste)
{
    float x = number;
    for (int i = 0; i < (STEPS - number) * 500; i++)
        x = x * 0.5f + 1.0f;
    *waste = x;
    *value = *value * 3 + number;
}

// In order for each thread, by both names of its stream.
__global__ void own_streams(long long *value, float *waste)
{
    int t = threadIdx.x;
    for (int i = 0; i < STEPS; i++)
        step<<<1, 1, 0, i % 2 ? 0 : cudaStreamPerThread>>>(value + t, i, waste + t);
}

__global__ void block_stream(long long *value, float *waste)
{
    for (int i = 0; i < STEPS; i++) {
        if (threadIdx.x == i * 32)
            step<<<1, 1, 0, cudaStreamLegacy>>>(value, i, waste);
        __syncthreads();
    }
}

__global__ void side_by_side(Interval *interval, float *waste)
{
    busy<<<1, 32>>>(interval + threadIdx.x, 20 * STEPS_OF_10_US, waste + threadIdx.x);
}

int main()
{
    long long *value, expected = 1;
    float *waste;
    Interval *interval;
    CUDA(cudaMallocManaged(&value, THREADS * sizeof *value));
    CUDA(cudaMallocManaged(&waste, THREADS * sizeof *waste));
    CUDA(cudaMallocManaged(&interval, 2 * sizeof *interval));
    for (int i = 0; i < STEPS; i++)
        expected = expected * 3 + i;
    for (int t = 0; t < THREADS; t++)
        value[t] = 1;
    own_streams<<<1, THREADS>>>(value, waste);
    CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < THREADS; t++)
        CHECK_EQUAL(value[t], expected);
    value[0] = 1;
    block_stream<<<1, STEPS * 32>>>(value, waste);
    CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(value[0], expected);
    side_by_side<<<1, 2>>>(interval, waste);
    CUDA(cudaDeviceSynchronize());
    if (time_passes())
        CHECK(overlap(interval[0], interval[1]));
    return check_result();
}
