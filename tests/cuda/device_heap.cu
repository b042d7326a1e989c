// malloc, free, new and delete in kernels; memory that one kernel allocates and another one frees.
#include "check.h"

struct Point {
    int x, y;
    __device__ Point(int first, int second) : x(first), y(second) {}
    __device__ ~Point() { x = -1; }
};

__device__ int *kept[64];

__global__ void allocate(int *sums)
{
    int i = threadIdx.x;
    int *array = (int *)malloc((i + 1) * sizeof(int));
    sums[i] = 0;
    if (!array)
        return;
    for (int k = 0; k <= i; k++)
        array[k] = k;
    for (int k = 0; k <= i; k++)
        sums[i] += array[k];
    Point *point = new Point(i, 2 * i);
    sums[i] += point->y - point->x; // i
    delete point;
    double *many = new double[4];
    many[3] = 1.0;
    sums[i] += (int)many[3];
    delete[] many;
    kept[i] = array;
}

__global__ void read_and_free(int *last)
{
    int i = threadIdx.x;
    last[i] = kept[i] ? kept[i][i] : -1;
    free(kept[i]);
}

__global__ void too_much(int *result)
{
    void *memory = malloc((size_t)1 << 45);
    *result = memory == nullptr;
    free(nullptr);
}

int main()
{
    int host[64], *device;
    CUDA(cudaMalloc(&device, sizeof host));
    allocate<<<1, 64>>>(device);
    CUDA(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        CHECK_EQUAL(host[i], i * (i + 1) / 2 + i + 1);
    read_and_free<<<1, 64>>>(device);
    CUDA(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        CHECK_EQUAL(host[i], i);
    too_much<<<1, 1>>>(device);
    CUDA(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    CHECK_EQUAL(host[0], 1);
    CUDA(cudaFree(device));
    return check_result();
}
