// A tree of sums in one launch, given as edges before <<<>>> (warpbeam_links.h): a block adds up what its two
// children have left, and runs after both. The leaves have the highest numbers, so that blocks in their usual
// order would get it wrong. Elsewhere the program launches a kernel for each level.
// nvcc: -I../../include
#include <vector>

#include "check.h"
#include "warpbeam_links.h"

enum { LEVELS = 9, BLOCKS = (1 << LEVELS) - 1, FIRST_LEAF = BLOCKS / 2, THREADS = 32 };

__global__ void add_up(int *sums, const int *items, int first)
{
    __shared__ int sum;
    const int block = first + blockIdx.x;
    if (threadIdx.x == 0)
        sum = block < FIRST_LEAF ? sums[2 * block + 1] + sums[2 * block + 2] : 0;
    __syncthreads();
    if (block >= FIRST_LEAF)
        atomicAdd(&sum, items[(block - FIRST_LEAF) * THREADS + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0)
        sums[block] = sum;
}

int main()
{
    const int count = (BLOCKS - FIRST_LEAF) * THREADS;
    std::vector<int> items(count);
    int *sums, *device_items, total = 0, root = -1;
    for (int i = 0; i < count; i++)
        total += items[i] = i % 101 - 30;
    CUDA(cudaMalloc(&sums, BLOCKS * sizeof *sums));
    CUDA(cudaMemset(sums, 0x55, BLOCKS * sizeof *sums));
    CUDA(cudaMalloc(&device_items, count * sizeof *device_items));
    CUDA(cudaMemcpy(device_items, items.data(), count * sizeof *device_items, cudaMemcpyHostToDevice));
    std::vector<WbEdge> edges;
    for (uint32_t block = 0; block < FIRST_LEAF; block++) {
        edges.push_back(WbEdge{2 * block + 1, block});
        edges.push_back(WbEdge{2 * block + 2, block});
    }
    if (wb_edges_next_launch(edges.data(), edges.size())) {
        edges.clear(); // they were copied
        add_up<<<BLOCKS, THREADS>>>(sums, device_items, 0);
    } else {
        printf("Blocks cannot depend on each other here: a kernel for each level.\n");
        for (int level = LEVELS - 1; level >= 0; level--)
            add_up<<<1 << level, THREADS>>>(sums, device_items, (1 << level) - 1);
    }
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(&root, sums, sizeof root, cudaMemcpyDeviceToHost));
    CHECK_EQUAL(root, total);
    const WbEdge stray = {0, BLOCKS};
    if (wb_edges_next_launch(&stray, 1)) {
        add_up<<<BLOCKS, THREADS>>>(sums, device_items, 0);
        CUDA_FAILS(cudaErrorInvalidValue, cudaGetLastError());
    }
    // An order alone makes no block wait; and every block needs a key.
    std::vector<int> keys(BLOCKS, 0);
    if (wb_order_next_launch(keys.data(), BLOCKS)) {
        add_up<<<BLOCKS, THREADS>>>(sums, device_items, 0);
        CUDA(cudaGetLastError());
        CUDA(cudaDeviceSynchronize());
        wb_order_next_launch(keys.data(), BLOCKS - 1);
        add_up<<<BLOCKS, THREADS>>>(sums, device_items, 0);
        CUDA_FAILS(cudaErrorInvalidValue, cudaGetLastError());
    }
    CUDA(cudaFree(sums));
    CUDA(cudaFree(device_items));
    return check_result();
}
