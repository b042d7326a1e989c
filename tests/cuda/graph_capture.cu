// A graph captured from streams, with a fork and a join; and captures that go wrong.
#include "busy.h"

__global__ void add(int *values, int amount) { values[threadIdx.x] += amount; }
__global__ void sum(int *out, const int *a, const int *b)
{
    out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}

int main()
{
    int *a, *b, *out, host[32];
    CUDA(cudaMalloc(&a, sizeof host));
    CUDA(cudaMalloc(&b, sizeof host));
    CUDA(cudaMalloc(&out, sizeof host));
    CUDA(cudaMemset(a, 0, sizeof host));
    CUDA(cudaMemset(b, 0, sizeof host));
    cudaStream_t stream, other;
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaStreamCreate(&other));
    cudaEvent_t fork, join;
    CUDA(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    CUDA(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));

    cudaStreamCaptureStatus status;
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CUDA(cudaStreamIsCapturing(stream, &status));
    CHECK_EQUAL(status, cudaStreamCaptureStatusActive);
    CUDA(cudaEventRecord(fork, stream));
    CUDA(cudaStreamWaitEvent(other, fork, 0));
    add<<<1, 32, 0, stream>>>(a, 1);
    add<<<1, 32, 0, other>>>(b, 10);
    add<<<1, 32, 0, other>>>(b, 100);
    CUDA(cudaEventRecord(join, other));
    CUDA(cudaStreamWaitEvent(stream, join, 0));
    sum<<<1, 32, 0, stream>>>(out, a, b);
    CUDA(cudaMemcpyAsync(host, out, sizeof host, cudaMemcpyDeviceToHost, stream));
    cudaGraph_t graph;
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaStreamIsCapturing(stream, &status));
    CHECK_EQUAL(status, cudaStreamCaptureStatusNone);
    size_t nodes = 0;
    CUDA(cudaGraphGetNodes(graph, nullptr, &nodes));
    CHECK_EQUAL(nodes, 5);

    // Nothing has run yet.
    CUDA(cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost));
    CHECK_EQUAL(host[0], 0);
    cudaGraphExec_t executable;
    CUDA(cudaGraphInstantiate(&executable, graph, 0));
    for (int launch = 1; launch <= 4; launch++)
        CUDA(cudaGraphLaunch(executable, other));
    CUDA(cudaStreamSynchronize(other));
    for (int i = 0; i < 32; i++)
        CHECK_EQUAL(host[i], 4 * 111);
    CUDA(cudaGraphExecDestroy(executable));
    CUDA(cudaGraphDestroy(graph));

    // Branches of a graph run beside each other.
    Interval *intervals;
    float *result;
    CUDA(cudaMallocManaged(&intervals, 2 * sizeof *intervals));
    CUDA(cudaMalloc(&result, sizeof *result));
    const int steps = 10 * STEPS_OF_10_US;
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    CUDA(cudaEventRecord(fork, stream));
    CUDA(cudaStreamWaitEvent(other, fork, 0));
    busy<<<1, 32, 0, stream>>>(&intervals[0], steps, result);
    busy<<<1, 32, 0, other>>>(&intervals[1], steps, result);
    CUDA(cudaEventRecord(join, other));
    CUDA(cudaStreamWaitEvent(stream, join, 0));
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphInstantiate(&executable, graph, 0));
    CUDA(cudaGraphLaunch(executable, stream));
    CUDA(cudaDeviceSynchronize());
    if (time_passes())
        CHECK(overlap(intervals[0], intervals[1]));
    CUDA(cudaGraphExecDestroy(executable));
    CUDA(cudaGraphDestroy(graph));

    // Waiting for a stream that captures breaks the capture.
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    CUDA_FAILS(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(stream));
    CUDA(cudaStreamIsCapturing(stream, &status));
    CHECK_EQUAL(status, cudaStreamCaptureStatusInvalidated);
    CUDA_FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));
    CHECK(graph == nullptr);

    // A fork without a join, and an end without a beginning.
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    CUDA(cudaEventRecord(fork, stream));
    CUDA(cudaStreamWaitEvent(other, fork, 0));
    add<<<1, 32, 0, other>>>(b, 10);
    CUDA_FAILS(cudaErrorStreamCaptureUnjoined, cudaStreamEndCapture(stream, &graph));
    CUDA_FAILS(cudaErrorIllegalState, cudaStreamEndCapture(stream, &graph));
    CUDA_FAILS(cudaErrorStreamCaptureUnsupported, cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));

    // Streams work as before.
    add<<<1, 32, 0, stream>>>(a, 1);
    CUDA(cudaStreamSynchronize(stream));
    CUDA(cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost));
    CHECK_EQUAL(host[7], 5);
    CUDA(cudaStreamDestroy(stream));
    CUDA(cudaStreamDestroy(other));
    return check_result();
}
