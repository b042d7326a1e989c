// Functions that call themselves, each lane to its own depth.
#include "check.h"

__device__ __noinline__ unsigned fibonacci(unsigned n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__device__ __noinline__ unsigned ackermann(unsigned m, unsigned n)
{
    if (m == 0)
        return n + 1;
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

__device__ void quicksort(int *values, int count)
{
    if (count < 2)
        return;
    int pivot = values[count / 2], i = 0, j = count - 1;
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
    quicksort(values, j + 1);
    quicksort(values + i, count - i);
}

__global__ void run(unsigned *fibonaccis, unsigned *ackermanns, int *values)
{
    int i = threadIdx.x;
    fibonaccis[i] = fibonacci(i % 12);
    ackermanns[i] = ackermann(i % 3, i / 3 % 4);
    quicksort(values + i * 20, 20);
}

static unsigned expected_fibonacci(unsigned n)
{
    return n < 2 ? n : expected_fibonacci(n - 1) + expected_fibonacci(n - 2);
}

int main()
{
    CUDA(cudaDeviceSetLimit(cudaLimitStackSize, 8192));
    unsigned *fibonaccis, *ackermanns;
    int *values;
    CUDA(cudaMallocManaged(&fibonaccis, 32 * sizeof *fibonaccis));
    CUDA(cudaMallocManaged(&ackermanns, 32 * sizeof *ackermanns));
    CUDA(cudaMallocManaged(&values, 640 * sizeof *values));
    for (int i = 0; i < 640; i++)
        values[i] = i * 7919 % 1009;
    run<<<1, 32>>>(fibonaccis, ackermanns, values);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 32; i++) {
        int n = i / 3 % 4;
        CHECK_EQUAL(fibonaccis[i], expected_fibonacci(i % 12));
        CHECK_EQUAL(ackermanns[i], i % 3 == 0 ? n + 1 : i % 3 == 1 ? n + 2 : 2 * n + 3);
        for (int k = 1; k < 20; k++)
            CHECK(values[i * 20 + k - 1] <= values[i * 20 + k]);
    }
    return check_result();
}
