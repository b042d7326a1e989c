// Quicksort that launches a grid for each part, in two streams, and sorts short parts in one block.
// nvcc: -rdc=true
#include "check.h"

enum { COUNT = 2000, SHORT = 64, DEEPEST = 14 };

__global__ void sort_short(int *values, int count)
{
    __shared__ int part[SHORT];
    int i = threadIdx.x;
    if (i < count)
        part[i] = values[i];
    __syncthreads();
    if (i >= count)
        return;
    int rank = 0;
    for (int k = 0; k < count; k++)
        rank += part[k] < part[i] || (part[k] == part[i] && k < i);
    values[rank] = part[i];
}

__device__ void sort_alone(int *values, int count)
{
    for (int i = 1; i < count; i++) {
        int value = values[i], k = i;
        for (; k > 0 && values[k - 1] > value; k--)
            values[k] = values[k - 1];
        values[k] = value;
    }
}

__device__ int median(int a, int b, int c) { return max(min(a, b), min(max(a, b), c)); }

__global__ void quicksort(int *values, int count, int depth, int *failures);

__device__ void sort_part(int *values, int count, int depth, int *failures)
{
    cudaStream_t stream;
    if (count < 2)
        return;
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess)
        atomicAdd(failures, 1);
    if (count <= SHORT)
        sort_short<<<1, SHORT, 0, stream>>>(values, count);
    else
        quicksort<<<1, 1, 0, stream>>>(values, count, depth + 1, failures);
    if (cudaGetLastError() != cudaSuccess)
        atomicAdd(failures, 1);
    cudaStreamDestroy(stream);
}

__global__ void quicksort(int *values, int count, int depth, int *failures)
{
    if (depth == DEEPEST) {
        sort_alone(values, count);
        return;
    }
    int pivot = median(values[0], values[count / 2], values[count - 1]), i = 0, j = count - 1;
    while (i <= j) {
        while (values[i] < pivot)
            i++;
        while (values[j] > pivot)
            j--;
        if (i <= j) {
            int swap = values[i];
            values[i++] = values[j];
            values[j--] = swap;
        }
    }
    sort_part(values, j + 1, depth, failures);
    sort_part(values + i, count - i, depth, failures);
}

int main()
{
    int *values, *failures;
    long long before = 0, after = 0;
    CUDA(cudaMallocManaged(&values, COUNT * sizeof *values));
    CUDA(cudaMallocManaged(&failures, sizeof *failures));
    *failures = 0;
    unsigned state = 12345;
    for (int i = 0; i < COUNT; i++) {
        state = state * 1664525 + 1013904223;
        values[i] = (int)(state >> 8) % 1500 - 700; // with some equal ones
        before += (long long)values[i] * values[i];
    }
    quicksort<<<1, 1>>>(values, COUNT, 0, failures);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < COUNT; i++) {
        after += (long long)values[i] * values[i];
        if (i > 0)
            CHECK(values[i - 1] <= values[i]);
    }
    CHECK_EQUAL(after, before);
    CHECK_EQUAL(*failures, 0);
    return check_result();
}
