// With --default-stream per-thread every host thread has a default stream that waits for no other.
// nvcc: --default-stream per-thread
#include <thread>

#include "busy.h"

enum { STEPS = 10 * STEPS_OF_10_US };

__global__ void add(int *value, int amount) { *value += amount; }

static void work(Interval *interval, float *result, int *value)
{
    int host = 5;
    CUDA(cudaMemcpyAsync(value, &host, sizeof host, cudaMemcpyHostToDevice));
    busy<<<1, 32>>>(interval, STEPS, result);
    add<<<1, 1>>>(value, 37);
    CUDA(cudaMemcpyAsync(&host, value, sizeof host, cudaMemcpyDeviceToHost));
    CUDA(cudaStreamSynchronize(0));
    CHECK_EQUAL(host, 42);
}

int main()
{
    Interval *intervals;
    float *result;
    int *values, host;
    CUDA(cudaMallocManaged(&intervals, 3 * sizeof *intervals));
    CUDA(cudaMalloc(&result, sizeof *result));
    CUDA(cudaMalloc(&values, 2 * sizeof(int)));
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    busy<<<1, 32>>>(intervals, 100, result);
    CUDA(cudaDeviceSynchronize());

    // A blocking stream and this thread's default stream have nothing to do with each other.
    busy<<<1, 32, 0, stream>>>(&intervals[0], STEPS, result);
    busy<<<1, 32>>>(&intervals[1], STEPS, result);
    CUDA(cudaStreamSynchronize(0));
    CUDA(cudaStreamSynchronize(stream));
    if (time_passes())
        CHECK(overlap(intervals[0], intervals[1]));

    // The legacy stream is still there by its name, and waits for both.
    busy<<<1, 32, 0, stream>>>(&intervals[0], STEPS, result);
    busy<<<1, 32>>>(&intervals[1], STEPS, result);
    busy<<<1, 32, 0, cudaStreamLegacy>>>(&intervals[2], 100, result);
    CUDA(cudaDeviceSynchronize());
    if (time_passes()) {
        CHECK(intervals[0].end <= intervals[2].begin);
        CHECK(intervals[1].end <= intervals[2].begin);
    }

    CUDA(cudaMemset(values, 0, 2 * sizeof(int)));
    add<<<1, 1, 0, cudaStreamPerThread>>>(values, 3);
    CUDA(cudaMemcpy(&host, values, sizeof host, cudaMemcpyDeviceToHost));
    CHECK_EQUAL(host, 3);

    std::thread one(work, &intervals[0], result, &values[0]), two(work, &intervals[1], result, &values[1]);
    one.join();
    two.join();
    CUDA(cudaStreamDestroy(stream));
    return check_result();
}
