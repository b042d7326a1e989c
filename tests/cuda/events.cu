// Events: order, queries, durations, and what events without times or without a record answer.
#include "busy.h"

int main()
{
    Interval *interval;
    float *result, milliseconds;
    CUDA(cudaMalloc(&interval, sizeof *interval));
    CUDA(cudaMalloc(&result, sizeof *result));
    busy<<<1, 32>>>(interval, 100, result);
    CUDA(cudaDeviceSynchronize());
    cudaEvent_t start, middle, stop, silent;
    CUDA(cudaEventCreate(&start));
    CUDA(cudaEventCreateWithFlags(&middle, cudaEventBlockingSync));
    CUDA(cudaEventCreate(&stop));
    CUDA(cudaEventCreateWithFlags(&silent, cudaEventDisableTiming));

    // Never recorded: over already, but without a time.
    CUDA(cudaEventQuery(start));
    CUDA(cudaEventSynchronize(start));
    CUDA_FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, start, stop));

    const int steps = 10 * STEPS_OF_10_US;
    CUDA(cudaEventRecord(start));
    busy<<<1, 32>>>(interval, steps, result);
    CUDA(cudaEventRecord(middle));
    busy<<<1, 32>>>(interval, 2 * steps, result);
    CUDA(cudaEventRecord(stop));
    CUDA(cudaEventRecord(silent));
    if (time_passes()) {
        CHECK_EQUAL(cudaEventQuery(stop), cudaErrorNotReady);
        CHECK_EQUAL(cudaStreamQuery(0), cudaErrorNotReady);
        CHECK_EQUAL(cudaEventElapsedTime(&milliseconds, start, stop), cudaErrorNotReady);
        CHECK_EQUAL(cudaGetLastError(), cudaSuccess); // not being ready is no error to remember
    }
    CUDA(cudaEventSynchronize(stop));
    CUDA(cudaEventQuery(middle));
    CUDA(cudaEventQuery(stop));
    CUDA(cudaStreamSynchronize(0));
    CUDA(cudaStreamQuery(0));
    float first, second, all;
    CUDA(cudaEventElapsedTime(&first, start, middle));
    CUDA(cudaEventElapsedTime(&second, middle, stop));
    CUDA(cudaEventElapsedTime(&all, start, stop));
    CHECK(first >= 0 && second >= 0 && all >= 0);
    if (time_passes()) {
        CHECK(first > 0.05f);
        CHECK(second > 1.5f * first && second < 2.5f * first);
        CHECK(all > 0.99f * (first + second) && all < 1.01f * (first + second));
    }
    CUDA(cudaEventQuery(silent));
    CUDA_FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, start, silent));

    // Recording again replaces the time; polling comes to an end.
    CUDA(cudaEventRecordWithFlags(stop, 0, cudaEventRecordDefault));
    cudaError_t error;
    while ((error = cudaEventQuery(stop)) == cudaErrorNotReady) {}
    CUDA(error);
    CUDA(cudaEventElapsedTime(&milliseconds, start, stop));
    CHECK(milliseconds >= all);
    CUDA(cudaEventDestroy(start));
    CUDA(cudaEventDestroy(middle));
    CUDA(cudaEventDestroy(stop));
    CUDA(cudaEventDestroy(silent));
    return check_result();
}
