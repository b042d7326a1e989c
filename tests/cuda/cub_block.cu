// CUB's block-wide collectives from CUDA's own headers.
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include "check.h"

enum { THREADS = 128 };

__global__ void collectives(const int *in, int *sorted, int *scanned, int *sum)
{
    using Sort = cub::BlockRadixSort<int, THREADS, 1>;
    using Scan = cub::BlockScan<int, THREADS>;
    using Reduce = cub::BlockReduce<int, THREADS>;
    __shared__ union {
        typename Sort::TempStorage sort;
        typename Scan::TempStorage scan;
        typename Reduce::TempStorage reduce;
    } storage;
    int value[1] = {in[threadIdx.x]}, before;
    Scan(storage.scan).ExclusiveSum(value[0], before);
    scanned[threadIdx.x] = before;
    __syncthreads();
    int total = Reduce(storage.reduce).Sum(value[0]);
    if (threadIdx.x == 0)
        *sum = total;
    __syncthreads();
    Sort(storage.sort).Sort(value);
    sorted[threadIdx.x] = value[0];
}

int main()
{
    int *in, *sorted, *scanned, *sum;
    CUDA(cudaMallocManaged(&in, THREADS * sizeof(int)));
    CUDA(cudaMallocManaged(&sorted, THREADS * sizeof(int)));
    CUDA(cudaMallocManaged(&scanned, THREADS * sizeof(int)));
    CUDA(cudaMallocManaged(&sum, sizeof(int)));
    for (int i = 0; i < THREADS; i++)
        in[i] = i * 89 % 257 - 100;
    collectives<<<1, THREADS>>>(in, sorted, scanned, sum);
    CUDA(cudaDeviceSynchronize());
    int total = 0;
    for (int i = 0; i < THREADS; i++) {
        CHECK_EQUAL(scanned[i], total);
        total += in[i];
        if (i > 0)
            CHECK(sorted[i - 1] <= sorted[i]);
    }
    CHECK_EQUAL(*sum, total);
    return check_result();
}
