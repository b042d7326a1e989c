// Two files with relocatable device code: functions, variables and kernels across them.
// nvcc: -rdc=true parts/geometry.cu
#include "check.h"
#include "parts/geometry.h"

__device__ int calls;
static __device__ int own = 1;

__device__ int twice(int value) { return 2 * value; }

__global__ void measure(float *out)
{
    Box box = {(float)threadIdx.x, 3.0f};
    out[threadIdx.x] = volume(box, 0.5f) + own + offsets[3];
}

int main()
{
    float *out;
    int *integers;
    CUDA(cudaMallocManaged(&out, 32 * sizeof *out));
    CUDA(cudaMallocManaged(&integers, 32 * sizeof *integers));
    const int values[4] = {10, 20, 30, 40};
    CUDA(cudaMemcpyToSymbol(offsets, values, sizeof values));
    measure<<<1, 32>>>(out);
    launch_from_other_file(integers);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 32; i++) {
        CHECK_EQUAL(out[i], i * 3.0f * 2.0f * 0.5f + 41);
        CHECK_EQUAL(integers[i], 2 * (1000 + values[i % 4]));
    }
    int counted;
    CUDA(cudaMemcpyFromSymbol(&counted, calls, sizeof counted));
    CHECK_EQUAL(counted, 32);

    // The other file's variable by this one's name for it.
    float ten = 10.0f;
    CUDA(cudaMemcpyToSymbol(scale, &ten, sizeof ten));
    measure<<<1, 32>>>(out);
    CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(out[4], 4 * 3.0f * 10.0f * 0.5f + 41);
    return check_result();
}
