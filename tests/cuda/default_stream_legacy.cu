// The legacy default stream waits for blocking streams and they for it; non-blocking streams do neither.
#include "busy.h"

__global__ void set(int *where, int value) { *where = value; }
__global__ void copy(int *to, const int *from) { *to = *from; }

int main()
{
    const int steps = 10 * STEPS_OF_10_US;
    Interval *intervals;
    float *result;
    int *values;
    CUDA(cudaMallocManaged(&intervals, 4 * sizeof *intervals));
    CUDA(cudaMalloc(&result, sizeof *result));
    CUDA(cudaMalloc(&values, 3 * sizeof(int)));
    cudaStream_t first, second, free_one;
    CUDA(cudaStreamCreate(&first));
    CUDA(cudaStreamCreateWithFlags(&second, cudaStreamDefault));
    CUDA(cudaStreamCreateWithFlags(&free_one, cudaStreamNonBlocking));
    unsigned flags;
    CUDA(cudaStreamGetFlags(free_one, &flags));
    CHECK_EQUAL(flags, cudaStreamNonBlocking);
    CUDA(cudaStreamGetFlags(first, &flags));
    CHECK_EQUAL(flags, cudaStreamDefault);
    // Kernels are loaded when they are first launched, and that waits for others.
    busy<<<1, 32, 0, free_one>>>(intervals, 100, result);
    set<<<1, 1>>>(values, 0);
    copy<<<1, 1>>>(values + 1, values);
    CUDA(cudaDeviceSynchronize());

    // first, default, second: strictly one after the other; the non-blocking one beside them.
    busy<<<1, 32, 0, first>>>(&intervals[0], steps, result);
    set<<<1, 1, 0, first>>>(&values[0], 42);
    busy<<<1, 32>>>(&intervals[1], steps, result);
    copy<<<1, 1>>>(&values[1], &values[0]);
    busy<<<1, 32, 0, free_one>>>(&intervals[3], steps, result);
    busy<<<1, 32, 0, second>>>(&intervals[2], steps, result);
    copy<<<1, 1, 0, second>>>(&values[2], &values[1]);
    CUDA(cudaDeviceSynchronize());
    int host[3];
    CUDA(cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost));
    CHECK_EQUAL(host[1], 42);
    CHECK_EQUAL(host[2], 42);
    if (time_passes()) {
        CHECK(intervals[0].end <= intervals[1].begin);
        CHECK(intervals[1].end <= intervals[2].begin);
        CHECK(overlap(intervals[0], intervals[3]));
    }

    // The default stream's names are the same stream here.
    set<<<1, 1, 0, cudaStreamLegacy>>>(&values[0], 7);
    copy<<<1, 1, 0, 0>>>(&values[1], &values[0]);
    CUDA(cudaStreamSynchronize(cudaStreamLegacy));
    CUDA(cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost));
    CHECK_EQUAL(host[1], 7);
    CUDA(cudaStreamDestroy(first));
    CUDA(cudaStreamDestroy(second));
    CUDA(cudaStreamDestroy(free_one));
    return check_result();
}
