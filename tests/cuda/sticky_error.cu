// A kernel that reaches where nothing is: every later call says so. A simulated device can be reset, a real
// one needs another process.
#include "check.h"

__global__ void write(int *where) { *where = 1; }

int main()
{
    int *memory, host = 0;
    CUDA(cudaMalloc(&memory, sizeof *memory));
    write<<<1, 1>>>(memory);
    CUDA(cudaDeviceSynchronize());
    write<<<1, 1>>>(nullptr);
    CHECK_EQUAL(cudaGetLastError(), cudaSuccess); // the launch itself is right
    CHECK_EQUAL(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    // It does not go away by being asked for.
    CHECK_EQUAL(cudaGetLastError(), cudaErrorIllegalAddress);
    CHECK_EQUAL(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    CHECK_EQUAL(cudaMemcpy(&host, memory, sizeof host, cudaMemcpyDeviceToHost), cudaErrorIllegalAddress);
    int *more;
    CHECK_EQUAL(cudaMalloc(&more, 16), cudaErrorIllegalAddress);
    write<<<1, 1>>>(memory);
    CHECK_EQUAL(cudaGetLastError(), cudaErrorIllegalAddress);

    if (!simulated())
        return check_result();
    cudaDeviceReset();
    (void)cudaGetLastError();
    CUDA(cudaMalloc(&memory, sizeof *memory));
    CUDA(cudaMemset(memory, 0, sizeof *memory));
    write<<<1, 1>>>(memory);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(&host, memory, sizeof host, cudaMemcpyDeviceToHost));
    CHECK_EQUAL(host, 1);
    CUDA(cudaFree(memory));
    return check_result();
}
