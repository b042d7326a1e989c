// A kernel that launches itself: a chain, and a tree whose grids add up what is below them.
// nvcc: -rdc=true
#include "check.h"

__global__ void chain(int *depth, int left)
{
    depth[left] = gridDim.x * 100 + blockDim.x;
    if (left > 0 && blockIdx.x == 0 && threadIdx.x == 0)
        chain<<<left, left + 1>>>(depth, left - 1);
}

// Node n has children 2n+1 and 2n+2; every thread of a block launches one of them.
__global__ void tree(unsigned *visits, int node, int nodes)
{
    if (threadIdx.x == 0)
        atomicAdd(&visits[node], node + 1);
    int below = 2 * node + 1 + threadIdx.x;
    if (below < nodes)
        tree<<<1, 2>>>(visits, below, nodes);
}

int main()
{
    enum { DEPTH = 16, NODES = 511 };
    int *depth;
    unsigned *visits;
    CUDA(cudaMallocManaged(&depth, (DEPTH + 1) * sizeof *depth));
    CUDA(cudaMallocManaged(&visits, NODES * sizeof *visits));
    memset(depth, 0, (DEPTH + 1) * sizeof *depth);
    memset(visits, 0, NODES * sizeof *visits);
    chain<<<1, 1>>>(depth, DEPTH);
    tree<<<1, 2>>>(visits, 0, NODES);
    CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(depth[DEPTH], 101);
    for (int left = 0; left < DEPTH; left++)
        CHECK_EQUAL(depth[left], (left + 1) * 100 + left + 2);
    for (int node = 0; node < NODES; node++)
        CHECK_EQUAL(visits[node], node + 1);
    return check_result();
}
