// The first CUDA program of everyone: two vectors to the GPU, a kernel, the sum back.
#include <vector>

#include "check.h"

__global__ void add(const float *a, const float *b, float *sum, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        sum[i] = a[i] + b[i];
}

int main()
{
    const int count = 10000;
    const size_t bytes = count * sizeof(float);
    std::vector<float> a(count), b(count), sum(count, -1.0f);
    for (int i = 0; i < count; i++) {
        a[i] = 0.5f * i;
        b[i] = 3.0f - i;
    }
    float *device_a, *device_b, *device_sum;
    CUDA(cudaMalloc(&device_a, bytes));
    CUDA(cudaMalloc(&device_b, bytes));
    CUDA(cudaMalloc(&device_sum, bytes));
    CUDA(cudaMemcpy(device_a, a.data(), bytes, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(device_b, b.data(), bytes, cudaMemcpyHostToDevice));
    add<<<(count + 255) / 256, 256>>>(device_a, device_b, device_sum, count);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(sum.data(), device_sum, bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; i++)
        CHECK_EQUAL(sum[i], a[i] + b[i]);
    CUDA(cudaFree(device_a));
    CUDA(cudaFree(device_b));
    CUDA(cudaFree(device_sum));
    return check_result();
}
