// Pointers to device functions: in tables, copied through symbols, passed as arguments.
#include "check.h"

typedef int Operation(int, int);

__device__ int add(int a, int b) { return a + b; }
__device__ int subtract(int a, int b) { return a - b; }
__device__ int multiply(int a, int b) { return a * b; }

__device__ Operation *table[] = {add, subtract, multiply};
__constant__ Operation *chosen = multiply;
__device__ Operation *for_the_host = subtract;

__global__ void use_table(int *out)
{
    int i = threadIdx.x;
    out[i] = table[i % 3](i, 10) + 1000 * chosen(i, 2);
}

__global__ void apply(Operation *operation, int *out) { out[threadIdx.x] = operation(threadIdx.x, 3); }

int main()
{
    int host[64], *out;
    CUDA(cudaMalloc(&out, sizeof host));
    use_table<<<1, 64>>>(out);
    CUDA(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        CHECK_EQUAL(host[i], (i % 3 == 0 ? i + 10 : i % 3 == 1 ? i - 10 : i * 10) + 2000 * i);

    Operation *operation;
    CUDA(cudaMemcpyFromSymbol(&operation, for_the_host, sizeof operation));
    apply<<<1, 64>>>(operation, out);
    CUDA(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        CHECK_EQUAL(host[i], i - 3);
    CUDA(cudaMemcpyToSymbol(chosen, &operation, sizeof operation));
    use_table<<<1, 64>>>(out);
    CUDA(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK_EQUAL(host[60], 70 + 1000 * 58);
    return check_result();
}
