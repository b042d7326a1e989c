// Copies take time, and pass beside kernels and beside copies of the other direction, but not of their own.
#include <functional>

#include "busy.h"

static cudaStream_t a, b;
static cudaEvent_t start, stop, other;

/* Milliseconds until both are over, when they begin together. */
static float together(const std::function<void()> &in_a, const std::function<void()> &in_b)
{
    float milliseconds;
    CUDA(cudaEventRecord(start, a));
    CUDA(cudaStreamWaitEvent(b, start, 0));
    in_a();
    in_b();
    CUDA(cudaEventRecord(other, b));
    CUDA(cudaStreamWaitEvent(a, other, 0));
    CUDA(cudaEventRecord(stop, a));
    CUDA(cudaEventSynchronize(stop));
    CUDA(cudaEventElapsedTime(&milliseconds, start, stop));
    return milliseconds;
}

int main()
{
    const size_t bytes = 16 << 20;
    char *pinned[2], *device[2];
    Interval *interval;
    float *result;
    for (int i = 0; i < 2; i++) {
        CUDA(cudaMallocHost(&pinned[i], bytes));
        CUDA(cudaMalloc(&device[i], bytes));
        memset(pinned[i], i + 1, bytes);
    }
    CUDA(cudaMalloc(&interval, sizeof *interval));
    CUDA(cudaMalloc(&result, sizeof *result));
    CUDA(cudaStreamCreate(&a));
    CUDA(cudaStreamCreate(&b));
    CUDA(cudaEventCreate(&start));
    CUDA(cudaEventCreate(&stop));
    CUDA(cudaEventCreateWithFlags(&other, cudaEventDisableTiming));

    auto nothing = [] {};
    auto to_device = [&](int i, cudaStream_t s) {
        return [=] { CUDA(cudaMemcpyAsync(device[i], pinned[i], bytes, cudaMemcpyHostToDevice, s)); };
    };
    auto to_host = [&](int i, cudaStream_t s) {
        return [=] { CUDA(cudaMemcpyAsync(pinned[i], device[i], bytes, cudaMemcpyDeviceToHost, s)); };
    };
    auto kernel = [&](cudaStream_t s) {
        return [=] { busy<<<1, 32, 0, s>>>(interval, 30 * STEPS_OF_10_US, result); };
    };
    CUDA(cudaMemset(device[1], 7, bytes));
    together(to_device(0, a), kernel(b)); // loads and warms up
    together(to_device(0, a), to_host(1, b));
    CHECK_EQUAL(pinned[1][bytes - 1], 7);

    float in = together(to_device(0, a), nothing), out = together(nothing, to_host(1, b)),
          run = together(nothing, kernel(b)), both_in = together(to_device(0, a), to_device(1, b)),
          in_and_out = together(to_device(0, a), to_host(1, b)),
          in_and_run = together(to_device(0, a), kernel(b));
    printf("to the device %.3f ms, to the host %.3f, kernel %.3f; two to the device %.3f, both ways %.3f, "
           "copy and kernel %.3f\n",
           in, out, run, both_in, in_and_out, in_and_run);
    if (time_passes()) {
        float rate = bytes / in * 1e-6f;
        CHECK(rate > 1.0f && rate < 1000.0f); // GB/s
        CHECK(both_in > 1.6f * in);
        CHECK(in_and_out < 0.85f * (in + out));
        CHECK(in_and_run < 0.85f * (in + run));
        CHECK(in_and_run > 0.9f * run);
    }
    // What was copied is there.
    CUDA(cudaMemcpy(pinned[1], device[0], bytes, cudaMemcpyDeviceToHost));
    CHECK(pinned[1][0] == 1 && pinned[1][bytes - 1] == 1);
    return check_result();
}
