// Kernels of two streams run at once, those of one stream do not: events and %globaltimer both show it.
#include "busy.h"

enum { STEPS = 60 * STEPS_OF_10_US };

int main()
{
    Interval *intervals;
    float *result;
    CUDA(cudaMallocManaged(&intervals, 2 * sizeof *intervals));
    CUDA(cudaMalloc(&result, sizeof *result));
    cudaStream_t a, b;
    CUDA(cudaStreamCreate(&a));
    CUDA(cudaStreamCreate(&b));
    cudaEvent_t start, stop, other;
    CUDA(cudaEventCreate(&start));
    CUDA(cudaEventCreate(&stop));
    CUDA(cudaEventCreateWithFlags(&other, cudaEventDisableTiming));
    busy<<<1, 32, 0, a>>>(intervals, 100, result); // loads the module, wakes the clocks
    CUDA(cudaDeviceSynchronize());

    // One kernel, two in a row, two beside each other; a GPU may need a second try until its clocks settle.
    float one = 0, row = 0, beside = 0;
    for (int round = 0; round < 3 && (round == 0 || beside > 0.75f * row || row < 1.8f * one); round++) {
        CUDA(cudaEventRecord(start, a));
        busy<<<1, 32, 0, a>>>(&intervals[0], STEPS, result);
        CUDA(cudaEventRecord(stop, a));
        CUDA(cudaEventSynchronize(stop));
        CUDA(cudaEventElapsedTime(&one, start, stop));

        CUDA(cudaEventRecord(start, a));
        busy<<<1, 32, 0, a>>>(&intervals[0], STEPS, result);
        busy<<<1, 32, 0, a>>>(&intervals[1], STEPS, result);
        CUDA(cudaEventRecord(stop, a));
        CUDA(cudaEventSynchronize(stop));
        CUDA(cudaEventElapsedTime(&row, start, stop));
        CUDA(cudaDeviceSynchronize());
        if (time_passes())
            CHECK(!overlap(intervals[0], intervals[1]) && intervals[0].end <= intervals[1].begin);

        CUDA(cudaEventRecord(start, a));
        CUDA(cudaStreamWaitEvent(b, start, 0));
        busy<<<1, 32, 0, a>>>(&intervals[0], STEPS, result);
        busy<<<1, 32, 0, b>>>(&intervals[1], STEPS, result);
        CUDA(cudaEventRecord(other, b));
        CUDA(cudaStreamWaitEvent(a, other, 0));
        CUDA(cudaEventRecord(stop, a));
        CUDA(cudaEventSynchronize(stop));
        CUDA(cudaEventElapsedTime(&beside, start, stop));
        CUDA(cudaDeviceSynchronize());
    }
    float x;
    CUDA(cudaMemcpy(&x, result, sizeof x, cudaMemcpyDeviceToHost));
    CHECK_EQUAL(x, 2.0f);
    printf("one %.4f ms, two in one stream %.4f ms, two in two streams %.4f ms\n", one, row, beside);
    if (time_passes()) {
        CHECK(one > 0.3f && one < 5.0f);
        CHECK(row > 1.8f * one);
        CHECK(beside < 0.75f * row);
        CHECK(beside > 0.9f * one);
        CHECK(overlap(intervals[0], intervals[1]));
        // The events and the GPU's own timer agree.
        double inside = (intervals[0].end - intervals[0].begin) * 1e-6;
        CHECK(inside > 0.5 * beside && inside < 1.1 * beside);
    }
    CUDA(cudaStreamDestroy(a));
    CUDA(cudaStreamDestroy(b));
    return check_result();
}
