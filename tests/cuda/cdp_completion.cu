// A grid is complete when all below it is: what waits for it sees the results of its children.
// nvcc: -rdc=true
#include "check.h"

enum { COUNT = 64, STEPS = 20000 };

__global__ void slow_child(int *out, int value)
{
    float x = value;
    for (int i = 0; i < STEPS; i++)
        x = x * 0.5f + 1.0f;
    out[threadIdx.x] = value + (x < 0);
}

__global__ void middle(int *out, int value) { slow_child<<<1, COUNT>>>(out, value); }

__global__ void parent(int *out, int value) { middle<<<1, 1>>>(out, value); }

__global__ void add_up(const int *out, int *sum)
{
    *sum = 0;
    for (int i = 0; i < COUNT; i++)
        *sum += out[i];
}

int main()
{
    int *out, *sum, host[COUNT];
    cudaStream_t stream, other;
    cudaEvent_t done, begin;
    CUDA(cudaMalloc(&out, sizeof host));
    CUDA(cudaMallocManaged(&sum, sizeof *sum));
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CUDA(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    CUDA(cudaEventCreate(&begin));
    CUDA(cudaEventCreate(&done));
    CUDA(cudaMemset(out, 0, sizeof host));
    CUDA(cudaDeviceSynchronize()); // the streams below do not wait for it

    // The next kernel of the stream.
    parent<<<1, 1, 0, stream>>>(out, 1);
    add_up<<<1, 1, 0, stream>>>(out, sum);
    CUDA(cudaStreamSynchronize(stream));
    CHECK_EQUAL(*sum, COUNT);

    // A copy of the stream.
    parent<<<1, 1, 0, stream>>>(out, 2);
    CUDA(cudaMemcpyAsync(host, out, sizeof host, cudaMemcpyDeviceToHost, stream));
    CUDA(cudaStreamSynchronize(stream));
    CHECK_EQUAL(host[COUNT - 1], 2);

    // An event, from the host and from another stream.
    CUDA(cudaEventRecord(begin, stream));
    parent<<<1, 1, 0, stream>>>(out, 3);
    CUDA(cudaEventRecord(done, stream));
    CUDA(cudaStreamWaitEvent(other, done, 0));
    add_up<<<1, 1, 0, other>>>(out, sum);
    CUDA(cudaEventSynchronize(done));
    CUDA(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK_EQUAL(host[0], 3);
    CUDA(cudaStreamSynchronize(other));
    CHECK_EQUAL(*sum, 3 * COUNT);
    float milliseconds;
    CUDA(cudaEventElapsedTime(&milliseconds, begin, done));
    if (time_passes())
        CHECK(milliseconds > 0.02f); // the children alone take that long

    // The whole device; many grids in turn.
    for (int i = 0; i < 5; i++)
        parent<<<1, 1>>>(out, 10 + i);
    CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(cudaStreamQuery(0), cudaSuccess);
    CUDA(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < COUNT; i++)
        CHECK_EQUAL(host[i], 14);
    return check_result();
}
