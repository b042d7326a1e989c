// What the toolkit's own C++ libraries make of a block: sorting, scanning, barriers in memory, atomics.
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cuda/atomic>
#include <cuda/barrier>

extern "C" __global__ void sorts(const unsigned *in, unsigned *out)
{
    typedef cub::BlockRadixSort<unsigned, 128, 4> Sort;
    __shared__ typename Sort::TempStorage storage;
    unsigned keys[4];
    for (int i = 0; i < 4; i++)
        keys[i] = in[threadIdx.x * 4 + i];
    Sort(storage).Sort(keys);
    for (int i = 0; i < 4; i++)
        out[threadIdx.x * 4 + i] = keys[i];
}

extern "C" __global__ void scans(const int *in, int *out, int *totals)
{
    typedef cub::BlockScan<int, 96> Scan;
    typedef cub::BlockReduce<int, 96> Reduce;
    typedef cub::WarpReduce<int> WarpReduce;
    __shared__ union { typename Scan::TempStorage scan; typename Reduce::TempStorage reduce; } storage;
    __shared__ typename WarpReduce::TempStorage warps[3];
    unsigned t = threadIdx.x;
    int before, sum;
    Scan(storage.scan).ExclusiveSum(in[t], before, sum);
    __syncthreads();
    int largest = Reduce(storage.reduce).Reduce(in[t], [](int a, int b) { return a > b ? a : b; });
    int of_warp = WarpReduce(warps[t / 32]).Sum(in[t]);
    out[t] = before;
    if (t == 0)
        totals[0] = sum, totals[1] = largest;
    if (t % 32 == 0)
        totals[2 + t / 32] = of_warp;
}

// A barrier object in shared memory: everyone arrives, half of the threads only do that.
extern "C" __global__ void memory_barrier(int *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ int values[64];
    unsigned t = threadIdx.x;
    if (t == 0)
        init(&barrier, 64);
    __syncthreads();
    int sum = 0;
    for (int round = 0; round < 4; round++) {
        values[t] = (int)t * round;
        barrier.arrive_and_wait();
        sum += values[63 - t];
        auto token = barrier.arrive();
        barrier.wait(static_cast<decltype(token) &&>(token));
    }
    out[t] = sum;
}

// Blocks take tickets in order of their numbers, by atomics of the library with their memory orders.
extern "C" __global__ void tickets(unsigned *counter, unsigned long long *sum, unsigned *order)
{
    if (threadIdx.x)
        return;
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> turn(*counter);
    cuda::atomic_ref<unsigned long long, cuda::thread_scope_system> total(*sum);
    while (turn.load(cuda::memory_order_acquire) != blockIdx.x)
        ;
    order[blockIdx.x] = blockIdx.x * 3 + 1;
    total.fetch_add(blockIdx.x, cuda::memory_order_relaxed);
    turn.store(blockIdx.x + 1, cuda::memory_order_release);
}
