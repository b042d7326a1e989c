// Lambdas as kernel arguments and inside kernels.
// nvcc: --extended-lambda
#include "check.h"

template <typename Function> __global__ void for_each(int count, Function function)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        function(i);
}

template <typename T, typename Function>
__global__ void reduce(const T *values, int count, T *result, Function combine)
{
    T sum = values[0];
    for (int i = 1; i < count; i++)
        sum = combine(sum, values[i]);
    *result = sum;
}

__global__ void inside(int *out)
{
    int base = threadIdx.x;
    auto square = [](int x) { return x * x; };
    auto shifted = [&base](int x) { return ++base + x; };
    out[threadIdx.x] = square(threadIdx.x) + shifted(100);
}

int main()
{
    const int count = 300;
    int *values, *result, factor = 3;
    CUDA(cudaMallocManaged(&values, count * sizeof *values));
    CUDA(cudaMallocManaged(&result, sizeof *result));
    for_each<<<3, 128>>>(count, [=] __device__(int i) { values[i] = factor * i; });
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < count; i++)
        CHECK_EQUAL(values[i], 3 * i);
    reduce<<<1, 1>>>(values, count, result, [] __host__ __device__(int a, int b) { return a > b ? a : b; });
    CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(*result, 897);
    inside<<<1, 64>>>(values);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++)
        CHECK_EQUAL(values[i], i * i + i + 101);
    return check_result();
}
