// __managed__ variables: used by name on both sides.
#include "check.h"

__managed__ int counter = 5;
__managed__ float table[64];
__managed__ int *pointer;

__global__ void use()
{
    int i = threadIdx.x;
    table[i] *= 2.0f;
    atomicAdd(&counter, 1);
    if (i == 0)
        *pointer += 100;
}

int main()
{
    CHECK_EQUAL(counter, 5);
    for (int i = 0; i < 64; i++)
        table[i] = 1.5f * i;
    CUDA(cudaMallocManaged(&pointer, sizeof *pointer));
    *pointer = 11;
    use<<<1, 64>>>();
    CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(counter, 69);
    CHECK_EQUAL(*pointer, 111);
    for (int i = 0; i < 64; i++)
        CHECK_EQUAL(table[i], 3.0f * i);

    int copy = 1;
    CUDA(cudaMemcpyToSymbol(counter, &copy, sizeof copy));
    CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(counter, 1);
    size_t size;
    CUDA(cudaGetSymbolSize(&size, table));
    CHECK_EQUAL(size, sizeof(float) * 64);
    void *address;
    CUDA(cudaGetSymbolAddress(&address, table));
    CHECK(address == (void *)table);
    return check_result();
}
