// Launches that cannot be: an error each, and later launches work.
#include "check.h"

__global__ void count(int *counter) { atomicAdd(counter, 1); }
__global__ void __launch_bounds__(128) bounded(int *counter) { atomicAdd(counter, 1); }

static int never_a_kernel;

int main()
{
    int *counter, host, limit;
    CUDA(cudaMalloc(&counter, sizeof *counter));
    CUDA(cudaMemset(counter, 0, sizeof *counter));
    CUDA(cudaDeviceGetAttribute(&limit, cudaDevAttrMaxThreadsPerBlock, 0));

    count<<<1, 0>>>(counter);
    LAUNCH_IS_REFUSED();
    count<<<0, 1>>>(counter);
    LAUNCH_IS_REFUSED();
    count<<<1, limit + 1>>>(counter);
    LAUNCH_IS_REFUSED();
    count<<<1, dim3(64, 64)>>>(counter);
    LAUNCH_IS_REFUSED();
    count<<<1, dim3(1, 1, 65)>>>(counter);
    LAUNCH_IS_REFUSED();
    count<<<dim3(1, 65536), 1>>>(counter);
    LAUNCH_IS_REFUSED();
    count<<<dim3(1, 1, 65536), 1>>>(counter);
    LAUNCH_IS_REFUSED();
    count<<<1, 32, 49153>>>(counter);
    LAUNCH_FAILS(cudaErrorInvalidValue);
    bounded<<<1, 256>>>(counter);
    CHECK(cudaGetLastError() != cudaSuccess);

    void *arguments[] = {&counter};
    cudaError_t error = cudaLaunchKernel((void *)&never_a_kernel, dim3(1), dim3(1), arguments, 0, 0);
    CHECK(error == cudaErrorInvalidDeviceFunction ||
          error == cudaErrorInvalidResourceHandle); // CUDA 13: the latter
    CHECK_EQUAL(cudaGetLastError(), error);

    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(&host, counter, sizeof host, cudaMemcpyDeviceToHost));
    CHECK_EQUAL(host, 0);
    count<<<3, 5>>>(counter);
    bounded<<<1, 128>>>(counter);
    CUDA(cudaLaunchKernel((void *)count, dim3(2), dim3(1), arguments, 0, 0));
    CUDA(cudaMemcpy(&host, counter, sizeof host, cudaMemcpyDeviceToHost));
    CHECK_EQUAL(host, 145);
    CUDA(cudaFree(counter));
    return check_result();
}
