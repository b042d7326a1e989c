// assert in kernels: one that holds does nothing, one that does not ends everything with cudaErrorAssert.
#include <cassert>

#include "capture.h"

__global__ void verify(const int *values, int limit) { assert(values[threadIdx.x] < limit); }

int main()
{
    int host[32], *values;
    for (int i = 0; i < 32; i++)
        host[i] = i;
    CUDA(cudaMalloc(&values, sizeof host));
    CUDA(cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice));
    verify<<<1, 32>>>(values, 32);
    CUDA(cudaDeviceSynchronize());

    std::string text = captured(2, [&] {
        verify<<<1, 32>>>(values, 31);
        CHECK_EQUAL(cudaDeviceSynchronize(), cudaErrorAssert);
    });
    CHECK(contains(text, "device_assert.cu"));
    CHECK(contains(text, "values[threadIdx.x] < limit"));
    CHECK(contains(text, "thread: [31,0,0]"));
    CHECK_EQUAL(cudaGetLastError(), cudaErrorAssert);
    void *memory;
    CHECK_EQUAL(cudaMalloc(&memory, 16), cudaErrorAssert);
    CHECK_EQUAL(cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost), cudaErrorAssert);
    return check_result();
}
