// Grids and blocks of three dimensions, and of odd sizes.
#include <vector>

#include "check.h"

__global__ void mark(unsigned *out, dim3 size)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
             z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= size.x || y >= size.y || z >= size.z)
        return;
    unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    atomicAdd(&out[(z * size.y + y) * size.x + x], block * 1000 + thread + 1);
}

__global__ void warp_layout(unsigned *lanes)
{
    unsigned lane, thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    lanes[thread] = lane;
}

int main()
{
    const dim3 size(13, 11, 7), block(4, 3, 2), grid(4, 4, 4);
    const unsigned count = size.x * size.y * size.z;
    unsigned *out;
    CUDA(cudaMalloc(&out, count * sizeof *out));
    CUDA(cudaMemset(out, 0, count * sizeof *out));
    mark<<<grid, block>>>(out, size);
    std::vector<unsigned> host(count);
    CUDA(cudaMemcpy(host.data(), out, count * sizeof *out, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < count; i++) {
        unsigned x = i % size.x, y = i / size.x % size.y, z = i / size.x / size.y;
        unsigned in_grid = (z / block.z * grid.y + y / block.y) * grid.x + x / block.x;
        unsigned in_block = (z % block.z * block.y + y % block.y) * block.x + x % block.x;
        CHECK_EQUAL(host[i], in_grid * 1000 + in_block + 1);
    }
    // Threads fill warps with x first, then y, then z.
    warp_layout<<<1, dim3(5, 7, 3)>>>(out);
    CUDA(cudaMemcpy(host.data(), out, 105 * sizeof *out, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < 105; i++)
        CHECK_EQUAL(host[i], i % 32);
    // The most blocks that y and z allow are still launched; most threads end at once.
    CUDA(cudaMemset(out, 0, sizeof *out));
    mark<<<dim3(1, 1, 700), 1>>>(out, dim3(1, 1, 1));
    CUDA(cudaMemcpy(host.data(), out, sizeof *out, cudaMemcpyDeviceToHost));
    CHECK_EQUAL(host[0], 1);
    CUDA(cudaFree(out));
    return check_result();
}
