// cudaMemcpy in all directions, with cudaMemcpyDefault, at offsets, of nothing, and from device to device.
#include "check.h"

int main()
{
    enum { COUNT = 1000 };
    const size_t bytes = COUNT * sizeof(int);
    int source[COUNT], result[COUNT];
    for (int i = 0; i < COUNT; i++)
        source[i] = i * 7 - 3;
    int *a, *b;
    CUDA(cudaMalloc(&a, bytes));
    CUDA(cudaMalloc(&b, bytes));

    CUDA(cudaMemcpy(result, source, bytes, cudaMemcpyHostToHost));
    CHECK(memcmp(result, source, bytes) == 0);
    memset(result, 0, bytes);
    CUDA(cudaMemcpy(a, source, bytes, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(b, a, bytes, cudaMemcpyDeviceToDevice));
    CUDA(cudaMemcpy(result, b, bytes, cudaMemcpyDeviceToHost));
    CHECK(memcmp(result, source, bytes) == 0);

    // Where the pointers say which kind it is.
    source[17] = 99;
    memset(result, 0, bytes);
    CUDA(cudaMemcpy(a, source, bytes, cudaMemcpyDefault));
    CUDA(cudaMemcpy(b, a, bytes, cudaMemcpyDefault));
    CUDA(cudaMemcpy(result, b, bytes, cudaMemcpyDefault));
    CHECK(memcmp(result, source, bytes) == 0);

    // Odd sizes at odd offsets.
    CUDA(cudaMemset(a, 0, bytes));
    CUDA(cudaMemcpy((char *)a + 3, (char *)source + 5, 101, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(result, a, bytes, cudaMemcpyDeviceToHost));
    CHECK(memcmp((char *)result + 3, (char *)source + 5, 101) == 0);
    CHECK_EQUAL(((char *)result)[2], 0);
    CHECK_EQUAL(((char *)result)[104], 0);

    CUDA(cudaMemcpy(a, source, 0, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpyPeer(b, 0, a, 0, bytes));
    memset(result, 1, bytes);
    CUDA(cudaMemcpy(result, b, bytes, cudaMemcpyDeviceToHost));
    CHECK(memcmp((char *)result + 3, (char *)source + 5, 101) == 0);
    CHECK_EQUAL(((char *)result)[104], 0);
    CUDA(cudaFree(a));
    CUDA(cudaFree(b));
    return check_result();
}
