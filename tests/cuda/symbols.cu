// Variables of the module by name: constant, global, initialized, arrays, with offsets and addresses.
#include "check.h"

struct Pair {
    int first;
    double second;
};

__constant__ float coefficients[16];
__constant__ Pair pair = {3, 0.25};
__device__ int counter = 7;
__device__ int table[32] = {1, 2, 3};
static __device__ long long hidden;

__global__ void evaluate(float *out)
{
    int i = threadIdx.x;
    out[i] = coefficients[i % 16] * pair.first + (float)pair.second;
    table[i] += counter;
    if (i == 0)
        hidden = 1LL << 40;
}

int main()
{
    float values[16], out[32], *device;
    for (int i = 0; i < 16; i++)
        values[i] = i * 0.5f;
    CUDA(cudaMalloc(&device, sizeof out));
    CUDA(cudaMemcpyToSymbol(coefficients, values, sizeof values));
    evaluate<<<1, 32>>>(device);
    CUDA(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++)
        CHECK_EQUAL(out[i], values[i % 16] * 3 + 0.25f);

    int copy[32];
    CUDA(cudaMemcpyFromSymbol(copy, table, sizeof copy));
    for (int i = 0; i < 32; i++)
        CHECK_EQUAL(copy[i], (i < 3 ? i + 1 : 0) + 7);
    long long big;
    CUDA(cudaMemcpyFromSymbol(&big, hidden, sizeof big));
    CHECK_EQUAL(big, 1LL << 40);

    // Parts of a symbol.
    int two[2] = {-5, -6};
    CUDA(cudaMemcpyToSymbol(table, two, sizeof two, 10 * sizeof(int), cudaMemcpyHostToDevice));
    int part[4];
    CUDA(cudaMemcpyFromSymbol(part, table, sizeof part, 9 * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK_EQUAL(part[0], 7);
    CHECK_EQUAL(part[1], -5);
    CHECK_EQUAL(part[2], -6);
    CHECK_EQUAL(part[3], 7);

    size_t size;
    CUDA(cudaGetSymbolSize(&size, coefficients));
    CHECK_EQUAL(size, sizeof values);
    CUDA(cudaGetSymbolSize(&size, pair));
    CHECK_EQUAL(size, sizeof(Pair));
    int *address;
    CUDA(cudaGetSymbolAddress((void **)&address, table));
    CUDA(cudaMemset(address, 0, 4 * sizeof(int)));
    CUDA(cudaMemcpyFromSymbol(part, table, sizeof part));
    CHECK_EQUAL(part[0] + part[3], 0);

    // From device memory, in a stream.
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaMemcpyToSymbolAsync(coefficients, device, sizeof values, 0, cudaMemcpyDeviceToDevice, stream));
    CUDA(cudaMemcpyFromSymbolAsync(values, coefficients, sizeof values, 0, cudaMemcpyDeviceToHost, stream));
    CUDA(cudaStreamSynchronize(stream));
    CHECK_EQUAL(values[15], out[15]);

    // Beyond the end, and something that is no symbol.
    CUDA_FAILS(cudaErrorInvalidValue, cudaMemcpyToSymbol(counter, part, 8));
    CUDA_FAILS(cudaErrorInvalidValue, cudaMemcpyFromSymbol(part, table, 8, 31 * sizeof(int)));
    int local;
    CUDA_FAILS(cudaErrorInvalidSymbol, cudaMemcpyToSymbol(local, part, 4));
    CUDA_FAILS(cudaErrorInvalidSymbol, cudaGetSymbolSize(&size, local));
    CUDA(cudaStreamDestroy(stream));
    CUDA(cudaFree(device));
    return check_result();
}
