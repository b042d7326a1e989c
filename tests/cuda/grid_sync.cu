// grid_group::sync() on the hardware for global sync: a cooperative launch of more blocks than fit on the GPU,
// whose code is CUDA's own. A real GPU takes as many as fit.
// gpus: gtx970
#include <cooperative_groups.h>
#include <stdlib.h>
#include <utility>

#include "check.h"

namespace cg = cooperative_groups;

enum { MOST = 8192, THREADS = 64 };

// Every block adds its left neighbour's last number to its own; the second meeting is in two halves.
__global__ void waves(int *numbers, int *notes, int phases)
{
    cg::grid_group grid = cg::this_grid();
    const int left = (blockIdx.x + gridDim.x - 1) % gridDim.x;
    for (int phase = 0; phase < phases; phase++) {
        const int of_left = numbers[left];
        grid.sync();
        if (threadIdx.x == 0)
            numbers[blockIdx.x] += of_left;
        auto token = grid.barrier_arrive();
        if (threadIdx.x == 40)
            notes[blockIdx.x]++;
        grid.barrier_wait(std::move(token));
    }
}

int main()
{
    static int host[MOST], expected[MOST], before[MOST], noted[MOST];
    setenv("WARPBEAM_SET", "grid_sync=hardware", 1);
    int sms, most, phases = 1, *numbers, *notes;
    CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&most, waves, THREADS, 0));
    int blocks = most * sms < 1400 ? most * sms : 1400;
    for (int i = 0; i < blocks; i++)
        host[i] = expected[i] = i * i;
    for (int phase = 0; phase < phases; phase++) {
        memcpy(before, expected, sizeof before);
        for (int i = 0; i < blocks; i++)
            expected[i] += before[(i + blocks - 1) % blocks];
    }
    CUDA(cudaMalloc(&numbers, sizeof host));
    CUDA(cudaMalloc(&notes, sizeof host));
    CUDA(cudaMemset(notes, 0, sizeof host));
    CUDA(cudaMemcpy(numbers, host, sizeof host, cudaMemcpyHostToDevice));
    void *arguments[] = {&numbers, &notes, &phases};
    CUDA(cudaLaunchCooperativeKernel((void *)waves, dim3(blocks), dim3(THREADS), arguments, 0, 0));
    CUDA(cudaMemcpy(host, numbers, sizeof host, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(noted, notes, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < blocks; i++) {
        CHECK_EQUAL(host[i], expected[i]);
        CHECK_EQUAL(noted[i], phases);
    }
    return check_result();
}
