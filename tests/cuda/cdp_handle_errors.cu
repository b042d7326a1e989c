// Streams and events of kernels that cannot be: wrong flags, other grids' streams, events in streams that
// take none.
// nvcc: -rdc=true
#include "check.h"

__device__ int runs;
__device__ cudaStream_t kept;

__global__ void child() { atomicAdd(&runs, 1); }

__global__ void use(cudaStream_t stream, int *error)
{
    child<<<1, 1, 0, stream>>>();
    *error = cudaGetLastError();
}

__global__ void streams(int *errors)
{
    cudaStream_t stream;
    int n = 0;
    errors[n++] = cudaStreamCreateWithFlags(&stream, 2);
    errors[n++] = cudaStreamCreateWithFlags(nullptr, cudaStreamNonBlocking);
    errors[n++] = cudaStreamDestroy(nullptr);
    errors[n++] = cudaStreamDestroy(cudaStreamFireAndForget);
    errors[n++] = cudaGetLastError();
    errors[n++] = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    child<<<1, 1, 0, stream>>>();
    errors[n++] = cudaGetLastError();
    kept = stream;
    // A stream is its grid's own: neither the child's nor that of a later grid.
    use<<<1, 1>>>(stream, errors + n);
}

__global__ void events(int *errors)
{
    cudaStream_t stream;
    cudaEvent_t event;
    int n = 0;
    errors[n++] = cudaEventCreateWithFlags(&event, cudaEventDefault);
    errors[n++] = cudaEventCreateWithFlags(&event, cudaEventBlockingSync);
    errors[n++] = cudaEventCreateWithFlags(nullptr, cudaEventDisableTiming);
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    errors[n++] = cudaEventRecord(event, cudaStreamFireAndForget);
    errors[n++] = cudaEventRecord(event, cudaStreamTailLaunch);
    errors[n++] = cudaStreamWaitEvent(cudaStreamFireAndForget, event, 0);
    errors[n++] = cudaStreamWaitEvent(cudaStreamTailLaunch, event, 0);
    errors[n++] = cudaEventRecord(nullptr, stream);
    errors[n++] = cudaStreamWaitEvent(stream, nullptr, 0);
    errors[n++] = cudaEventDestroy(nullptr);
    errors[n++] = cudaGetLastError();
    errors[n++] = cudaStreamWaitEvent(stream, event, 0); // never recorded: no reason to wait
    child<<<1, 1, 0, stream>>>();
    errors[n++] = cudaGetLastError();
    errors[n++] = cudaEventDestroy(event);
}

static void check_errors(const int *errors, int refused, int accepted)
{
    for (int i = 0; i < refused; i++)
        CHECK_EQUAL(errors[i], cudaErrorInvalidValue);
    for (int i = refused; i < refused + accepted; i++)
        CHECK_EQUAL(errors[i], cudaSuccess);
}

int main()
{
    int *errors, count;
    cudaStream_t stale;
    CUDA(cudaMallocManaged(&errors, 32 * sizeof *errors));
    streams<<<1, 1>>>(errors);
    CUDA(cudaDeviceSynchronize());
    check_errors(errors, 5, 2);
    CHECK_EQUAL(errors[7], cudaErrorInvalidValue);
    CUDA(cudaMemcpyFromSymbol(&stale, kept, sizeof stale));
    use<<<1, 1>>>(stale, errors);
    CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(errors[0], cudaErrorInvalidValue);
    events<<<1, 1>>>(errors);
    CUDA(cudaDeviceSynchronize());
    check_errors(errors, 11, 3);
    CUDA(cudaMemcpyFromSymbol(&count, runs, sizeof count));
    CHECK_EQUAL(count, 2);
    return check_result();
}
