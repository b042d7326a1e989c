// Events in kernels: a stream of a block waits for what another one had launched before the record.
// nvcc: -rdc=true
#include "check.h"

enum { STREAMS = 3, STEPS = 9 };

__global__ void step(long long *value, int number, float *waste)
{
    float x = number;
    for (int i = 0; i < (STEPS - number) * 500; i++)
        x = x * 0.5f + 1.0f;
    *waste = x;
    *value = *value * 3 + number;
}

// A chain that goes round the streams; what comes first is slow, so that only the events keep the order.
__global__ void round(long long *value, float *waste, int *errors)
{
    cudaStream_t stream[STREAMS];
    cudaEvent_t event[STREAMS];
    for (int s = 0; s < STREAMS; s++) {
        *errors |= cudaStreamCreateWithFlags(&stream[s], cudaStreamNonBlocking);
        *errors |= cudaEventCreateWithFlags(&event[s], cudaEventDisableTiming);
    }
    for (int i = 0; i < STEPS; i++) {
        int s = i % STREAMS;
        if (i > 0)
            *errors |= cudaStreamWaitEvent(stream[s], event[(i - 1) % STREAMS], 0);
        step<<<1, 1, 0, stream[s]>>>(value, i, waste + s);
        *errors |= cudaEventRecord(event[s], stream[s]);
    }
    for (int s = 0; s < STREAMS; s++) {
        *errors |= cudaEventDestroy(event[s]);
        *errors |= cudaStreamDestroy(stream[s]);
    }
}

// The default stream takes part, and one event may gather a thread's and another one's launches.
__global__ void join(long long *value, float *waste, int *errors)
{
    cudaStream_t stream;
    cudaEvent_t fork, done;
    *errors |= cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    *errors |= cudaEventCreateWithFlags(&fork, cudaEventDisableTiming);
    *errors |= cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    step<<<1, 1>>>(value, 0, waste);
    *errors |= cudaEventRecord(fork, 0);
    *errors |= cudaStreamWaitEvent(stream, fork, 0);
    step<<<1, 1, 0, stream>>>(value, 1, waste + 1);
    *errors |= cudaEventRecord(done, stream);
    *errors |= cudaStreamWaitEvent(0, done, 0);
    step<<<1, 1>>>(value, 2, waste);
}

int main()
{
    long long *value, expected = 1;
    float *waste;
    int *errors;
    CUDA(cudaMallocManaged(&value, sizeof *value));
    CUDA(cudaMallocManaged(&waste, STREAMS * sizeof *waste));
    CUDA(cudaMallocManaged(&errors, sizeof *errors));
    *errors = 0;
    *value = 1;
    for (int i = 0; i < STEPS; i++)
        expected = expected * 3 + i;
    round<<<1, 1>>>(value, waste, errors);
    CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(*value, expected);
    CHECK_EQUAL(*errors, 0);

    *value = 1;
    join<<<1, 1>>>(value, waste, errors);
    CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(*value, ((1 * 3 + 0) * 3 + 1) * 3 + 2);
    CHECK_EQUAL(*errors, 0);
    return check_result();
}
