// cudaLimitDevRuntimePendingLaunchCount: launches beyond it fail with an error of their own and are lost, the
// others run.
// nvcc: -rdc=true
#include "check.h"

enum { LIMIT = 100, MANY = 1500 };

__device__ int runs;

__global__ void child(int amount) { atomicAdd(&runs, amount); }

__global__ void get_limit(unsigned long long *limit)
{
    size_t value;
    if (cudaDeviceGetLimit(&value, cudaLimitDevRuntimePendingLaunchCount) == cudaSuccess)
        *limit = value;
}

// Launches into the tail stream wait until the grid has ended.
__global__ void tails(int count, int *errors)
{
    for (int i = 0; i < count; i++) {
        child<<<1, 1, 0, cudaStreamTailLaunch>>>(1);
        errors[i] = cudaGetLastError();
    }
}

__global__ void tails_of_threads(int *errors)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    child<<<1, 1, 0, cudaStreamTailLaunch>>>(1);
    errors[i] = cudaGetLastError();
}

// How many of these wait depends on how fast they start.
__global__ void all_at_once(int *errors)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    child<<<1, 1>>>(1);
    errors[i] = cudaGetLastError();
}

static int runs_so_far()
{
    int count, none = 0;
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpyFromSymbol(&count, runs, sizeof count));
    CUDA(cudaMemcpyToSymbol(runs, &none, sizeof none));
    return count;
}

// The number of launches that succeeded; the others must have failed for this reason.
static int successes(const int *errors, int count)
{
    int good = 0;
    for (int i = 0; i < count; i++) {
        good += errors[i] == cudaSuccess;
        CHECK(errors[i] == cudaSuccess || errors[i] == cudaErrorLaunchPendingCountExceeded);
    }
    return good;
}

static size_t limit_on_host()
{
    size_t value;
    CUDA(cudaDeviceGetLimit(&value, cudaLimitDevRuntimePendingLaunchCount));
    return value;
}

int main()
{
    int *errors;
    unsigned long long *limit;
    CUDA(cudaMallocManaged(&errors, MANY * sizeof *errors));
    CUDA(cudaMallocManaged(&limit, sizeof *limit));
    CHECK_EQUAL(limit_on_host(), 2048);
    tails<<<1, 1>>>(LIMIT + 50, errors);
    CHECK_EQUAL(runs_so_far(), LIMIT + 50);
    CHECK_EQUAL(successes(errors, LIMIT + 50), LIMIT + 50);

    CUDA(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, LIMIT));
    CHECK_EQUAL(limit_on_host(), LIMIT);
    get_limit<<<1, 1>>>(limit);
    CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(*limit, LIMIT);

    // Twice, for the first grid's launches are gone when the second one begins.
    for (int round = 0; round < 2; round++) {
        tails<<<1, 1>>>(LIMIT + 50, errors);
        CHECK_EQUAL(runs_so_far(), LIMIT);
        for (int i = 0; i < LIMIT + 50; i++)
            CHECK_EQUAL(errors[i], i < LIMIT ? cudaSuccess : cudaErrorLaunchPendingCountExceeded);
    }
    tails_of_threads<<<5, 50>>>(errors);
    CHECK_EQUAL(runs_so_far(), LIMIT);
    CHECK_EQUAL(successes(errors, 250), LIMIT);

    all_at_once<<<MANY / 250, 250>>>(errors);
    int count = runs_so_far();
    CHECK_EQUAL(successes(errors, MANY), count);
    CHECK(count >= LIMIT && count <= MANY);

    // There is always room for some.
    CUDA(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 1));
    CHECK_EQUAL(limit_on_host(), 32);
    tails<<<1, 1>>>(40, errors);
    CHECK_EQUAL(runs_so_far(), 32);

    // Nothing of it may wait in a kernel any more: the depth of that is no limit of these launches.
    size_t depth;
    CUDA_FAILS(cudaErrorUnsupportedLimit, cudaDeviceGetLimit(&depth, cudaLimitDevRuntimeSyncDepth));
    CUDA_FAILS(cudaErrorUnsupportedLimit, cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 4));
    return check_result();
}
