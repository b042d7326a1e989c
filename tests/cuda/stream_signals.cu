// Kernels of different streams run side by side: they may wait for each other's signals, and for those of copies.
#include "check.h"

enum { ROUNDS = 20 };

// words[me] counts what it has said, words[1 - me] what it has heard.
__global__ void talk(volatile int *words, int me)
{
    for (int round = 1; round <= ROUNDS; round++) {
        if (me == 0)
            words[0] = round;
        while (words[1 - me] < round)
            ;
        __threadfence();
        if (me == 1)
            words[1] = round;
    }
}

__global__ void wait_for(volatile int *flag, int *seen)
{
    if (threadIdx.x == 0)
        while (*flag == 0)
            ;
    __syncthreads();
    seen[threadIdx.x] = *flag;
}

int main()
{
    int *words, *flag, *seen, host[2], values[64];
    cudaStream_t streams[2];
    CUDA(cudaMalloc(&words, 2 * sizeof(int)));
    CUDA(cudaMalloc(&flag, sizeof(int)));
    CUDA(cudaMalloc(&seen, sizeof values));
    CUDA(cudaMemset(words, 0, 2 * sizeof(int)));
    CUDA(cudaMemset(flag, 0, sizeof(int)));
    for (cudaStream_t &stream : streams)
        CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CUDA(cudaDeviceSynchronize());

    for (int me = 0; me < 2; me++)
        talk<<<1, 1, 0, streams[me]>>>(words, me);
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(host, words, sizeof host, cudaMemcpyDeviceToHost));
    CHECK_EQUAL(host[0], ROUNDS);
    CHECK_EQUAL(host[1], ROUNDS);

    wait_for<<<1, 64, 0, streams[0]>>>(flag, seen);
    CHECK_EQUAL(cudaStreamQuery(streams[0]), cudaErrorNotReady);
    CUDA(cudaMemsetAsync(flag, 1, 1, streams[1]));
    CUDA(cudaStreamSynchronize(streams[0]));
    CUDA(cudaMemcpy(values, seen, sizeof values, cudaMemcpyDeviceToHost));
    for (int value : values)
        CHECK_EQUAL(value, 1);
    return check_result();
}
