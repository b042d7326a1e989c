// cudaStreamWaitEvent orders work of different streams; the event's last record before the call counts.
#include "busy.h"

__global__ void step(long long *value, int factor, int addend) { *value = *value * factor + addend; }

int main()
{
    enum { STREAMS = 4 };
    cudaStream_t stream[STREAMS];
    cudaEvent_t event[STREAMS];
    long long *value, host;
    Interval *interval;
    float *result;
    CUDA(cudaMalloc(&value, sizeof *value));
    CUDA(cudaMalloc(&interval, sizeof *interval));
    CUDA(cudaMalloc(&result, sizeof *result));
    for (int s = 0; s < STREAMS; s++) {
        CUDA(cudaStreamCreateWithFlags(&stream[s], cudaStreamNonBlocking));
        CUDA(cudaEventCreateWithFlags(&event[s], cudaEventDisableTiming));
    }
    // A chain that goes round the streams; what comes first is slow, so that only the events keep the order.
    long long expected = 1;
    CUDA(cudaMemcpy(value, &expected, sizeof expected, cudaMemcpyHostToDevice));
    for (int i = 0; i < 12; i++) {
        int s = i % STREAMS;
        if (i > 0)
            CUDA(cudaStreamWaitEvent(stream[s], event[(i - 1) % STREAMS], 0));
        busy<<<1, 32, 0, stream[s]>>>(interval, (12 - i) * STEPS_OF_10_US / 10, result);
        step<<<1, 1, 0, stream[s]>>>(value, 3, i);
        CUDA(cudaEventRecord(event[s], stream[s]));
        expected = expected * 3 + i;
    }
    CUDA(cudaEventSynchronize(event[11 % STREAMS]));
    CUDA(cudaMemcpy(&host, value, sizeof host, cudaMemcpyDeviceToHost));
    CHECK_EQUAL(host, expected);

    // The wait keeps to the record before it, although the event is recorded again behind slow work.
    CUDA(cudaEventRecord(event[0], stream[0]));
    CUDA(cudaStreamWaitEvent(stream[1], event[0], 0));
    busy<<<1, 32, 0, stream[0]>>>(interval, 20 * STEPS_OF_10_US, result);
    CUDA(cudaEventRecord(event[0], stream[0]));
    step<<<1, 1, 0, stream[1]>>>(value, 0, 5);
    CUDA(cudaStreamSynchronize(stream[1]));
    if (time_passes())
        CHECK_EQUAL(cudaEventQuery(event[0]), cudaErrorNotReady);

    // An event that was never recorded is no reason to wait.
    cudaEvent_t fresh;
    CUDA(cudaEventCreate(&fresh));
    CUDA(cudaStreamWaitEvent(stream[2], fresh, 0));
    step<<<1, 1, 0, stream[2]>>>(value, 10, 1);
    CUDA(cudaStreamSynchronize(stream[2]));
    CUDA(cudaMemcpy(&host, value, sizeof host, cudaMemcpyDeviceToHost));
    CHECK_EQUAL(host, 51);

    // Events and streams may be destroyed while they are in use.
    CUDA(cudaStreamWaitEvent(stream[3], event[0], 0));
    CUDA(cudaEventDestroy(event[0]));
    step<<<1, 1, 0, stream[3]>>>(value, 2, 0);
    CUDA(cudaStreamDestroy(stream[3]));
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(&host, value, sizeof host, cudaMemcpyDeviceToHost));
    CHECK_EQUAL(host, 102);
    return check_result();
}
