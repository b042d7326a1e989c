/* What short kernels take, with caches as they are and with empty ones, on a real GPU.
 *
 *     nvcc -O3 -arch=sm_90 empties.cu -o empties
 *     ncu --cache-control none --clock-control none --csv --metrics sm__cycles_elapsed.max ./empties
 *     ncu --cache-control all --clock-control none --csv --metrics sm__cycles_elapsed.max ./empties
 *
 * Kernels of 256 threads a block: an empty one, one that stores, one that copies and one that adds three
 * neighbours, each three times for each number of blocks. h200-empties.csv has the cycles of both runs. */
#include "caches.cuh"

__global__ void empty() {}

__global__ void tiny(float *x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

__global__ void copy(const float *x, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i];
}

__global__ void three(const float *x, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = 0.33333f * (x[i] + x[i + 1] + x[i + 2]);
}

int main()
{
    static float host[1 << 21];
    static const int grids[] = {1, 4, 132, 1024, 4096};
    float *x, *y;
    CHECK(cudaMalloc(&x, sizeof host));
    CHECK(cudaMalloc(&y, sizeof host));
    CHECK(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(y, host, sizeof host, cudaMemcpyHostToDevice));
    for (int grid : grids) {
        for (int i = 0; i < 3; i++) {
            empty<<<grid, 256>>>();
            CHECK(cudaDeviceSynchronize());
            tiny<<<grid, 256>>>(y);
            CHECK(cudaDeviceSynchronize());
            copy<<<grid, 256>>>(x, y);
            CHECK(cudaDeviceSynchronize());
            three<<<grid, 256>>>(x, y);
            CHECK(cudaDeviceSynchronize());
        }
    }
    return 0;
}
