/* Kernels that a profiler measures in one pass or in several, on a real GPU.
 *
 *     nvcc -O3 -arch=sm_90 passes.cu -o passes
 *     ncu --cache-control none --clock-control none --metrics sm__cycles_elapsed.max ./passes
 *     ncu --cache-control none --clock-control none --metrics dram__bytes_read.sum ./passes
 *     ncu --cache-control none --clock-control none --metrics sm__cycles_elapsed.max,smsp__inst_executed.sum,\
 * dram__bytes_read.sum,l1tex__t_sector_hit_rate.pct,lts__t_sector_hit_rate.pct ./passes
 *
 * A convolution and a product that keeps its sum in memory, in the shapes of PolyBench's, each once behind the
 * copies of its arrays. h200-passes.csv has what each run printed, one run each. */
#include <vector>

#include "caches.cuh"

enum { N = 1024, SMALL = 128 };

__global__ void conv(const float *a, float *b)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < N - 1 && j < N - 1 && i > 0 && j > 0)
        b[i * N + j] = 0.2f * a[(i - 1) * N + j - 1] + 0.5f * a[(i - 1) * N + j] -
                       0.8f * a[(i - 1) * N + j + 1] - 0.3f * a[i * N + j - 1] + 0.6f * a[i * N + j] -
                       0.9f * a[i * N + j + 1] + 0.4f * a[(i + 1) * N + j - 1] + 0.7f * a[(i + 1) * N + j] +
                       0.1f * a[(i + 1) * N + j + 1];
}

__global__ void gemm(float *a, float *b, float *c, int n)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n)
        return;
    c[i * n + j] *= 2123;
    for (int k = 0; k < n; k++)
        c[i * n + j] += 32412 * a[i * n + k] * b[k * n + j];
}

static float *copied(const std::vector<float> &host, size_t count)
{
    float *device;
    CHECK(cudaMalloc(&device, count * sizeof *device));
    CHECK(cudaMemcpy(device, host.data(), count * sizeof *device, cudaMemcpyHostToDevice));
    return device;
}

int main()
{
    const std::vector<float> ones(N * N, 1.0f);
    float *image = copied(ones, N * N), *result = copied(ones, N * N);
    conv<<<dim3(N / 32, N / 8), dim3(32, 8)>>>(image, result);
    CHECK(cudaDeviceSynchronize());
    float *a = copied(ones, SMALL * SMALL), *b = copied(ones, SMALL * SMALL),
          *c = copied(ones, SMALL * SMALL);
    gemm<<<dim3(SMALL / 32, SMALL / 8), dim3(32, 8)>>>(a, b, c, SMALL);
    CHECK(cudaDeviceSynchronize());
    return 0;
}
