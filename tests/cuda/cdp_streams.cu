// Streams in kernels: a block's default stream and each stream that it creates keep their launches in order,
// and different streams go side by side.
// nvcc: -rdc=true
#include "busy.h"

enum { STREAMS = 3, STEPS = 6 };

// Only the right order gives the right result, and the first steps take longest.
__global__ void step(long long *value, int number, float *waste)
{
    float x = number;
    for (int i = 0; i < (STEPS - number) * 500; i++)
        x = x * 0.5f + 1.0f;
    *waste = x;
    *value = *value * 3 + number;
}

__global__ void in_default_stream(long long *value, float *waste)
{
    for (int i = 0; i < STEPS; i++)
        step<<<1, 1>>>(value + blockIdx.x, i, waste + blockIdx.x);
}

// Different threads of a block have one default stream.
__global__ void threads_in_default_stream(long long *value, float *waste)
{
    for (int i = 0; i < STEPS; i++) {
        if (threadIdx.x == i * 32)
            step<<<1, 1>>>(value + blockIdx.x, i, waste + blockIdx.x);
        __syncthreads();
    }
}

__global__ void in_created_streams(long long *value, float *waste, int *errors)
{
    cudaStream_t stream[STREAMS];
    for (int s = 0; s < STREAMS; s++)
        *errors |= cudaStreamCreateWithFlags(&stream[s], cudaStreamNonBlocking);
    for (int i = 0; i < STEPS; i++)
        for (int s = 0; s < STREAMS; s++)
            step<<<1, 1, 0, stream[s]>>>(value + s, i, waste + s);
    for (int s = 0; s < STREAMS; s++)
        *errors |= cudaStreamDestroy(stream[s]);
}

// Threads of a block may use each other's streams.
__global__ void shared_stream(long long *value, float *waste, int *errors)
{
    __shared__ cudaStream_t stream;
    if (threadIdx.x == 0)
        *errors |= cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    __syncthreads();
    for (int i = 0; i < STEPS; i++) {
        if (threadIdx.x == STEPS - 1 - i)
            step<<<1, 1, 0, stream>>>(value, i, waste);
        __syncthreads();
    }
}

__global__ void side_by_side(Interval *interval, float *waste)
{
    cudaStream_t other;
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    busy<<<1, 32, 0, other>>>(interval, 20 * STEPS_OF_10_US, waste);
    busy<<<1, 32>>>(interval + 1, 20 * STEPS_OF_10_US, waste + 1);
    busy<<<1, 32>>>(interval + 2, 20 * STEPS_OF_10_US, waste + 1);
}

int main()
{
    long long *value, expected = 1;
    float *waste;
    int *errors;
    Interval *interval;
    CUDA(cudaMallocManaged(&value, STREAMS * sizeof *value));
    CUDA(cudaMallocManaged(&waste, STREAMS * sizeof *waste));
    CUDA(cudaMallocManaged(&errors, sizeof *errors));
    CUDA(cudaMallocManaged(&interval, 3 * sizeof *interval));
    *errors = 0;
    for (int i = 0; i < STEPS; i++)
        expected = expected * 3 + i;
    for (int which = 0; which < 4; which++) {
        for (int s = 0; s < STREAMS; s++)
            value[s] = 1;
        if (which == 0)
            in_default_stream<<<STREAMS, 1>>>(value, waste);
        else if (which == 1)
            threads_in_default_stream<<<STREAMS, STEPS * 32>>>(value, waste);
        else if (which == 2)
            in_created_streams<<<1, 1>>>(value, waste, errors);
        else
            shared_stream<<<1, STEPS>>>(value, waste, errors);
        CUDA(cudaDeviceSynchronize());
        for (int s = 0; s < (which == 3 ? 1 : STREAMS); s++)
            CHECK_EQUAL(value[s], expected);
    }
    CHECK_EQUAL(*errors, 0);

    side_by_side<<<1, 1>>>(interval, waste);
    CUDA(cudaDeviceSynchronize());
    CHECK(!overlap(interval[1], interval[2]));
    CHECK(interval[1].end <= interval[2].begin);
    if (time_passes())
        CHECK(overlap(interval[0], interval[1]));
    return check_result();
}
