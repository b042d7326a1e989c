// Cooperative launches: grid.sync() between phases, and the error when not all blocks fit at once.
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

/* Each phase, every block adds its left neighbour's last number to its own. */
__global__ void waves(int *numbers, int phases)
{
    cg::grid_group grid = cg::this_grid();
    int left = (blockIdx.x + gridDim.x - 1) % gridDim.x;
    for (int phase = 0; phase < phases; phase++) {
        int of_left = numbers[left];
        grid.sync();
        if (threadIdx.x == 0)
            numbers[blockIdx.x] += of_left;
        grid.sync();
    }
    if (grid.thread_rank() == 0)
        numbers[gridDim.x] = grid.is_valid() && grid.size() == gridDim.x * blockDim.x;
}

int main()
{
    int supported, sms, most;
    CUDA(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0));
    CHECK_EQUAL(supported, 1);
    CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&most, waves, 1024, 0));
    CHECK(most >= 1);

    enum { BLOCKS = 20 };
    int phases = 5, host[BLOCKS + 1], expected[BLOCKS], *numbers;
    for (int i = 0; i < BLOCKS; i++)
        host[i] = expected[i] = i * i;
    for (int phase = 0; phase < phases; phase++) {
        int before[BLOCKS];
        memcpy(before, expected, sizeof before);
        for (int i = 0; i < BLOCKS; i++)
            expected[i] += before[(i + BLOCKS - 1) % BLOCKS];
    }
    CUDA(cudaMalloc(&numbers, sizeof host));
    CUDA(cudaMemcpy(numbers, host, sizeof host, cudaMemcpyHostToDevice));
    void *arguments[] = {&numbers, &phases};
    CUDA(cudaLaunchCooperativeKernel((void *)waves, dim3(BLOCKS), dim3(64), arguments, 0, 0));
    CUDA(cudaMemcpy(host, numbers, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < BLOCKS; i++)
        CHECK_EQUAL(host[i], expected[i]);
    CHECK_EQUAL(host[BLOCKS], 1);

    // Again, by launch attribute.
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    cudaLaunchConfig_t configuration = {};
    configuration.gridDim = dim3(BLOCKS);
    configuration.blockDim = dim3(32);
    configuration.attrs = &attribute;
    configuration.numAttrs = 1;
    CUDA(cudaLaunchKernelEx(&configuration, waves, numbers, 1));
    CUDA(cudaMemcpy(host, numbers, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < BLOCKS; i++)
        CHECK_EQUAL(host[i], expected[i] + expected[(i + BLOCKS - 1) % BLOCKS]);

    CUDA_FAILS(cudaErrorCooperativeLaunchTooLarge,
               cudaLaunchCooperativeKernel((void *)waves, dim3(most * sms + 1), dim3(1024), arguments, 0, 0));
    // In an ordinary launch there is no grid to wait for.
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaFree(numbers));
    return check_result();
}
