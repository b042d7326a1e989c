// Launches that a kernel gets wrong: the error is the launching thread's, until it is read; nothing of that
// launch runs, everything else does, and the host sees no error.
// nvcc: -rdc=true
#include "check.h"

__device__ int runs;

__global__ void child(int) { atomicAdd(&runs, 1); }

__global__ void __launch_bounds__(64) small_blocks(int) { atomicAdd(&runs, 1); }

__global__ void large_shared(int bytes)
{
    extern __shared__ char memory[];
    memory[bytes - 1] = 1;
    atomicAdd(&runs, memory[bytes - 1]);
}

struct Result {
    int count, peeked[32], got[32], left[32];

    __device__ void add()
    {
        peeked[count] = cudaPeekAtLastError();
        got[count] = cudaGetLastError();
        left[count++] = cudaGetLastError();
    }
};

__global__ void refused(Result *result)
{
    child<<<0, 1>>>(1), result->add();
    child<<<1, 0>>>(1), result->add();
    child<<<dim3(1, 0), 1>>>(1), result->add();
    child<<<1, dim3(1, 1, 0)>>>(1), result->add();
    child<<<1, 1025>>>(1), result->add();
    child<<<1, 2000>>>(1), result->add();
    child<<<1, dim3(1, 1, 65)>>>(1), result->add();
    child<<<1, dim3(32, 32, 2)>>>(1), result->add();
    child<<<dim3(1, 65536), 1>>>(1), result->add();
    child<<<dim3(1, 1, 65536), 1>>>(1), result->add();
    child<<<0x80000000u, 1>>>(1), result->add();
    child<<<1, 1, 49153>>>(1), result->add();
    child<<<1, 1, 1 << 20>>>(1), result->add();
    small_blocks<<<1, 65>>>(1), result->add();
}

__global__ void accepted(Result *result)
{
    child<<<1, 1024>>>(1), result->add();
    child<<<1, dim3(1, 1, 64)>>>(1), result->add();
    small_blocks<<<1, 64>>>(1), result->add();
    large_shared<<<1, 1, 100000>>>(100000), result->add();
}

__global__ void until_read(Result *result)
{
    child<<<0, 1>>>(1);
    child<<<1, 1>>>(1); // changes nothing about the error
    result->add();
    child<<<1, 1>>>(1);
    result->add();
}

__global__ void every_third(int *errors)
{
    if (threadIdx.x % 3 == 1)
        child<<<0, 1>>>(1);
    else
        child<<<1, 1>>>(1);
    errors[threadIdx.x] = cudaGetLastError();
}

// What was not read is forgotten with the thread.
__global__ void leave_error() { child<<<0, 1>>>(1); }

__global__ void read_error(int *error) { *error = cudaPeekAtLastError(); }

__global__ void error_and_child(int *error)
{
    child<<<0, 1>>>(1);
    read_error<<<1, 1>>>(error);
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

static void check_errors(Result *result, int count, int expected)
{
    CHECK_EQUAL(result->count, count);
    for (int i = 0; i < count; i++) {
        CHECK_EQUAL(result->peeked[i], expected);
        CHECK_EQUAL(result->got[i], expected);
        CHECK_EQUAL(result->left[i], cudaSuccess);
    }
    result->count = 0;
}

int main()
{
    Result *result;
    int *errors;
    CUDA(cudaMallocManaged(&result, sizeof *result));
    CUDA(cudaMallocManaged(&errors, 64 * sizeof *errors));
    CUDA(cudaFuncSetAttribute(large_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
    result->count = 0;
    refused<<<1, 1>>>(result);
    CHECK_EQUAL(runs_so_far(), 0);
    check_errors(result, 14, cudaErrorInvalidConfiguration);
    accepted<<<1, 1>>>(result);
    CHECK_EQUAL(runs_so_far(), 1024 + 64 + 64 + 1);
    check_errors(result, 4, cudaSuccess);

    until_read<<<1, 1>>>(result);
    CHECK_EQUAL(runs_so_far(), 2);
    CHECK_EQUAL(result->got[0], cudaErrorInvalidConfiguration);
    CHECK_EQUAL(result->got[1], cudaSuccess);

    every_third<<<1, 64>>>(errors);
    CHECK_EQUAL(runs_so_far(), 64 - 21);
    for (int i = 0; i < 64; i++)
        CHECK_EQUAL(errors[i], i % 3 == 1 ? cudaErrorInvalidConfiguration : cudaSuccess);

    errors[0] = errors[1] = -1;
    leave_error<<<1, 1>>>();
    read_error<<<1, 1>>>(errors);
    error_and_child<<<1, 1>>>(errors + 1);
    CHECK_EQUAL(runs_so_far(), 0);
    CHECK_EQUAL(errors[0], cudaSuccess);
    CHECK_EQUAL(errors[1], cudaSuccess);
    return check_result();
}
