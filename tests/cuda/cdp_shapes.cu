// Grids and blocks of children in three dimensions, with static and dynamic shared memory.
// nvcc: -rdc=true
#include "check.h"

extern __shared__ int dynamic[];

// Every thread leaves its number in shared memory and takes over the one of its mirror image.
__global__ void child(int *out)
{
    __shared__ int corner;
    int threads = blockDim.x * blockDim.y * blockDim.z;
    int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    if (thread == 0)
        corner = gridDim.x * 100 + gridDim.y * 10 + gridDim.z;
    dynamic[thread] = thread;
    __syncthreads();
    out[block * threads + thread] = dynamic[threads - 1 - thread] + corner * 10000;
}

__global__ void parent(int *out, dim3 grid, dim3 block)
{
    int threads = block.x * block.y * block.z, blocks = grid.x * grid.y * grid.z;
    if (threadIdx.x == 0)
        child<<<grid, block, threads * sizeof(int)>>>(out);
    else
        child<<<dim3(1, blocks, 1), dim3(1, 1, threads), threads * sizeof(int)>>>(out + blocks * threads);
}

static void check_shape(int *out, dim3 grid, dim3 block)
{
    int threads = block.x * block.y * block.z, blocks = grid.x * grid.y * grid.z;
    memset(out, 0, 2 * blocks * threads * sizeof *out);
    parent<<<1, 2>>>(out, grid, block);
    CUDA(cudaGetLastError());
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < blocks * threads; i++) {
        CHECK_EQUAL(out[i] % 10000, threads - 1 - i % threads);
        CHECK_EQUAL(out[i] / 10000, (int)(grid.x * 100 + grid.y * 10 + grid.z));
        CHECK_EQUAL(out[blocks * threads + i], threads - 1 - i % threads + (101 + blocks * 10) * 10000);
    }
}

int main()
{
    int *out;
    CUDA(cudaMallocManaged(&out, 1 << 20));
    check_shape(out, dim3(2, 3, 4), dim3(5, 3, 2));
    check_shape(out, dim3(1, 1, 7), dim3(33, 1, 1));
    check_shape(out, dim3(5, 1, 2), dim3(4, 4, 4));
    return check_result();
}
